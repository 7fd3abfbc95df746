//! The few messages that must reach a person even when the profiler has no logger yet.

use corprof_in_process::outlet::Outlet;
use corprof_in_process::printable::Printable;

/// Reports a failure: through `tracing`, or to standard error as long as nobody has subscribed, so that a
/// profiler that does not load is never silent.
pub(crate) fn failure(message: &str) {
    tracing::error!("{message}");
    if !tracing::dispatcher::has_been_set() {
        // In one write: what other threads print stays out of the line. A standard error that is closed, or that nobody
        // reads, is no reason to fail or to wait for long.
        let line = format!("corprof: {}\n", Printable(message));
        let _ = Outlet::standard_error().write_line(line.as_bytes());
    }
}
