//! Exceptions in flight, which stay where they are until a handler has them.
//!
//! Since .NET 9 the runtime reads the reference of an exception, makes the callback about a filter or `catch` block, during which a
//! collection may run, and passes the reference from before it to the block (dotnet/runtime#132462). If the collection has moved the
//! exception, the program reads whatever is there now. So the exception is pinned from the throw until its `catch` block has ended.
//! The reference of an exception that was thrown before the profiler was attached is not known, and not pinned.
#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use corprof_types::RuntimeInfo;

use crate::raw::info::Handle;

/// The major versions that need it. The fix came while the last of them was a preview.
const NEED_PINS: core::ops::RangeInclusive<u16> = 9..=11;

/// How many exceptions of a thread are kept in place. More are in flight only if `finally` blocks in `finally` blocks throw, or
/// if they were replaced by exceptions that these have thrown, which is never reported.
const MOST_OF_A_THREAD: usize = 8;

/// How long a request to detach waits for callbacks that have begun.
const PATIENCE: Duration = Duration::from_millis(500);

/// The time from the end of the library's code in a callback to the handler's first instruction, generously.
const RETURNING: Duration = Duration::from_millis(2);

/// The exceptions in flight of all threads. `H` is the handle that pins one.
pub(super) struct InFlight<H = Handle> {
    exceptions: Mutex<Vec<Exception<H>>>,
    /// The threads in a callback after which the runtime uses the reference.
    before_handlers: AtomicUsize,
}

/// A pinned exception.
struct Exception<H> {
    thread: usize,
    /// The thread's stack pointer at the throw.
    stack_pointer: usize,
    /// The exception's address.
    object: usize,
    handle: H,
    /// Whether its `catch` block has begun.
    is_caught: bool,
}

impl InFlight {
    /// `None` if this runtime does without.
    pub(super) fn of(runtime: Option<&RuntimeInfo>) -> Option<Self> {
        runtime.is_some_and(|runtime| NEED_PINS.contains(&runtime.major)).then(Self::new)
    }
}

impl<H> InFlight<H> {
    fn new() -> Self {
        Self { exceptions: Mutex::default(), before_handlers: AtomicUsize::new(0) }
    }

    /// The running thread throws an exception, which is pinned by a handle. Returns the handles of its exceptions that have ended.
    pub(super) fn thrown(&self, object: usize, handle: H) -> Vec<H> {
        let (thread, stack_pointer) = (this_thread(), stack_pointer());
        handles(self.add(Exception { thread, stack_pointer, object, handle, is_caught: false }))
    }

    /// A filter is about to run on the running thread.
    pub(super) fn filter_begins(&self) -> BeforeHandler<'_, H> {
        self.before_handlers.fetch_add(1, Ordering::Acquire);
        BeforeHandler(self)
    }

    /// A `catch` block is about to run on the running thread.
    pub(super) fn catch_begins(&self, object: usize) -> BeforeHandler<'_, H> {
        self.mark_caught(this_thread(), object);
        self.filter_begins()
    }

    /// A `catch` block of the running thread has ended. Returns the handles of the exceptions that have ended.
    pub(super) fn catch_ends(&self) -> Vec<H> {
        handles(self.remove_caught(this_thread()))
    }

    /// Returns the handles of all exceptions, when no thread is in a callback that needs them, or after some time.
    pub(super) fn take(&self) -> Vec<H> {
        let deadline = Instant::now() + PATIENCE;
        while self.before_handlers.load(Ordering::Acquire) > 0 && Instant::now() < deadline {
            std::thread::sleep(RETURNING);
        }
        std::thread::sleep(RETURNING);
        handles(self.change(core::mem::take))
    }

    /// Adds an exception. Returns those of the thread that have ended.
    fn add(&self, new: Exception<H>) -> Vec<Exception<H>> {
        self.change(|all| {
            // In a `catch` block the exception is not needed in its place any more, and what was thrown from frames further in
            // has left them.
            let is_over = |one: &mut Exception<H>| {
                one.thread == new.thread && (one.is_caught || one.stack_pointer <= new.stack_pointer)
            };
            let mut over: Vec<_> = all.extract_if(.., is_over).collect();
            if all.iter().filter(|one| one.thread == new.thread).count() >= MOST_OF_A_THREAD {
                over.extend(
                    all.iter().position(|one| one.thread == new.thread).map(|oldest| all.remove(oldest)),
                );
            }
            all.push(new);
            over
        })
    }

    /// The `catch` block of an exception begins.
    fn mark_caught(&self, thread: usize, object: usize) {
        self.change(|all| {
            let caught = all.iter_mut().rev().find(|one| one.thread == thread && one.object == object);
            caught.into_iter().for_each(|one| one.is_caught = true);
        });
    }

    /// The last `catch` block of the thread ends. Returns the exceptions that have ended: those in its `finally` blocks, too.
    fn remove_caught(&self, thread: usize) -> Vec<Exception<H>> {
        self.change(|all| {
            let Some(caught) = all.iter().rposition(|one| one.thread == thread && one.is_caught) else {
                return Vec::new();
            };
            all.extract_if(caught.., |one| one.thread == thread).collect()
        })
    }

    fn change<T>(&self, change: impl FnOnce(&mut Vec<Exception<H>>) -> T) -> T {
        change(&mut self.exceptions.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A callback after which the runtime uses the reference of an exception.
pub(crate) struct BeforeHandler<'i, H = Handle>(&'i InFlight<H>);

impl<H> Drop for BeforeHandler<'_, H> {
    fn drop(&mut self) {
        self.0.before_handlers.fetch_sub(1, Ordering::Release);
    }
}

