//! Chrome's trace events: an object for each beginning and end of a call.

use std::io::{self, Write};

use anyhow::Result;
use printable::Printable;
use recording::Thread;
use serde::Serialize;

use super::calls::{Calls, each};
use super::names::FunctionId;
use super::opened::Opened;

/// An event, with the field names of the format.
#[derive(Serialize)]
struct Event<'e> {
    /// `B`: a call begins; `E`: the innermost one of the thread ends; `M`: metadata of the process.
    ph: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'e str,
    #[serde(skip_serializing_if = "str::is_empty")]
    cat: &'e str,
    /// Microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<serde_json::Number>,
    pid: u32,
    tid: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<serde_json::Value>,
}

/// The beginnings and ends of calls, in the order in which they were recorded.
struct Events {
    all: Vec<(bool, Thread, FunctionId, u64)>,
}

impl Calls for Events {
    fn begin(&mut self, thread: Thread, function: FunctionId, time: u64) {
        self.all.push((true, thread, function, time));
    }

    fn end(&mut self, thread: Thread, function: FunctionId, time: u64) {
        self.all.push((false, thread, function, time));
    }
}

/// Microseconds with all digits.
fn microseconds(nanoseconds: u64) -> io::Result<serde_json::Number> {
    Ok(serde_json::from_str(&format!("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000))?)
}

/// Writes a recording as trace events.
pub(super) fn write(opened: &mut Opened, out: &mut dyn Write) -> Result<()> {
    let mut events = Events { all: Vec::new() };
    each(opened, &mut events)?;
    let process = opened.reader.process();
    let pid = process.id;
    out.write_all(br#"{"displayTimeUnit":"ns","traceEvents":["#)?;
    let name = serde_json::json!({ "name": Printable(&process.command).to_string() });
    let about = Event { ph: "M", name: "process_name", cat: "", ts: None, pid, tid: 0, args: Some(name) };
    serde_json::to_writer(&mut *out, &about)?;
    for (begins, thread, function, time) in events.all {
        let functions = &opened.functions;
        let (ph, name, cat) =
            if begins { ("B", functions.name(function), functions.module(function)) } else { ("E", "", "") };
        let event = Event { ph, name, cat, ts: Some(microseconds(time)?), pid, tid: thread.id, args: None };
        out.write_all(b",\n")?;
        serde_json::to_writer(&mut *out, &event)?;
    }
    out.write_all(b"]}\n")?;
    Ok(out.flush()?)
}
