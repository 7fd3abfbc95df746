//! Events as lines: JSON for programs, text for people. Both carry the same facts.
//!
//! `docs/calltrace-format.md` describes them. `calltrace` writes them while the program runs; `corprof trace print` writes
//! them from a recording. Both need the definitions of functions ([`Function`]), so the lines are part of this crate.

use core::fmt::{self, Display, Write};

use argvalues::{JsonWriter, Mode, Position, TextWriter, Visit, json};
use corprof_in_process::printable::Printable;

use crate::definition::{Function, Parameter};
use crate::omitted::Omitted;

/// The maximum number of indented levels of calls in text. The line of a deeper call has the number of further levels.
const MAX_INDENT: u64 = 100;

/// The indentation of calls that are not deep.
const INDENTATION: &str = "                                        ";

/// The format of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// For programs.
    Jsonl,
}

/// The constant parts of a function's lines: the text around the values.
#[derive(Clone, Debug)]
pub struct FunctionText {
    /// `Shop.Cart.Add`, escaped.
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
    /// For text: escaped names, and modes.
    parameters: Vec<(String, Mode)>,
}

impl FunctionText {
    /// Creates the texts of a function. A function without a signature is written without parameters.
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
                .map(|parameter| (Printable(&parameter.name).to_string(), parameter.mode))
                .collect(),
            name: Printable(&function.name).to_string(),
        }
    }

    /// Returns the C# name of the function, escaped.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// A line about a call, which is appended to a text.
#[derive(Debug)]
pub struct Line<'l> {
    out: &'l mut String,
    format: Format,
    function: &'l FunctionText,
    in_list: bool,
}

/// The thread and the depth of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The operating system's id of the thread.
    pub thread: u64,
    /// The number of open calls below it on the thread's stack.
    pub depth: u64,
}

impl<'l> Line<'l> {
    /// Starts the line for the beginning of a call. [`argument`](Self::argument) and [`end`](Self::end) complete it.
    pub fn enter(out: &'l mut String, format: Format, place: Place, function: &'l FunctionText) -> Self {
        let mut line = Self::new(out, format, function);
        match format {
            Format::Jsonl => {
                line.json_head("enter", place);
                line.out.push_str(&function.json_signature);
            }
            Format::Text => {
                line.text_head(place, '→');
                line.out.push_str(&function.name);
                line.out.push('(');
            }
        }
        line
    }

    /// Starts the line for the end of a call. [`result`](Self::result), [`out`](Self::out) for each `ref` and `out`
    /// parameter, and [`end_leave`](Self::end_leave) complete it.
    pub fn leave(out: &'l mut String, format: Format, place: Place, function: &'l FunctionText) -> Self {
        let mut line = Self::new(out, format, function);
        match format {
            Format::Jsonl => line.json_head("leave", place),
            Format::Text => line.text_head(place, '←'),
        }
        line
    }

    /// Writes the line for a call that ends with a tail call.
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

    /// Writes the line for a call that is suspended.
    pub fn suspend(out: &'l mut String, format: Format, place: Place, function: &'l FunctionText) {
        let mut line = Self::new(out, format, function);
        match format {
            Format::Jsonl => {
                line.json_head("suspend", place);
                line.out.push('}');
            }
            Format::Text => {
                line.text_head(place, '⏸');
                line.out.push_str(" suspended");
            }
        }
    }

    /// Writes the line for a call that is resumed.
    pub fn resume(out: &'l mut String, format: Format, place: Place, function: &'l FunctionText) {
        let mut line = Self::new(out, format, function);
        match format {
            Format::Jsonl => {
                line.json_head("resume", place);
                line.out.push('}');
            }
            Format::Text => {
                line.text_head(place, '▶');
                line.put(format_args!(" {} resumed", function.name));
            }
        }
    }

