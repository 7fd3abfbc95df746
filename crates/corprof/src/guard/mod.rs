//! The guard around the profiler's code: no panic unwinds into the runtime.
//!
//! The first panic of a profiler is printed by the panic hook, and reported with the callback's name. Later ones are
//! neither ([`quiet`]), and with [`MAX_PANICS`] of them the profiler is switched off: nothing is delivered to it any more,
//! except that it ends.

pub(crate) mod quiet;
#[cfg(test)]
mod tests;

use core::any::Any;
use core::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::limits::MAX_PANICS;
use crate::report;
use corprof_in_process::LastError;
use quiet::Silence;

/// Everything is delivered.
const ON: u8 = 0;
/// The same, and there has been a panic.
const HAS_PANICKED: u8 = 1;
/// There have been too many.
const OFF: u8 = 2;
/// The runtime has shut down or let go of the profiler.
const ENDED: u8 = 3;

/// Whether a profiler is called, and how often it has panicked.
#[derive(Debug)]
pub(crate) struct Switch {
    state: AtomicU8,
    panics: AtomicU32,
    /// The name of the part, where a profiler has several.
    part: Option<&'static str>,
    /// The number of panics with which it is switched off.
    most: u32,
}

impl Switch {
    /// The switch of a profiler.
    pub(crate) const fn new() -> Self {
        Self { state: AtomicU8::new(ON), panics: AtomicU32::new(0), part: None, most: MAX_PANICS }
    }

    /// The switch of one of the parts of a profiler.
    pub(crate) const fn of_part(name: &'static str) -> Self {
        Self { part: Some(name), ..Self::new() }
    }

    /// The switch of a part that a profiler adds: it ends with its first panic.
    pub(crate) const fn of_hosted(name: &'static str) -> Self {
        Self { most: 1, ..Self::of_part(name) }
    }

    /// Returns whether there has been a panic.
    pub(crate) fn has_panicked(&self) -> bool {
        self.panics.load(Ordering::Relaxed) > 0
    }

    /// Returns whether the profiler is called: it has not ended, and is not switched off.
    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.state.load(Ordering::Relaxed) < OFF
    }

    /// Returns whether nothing is delivered, whatever it is.
    pub(crate) fn has_ended(&self) -> bool {
        self.state.load(Ordering::Relaxed) == ENDED
    }

    /// From now on nothing is delivered.
    pub(crate) fn end(&self) {
        self.state.store(ENDED, Ordering::Relaxed);
    }

    /// Whether the profiler is on and has not panicked: [`catch`](Self::catch) may be used.
    #[inline(always)]
    pub(crate) fn is_undisturbed(&self) -> bool {
        self.state.load(Ordering::Relaxed) == ON
    }

    /// Runs `work` for the runtime, if the profiler is on. A panic ends here, and the result is `None`.
    ///
    /// What `work` may leave half-done is the profiler's own state behind `&self`, and that is
    /// the profiler's business just as with a panic in any thread of its own.
    ///
    /// The thread's last error stays what it was.
    #[inline]
    pub(crate) fn guard<T>(&self, callback: &'static str, work: impl FnOnce() -> T) -> Option<T> {
        if !self.is_on() {
            return None;
        }
        self.run(callback, work)
    }

    /// The same for what is delivered to a profiler that has been switched off too: that it ends, and what the
    /// library itself has to do.
    pub(crate) fn guard_even_if_off<T>(&self, callback: &'static str, work: impl FnOnce() -> T) -> Option<T> {
        if self.has_ended() {
            return None;
        }
        self.run(callback, work)
    }

    #[inline]
    fn run<T>(&self, callback: &'static str, work: impl FnOnce() -> T) -> Option<T> {
        let _kept = LastError::keep();
        let _silence = self.has_panicked().then(Silence::begin);
        Self::catch(callback, || self, work)
    }

    /// Runs `work` for the runtime, for a profiler that is [undisturbed](Self::is_undisturbed): hooks go through here at
    /// every call of the program. The switch is found only after a panic, so that no register is kept for it while `work`
    /// runs. The last error is kept by what may change it.
    #[inline(always)]
    pub(crate) fn catch<'s, T>(
        callback: &'static str,
        after: impl FnOnce() -> &'s Self,
        work: impl FnOnce() -> T,
    ) -> Option<T> {
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(value) => Some(value),
            Err(panic) => {
                after().panicked(callback, panic);
                None
            }
        }
    }

    /// Counts a panic. Reports the first one, and the one with which the profiler is switched off.
    #[cold]
    #[inline(never)]
    fn panicked(&self, callback: &'static str, panic: Box<dyn Any + Send>) {
        let _kept = LastError::keep();
        let count = self.panics.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        let who = self.part.unwrap_or("the profiler");
        if count == 1 {
            quiet::install();
            self.advance_to(HAS_PANICKED);
            let said = message_of(&*panic);
            let then = if self.most == 1 { "it is ended" } else { "further panics are not reported" };
            report(&format!("{who} panicked in {callback}: {said}; {then}"));
        }
        // Whoever comes after the last one switches it off too: that thread may not have come to it yet.
        if count >= self.most {
            self.advance_to(OFF);
        }
        if count == self.most && count > 1 {
            report(&format!("{who} has panicked {count} times, and is switched off"));
        }
        // Dropping a payload may panic again; it is small, so it is kept.
        core::mem::forget(panic);
    }

    /// States follow each other as their numbers do, and none comes back: an end stays one.
    fn advance_to(&self, state: u8) {
        self.state.fetch_max(state, Ordering::Release);
    }
}

/// Reports, through the profiler's own subscriber as a rule: that may panic as well.
fn report(message: &str) {
    if let Err(panic) = catch_unwind(|| report::failure(message)) {
        core::mem::forget(panic);
    }
}

/// The message of a panic, if it is a string.
fn message_of(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("(no message)")
}
