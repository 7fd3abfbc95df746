//! Definitions that records refer to by number: functions, threads, the process.

use argvalues::{Mode, Primitive};

use crate::bytes::{Cursor, Malformed, put_count, put_text};

/// A function with the type arguments of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// The identity of the function across processes: version id of the module, token and type arguments, in the text
    /// form of `clrnames::MethodIdentity`. Empty for a method that was made at run time.
    pub identity: String,
    /// The file name of its module: `shop.dll`.
    pub module: String,
    /// The path of that file.
    pub path: String,
    /// The C# name: `Shop.Cart<string>.Add<int>`.
    pub name: String,
    /// The C# signature: name, parameters and result.
    pub signature: String,
    /// Whether the first value of a call is `this`.
    pub has_this: bool,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The type of the result; `None` for `void`.
    pub returns: Option<String>,
    /// The types of the arguments, if calls are recorded by [`enter`](crate::ThreadRecorder::enter).
    pub arguments: Option<Box<[Primitive]>>,
    /// The type of the result, if ends of calls are recorded by [`leave`](crate::ThreadRecorder::leave) and there is
    /// one.
    pub result: Option<Primitive>,
}

/// The number of a function in a recording: from 0 in the order of definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionNumber(pub(crate) u32);

impl FunctionNumber {
    /// Returns the number.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, which may be empty.
    pub name: String,
    /// The C# name of its type.
    pub type_name: String,
    /// The passing mode.
    pub mode: Mode,
}

/// The process that was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Process {
    /// The operating system's id.
    pub id: u32,
    /// When the recording began: nanoseconds since 1970.
    pub begin: u64,
    /// The program and its arguments.
    pub command: String,
    /// The runtime: `.NET 9.0.1`.
    pub runtime: String,
}

/// A thread that was recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Thread {
    /// Its number in the recording, from 0.
    pub number: u32,
    /// The operating system's id. Another thread may have it later.
    pub id: u64,
}

type Result<T> = core::result::Result<T, Malformed>;

impl Process {
    pub(crate) fn write(&self, clock: &str, out: &mut Vec<u8>) {
        put_count(out, self.id.into());
        put_count(out, self.begin);
        put_text(out, clock);
        put_text(out, &self.command);
        put_text(out, &self.runtime);
    }

    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<(Self, String)> {
        let (id, begin, clock) = (cursor.small()?, cursor.count()?, cursor.text()?.to_owned());
        let (command, runtime) = (cursor.text()?.to_owned(), cursor.text()?.to_owned());
        Ok((Self { id, begin, command, runtime }, clock))
    }
}

impl Thread {
    pub(crate) fn write(self, out: &mut Vec<u8>) {
        put_count(out, self.number.into());
        put_count(out, self.id);
    }

    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        Ok(Self { number: cursor.small()?, id: cursor.count()? })
    }
}

mod flag {
    pub(super) const THIS: u8 = 1;
    pub(super) const RETURNS: u8 = 2;
    pub(super) const ARGUMENTS: u8 = 4;
    pub(super) const RESULT: u8 = 8;
}

const MODES: [Mode; 4] = [Mode::Value, Mode::In, Mode::Ref, Mode::Out];

impl Function {
    /// Writes all but its number.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let flag = |is_there: bool, flag: u8| if is_there { flag } else { 0 };
        out.push(
            flag(self.has_this, flag::THIS)
                | flag(self.returns.is_some(), flag::RETURNS)
                | flag(self.arguments.is_some(), flag::ARGUMENTS)
                | flag(self.result.is_some(), flag::RESULT),
        );
        for text in [&self.identity, &self.module, &self.path, &self.name, &self.signature] {
            put_text(out, text);
        }
        if let Some(returns) = &self.returns {
            put_text(out, returns);
        }
        put_count(out, self.parameters.len() as u64);
        for parameter in &self.parameters {
            let mode = MODES.iter().position(|mode| *mode == parameter.mode).unwrap_or_default();
            put_count(out, mode as u64);
            put_text(out, &parameter.name);
            put_text(out, &parameter.type_name);
        }
        if let Some(arguments) = &self.arguments {
            put_count(out, arguments.len() as u64);
            out.extend(arguments.iter().map(|primitive| *primitive as u8));
        }
        if let Some(result) = self.result {
            out.push(result as u8);
        }
    }

    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<(u32, Self)> {
        let number = cursor.small()?;
        let flags = cursor.byte()?;
        let is_there = |flag: u8| flags & flag != 0;
        let mut text = || cursor.text().map(str::to_owned);
        let mut function = Self {
            identity: text()?,
            module: text()?,
            path: text()?,
            name: text()?,
            signature: text()?,
            has_this: is_there(flag::THIS),
            ..Self::default()
        };
        if is_there(flag::RETURNS) {
            function.returns = Some(text()?);
        }
        for _ in 0..cursor.count()? {
            let mode = usize::from(cursor.byte()?);
            let Some(mode) = MODES.get(mode).copied() else {
                return cursor.error("a parameter is passed in no known way");
            };
            let (name, type_name) = (cursor.text()?.to_owned(), cursor.text()?.to_owned());
            function.parameters.push(Parameter { name, type_name, mode });
        }
        if is_there(flag::ARGUMENTS) {
            let mut arguments = Vec::new();
            for _ in 0..cursor.count()? {
                arguments.push(primitive(cursor)?);
            }
            function.arguments = Some(arguments.into());
        }
        if is_there(flag::RESULT) {
            function.result = Some(primitive(cursor)?);
        }
        Ok((number, function))
    }

    /// Returns the size of the recorded arguments, if calls are recorded by [`enter`](crate::ThreadRecorder::enter).
    pub(crate) fn argument_bytes(&self) -> Option<usize> {
        Some(self.arguments.as_ref()?.iter().map(|primitive| primitive.size()).sum())
    }
}

fn primitive(cursor: &mut Cursor<'_>) -> Result<Primitive> {
    let number = cursor.byte()?;
    match Primitive::ALL.get(usize::from(number)) {
        Some(primitive) => Ok(*primitive),
        None => cursor.error("there is no such primitive type"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_come_back() {
        let function = Function {
            identity: "00112233445566778899aabbccddeeff!06000001<int>".into(),
            module: "shop.dll".into(),
            path: "/app/shop.dll".into(),
            name: "Shop.Cart<int>.Add".into(),
            signature: "bool Shop.Cart<int>.Add(int count, out string name)".into(),
            has_this: true,
            parameters: vec![
                Parameter { name: "count".into(), type_name: "int".into(), mode: Mode::Value },
                Parameter { name: String::new(), type_name: "string".into(), mode: Mode::Out },
            ],
            returns: Some("bool".into()),
            arguments: Some([Primitive::I32, Primitive::USize].into()),
            result: Some(Primitive::Bool),
        };
        for function in [function, Function::default()] {
            let mut bytes = Vec::new();
            put_count(&mut bytes, 300);
            function.write(&mut bytes);
            let mut cursor = Cursor::new(&bytes);
            assert_eq!(Function::read(&mut cursor), Ok((300, function)));
            assert!(cursor.is_at_end());
            for cut in 0..bytes.len() {
                assert!(Function::read(&mut Cursor::new(&bytes[..cut])).unwrap_err().is_cut);
            }
        }
        for (index, primitive) in Primitive::ALL.into_iter().enumerate() {
            assert_eq!(primitive as usize, index);
        }
    }
}
