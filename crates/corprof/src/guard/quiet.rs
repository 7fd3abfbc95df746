//! Panics in the profiler's code that are not printed, because one has been.
//!
//! What prints a panic is the panic hook, which is one for the whole of a Rust library, and belongs to whoever sets it.
//! After the first panic of a profiler a hook is put around the one that is there: it keeps silent about panics in
//! code that runs for the runtime, and passes every other one on.
//!
//! Whether code runs for the runtime is known by thread. Nothing is noted before the first panic, so that calls cost
//! nothing then; a callback that had begun before it is not covered.

use core::cell::Cell;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicBool, Ordering};
use std::panic::{set_hook, take_hook};
use std::sync::Once;

/// Whether a profiler of this library has panicked.
static HAS_PANICKED: AtomicBool = AtomicBool::new(false);

static HOOK: Once = Once::new();

thread_local! {
    /// The outermost frame of the running thread whose panics are not printed; 0 if there is none. Without a destructor,
    /// so that it can be used while the thread ends.
    static SILENT: Cell<usize> = const { Cell::new(0) };
}

/// A place on the stack, by which a frame that runs for the runtime is known while it lasts.
pub(super) struct Frame(MaybeUninit<u8>);

impl Frame {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self(MaybeUninit::uninit())
    }

    fn address(&self) -> usize {
        self.0.as_ptr().addr()
    }

    /// From now on panics of this thread are not printed, until the frame ends.
    #[cold]
    #[inline(never)]
    pub(super) fn begin_silence(&self) {
        install();
        if SILENT.get() == 0 {
            SILENT.set(self.address());
        }
    }

    /// The frame ends.
    #[inline(always)]
    pub(super) fn end(&self) {
        if HAS_PANICKED.load(Ordering::Relaxed) {
            self.end_silence();
        }
    }

    /// Panics are printed again, if this is the frame that has ended that.
    #[cold]
    #[inline(never)]
    pub(super) fn end_silence(&self) {
        if SILENT.get() == self.address() {
            SILENT.set(0);
        }
    }
}

/// A profiler has panicked: its next panics are not printed.
pub(super) fn start() {
    HAS_PANICKED.store(true, Ordering::Relaxed);
    install();
}

/// Puts the hook around the one that is there, once. A thread that unwinds cannot; the next one does.
fn install() {
    if !std::thread::panicking() {
        HOOK.call_once(|| {
            let passed_on = take_hook();
            set_hook(Box::new(move |panic| {
                if SILENT.get() == 0 {
                    passed_on(panic);
                }
            }));
        });
    }
}
