//! Where the lines go.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The file or standard error. Each line is written when its event happens, with one call of the operating
/// system: a program that crashes leaves a whole trace behind.
pub(crate) struct Sink {
    /// The file; standard error when absent.
    file: Option<Mutex<File>>,
    /// Set when a line could not be written: none is tried afterwards.
    broken: AtomicBool,
}

/// The file cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("CALLTRACE_OUT={path:?} cannot be opened for writing: {source}")]
pub(crate) struct OpenError {
    pub(crate) path: PathBuf,
    pub(crate) source: io::Error,
}

impl Sink {
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, OpenError> {
        let file = match path {
            Some(path) => Some(Mutex::new(create(path)?)),
            None => None,
        };
        Ok(Self { file, broken: AtomicBool::new(false) })
    }

    /// Writes a line, and empties the buffer that it was in.
    pub(crate) fn write(&self, line: &mut String) {
        line.push('\n');
        if !self.broken.load(Ordering::Relaxed) {
            let written = match &self.file {
                Some(file) => file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes()),
                None => io::stderr().lock().write_all(line.as_bytes()),
            };
            if let Err(error) = written {
                self.give_up(&error);
            }
        }
        line.clear();
    }

    fn give_up(&self, error: &io::Error) {
        if !self.broken.swap(true, Ordering::Relaxed) {
            complain(&format!("the trace ends here, a line could not be written: {error}"));
        }
    }
}

/// A new file in the place of what `CALLTRACE_OUT` names.
pub(crate) fn create(path: &Path) -> Result<File, OpenError> {
    File::create(path).map_err(|source| OpenError { path: path.to_path_buf(), source })
}

/// A message about the trace itself.
pub(crate) fn complain(message: &str) {
    // A closed standard error is no reason to fail.
    let _ = writeln!(io::stderr(), "calltrace: {message}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_opened_is_named() {
        let message = Sink::open(Some(Path::new("/nowhere/trace"))).err().unwrap().to_string();
        assert!(message.contains("CALLTRACE_OUT=\"/nowhere/trace\""), "{message}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_ends_the_trace_and_not_the_program() {
        let sink = Sink::open(Some(Path::new("/dev/full"))).unwrap();
        let mut line = String::from("one");
        sink.write(&mut line);
        assert!(sink.broken.load(Ordering::Relaxed));
        assert!(line.is_empty());
        sink.write(&mut line);
    }
}
