//! One event of a trace.

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Map, Value};

use crate::json;

/// One line of the trace, or of a program's own report, which has the same format.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The operating system's thread id.
    pub thread: u64,
    /// Traced frames below on that thread.
    pub depth: u64,
    /// The module's file name.
    pub module: String,
    /// The method's full name.
    pub method: String,
    /// The event.
    pub event: Event,
}

/// An event with its data.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A method was entered.
    Enter {
        /// Return type, name, parameters.
        signature: String,
        /// The receiver of an instance method.
        this: Option<Value>,
        /// Every parameter.
        args: Vec<Slot>,
        /// Why there are none, if they could not be located.
        error: Option<String>,
    },
    /// A method returned.
    Leave {
        /// Absent for `void`: type and value.
        result: Option<(String, Value)>,
        /// Ref and out parameters.
        outs: Vec<Slot>,
    },
    /// A method was replaced by its last call.
    Tailcall,
    /// The runtime has suspended a method: it has left its thread.
    Suspend,
    /// A suspended method goes on.
    Resume,
    /// An exception left a method.
    Unwind {
        /// The exception's type.
        exception: String,
    },
}

/// The calls of a method that a trace leaves out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Omitted {
    /// The module's file name.
    pub module: String,
    /// The method's full name.
    pub method: String,
    /// The number of those that were counted.
    pub calls: u64,
    /// Whether there may be more.
    pub and_more: bool,
}

impl Omitted {
    /// Parses a line; `None` if it is about a call.
    ///
    /// # Errors
    ///
    /// As for [`Record::parse`].
    pub fn parse(line: &str) -> Result<Option<Self>> {
        if !line.starts_with(r#"{"event":"omitted","#) {
            return Ok(None);
        }
        let mut keys = Keys::of(json::parse(line).context("not JSON")?)?;
        keys.text("event")?;
        let (module, method, signature) =
            (keys.text("module")?, keys.text("method")?, keys.text("signature")?);
        ensure!(signature.contains(&method), "the signature `{signature}` is not that of `{method}`");
        let calls = keys.number("calls")?;
        let and_more = match keys.take("more") {
            Some(Value::Bool(true)) => true,
            None => false,
            Some(other) => bail!("`more` is {other:?}"),
        };
        keys.finish()?;
        Ok(Some(Self { module, method, calls, and_more }))
    }
}

impl Event {
    /// The event's name in the contract.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Enter { .. } => "enter",
            Self::Leave { .. } => "leave",
            Self::Tailcall => "tailcall",
            Self::Suspend => "suspend",
            Self::Resume => "resume",
            Self::Unwind { .. } => "unwind",
        }
    }
}

/// A parameter of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    /// Its name.
    pub name: String,
    /// Its type, without `ref`, `out` and `in`.
    pub ty: String,
    /// `in`, `ref` or `out`; only on enter.
    pub mode: Option<String>,
    /// Absent for an `out` parameter on enter.
    pub value: Option<Value>,
}

impl Record {
    /// Parses one line, and rejects keys that the format does not have.
    ///
    /// # Errors
    ///
    /// A part that is missing, has the wrong type, or is not part of the format.
    pub fn parse(line: &str) -> Result<Self> {
        Self::from_value(json::parse(line).context("not JSON")?)
    }

    /// Converts a parsed line.
    ///
    /// # Errors
    ///
    /// As for [`parse`](Self::parse).
    pub fn from_value(line: Value) -> Result<Self> {
        let mut keys = Keys::of(line)?;
        let kind = keys.text("event")?;
        let thread = keys.number("thread")?;
        let depth = keys.number("depth")?;
        let module = keys.text("module")?;
        let method = keys.text("method")?;
        let event = match kind.as_str() {
            "enter" => {
                let signature = keys.text("signature")?;
                let this = keys.take("this");
                let args = keys.slots("args", true)?.context("`args` is missing")?;
                let error = keys.take("error").map(|error| match error {
                    Value::String(reason) if this.is_none() && args.is_empty() => Ok(reason),
                    other => bail!("`error` is {other}, beside {} arguments", args.len()),
                });
                Event::Enter { signature, this, args, error: error.transpose()? }
            }
            "leave" => {
                let result = keys.take("return").map(typed_value).transpose().context("`return`")?;
                let outs = keys.slots("outs", false)?;
                ensure!(outs.as_ref().is_none_or(|o| !o.is_empty()), "`outs` is there but empty");
                Event::Leave { result, outs: outs.unwrap_or_default() }
            }
            "tailcall" => Event::Tailcall,
            "suspend" => Event::Suspend,
            "resume" => Event::Resume,
            "unwind" => Event::Unwind { exception: keys.text("exception")? },
            other => bail!("unknown event `{other}`"),
        };
        keys.finish()?;
        Ok(Self { thread, depth, module, method, event })
    }

    /// A short form for messages: event, depth and method.
    #[must_use]
    pub fn brief(&self) -> String {
        format!("[{}] depth {:2} {:8} {}", self.thread, self.depth, self.event.name(), self.method)
    }
}

fn typed_value(value: Value) -> Result<(String, Value)> {
    let mut keys = Keys::of(value)?;
    let typed = (keys.text("type")?, keys.take("value").context("`value` is missing")?);
    keys.finish()?;
    Ok(typed)
}

