//! The recording, for `--format binary`.

use std::path::Path;

use corprof::RuntimeInfo;
use recording::{Options, Process, Recorder};

use crate::settings::Settings;
use crate::sink::{OpenError, cause, complain, create, journal};

/// Starts a recording in a file.
pub(crate) fn start(
    path: &Path,
    settings: &Settings,
    runtime: Option<&RuntimeInfo>,
) -> Result<Recorder, StartError> {
    let arguments: Vec<_> =
        std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let process = Process {
        command: arguments.join(" "),
        runtime: runtime.map_or_else(String::new, |runtime| runtime.version_string.clone()),
        ..Process::default()
    };
    let (when_full, compressed) = (settings.when_full, settings.compress);
    let options = Options { when_full, compressed, process, ..Options::default() };
    let failed = |error: &std::io::Error| {
        complain(&format!("the recording ends here, it cannot be written: {}", cause(error)))
    };
    let output = create(path)?.limited(settings.max_file);
    let journal = journal(&output);
    Recorder::start_with(output, journal, options, failed).map_err(StartError::Start)
}

/// The error of starting a recording.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Start(std::io::Error),
}
