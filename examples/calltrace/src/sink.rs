//! The output of lines: a file, a stream or standard error.

use std::io;
use std::path::{Path, PathBuf};

use corprof_in_process::outlet::Outlet;
use corprof_in_process::printable::Printable;
use corprof_link::Messages;
use recording::lines::{Format, Place};
use recording::{Journal, LineStream, Log, ThreadLog};

use crate::settings::Settings;

/// The command that appends a journal to its output, with the output's path behind it.
const COMPLETE: &str = "corprof trace complete";

/// The output of lines.
pub(crate) enum Sink {
    /// A file: each thread puts its lines into memory that survives the end of the process.
    File(Log),
    /// Anything else.
    Stream(LineStream),
}

/// The error of opening the output.
#[derive(Debug, thiserror::Error)]
#[error("CALLTRACE_OUT={path:?} cannot be opened for writing: {source}")]
pub(crate) struct OpenError {
    pub(crate) path: PathBuf,
    pub(crate) source: io::Error,
}

impl Sink {
    pub(crate) fn open(path: Option<&Path>, format: Format, settings: &Settings) -> Result<Self, OpenError> {
        let outlet = path.map_or_else(|| Ok(Outlet::standard_error()), create)?.limited(settings.max_file);
        if outlet.position().is_none() {
            return Ok(Self::Stream(LineStream::new(outlet, format, complain_of_line)));
        }
        let journal = journal(&outlet);
        let path = outlet.path().unwrap_or(Path::new("")).to_path_buf();
        let log = Log::start(outlet, journal, format, settings.when_full, complain_of_line);
        log.map(Self::File).map_err(|source| OpenError { path, source })
    }

    /// Writes the line of an event, and empties its buffer.
    pub(crate) fn write(&self, place: Place, line: &mut String, thread: &mut Option<ThreadLog>) {
        line.push('\n');
        match self {
            Self::File(log) => thread.get_or_insert_with(|| log.thread(place.thread)).write(place, line),
            Self::Stream(stream) => stream.write(place, line),
        }
        line.clear();
    }

    /// Reports the missing lines at the end.
    pub(crate) fn finish(&self) {
        let lost = match self {
            Self::File(log) => log.finish().lost,
            Self::Stream(stream) => stream.lost(),
        };
        if lost > 0 {
            complain(&format!("{lost} lines of the trace could not be written"));
        }
    }
}

fn complain_of_line(error: &io::Error) {
    let cause = cause(error);
    complain(&format!("a line could not be written, the trace counts what is missing: {cause}"));
}

/// The cause of an error of writing, with the setting that it comes from.
pub(crate) fn cause(error: &io::Error) -> String {
    // The operating system's own limit has a code.
    if error.kind() == io::ErrorKind::FileTooLarge && error.raw_os_error().is_none() {
        return format!("{error}, which CALLTRACE_MAX_FILE (--max-file) sets");
    }
    error.to_string()
}

/// A new file in the place of what `CALLTRACE_OUT` names, or beside it if another process writes that.
pub(crate) fn create(path: &Path) -> Result<Outlet, OpenError> {
    Outlet::create(path).map_err(|source| OpenError { path: path.to_path_buf(), source })
}

/// The journal of a regular file. Without one, the end of the process loses what has not been written to the file.
pub(crate) fn journal(outlet: &Outlet) -> Option<Journal> {
    outlet.position()?;
    let path = outlet.path()?;
    // The command may be run in another folder.
    let shown = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let command = format!("{COMPLETE} {}", Printable(&shown.to_string_lossy()));
    match Journal::create(path, &command) {
        Ok(journal) => Some(journal),
        Err(error) => {
            complain(&format!(
                "a kill of the program may lose its last events, because there is no journal beside the trace: {error}"
            ));
            None
        }
    }
}

/// The messages about the trace itself.
pub(crate) static MESSAGES: Messages = Messages::new("calltrace");

/// Says something about the trace itself, to the client or on standard error.
pub(crate) fn complain(message: &str) {
    MESSAGES.say(message);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_opened_is_named() {
        let path = Some(Path::new("/nowhere/trace"));
        let message = Sink::open(path, Format::Text, &Settings::default()).err().unwrap().to_string();
        assert!(message.contains("CALLTRACE_OUT=\"/nowhere/trace\""), "{message}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_journal_names_the_command_that_appends_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace");
        let journal = journal(&Outlet::create(&path).unwrap());
        assert!(journal.is_some());
        let text = std::fs::read(Journal::path_of(&path)).unwrap();
        let text = String::from_utf8_lossy(&text[..4096]);
        assert!(text.contains(&format!("{COMPLETE} {}\n", path.display())), "{text}");
    }
}
