//! Chrome's trace events: an object for each beginning and end of a call.

use std::io::{self, Write};

use anyhow::Result;
use corprof_in_process::printable::Printable;
use serde::Serialize;

use super::calls::{Begun, Calls, each};
use super::follow::Lane;
use super::names::{FunctionId, Functions};
use super::opened::Opened;
use super::top::item;

/// How many bytes are written at once.
const PIECE: usize = 64 << 10;

/// An event, with the field names of the format, up to its time.
#[derive(Serialize)]
struct Head<'e> {
    /// `B`: a call begins; `E`: the innermost one of the thread ends; `M`: metadata of the process.
    ph: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'e str,
    #[serde(skip_serializing_if = "str::is_empty")]
    cat: &'e str,
}

/// Writes the beginnings and ends of calls as they are visited.
struct Events<'o> {
    out: &'o mut dyn Write,
    process: u32,
    /// The part of an event before its time: for ends of calls, and for the beginning of a call of each function.
    end: String,
    begin: Vec<String>,
    /// The part behind the time, for each lane.
    tail: Vec<String>,
    piece: Vec<u8>,
}

impl Head<'_> {
    fn text(&self) -> io::Result<String> {
        let mut text = serde_json::to_string(self)?;
        text.pop();
        Ok(format!(",\n{text},\"ts\":"))
    }
}

/// Appends an event.
#[inline]
fn put(piece: &mut Vec<u8>, head: &str, time: u64, tail: &str) {
    piece.extend_from_slice(head.as_bytes());
    // Microseconds with all digits.
    let (whole, part) = (time / 1000, time % 1000);
    piece.extend_from_slice(itoa::Buffer::new().format(whole).as_bytes());
    let digits = [b'.', digit(part / 100), digit(part / 10 % 10), digit(part % 10)];
    piece.extend_from_slice(&digits);
    piece.extend_from_slice(tail.as_bytes());
}

fn digit(number: u64) -> u8 {
    b'0' + number.to_le_bytes()[0]
}

impl Events<'_> {
    #[cold]
    fn name_thread(&mut self, lane: Lane) {
        *item(&mut self.tail, lane.index) = format!(",\"pid\":{},\"tid\":{}}}", self.process, lane.thread.id);
    }

    #[cold]
    fn name_function(&mut self, functions: &Functions, function: FunctionId) -> io::Result<()> {
        let (name, cat) = (functions.name(function), functions.module(function));
        *item(&mut self.begin, function.index()) = Head { ph: "B", name, cat }.text()?;
        Ok(())
    }

    #[cold]
    fn write_piece(&mut self) -> io::Result<()> {
        let written = self.out.write_all(&self.piece);
        self.piece.clear();
        written
    }
}

impl Calls for Events<'_> {
    #[inline]
    fn begin(&mut self, functions: &Functions, lane: Lane, begun: Begun) -> io::Result<()> {
        let Begun { function, time, .. } = begun;
        if self.begin.get(function.index()).is_none_or(String::is_empty) {
            self.name_function(functions, function)?;
        }
        if self.tail.get(lane.index).is_none_or(String::is_empty) {
            self.name_thread(lane);
        }
        put(&mut self.piece, &self.begin[function.index()], time, &self.tail[lane.index]);
        if self.piece.len() >= PIECE { self.write_piece() } else { Ok(()) }
    }

    #[inline]
    fn end(&mut self, lane: Lane, _: FunctionId, time: u64) -> io::Result<()> {
        put(&mut self.piece, &self.end, time, &self.tail[lane.index]);
        if self.piece.len() >= PIECE { self.write_piece() } else { Ok(()) }
    }

    fn end_thread(&mut self, lane: Lane) -> io::Result<()> {
        item(&mut self.tail, lane.index).clear();
        Ok(())
    }
}

/// Writes a recording as trace events.
pub(super) fn write(opened: &mut Opened, out: &mut dyn Write) -> Result<()> {
    let process = opened.reader.process();
    let (id, name) = (process.id, Printable(&process.command).to_string());
    let about = serde_json::json!({
        "ph": "M", "name": "process_name", "pid": id, "tid": 0, "args": { "name": name },
    });
    write!(out, r#"{{"displayTimeUnit":"ns","traceEvents":[{about}"#)?;
    let end = Head { ph: "E", name: "", cat: "" }.text()?;
    let (begin, tail, piece) = (Vec::new(), Vec::new(), Vec::with_capacity(2 * PIECE));
    let mut events = Events { out, process: id, end, begin, tail, piece };
    each(opened, &mut events)?;
    events.write_piece()?;
    events.out.write_all(b"]}\n")?;
    Ok(events.out.flush()?)
}
