//! Lines of many threads on a stream, each written when it comes.

use std::io::{self, ErrorKind};
use std::sync::{Mutex, PoisonError};

use corprof_in_process::outlet::Outlet;

use crate::lines::{Format, Line, Place};

/// Lines of many threads on a pipe, a terminal, or a device, where a [`Log`](crate::Log) would keep its reader waiting.
///
/// Each line is written when its event happens, under a lock. Lines that cannot be written are counted, and the stream says where
/// they are missing as soon as it can be written again.
///
/// ```
/// use corprof_in_process::outlet::Outlet;
/// use recording::LineStream;
/// use recording::lines::{Format, Place};
///
/// let stream = LineStream::new(Outlet::standard_error(), Format::Text, |error| eprintln!("{error}"));
/// stream.write(Place { thread: 4711, depth: 0 }, "[4711] → Shop.Cart.Add()\n");
/// assert_eq!(stream.lost(), 0);
/// ```
pub struct LineStream {
    format: Format,
    failed: fn(&io::Error),
    state: Mutex<State>,
}

struct State {
    outlet: Outlet,
    /// The lines that are missing since the last one that was written, and all that are.
    missing: u64,
    lost: u64,
    /// Set when no line can be written any more.
    is_closed: bool,
}

impl LineStream {
    /// Lines of this format, to be written to an outlet. `failed` is called with the first error.
    #[must_use]
    pub const fn new(outlet: Outlet, format: Format, failed: fn(&io::Error)) -> Self {
        Self { format, failed, state: Mutex::new(State { outlet, missing: 0, lost: 0, is_closed: false }) }
    }

    /// Writes a line with its end. `place` is that of its event: the line for missing ones has it too.
    pub fn write(&self, place: Place, line: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let written = if state.is_closed { Ok(false) } else { state.write(self.format, place, line) };
        if !matches!(written, Ok(true)) {
            state.missing += 1;
            state.lost += 1;
        }
        let is_first = state.lost == 1;
        if let Err(error) = written {
            state.is_closed = error.kind() == ErrorKind::BrokenPipe;
            drop(state);
            if is_first {
                (self.failed)(&error);
            }
        }
    }

    /// Returns the number of lines that could not be written.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).lost
    }
}

impl State {
    fn write(&mut self, format: Format, place: Place, line: &str) -> io::Result<bool> {
        if self.missing > 0 {
            let mut text = String::new();
            Line::lost(&mut text, format, place, self.missing);
            text.push('\n');
            self.outlet.write_line(text.as_bytes())?;
            self.missing = 0;
        }
        self.outlet.write_line(line.as_bytes()).map(|()| true)
    }
}

impl core::fmt::Debug for LineStream {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("LineStream").field("format", &self.format).finish_non_exhaustive()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::path::Path;

    use super::*;

    const PLACE: Place = Place { thread: 1, depth: 0 };

    #[allow(clippy::unwrap_used, reason = "a helper of tests")]
    fn full() -> Outlet {
        Outlet::create(Path::new("/dev/full")).unwrap()
    }

    #[test]
    fn what_a_full_disk_does_not_take_is_counted() {
        let stream = LineStream::new(full(), Format::Text, |_| {});
        for count in 1..3 {
            stream.write(PLACE, "one\n");
            assert_eq!(stream.lost(), count);
        }
    }

    #[test]
    fn the_trace_says_where_lines_are_missing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace");
        let stream = LineStream::new(Outlet::create(&path).unwrap(), Format::Jsonl, |_| {});
        stream.write(PLACE, "one\n");
        let file = core::mem::replace(&mut stream.state.lock().unwrap().outlet, full());
        stream.write(PLACE, "two\n");
        stream.write(PLACE, "three\n");
        stream.state.lock().unwrap().outlet = file;
        stream.write(PLACE, "four\n");
        let lost = r#"{"event":"lost","thread":1,"depth":0,"records":2}"#;
        assert_eq!(std::fs::read_to_string(path).unwrap(), format!("one\n{lost}\nfour\n"));
    }
}
