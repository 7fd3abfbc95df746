//! The few messages that must reach a person even when the profiler has no logger yet.

use std::io::Write;

/// Reports a failure: through `tracing`, or to standard error as long as nobody has subscribed, so that a
/// profiler that does not load is never silent. Also noted for a launcher, see [`note_for_launcher`].
pub(crate) fn failure(message: &str) {
    tracing::error!("{message}");
    if !tracing::dispatcher::has_been_set() {
        // A closed standard error is no reason to fail.
        let _ = writeln!(std::io::stderr(), "corprof: {message}");
    }
    note_for_launcher(&format!("failed: {message}"));
}

/// Writes a line into the file that the environment variable `CORPROF_STARTED_FILE` names, when it is set:
/// that is how the program that launched this process learns whether the profiler was called at all.
pub(crate) fn note_for_launcher(line: &str) {
    let Some(path) = std::env::var_os("CORPROF_STARTED_FILE") else { return };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    if let Ok(mut file) = file {
        let _ = writeln!(file, "{line}");
    }
}