    /// Writes the line for a call that an exception of this type has left.
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
                line.put(format_args!(" {}", Printable(exception)));
            }
        }
    }

    /// Writes the line for a number of lost records.
    pub fn lost(out: &mut String, format: Format, Place { thread, depth }: Place, records: u64) {
        // Writing to a string does not fail.
        let _ = match format {
            Format::Jsonl => {
                write!(out, r#"{{"event":"lost","thread":{thread},"depth":{depth},"records":{records}}}"#)
            }
            Format::Text => write!(out, "[{thread}] … {records} records are missing"),
        };
    }

    /// Writes the line for calls of a function that were made and are not in the trace.
    pub fn omitted(out: &mut String, format: Format, function: &FunctionText, omitted: Omitted) {
        let Omitted { calls, and_more } = omitted;
        // Writing to a string does not fail.
        let _ = match format {
            Format::Jsonl => {
                let FunctionText { json_head, json_signature, .. } = function;
                let more = if and_more { r#","more":true"# } else { "" };
                write!(out, r#"{{"event":"omitted"{json_head}{json_signature},"calls":{calls}{more}}}"#)
            }
            Format::Text => {
                let more = if and_more { ", and more that were not counted" } else { "" };
                write!(out, "… {calls} calls of {} are omitted{more}", function.name)
            }
        };
    }

    fn new(out: &'l mut String, format: Format, function: &'l FunctionText) -> Self {
        Self { out, format, function, in_list: false }
    }

    /// Returns whether [`argument`](Self::argument) writes an argument in this position.
    ///
    /// In text, [`end`](Self::end) writes `this` behind the parentheses.
    #[must_use]
    pub fn writes(&self, position: Position) -> bool {
        self.format == Format::Jsonl || matches!(position, Position::Parameter(_))
    }

    /// Writes the next argument. An `out` parameter is written without a value, since it has none yet.
    pub fn argument(&mut self, position: Position, mode: Mode, value: impl Visit) {
        let Position::Parameter(index) = position else {
            if self.format == Format::Jsonl {
                self.out.push_str(r#","this":"#);
                value.visit(&mut JsonWriter::new(self.out));
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
                    value.visit(&mut JsonWriter::new(self.out));
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
                    self.out.push_str(name);
                    self.out.push_str(": ");
                }
                self.out.push_str(match mode {
                    Mode::Value => "",
                    Mode::In => "in ",
                    Mode::Ref => "ref ",
                    Mode::Out => "out",
                });
                if mode != Mode::Out {
                    value.visit(&mut TextWriter::new(self.out));
                }
            }
        }
        self.in_list = true;
    }

    /// Ends the arguments, and writes `this` if it has not been written.
    pub fn end(self, this: Option<impl Visit>) {
        self.out.push_str(match (self.format, self.in_list) {
            (Format::Jsonl, true) => "]}",
            (Format::Jsonl, false) => r#","args":[]}"#,
            (Format::Text, _) => ")",
        });
        if let (Format::Text, Some(this)) = (self.format, this) {
            self.out.push_str("  this: ");
            this.visit(&mut TextWriter::new(self.out));
        }
    }

    /// Ends a line whose arguments could not be located, with the reason.
    pub fn end_failed(mut self, error: &str) {
        match self.format {
            Format::Jsonl => {
                self.out.push_str(r#","args":[],"error":"#);
                self.quote(error);
                self.out.push('}');
            }
            Format::Text => self.put(format_args!("error: {})", Printable(error))),
        }
    }

    /// Writes the return value.
    pub fn result(&mut self, value: impl Visit) {
        match self.format {
            Format::Jsonl => {
                self.out.push_str(&self.function.json_return);
                value.visit(&mut JsonWriter::new(self.out));
                self.out.push('}');
            }
            Format::Text => {
                self.out.push(' ');
                value.visit(&mut TextWriter::new(self.out));
            }
        }
    }

    /// Writes the target of a `ref` or `out` parameter.
    pub fn out(&mut self, index: usize, value: impl Visit) {
        match self.format {
            Format::Jsonl => {
                self.out.push_str(if self.in_list { "," } else { r#","outs":["# });
                let known = self.function.json_outs.get(index);
                self.out.push_str(known.map_or(r#"{"value":"#, String::as_str));
                value.visit(&mut JsonWriter::new(self.out));
                self.out.push('}');
            }
            Format::Text => {
                let name = self.function.parameters.get(index).map_or("", |(name, _)| name.as_str());
                self.put(format_args!("{} {name}: ", if self.in_list { "," } else { " " }));
                value.visit(&mut TextWriter::new(self.out));
            }
        }
        self.in_list = true;
    }

    /// Ends the line for the end of a call.
    pub fn end_leave(self) {
        if self.format == Format::Jsonl {
            self.out.push_str(if self.in_list { "]}" } else { "}" });
        }
    }

    fn json_head(&mut self, event: &str, Place { thread, depth }: Place) {
        self.out.push_str(r#"{"event":""#);
        self.out.push_str(event);
        self.out.push_str(r#"","thread":"#);
        self.number(thread);
        self.out.push_str(r#","depth":"#);
        self.number(depth);
        self.out.push_str(&self.function.json_head);
    }

    fn text_head(&mut self, Place { thread, depth }: Place, arrow: char) {
        self.out.push('[');
        self.number(thread);
        self.out.push_str("] ");
        match usize::try_from(depth) {
            Ok(depth) if depth <= INDENTATION.len() / 2 => {
                self.out.push_str(INDENTATION.get(..2 * depth).unwrap_or_default());
            }
            _ => self.put(format_args!("{}", Indent(depth))),
        }
        self.out.push(arrow);
        if arrow == '→' {
            self.out.push(' ');
        }
    }

    fn number(&mut self, number: u64) {
        self.out.push_str(itoa::Buffer::new().format(number));
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

/// The indentation of a call at a depth: two spaces for each open call below it, up to 100.
#[derive(Clone, Copy, Debug)]
pub struct Indent(pub u64);

impl Display for Indent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for _ in 0..self.0.min(MAX_INDENT) {
            f.write_str("  ")?;
        }
        match self.0.checked_sub(MAX_INDENT) {
            None | Some(0) => Ok(()),
            Some(more) => write!(f, "(+{more}) "),
        }
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
    use argvalues::{Failed, Integer, Visitor};

    struct Number(i64);

    impl Visit for Number {
        fn visit<V: Visitor + ?Sized>(self, visitor: &mut V) {
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
        let mut lines = vec![String::new(); 7];
        let [enter, failed, leave, tailcall, unwind, suspend, resume] = &mut lines[..] else {
            unreachable!()
        };
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
        Line::suspend(suspend, format, PLACE, &function);
        Line::resume(resume, format, PLACE, &function);
        lines
    }

    #[test]
    fn json_lines_have_all_facts() {
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
            format!(r#"{{"event":"suspend",{head}}}"#),
            format!(r#"{{"event":"resume",{head}}}"#),
        ];
        assert_eq!(lines(Format::Jsonl), expected);
    }

    #[test]
    fn text_lines_have_arrows_and_values() {
        let lines = lines(Format::Text);
        assert_eq!(
            lines,
            [
                "[4711]   → Shop.Cart.Add(count: 2, left: ref 3, item: out)  this: 1",
                "[4711]   → Shop.Cart.Add(error: no \"values\")",
                lines[2].as_str(),
                "[4711]   ⤳ tail call",
                "[4711]   ✗ System.Exception",
                "[4711]   ⏸ suspended",
                "[4711]   ▶ Shop.Cart.Add resumed",
            ]
        );
        assert!(
            lines[2].starts_with("[4711]   ← 4  left: 5, item: ") && lines[2].contains("gone"),
            "{}",
            lines[2]
        );
    }

    #[test]
    fn control_characters_in_names_do_not_end_the_line() {
        let name = "A\n[1] → Forged()\u{1b}[2J\u{202e}";
        let function = FunctionText::new(&Function {
            name: name.into(),
            parameters: vec![Parameter { name: name.into(), type_name: name.into(), mode: Mode::Value }],
            ..Function::default()
        });
        for format in [Format::Text, Format::Jsonl] {
            let mut out = String::new();
            let mut line = Line::enter(&mut out, format, PLACE, &function);
            line.argument(Position::Parameter(0), Mode::Value, Failed(name));
            line.end(None::<Number>);
            Line::unwind(&mut out, format, PLACE, &function, name);
            Line::enter(&mut out, format, PLACE, &function).end_failed(name);
            assert!(out.chars().all(corprof_in_process::printable::is_printable), "{out:?}");
        }
    }

    #[test]
    fn deep_calls_have_lines_of_a_bounded_length() {
        for (depth, length, end) in
            [(3, 6, "  "), (100, 200, "  "), (101, 205, "(+1) "), (u64::MAX, 224, " ")]
        {
            let indent = Indent(depth).to_string();
            assert_eq!(indent.len(), length, "{depth}");
            assert!(indent.ends_with(end), "{indent:?}");
        }
    }
}
