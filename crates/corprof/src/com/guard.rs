//! What stands between the profiler's code and the runtime: no panic passes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::report;

/// Runs `work` for the runtime. A panic ends here: the first one is reported with the name of the callback,
/// and the answer is `None`.
///
/// What `work` may leave half-done is the profiler's own state behind `&self`, and that is
/// the profiler's business just as with a panic in any thread of its own.
///
/// Hooks go through here at every call of the program: what is inlined is only what happens when nothing does.
#[inline]
pub(crate) fn guarded<T>(
    callback: &'static str,
    reported: &AtomicBool,
    work: impl FnOnce() -> T,
) -> Option<T> {
    guarded_by(callback, || reported, work)
}

/// The same, with what is needed after a panic found only then: no register is kept for it while `work` runs.
#[inline(always)]
pub(crate) fn guarded_by<'r, T>(
    callback: &'static str,
    reported: impl FnOnce() -> &'r AtomicBool,
    work: impl FnOnce() -> T,
) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(value) => Some(value),
        Err(panic) => {
            end(callback, reported(), panic);
            None
        }
    }
}

/// Reports the first panic.
#[cold]
#[inline(never)]
fn end(callback: &'static str, reported: &AtomicBool, panic: Box<dyn core::any::Any + Send>) {
    if !reported.swap(true, Ordering::Relaxed) {
        report::failure(&format!(
            "the profiler panicked in {callback}: {}; further panics are not reported",
            message_of(&*panic)
        ));
    }
    // Dropping a payload may panic again; it is small, so it is kept.
    core::mem::forget(panic);
}

/// What the panic said, when it said it with a string.
fn message_of(panic: &(dyn core::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("(no message)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_answer() {
        let reported = AtomicBool::new(false);
        assert_eq!(guarded("Test", &reported, || 1), Some(1));
        assert_eq!(guarded("Test", &reported, || -> i32 { panic!("boom {}", 1) }), None);
        assert!(reported.load(Ordering::Relaxed));
    }

    #[test]
    fn the_message_is_found() {
        assert_eq!(message_of(&"literal"), "literal");
        assert_eq!(message_of(&String::from("formatted")), "formatted");
        assert_eq!(message_of(&1), "(no message)");
    }
}
