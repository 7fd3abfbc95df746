//! Events as lines: JSON for programs, text for people. Both carry the same facts.
//!
//! `docs/calltrace-format.md` describes them. `calltrace` writes them as things happen, and `cargo xtask trace print` from a
//! recording.

use core::fmt::{self, Display, Write};

use argvalues::{JsonWriter, Mode, Position, TextWriter, Visitor, json};

use crate::definition::{Function, Parameter};

/// How a line is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// For programs.
    Jsonl,
}

/// What is the same in every line of a function: the text around the values.
#[derive(Clone, Debug)]
pub struct FunctionText {
    /// `Shop.Cart.Add`
    name: String,
    /// `,"module":"shop.dll","method":"Shop.Cart.Add"`
    json_head: String,
    /// `,"signature":"bool Shop.Cart.Add(string name)"`
    json_signature: String,
    /// For each parameter `{"name":"name","type":"string","mode":"in"`.
    json_parameters: Vec<String>,
    /// For each parameter `{"name":"count","type":"int","value":`.
    json_outs: Vec<String>,
    /// `,"return":{"type":"bool","value":`
    json_return: String,
    /// For people: names and modes.
    parameters: Vec<(String, Mode)>,
}

impl FunctionText {
    /// The texts of a function. One without a signature is shown without parameters.
    #[must_use]
    pub fn new(function: &Function) -> Self {
        let texts = |end: fn(&Parameter) -> String| function.parameters.iter().map(end).collect();
        let json_signature = match function.signature.as_str() {
            "" => String::new(),
            signature => format!(r#","signature":{}"#, quoted(signature)),
        };
        Self {
            json_head: format!(
                r#","module":{},"method":{}"#,
                quoted(&function.module),
                quoted(&function.name)
            ),
            json_signature,
            json_parameters: texts(|parameter| {
                let Parameter { name, type_name, mode } = parameter;
                let (name, type_name) = (quoted(name), quoted(type_name));
                format!(r#"{{"name":{name},"type":{type_name},"mode":"{}""#, mode.as_str())
            }),
            json_outs: texts(|Parameter { name, type_name, .. }| {
                format!(r#"{{"name":{},"type":{},"value":"#, quoted(name), quoted(type_name))
            }),
            json_return: function.returns.as_ref().map_or_else(String::new, |type_name| {
                format!(r#","return":{{"type":{},"value":"#, quoted(type_name))
            }),
            parameters: function
                .parameters
                .iter()
                .map(|parameter| (parameter.name.clone(), parameter.mode))
                .collect(),
            name: function.name.clone(),
        }
    }

    /// What C# calls the function.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// A value that can be told once.
pub trait Tell {
    /// Tells it.
    fn tell<V: Visitor + ?Sized>(self, visitor: &mut V);
}

/// A line about a call, which is appended to a text.
#[derive(Debug)]
pub struct Line<'l> {
    out: &'l mut String,
    format: Format,
    function: &'l FunctionText,
    in_list: bool,
}

/// Where a call is: the operating system's id of the thread, and how many calls are open below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The thread's id.
    pub thread: u64,
    /// The calls below.
    pub depth: u64,
}

impl<'l> Line<'l> {
    /// Begins the line of a call that begins. Then come its [arguments](Self::argument), and [`end`](Self::end).
    pub fn enter(out: &'l mut String, format: Format, place: Place, function: &'l FunctionText) -> Self {
        let mut line = Self::new(out, format, function);
        match format {
            Format::Jsonl => {
                line.json_head("enter", place);
                line.out.push_str(&function.json_signature);
            }
            Format::Text => {
                line.text_head(place, '→');
                line.put(format_args!("{}(", function.name));
            }
        }
        line
    }

    /// Begins the line of a call that ends. Then come its [result](Self::result), if it has one, the [values](Self::out) of
    /// `ref` and `out` parameters, and [`end_leave`](Self::end_leave).
    pub fn leave(out: &'l mut String, format: Format, place: Place, function: &'l FunctionText) -> Self {
        let mut line = Self::new(out, format, function);
        match format {
            Format::Jsonl => line.json_head("leave", place),
            Format::Text => line.text_head(place, '←'),
        }
        line
    }

    /// Writes the line of a call that ends with a tail call.
    pub fn tailcall(out: &'l mut String, format: Format, place: Place, function: &'l FunctionText) {
        let mut line = Self::new(out, format, function);
        match format {
            Format::Jsonl => {
                line.json_head("tailcall", place);
                line.out.push('}');
            }
            Format::Text => {
                line.text_head(place, '⤳');
                line.out.push_str(" tail call");
            }
        }
    }

    /// Writes the line of a call that an exception of this type ends.
    pub fn unwind(
        out: &'l mut String,
        format: Format,
        place: Place,
        function: &'l FunctionText,
        exception: &str,
    ) {
        let mut line = Self::new(out, format, function);
        match format {
            Format::Jsonl => {
                line.json_head("unwind", place);
                line.out.push_str(r#","exception":"#);
                line.quote(exception);
                line.out.push('}');
            }
            Format::Text => {
                line.text_head(place, '✗');
                line.put(format_args!(" {exception}"));
            }
        }
    }

    /// Writes the line that says that so many records are missing.
    pub fn lost(out: &mut String, format: Format, Place { thread, depth }: Place, records: u64) {
        // Writing to a string does not fail.
        let _ = match format {
            Format::Jsonl => {
                write!(out, r#"{{"event":"lost","thread":{thread},"depth":{depth},"records":{records}}}"#)
            }
            Format::Text => write!(out, "[{thread}] … {records} records are missing"),
        };
    }

    fn new(out: &'l mut String, format: Format, function: &'l FunctionText) -> Self {
        Self { out, format, function, in_list: false }
    }

    /// Whether [`argument`](Self::argument) tells an argument in this position. For people `this` is told at the
    /// [end](Self::end), as it does not stand in the parentheses in C#.
    #[must_use]
    pub fn tells(&self, position: Position) -> bool {
        self.format == Format::Jsonl || matches!(position, Position::Parameter(_))
    }

    /// The next argument. The value of an `out` parameter is not told: it has none yet.
    pub fn argument(&mut self, position: Position, mode: Mode, value: impl Tell) {
        let Position::Parameter(index) = position else {
            if self.format == Format::Jsonl {
                self.out.push_str(r#","this":"#);
                value.tell(&mut JsonWriter::new(self.out));
            }
            return;
        };
        match self.format {
            Format::Jsonl => {
                self.out.push_str(if self.in_list { "," } else { r#","args":["# });
                let known = self.function.json_parameters.get(index);
                self.out.push_str(known.map_or(r#"{"name":"""#, String::as_str));
                if mode != Mode::Out {
                    self.out.push_str(r#","value":"#);
                    value.tell(&mut JsonWriter::new(self.out));
                }
                self.out.push('}');
            }
            Format::Text => {
                if self.in_list {
                    self.out.push_str(", ");
                }
                let known = self.function.parameters.get(index);
                let (name, mode) = known.map_or(("", Mode::Value), |(name, mode)| (name.as_str(), *mode));
                if !name.is_empty() {
                    self.put(format_args!("{name}: "));
                }
                self.out.push_str(match mode {
                    Mode::Value => "",
                    Mode::In => "in ",
                    Mode::Ref => "ref ",
                    Mode::Out => "out",
                });
                if mode != Mode::Out {
                    value.tell(&mut TextWriter::new(self.out));
                }
            }
        }
        self.in_list = true;
    }

    /// The end of the arguments, and `this` if it has not been told.
    pub fn end(self, this: Option<impl Tell>) {
        self.out.push_str(match (self.format, self.in_list) {
            (Format::Jsonl, true) => "]}",
            (Format::Jsonl, false) => r#","args":[]}"#,
            (Format::Text, _) => ")",
        });
        if let (Format::Text, Some(this)) = (self.format, this) {
            self.out.push_str("  this: ");
            this.tell(&mut TextWriter::new(self.out));
        }
    }

    /// The end of a line whose arguments are not known, and why.
    pub fn end_failed(mut self, error: &str) {
        match self.format {
            Format::Jsonl => {
                self.out.push_str(r#","args":[],"error":"#);
                self.quote(error);
                self.out.push('}');
            }
            Format::Text => self.put(format_args!("error: {error})")),
        }
    }

    /// What the call has returned.
    pub fn result(&mut self, value: impl Tell) {
        match self.format {
            Format::Jsonl => {
                self.out.push_str(&self.function.json_return);
                value.tell(&mut JsonWriter::new(self.out));
                self.out.push('}');
            }
            Format::Text => {
                self.out.push(' ');
                value.tell(&mut TextWriter::new(self.out));
            }
        }
    }

    /// What a `ref` or `out` parameter refers to.
    pub fn out(&mut self, index: usize, value: impl Tell) {
        match self.format {
            Format::Jsonl => {
                self.out.push_str(if self.in_list { "," } else { r#","outs":["# });
                let known = self.function.json_outs.get(index);
                self.out.push_str(known.map_or(r#"{"value":"#, String::as_str));
                value.tell(&mut JsonWriter::new(self.out));
                self.out.push('}');
            }
            Format::Text => {
                let name = self.function.parameters.get(index).map_or("", |(name, _)| name.as_str());
                self.put(format_args!("{} {name}: ", if self.in_list { "," } else { " " }));
                value.tell(&mut TextWriter::new(self.out));
            }
        }
        self.in_list = true;
    }

    /// The end of the line of a call that ends.
    pub fn end_leave(self) {
        if self.format == Format::Jsonl {
            self.out.push_str(if self.in_list { "]}" } else { "}" });
        }
    }

    fn json_head(&mut self, event: &str, Place { thread, depth }: Place) {
        self.put(format_args!(r#"{{"event":"{event}","thread":{thread},"depth":{depth}"#));
        self.out.push_str(&self.function.json_head);
    }

    fn text_head(&mut self, Place { thread, depth }: Place, arrow: char) {
        let space = if arrow == '→' { " " } else { "" };
        let indent = usize::try_from(depth).unwrap_or_default() * 2;
        self.put(format_args!("[{thread}] {:indent$}{arrow}{space}", ""));
    }

    /// Appends to the line, which does not fail.
    fn put(&mut self, text: fmt::Arguments<'_>) {
        let _ = self.out.write_fmt(text);
    }

    /// Appends a JSON string.
    fn quote(&mut self, text: &str) {
        let _ = json::write_str(self.out, text);
    }
}

/// Something that could not be read, in the place of a value.
#[derive(Clone, Copy, Debug)]
pub struct Failed<E>(pub E);

impl<E: Display> Tell for Failed<E> {
    fn tell<V: Visitor + ?Sized>(self, visitor: &mut V) {
        visitor.error(&self.0);
    }
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    // Writing to a string does not fail.
    let _ = json::write_str(&mut out, text);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use argvalues::Integer;

    struct Number(i64);

    impl Tell for Number {
        fn tell<V: Visitor + ?Sized>(self, visitor: &mut V) {
            visitor.integer(Integer::Signed(self.0));
        }
    }

    fn function() -> FunctionText {
        let parameter = |name: &str, mode| Parameter { name: name.into(), type_name: "int".into(), mode };
        FunctionText::new(&Function {
            module: "shop.dll".into(),
            name: "Shop.Cart.Add".into(),
            signature: "int Shop.Cart.Add(int count, ref int left, out int item)".into(),
            has_this: true,
            parameters: vec![
                parameter("count", Mode::Value),
                parameter("left", Mode::Ref),
                parameter("item", Mode::Out),
            ],
            returns: Some("int".into()),
            ..Function::default()
        })
    }

    const PLACE: Place = Place { thread: 4711, depth: 1 };

    fn lines(format: Format) -> Vec<String> {
        let function = function();
        let mut lines = vec![String::new(); 5];
        let [enter, failed, leave, tailcall, unwind] = &mut lines[..] else { unreachable!() };
        let mut line = Line::enter(enter, format, PLACE, &function);
        line.argument(Position::This, Mode::Value, Number(1));
        line.argument(Position::Parameter(0), Mode::Value, Number(2));
        line.argument(Position::Parameter(1), Mode::Ref, Number(3));
        line.argument(Position::Parameter(2), Mode::Out, Number(0));
        line.end(Some(Number(1)));
        Line::enter(failed, format, PLACE, &function).end_failed("no \"values\"");
        let mut line = Line::leave(leave, format, PLACE, &function);
        line.result(Number(4));
        line.out(1, Number(5));
        line.out(2, Failed("gone"));
        line.end_leave();
        Line::tailcall(tailcall, format, PLACE, &function);
        Line::unwind(unwind, format, PLACE, &function, "System.Exception");
        lines
    }

    #[test]
    fn programs_get_json() {
        let head = r#""thread":4711,"depth":1,"module":"shop.dll","method":"Shop.Cart.Add""#;
        let signature = r#""signature":"int Shop.Cart.Add(int count, ref int left, out int item)""#;
        let args = r#"[{"name":"count","type":"int","mode":"in","value":2},{"name":"left","type":"int","mode":"ref","value":3},{"name":"item","type":"int","mode":"out"}]"#;
        let outs = r#"[{"name":"left","type":"int","value":5},{"name":"item","type":"int","value":{"error":"gone"}}]"#;
        let expected = [
            format!(r#"{{"event":"enter",{head},{signature},"this":1,"args":{args}}}"#),
            format!(r#"{{"event":"enter",{head},{signature},"args":[],"error":"no \"values\""}}"#),
            format!(r#"{{"event":"leave",{head},"return":{{"type":"int","value":4}},"outs":{outs}}}"#),
            format!(r#"{{"event":"tailcall",{head}}}"#),
            format!(r#"{{"event":"unwind",{head},"exception":"System.Exception"}}"#),
        ];
        assert_eq!(lines(Format::Jsonl), expected);
    }

    #[test]
    fn people_get_text() {
        let lines = lines(Format::Text);
        assert_eq!(
            lines,
            [
                "[4711]   → Shop.Cart.Add(count: 2, left: ref 3, item: out)  this: 1",
                "[4711]   → Shop.Cart.Add(error: no \"values\")",
                lines[2].as_str(),
                "[4711]   ⤳ tail call",
                "[4711]   ✗ System.Exception",
            ]
        );
        assert!(
            lines[2].starts_with("[4711]   ← 4  left: 5, item: ") && lines[2].contains("gone"),
            "{}",
            lines[2]
        );
    }
}
