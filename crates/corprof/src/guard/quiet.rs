//! Panics in the profiler's code that are not printed, because one has been.
//!
//! A panic is printed by the panic hook. A Rust library has one, which belongs to whoever sets it.
//! After the first panic of a profiler a hook is put around the one that is there: it keeps silent about panics in
//! code that runs for the runtime, and passes every other one on.
//!
//! The default hook waits for standard error for as long as nobody reads it. Before the profiler is created, a hook is put
//! around it that waits for a while and then passes nothing on.
//!
//! Whether code runs for the runtime is known by thread. Nothing is noted before the first panic, so that calls cost
//! nothing then; a callback that had begun before it is not covered.

use core::cell::Cell;
use std::panic::{set_hook, take_hook};
use std::sync::Once;

static HOOK: Once = Once::new();
static PATIENT: Once = Once::new();

thread_local! {
    /// Whether the running thread's panics are not printed. Without a destructor, so that it can be used while the thread
    /// ends.
    static SILENT: Cell<bool> = const { Cell::new(false) };
}

/// While it lives, panics of the thread that made it are not printed.
pub(super) struct Silence {
    is_outermost: bool,
}

impl Silence {
    pub(super) fn begin() -> Self {
        install();
        Self { is_outermost: !SILENT.replace(true) }
    }
}

impl Drop for Silence {
    fn drop(&mut self) {
        if self.is_outermost {
            SILENT.set(false);
        }
    }
}

/// Puts a hook around the default one, once, that does not print while standard error accepts nothing. A hook that the
/// profiler sets later is not affected.
pub(crate) fn limit_waiting() {
    if !std::thread::panicking() {
        PATIENT.call_once(|| {
            let passed_on = take_hook();
            set_hook(Box::new(move |panic| {
                if corprof_in_process::outlet::standard_error_accepts() {
                    passed_on(panic);
                }
            }));
        });
    }
}

/// Puts the hook around the one that is there, once. A thread that unwinds cannot; the next one does.
pub(super) fn install() {
    if !std::thread::panicking() {
        HOOK.call_once(|| {
            let passed_on = take_hook();
            set_hook(Box::new(move |panic| {
                if !SILENT.get() {
                    passed_on(panic);
                }
            }));
        });
    }
}
