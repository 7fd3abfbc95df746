//! The few messages that must reach a person even when the profiler has no logger yet.

use std::io::Write;

use printable::Printable;

/// Reports a failure: through `tracing`, or to standard error as long as nobody has subscribed, so that a
/// profiler that does not load is never silent.
pub(crate) fn failure(message: &str) {
    tracing::error!("{message}");
    if !tracing::dispatcher::has_been_set() {
        // In one write: what other threads print stays out of the line. A closed standard error is no reason to fail.
        let line = format!("corprof: {}\n", Printable(message));
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
}
