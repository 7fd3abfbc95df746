//! The file format of speedscope with the beginnings and ends of calls, which are written one by one.

use std::io::{self, Write};

use serde::Serialize;

use crate::profile::Frame;
use crate::speedscope::{BUFFER, write_file};

/// Writes a file for speedscope with the calls of threads, thread by thread.
///
/// The calls of a thread are nested, and their times never decrease. Frames are named by their indexes. The caller sees to this: it
/// is not checked.
#[derive(Debug)]
pub struct SpeedscopeCalls<W> {
    out: W,
    /// What has not been written yet.
    piece: Vec<u8>,
    has_thread: bool,
    has_event: bool,
}

/// A thread, up to its events.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Evented<'n> {
    r#type: &'static str,
    name: &'n str,
    unit: &'static str,
    start_value: u64,
    end_value: u64,
    events: [(); 0],
}

impl<W: Write> SpeedscopeCalls<W> {
    /// Begins a file: the name of the program that writes it, the name of the recording, and the frames of its calls.
    ///
    /// # Errors
    /// Any error of `out`.
    pub fn new<'f>(
        exporter: &str,
        name: &str,
        frames: impl Iterator<Item = Frame<'f>>,
        mut out: W,
    ) -> io::Result<Self> {
        let mut head = Vec::new();
        write_file(exporter, name, frames, &[] as &[(); 0], &mut head)?;
        out.write_all(&head[..head.len() - b"]}".len()])?;
        let piece = Vec::with_capacity(2 * BUFFER);
        Ok(Self { out, piece, has_thread: false, has_event: false })
    }

    /// Begins a thread with the times of its first and its last event, in nanoseconds.
    ///
    /// # Errors
    /// Any error of the output.
    pub fn begin_thread(&mut self, name: &str, first: u64, last: u64) -> io::Result<()> {
        if core::mem::replace(&mut self.has_thread, true) {
            self.piece.push(b',');
        }
        let (start_value, end_value) = (first, last);
        let evented =
            Evented { r#type: "evented", name, unit: "nanoseconds", start_value, end_value, events: [] };
        serde_json::to_writer(&mut self.piece, &evented)?;
        self.piece.truncate(self.piece.len() - b"]}".len());
        self.has_event = false;
        self.write_piece()
    }

    /// A call begins.
    ///
    /// # Errors
    /// Any error of the output.
    #[inline]
    pub fn begin(&mut self, frame: usize, at: u64) -> io::Result<()> {
        self.event(br#"{"type":"O","at":"#, frame, at)
    }

    /// The innermost call ends, whose frame this is.
    ///
    /// # Errors
    /// Any error of the output.
    #[inline]
    pub fn end(&mut self, frame: usize, at: u64) -> io::Result<()> {
        self.event(br#"{"type":"C","at":"#, frame, at)
    }

    #[inline]
    fn event(&mut self, head: &[u8], frame: usize, at: u64) -> io::Result<()> {
        if core::mem::replace(&mut self.has_event, true) {
            self.piece.push(b',');
        }
        self.piece.extend_from_slice(head);
        self.piece.extend_from_slice(itoa::Buffer::new().format(at).as_bytes());
        self.piece.extend_from_slice(br#","frame":"#);
        self.piece.extend_from_slice(itoa::Buffer::new().format(frame).as_bytes());
        self.piece.push(b'}');
        if self.piece.len() >= BUFFER { self.write_piece() } else { Ok(()) }
    }

    /// Ends the thread that was begun last.
    ///
    /// # Errors
    /// Any error of the output.
    pub fn end_thread(&mut self) -> io::Result<()> {
        self.piece.extend_from_slice(b"]}");
        self.write_piece()
    }

    /// Ends the file.
    ///
    /// # Errors
    /// Any error of the output.
    pub fn finish(mut self) -> io::Result<()> {
        self.piece.extend_from_slice(b"]}");
        self.write_piece()?;
        self.out.flush()
    }

    #[cold]
    fn write_piece(&mut self) -> io::Result<()> {
        let written = self.out.write_all(&self.piece);
        self.piece.clear();
        written
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn calls_are_the_events_of_their_threads() {
        let frames = [("A\"", "a.dll"), ("B", "b.dll")].map(|(name, module)| Frame { name, module });
        let mut out = Vec::new();
        let mut calls = SpeedscopeCalls::new("writer", "näme", frames.into_iter(), &mut out).unwrap();
        calls.begin_thread("thread 1", 5, u64::MAX).unwrap();
        calls.begin(0, 5).unwrap();
        calls.begin(1, 7).unwrap();
        calls.end(1, 7).unwrap();
        calls.end(0, u64::MAX).unwrap();
        calls.end_thread().unwrap();
        calls.begin_thread("\n", 0, 0).unwrap();
        calls.end_thread().unwrap();
        calls.finish().unwrap();
        let event = |kind: &str, frame: u64, at: u64| json!({ "type": kind, "frame": frame, "at": at });
        let thread = |name: &str, first: u64, last: u64, events: &[Value]| {
            json!({
                "type": "evented", "name": name, "unit": "nanoseconds", "startValue": first, "endValue": last,
                "events": events,
            })
        };
        let events = [event("O", 0, 5), event("O", 1, 7), event("C", 1, 7), event("C", 0, u64::MAX)];
        let expected = json!({
            "$schema": "https://www.speedscope.app/file-format-schema.json", "exporter": "writer", "name": "näme",
            "activeProfileIndex": 0,
            "shared": { "frames": [{ "name": "A\"", "file": "a.dll" }, { "name": "B", "file": "b.dll" }] },
            "profiles": [thread("thread 1", 5, u64::MAX, &events), thread("\n", 0, 0, &[])],
        });
        assert_eq!(serde_json::from_slice::<Value>(&out).unwrap(), expected);
    }

    #[test]
    fn a_file_without_threads_is_whole() {
        let mut out = Vec::new();
        SpeedscopeCalls::new("writer", "name", [].into_iter(), &mut out).unwrap().finish().unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&out).unwrap()["profiles"], json!([]));
    }
}