fn handles<H>(exceptions: Vec<Exception<H>>) -> Vec<H> {
    exceptions.into_iter().map(|exception| exception.handle).collect()
}

/// A number of the running thread, unlike those of all others that run.
fn this_thread() -> usize {
    thread_local!(static PLACE: u8 = const { 0 });
    PLACE.with(|place| core::ptr::from_ref(place).addr())
}

/// An address in the frame of a callee of the caller.
#[inline(never)]
fn stack_pointer() -> usize {
    let here = 0_u8;
    core::ptr::from_ref(core::hint::black_box(&here)).addr()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exceptions of some threads, by the numbers of their handles.
    struct Program(InFlight<usize>);

    impl Program {
        fn new() -> Self {
            Self(InFlight::new())
        }

        /// The object has the handle's number. Returns the handles that are released.
        fn throws(&self, thread: usize, handle: usize, stack_pointer: usize) -> Vec<usize> {
            let new = Exception { thread, stack_pointer, object: handle, handle, is_caught: false };
            handles(self.0.add(new))
        }

        fn catches(&self, thread: usize, object: usize) -> Vec<usize> {
            self.0.mark_caught(thread, object);
            handles(self.0.remove_caught(thread))
        }
    }

    #[test]
    fn an_exception_stays_until_its_catch_block_has_ended() {
        let program = Program::new();
        assert!(program.throws(1, 10, 500).is_empty());
        assert!(program.throws(2, 20, 9000).is_empty());
        assert_eq!(program.catches(1, 10), [10]);
        assert!(program.catches(1, 10).is_empty() && program.catches(3, 20).is_empty());
        assert_eq!(program.catches(2, 20), [20]);
    }

    #[test]
    fn an_exception_stays_while_its_finally_blocks_and_filters_throw() {
        let program = Program::new();
        program.throws(1, 10, 500);
        assert!(program.throws(1, 11, 400).is_empty());
        assert_eq!(program.catches(1, 11), [11]);
        // That of a filter is never caught.
        assert!(program.throws(1, 12, 400).is_empty());
        assert_eq!(program.catches(1, 10), [10, 12]);
    }

    #[test]
    fn a_throw_in_a_catch_block_releases_what_was_caught() {
        let program = Program::new();
        program.throws(1, 10, 500);
        program.0.mark_caught(1, 10);
        assert_eq!(program.throws(1, 11, 400), [10]);
        assert_eq!(program.catches(1, 11), [11]);
        assert!(handles(program.0.remove_caught(1)).is_empty(), "the outer block has ended");
    }

    #[test]
    fn a_throw_from_an_outer_frame_releases_what_was_replaced() {
        let program = Program::new();
        program.throws(1, 10, 500);
        program.throws(1, 11, 400);
        program.throws(2, 20, 300);
        assert_eq!(program.throws(1, 12, 500), [10, 11]);
        // The same exception again, from the same frame.
        assert_eq!(program.throws(1, 12, 500), [12]);
        assert_eq!(program.0.take(), [20, 12]);
    }

    #[test]
    fn a_thread_keeps_few() {
        let program = Program::new();
        program.throws(2, 99, 1);
        for handle in 0..MOST_OF_A_THREAD {
            assert!(program.throws(1, handle, 500 - handle).is_empty());
        }
        assert_eq!(program.throws(1, 50, 100), [0]);
    }

    #[test]
    fn a_detach_waits_for_callbacks_that_have_begun() {
        let program = Program::new();
        program.throws(1, 10, 500);
        let before = program.0.filter_begins();
        std::thread::scope(|scope| {
            let taken = scope.spawn(|| program.0.take());
            std::thread::sleep(4 * RETURNING);
            assert!(!taken.is_finished());
            drop(before);
            assert_eq!(taken.join().unwrap(), [10]);
        });
    }
}
