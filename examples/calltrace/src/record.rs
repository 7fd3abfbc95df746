//! One line for an event: JSON for programs, text for people. Both carry the same facts.

use core::fmt::{self, Display, Write};

use argvalues::{
    Argument, ArgumentRange, Checked, ClrRuntime, Decoder, JsonWriter, Limits, Mode, Position, SavedRefs,
    Scratch, TextWriter, json,
};

use crate::function::Call;
use crate::thread::{Frame, Thread};

/// How a line is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Jsonl,
}

/// What values are decoded with.
pub(crate) struct Values<'v> {
    pub(crate) runtime: &'v ClrRuntime,
    pub(crate) memory: &'v Checked,
    pub(crate) limits: Limits,
    /// Whether collections, tasks and such are shown as their fields.
    pub(crate) raw: bool,
    /// The number of garbage collections so far.
    pub(crate) collections: u64,
}

impl<'v> Values<'v> {
    fn decoder(&self, scratch: &'v mut Scratch) -> Decode<'v> {
        Decoder::new(self.memory, self.runtime, self.limits, scratch).raw(self.raw)
    }
}

/// The thread's id and the depth of the call.
type Place = (u64, usize);

/// Writes the line for a call that begins; where its `ref` and `out` parameters refer to.
pub(crate) fn enter(thread: &mut Thread, format: Format, call: &Call, values: &Values<'_>) -> SavedRefs {
    let (place, stack) = ((thread.id(), thread.depth()), thread.stack());
    let (line, ranges, scratch) = thread.buffers();
    line.clear();
    let Some(plan) = &call.plan else {
        enter_head(line, format, place, call);
        enter_tail(line, format, false);
        return SavedRefs::default();
    };
    let mut decoder = values.decoder(scratch).trust(stack);
    enter_head(line, format, place, call);
    let mut in_list = false;
    for argument in plan.arguments(ranges) {
        match format {
            Format::Jsonl => json_argument(line, call, &argument, &mut decoder, &mut in_list),
            Format::Text => text_argument(line, call, &argument, &mut decoder, &mut in_list),
        }
    }
    enter_tail(line, format, in_list);
    if format == Format::Text {
        let this = plan.arguments(ranges).find(|argument| argument.position() == Position::This);
        if let Some(this) = this {
            line.push_str("  this: ");
            this.decode(&mut decoder, &mut TextWriter::new(line));
        }
    }
    plan.save_refs(values.memory, ranges, values.collections)
}

/// Writes the line for a call of which the arguments are not known.
pub(crate) fn enter_failed(
    line: &mut String,
    format: Format,
    place: Place,
    call: &Call,
    error: &dyn Display,
) {
    line.clear();
    enter_head(line, format, place, call);
    match format {
        Format::Jsonl => {
            put(line, format_args!(r#","args":[],"error":"#));
            quote(line, error);
            line.push('}');
        }
        Format::Text => put(line, format_args!("error: {error})")),
    }
}

fn enter_head(line: &mut String, format: Format, place: Place, call: &Call) {
    match format {
        Format::Jsonl => {
            json_head(line, "enter", place, call);
            line.push_str(&call.json_signature);
        }
        Format::Text => {
            text_head(line, place, '→');
            put(line, format_args!("{}(", call.name));
        }
    }
}

fn enter_tail(line: &mut String, format: Format, in_list: bool) {
    line.push_str(match (format, in_list) {
        (Format::Jsonl, true) => "]}",
        (Format::Jsonl, false) => r#","args":[]}"#,
        (Format::Text, _) => ")",
    });
}

type Decode<'d> = Decoder<'d, Checked, ClrRuntime>;

fn json_argument(
    line: &mut String,
    call: &Call,
    argument: &Argument<'_>,
    decoder: &mut Decode<'_>,
    in_list: &mut bool,
) {
    let Position::Parameter(index) = argument.position() else {
        line.push_str(r#","this":"#);
        argument.decode(decoder, &mut JsonWriter::new(line));
        return;
    };
    line.push_str(if *in_list { "," } else { r#","args":["# });
    *in_list = true;
    line.push_str(call.json_parameters.get(index).map_or(r#"{"name":"""#, String::as_str));
    if argument.mode() != Mode::Out {
        line.push_str(r#","value":"#);
        argument.decode(decoder, &mut JsonWriter::new(line));
    }
    line.push('}');
}

fn text_argument(
    line: &mut String,
    call: &Call,
    argument: &Argument<'_>,
    decoder: &mut Decode<'_>,
    in_list: &mut bool,
) {
    // `this` comes behind the parentheses, as it does not stand inside of them in C#.
    let Position::Parameter(index) = argument.position() else { return };
    if *in_list {
        line.push_str(", ");
    }
    *in_list = true;
    let (name, mode) =
        call.parameters.get(index).map_or(("", Mode::Value), |(name, mode)| (name.as_str(), *mode));
    if !name.is_empty() {
        put(line, format_args!("{name}: "));
    }
    line.push_str(match mode {
        Mode::Value => "",
        Mode::In => "in ",
        Mode::Ref => "ref ",
        Mode::Out => "out",
    });
    if mode != Mode::Out {
        argument.decode(decoder, &mut TextWriter::new(line));
    }
}

/// Writes the line for a call that ends, with the value at `range` returned, if any.
pub(crate) fn leave(
    thread: &mut Thread,
    format: Format,
    frame: &Frame,
    range: Result<ArgumentRange, &corprof::Error>,
    values: &Values<'_>,
) {
    let (place, stack) = ((thread.id(), thread.depth()), thread.stack());
    let (line, _, scratch) = thread.buffers();
    line.clear();
    let call = &*frame.call;
    match format {
        Format::Jsonl => json_head(line, "leave", place, call),
        Format::Text => text_head(line, place, '←'),
    }
    let mut decoder = values.decoder(scratch).trust(stack);
    if let Some(plan) = &call.plan {
        if plan.returns() {
            returned(line, format, call, range, &mut decoder);
        }
        let mut in_list = false;
        for out in plan.outs(&frame.saved, values.collections) {
            let Position::Parameter(index) = out.position() else { continue };
            match format {
                Format::Jsonl => {
                    line.push_str(if in_list { "," } else { r#","outs":["# });
                    line.push_str(call.json_outs.get(index).map_or(r#"{"value":"#, String::as_str));
                    out.decode(&mut decoder, &mut JsonWriter::new(line));
                    line.push('}');
                }
                Format::Text => {
                    let name = call.parameters.get(index).map_or("", |(name, _)| name.as_str());
                    put(line, format_args!("{} {name}: ", if in_list { "," } else { " " }));
                    out.decode(&mut decoder, &mut TextWriter::new(line));
                }
            }
            in_list = true;
        }
        if in_list && format == Format::Jsonl {
            line.push(']');
        }
    }
    if format == Format::Jsonl {
        line.push('}');
    }
}

/// Writes the value that a call returns.
fn returned(
    line: &mut String,
    format: Format,
    call: &Call,
    range: Result<ArgumentRange, &corprof::Error>,
    decoder: &mut Decode<'_>,
) {
    let found = range.map(|range| call.plan.as_ref().and_then(|plan| plan.result(range)));
    if format == Format::Jsonl {
        line.push_str(&call.json_return);
    }
    match (found, format) {
        (Ok(Some(value)), Format::Jsonl) => value.decode(decoder, &mut JsonWriter::new(line)),
        (Ok(Some(value)), Format::Text) => {
            line.push(' ');
            value.decode(decoder, &mut TextWriter::new(line));
        }
        (Ok(None), _) => {}
        (Err(error), Format::Jsonl) => {
            line.push_str(r#"{"error":"#);
            quote(line, error);
            line.push('}');
        }
        (Err(error), Format::Text) => put(line, format_args!(" error: {error}")),
    }
    if format == Format::Jsonl {
        line.push('}');
    }
}

/// Writes the line for a call that ends with a tail call.
pub(crate) fn tailcall(line: &mut String, format: Format, place: Place, call: &Call) {
    line.clear();
    match format {
        Format::Jsonl => {
            json_head(line, "tailcall", place, call);
            line.push('}');
        }
        Format::Text => {
            text_head(line, place, '⤳');
            line.push_str(" tail call");
        }
    }
}

/// Writes the line for a call that an exception ends.
pub(crate) fn unwind(line: &mut String, format: Format, place: Place, call: &Call, exception: &str) {
    line.clear();
    match format {
        Format::Jsonl => {
            json_head(line, "unwind", place, call);
            line.push_str(r#","exception":"#);
            quote(line, &exception);
            line.push('}');
        }
        Format::Text => {
            text_head(line, place, '✗');
            put(line, format_args!(" {exception}"));
        }
    }
}

fn json_head(line: &mut String, event: &str, (thread, depth): Place, call: &Call) {
    put(line, format_args!(r#"{{"event":"{event}","thread":{thread},"depth":{depth}"#));
    line.push_str(&call.json_head);
}

fn text_head(line: &mut String, (thread, depth): Place, arrow: char) {
    let space = if arrow == '→' { " " } else { "" };
    put(line, format_args!("[{thread}] {:indent$}{arrow}{space}", "", indent = depth * 2));
}

/// Appends to a line, which does not fail.
fn put(line: &mut String, text: fmt::Arguments<'_>) {
    let _ = line.write_fmt(text);
}

/// Appends a JSON string.
fn quote(line: &mut String, text: &dyn Display) {
    let _ = json::write_str(line, &text.to_string());
}
