//! The few messages that must reach a person even when the profiler has no logger yet.

use std::io::Write;

use printable::Printable;

/// Reports a failure: through `tracing`, or to standard error as long as nobody has subscribed, so that a
/// profiler that does not load is never silent.
pub(crate) fn failure(message: &str) {
    tracing::error!("{message}");
    if !tracing::dispatcher::has_been_set() {
        // A closed standard error is no reason to fail.
        let _ = writeln!(std::io::stderr(), "corprof: {}", Printable(message));
    }
}
