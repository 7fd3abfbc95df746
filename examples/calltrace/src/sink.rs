//! The output of lines: a file or standard error.

use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use outlet::Outlet;
use printable::Printable;
use recording::lines::{Format, Line, Place};

/// The file or standard error. Each line is written when its event happens, with one call of the operating
/// system: a program that crashes leaves a whole trace behind. Lines that cannot be written are counted, and the trace says where
/// it is missing as soon as it can be written again.
pub(crate) struct Sink {
    format: Format,
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

/// The error of opening the output.
#[derive(Debug, thiserror::Error)]
#[error("CALLTRACE_OUT={path:?} cannot be opened for writing: {source}")]
pub(crate) struct OpenError {
    pub(crate) path: PathBuf,
    pub(crate) source: io::Error,
}

impl Sink {
    pub(crate) fn open(path: Option<&Path>, format: Format) -> Result<Self, OpenError> {
        let outlet = path.map_or_else(|| Ok(Outlet::standard_error()), create)?;
        Ok(Self { format, state: Mutex::new(State { outlet, missing: 0, lost: 0, is_closed: false }) })
    }

    /// Writes the line of an event, and empties its buffer.
    pub(crate) fn write(&self, place: Place, line: &mut String) {
        line.push('\n');
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
                complain(&format!("a line could not be written, the trace counts what is missing: {error}"));
            }
        }
        line.clear();
    }

    /// Reports the missing lines at the end.
    pub(crate) fn finish(&self) {
        let lost = self.state.lock().unwrap_or_else(PoisonError::into_inner).lost;
        if lost > 0 {
            complain(&format!("{lost} lines of the trace could not be written"));
        }
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

/// A new file in the place of what `CALLTRACE_OUT` names, or beside it if another process writes that.
pub(crate) fn create(path: &Path) -> Result<Outlet, OpenError> {
    Outlet::create(path).map_err(|source| OpenError { path: path.to_path_buf(), source })
}

/// Writes a message about the trace itself to standard error.
pub(crate) fn complain(message: &str) {
    // A closed standard error is no reason to fail.
    let _ = Outlet::standard_error().write_all(format!("calltrace: {}\n", Printable(message)).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_opened_is_named() {
        let message = Sink::open(Some(Path::new("/nowhere/trace")), Format::Text).err().unwrap().to_string();
        assert!(message.contains("CALLTRACE_OUT=\"/nowhere/trace\""), "{message}");
    }

    const PLACE: Place = Place { thread: 1, depth: 0 };

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_full_disk_does_not_take_is_counted() {
        let sink = Sink::open(Some(Path::new("/dev/full")), Format::Text).unwrap();
        for count in 1..3 {
            let mut line = String::from("one");
            sink.write(PLACE, &mut line);
            assert!(line.is_empty());
            assert_eq!(sink.state.lock().unwrap().lost, count);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_trace_says_where_lines_are_missing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace");
        let sink = Sink::open(Some(&path), Format::Jsonl).unwrap();
        let full = Outlet::create(Path::new("/dev/full")).unwrap();
        let write = |line: &str| sink.write(PLACE, &mut line.to_owned());
        write("one");
        let file = core::mem::replace(&mut sink.state.lock().unwrap().outlet, full);
        write("two");
        write("three");
        sink.state.lock().unwrap().outlet = file;
        write("four");
        let lost = r#"{"event":"lost","thread":1,"depth":0,"records":2}"#;
        assert_eq!(std::fs::read_to_string(path).unwrap(), format!("one\n{lost}\nfour\n"));
    }
}