/// An object whose keys are removed one by one, so that remaining keys can be reported.
struct Keys(Map<String, Value>);

impl Keys {
    fn of(value: Value) -> Result<Self> {
        match value {
            Value::Object(map) => Ok(Self(map)),
            other => bail!("an object was expected: {other}"),
        }
    }

    fn take(&mut self, key: &str) -> Option<Value> {
        self.0.remove(key)
    }

    fn text(&mut self, key: &str) -> Result<String> {
        match self.take(key) {
            Some(Value::String(text)) => Ok(text),
            Some(other) => bail!("`{key}` is not a string: {other}"),
            None => bail!("`{key}` is missing"),
        }
    }

    fn number(&mut self, key: &str) -> Result<u64> {
        let value = self.take(key).with_context(|| format!("`{key}` is missing"))?;
        value.as_u64().with_context(|| format!("`{key}` is not a natural number: {value}"))
    }

    fn slots(&mut self, key: &str, on_enter: bool) -> Result<Option<Vec<Slot>>> {
        match self.take(key) {
            Some(Value::Array(items)) => {
                let slots = items.into_iter().map(|item| slot(item, on_enter));
                slots.collect::<Result<_>>().map(Some).with_context(|| format!("in `{key}`"))
            }
            Some(other) => bail!("`{key}` is not an array: {other}"),
            None => Ok(None),
        }
    }

    fn finish(self) -> Result<()> {
        let left: Vec<_> = self.0.keys().map(String::as_str).collect();
        ensure!(left.is_empty(), "keys that the contract does not know: {}", left.join(", "));
        Ok(())
    }
}

fn slot(item: Value, on_enter: bool) -> Result<Slot> {
    let mut keys = Keys::of(item)?;
    let slot = Slot {
        name: keys.text("name")?,
        ty: keys.text("type")?,
        mode: on_enter.then(|| keys.text("mode")).transpose()?,
        value: keys.take("value"),
    };
    keys.finish().with_context(|| format!("parameter `{}`", slot.name))?;
    if let Some(mode) = slot.mode.as_deref() {
        ensure!(matches!(mode, "in" | "ref" | "out"), "parameter `{}` has mode `{mode}`", slot.name);
    }
    let wanted = slot.mode.as_deref() != Some("out");
    ensure!(slot.value.is_some() == wanted, "parameter `{}`: value present must be {wanted}", slot.name);
    Ok(slot)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAVE: &str = r#"{"event":"leave","thread":1,"depth":2,"module":"a.dll","method":"A.M""#;

    #[test]
    fn an_enter_without_arguments_has_the_reason() {
        let head = r#"{"event":"enter","thread":1,"depth":0,"module":"a.dll","method":"A.M","signature":"void A.M(int a)""#;
        let record = Record::parse(&format!(r#"{head},"args":[],"error":"not located"}}"#)).unwrap();
        let Event::Enter { args, error, .. } = &record.event else { panic!("{record:?}") };
        assert_eq!((args.len(), error.as_deref()), (0, Some("not located")));
        crate::schema::check(&record).unwrap();
        for wrong in [
            r#""args":[],"error":1"#,
            r#""args":[{"name":"a","type":"int","mode":"in","value":5}],"error":"not located""#,
            r#""this":null,"args":[],"error":"not located""#,
        ] {
            assert!(Record::parse(&format!("{head},{wrong}}}")).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_enter_has_its_parts() {
        let line = r#"{"event":"enter","thread":4711,"depth":3,"module":"shop.dll","method":"Shop.M",
            "signature":"bool Shop.M(int a, out int b)","args":[
            {"name":"a","type":"int","mode":"in","value":5},{"name":"b","type":"int","mode":"out"}]}"#;
        let record = Record::parse(line).unwrap();
        assert_eq!((record.thread, record.depth, record.module.as_str()), (4711, 3, "shop.dll"));
        let Event::Enter { this, args, .. } = record.event else { panic!("{record:?}") };
        assert_eq!(this, None);
        assert_eq!(args[0].value, Some(5.into()));
        assert_eq!(args[1].value, None);
    }

    #[test]
    fn unknown_keys_are_rejected() {
        let error = Record::parse(&format!("{LEAVE},\"time\":1}}")).unwrap_err();
        assert!(error.to_string().contains("time"), "{error}");
        assert!(Record::parse(&format!("{LEAVE},\"outs\":[]}}")).is_err());
        assert!(Record::parse(&LEAVE.replace("leave", "left")).is_err());
        assert!(Record::parse(&format!("{LEAVE},\"return\":{{\"type\":\"int\"}}}}")).is_err());
        assert!(Record::parse(&format!("{LEAVE}}}").replace(":2", ":-2")).is_err());
    }

    #[test]
    fn an_out_parameter_has_no_value_on_enter_and_others_have() {
        let with = |slot: &str| {
            let line = LEAVE.replace("leave", "enter");
            Record::parse(&format!("{line},\"signature\":\"void A.M()\",\"args\":[{slot}]}}"))
        };
        assert!(with(r#"{"name":"a","type":"int","mode":"out"}"#).is_ok());
        assert!(with(r#"{"name":"a","type":"int","mode":"out","value":1}"#).is_err());
        assert!(with(r#"{"name":"a","type":"int","mode":"ref"}"#).is_err());
        assert!(with(r#"{"name":"a","type":"int","mode":"by","value":1}"#).is_err());
    }
}
