//! A value for each thread, found in a few instructions.
//!
//! The dynamic linker finds a `thread_local!` of a library that is loaded at run time, and each access checks whether it is
//! initialised. In a hook that is a good part of the work. Here a table in a `thread_local!` owns the values of all
//! [`PerThread`]s of a thread, and the addresses of the first of them are cached in [`slots`] of the thread.

mod slots;

use slots::Slot;

/// A value for each thread, like `thread_local!`, for the hooks of a profiler.
///
/// On x86-64 with the GNU C library an access takes about ten instructions and no call of the dynamic linker. Elsewhere, and
/// beyond the first 15 of a library, it is a `thread_local!`.
///
/// It is meant to be a `static`. A thread's value is made at the thread's first access and dropped when the thread ends. No
/// two threads access the same value, so it need be neither `Send` nor `Sync`.
///
/// ```
/// use core::cell::Cell;
/// use corprof_in_process::PerThread;
///
/// static CALLS: PerThread<Cell<u64>> = PerThread::new(|| Cell::new(0));
///
/// CALLS.with(|calls| calls.set(calls.get() + 1));
/// assert_eq!(CALLS.with(Cell::get), Some(1));
/// std::thread::spawn(|| assert_eq!(CALLS.with(Cell::get), Some(0))).join().unwrap();
/// ```
pub struct PerThread<T: 'static> {
    slot: Slot<T>,
    make: fn() -> T,
}

impl<T: 'static> PerThread<T> {
    /// Values that are made by `make`, each on its thread.
    #[must_use]
    pub const fn new(make: fn() -> T) -> Self {
        Self { slot: Slot::new(), make }
    }

    /// Calls `work` with the running thread's value. Returns `None`, without the call, if the thread is ending and the value
    /// has been dropped.
    #[inline]
    pub fn with<R>(&self, work: impl FnOnce(&T) -> R) -> Option<R> {
        self.slot.with(self.make, work)
    }

    /// Calls `work` with the running thread's value if it is cached. Returns `None`, without the call, also before the
    /// thread's first access, and beyond the first 15 of a library.
    ///
    /// For the shortest path through a hook, before another that uses [`with`](Self::with): a hook that may have to make the
    /// value saves registers for that at each call.
    #[inline(always)]
    pub fn with_made<R>(&self, work: impl FnOnce(&T) -> R) -> Option<R> {
        self.slot.with_made(work)
    }
}

#[cfg(test)]
mod tests {
    use core::cell::{Cell, RefCell};
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn each_thread_has_its_own() {
        static LIST: PerThread<RefCell<Vec<u32>>> = PerThread::new(RefCell::default);
        static OTHER: PerThread<Cell<u8>> = PerThread::new(|| Cell::new(7));
        thread::scope(|scope| {
            for thread in 0..8 {
                scope.spawn(move || {
                    for number in 0..100 {
                        LIST.with(|list| list.borrow_mut().push(thread * 1000 + number)).unwrap();
                        OTHER.with(|other| other.set(other.get().wrapping_add(1))).unwrap();
                    }
                    let expected: Vec<u32> = (0..100).map(|number| thread * 1000 + number).collect();
                    assert_eq!(LIST.with(RefCell::take), Some(expected));
                    assert_eq!(OTHER.with(Cell::get), Some(107));
                });
            }
        });
    }

    #[test]
    fn a_value_that_was_not_accessed_is_not_made() {
        static VALUE: PerThread<Cell<u32>> = PerThread::new(|| Cell::new(1));
        assert_eq!(VALUE.with_made(Cell::get), None);
        VALUE.with(|value| value.set(2)).unwrap();
        // Other tests may have used all slots.
        let is_cached = VALUE.slot.number() < slots::COUNT;
        assert_eq!(VALUE.with_made(Cell::get), is_cached.then_some(2));
        thread::spawn(|| assert_eq!(VALUE.with_made(Cell::get), None)).join().unwrap();
    }

    #[test]
    fn a_value_is_dropped_with_its_thread_and_not_found_afterwards() {
        static DROPPED: AtomicUsize = AtomicUsize::new(0);
        static FOUND: AtomicBool = AtomicBool::new(false);
        static GUARD: PerThread<Guard> = PerThread::new(|| Guard);
        struct Guard;
        impl Drop for Guard {
            fn drop(&mut self) {
                DROPPED.fetch_add(1, Ordering::Relaxed);
                FOUND.fetch_or(GUARD.with(|_| ()).is_some(), Ordering::Relaxed);
            }
        }
        for _ in 0..3 {
            thread::spawn(|| GUARD.with(|_| ()).unwrap()).join().unwrap();
        }
        assert_eq!(DROPPED.load(Ordering::Relaxed), 3);
        assert!(!FOUND.load(Ordering::Relaxed));
    }

    #[test]
    fn making_a_value_may_access_others_and_itself() {
        static INNER: PerThread<u32> = PerThread::new(|| 20);
        static OUTER: PerThread<u32> = PerThread::new(|| INNER.with(|inner| inner + 1).unwrap());
        static ITSELF: PerThread<Cell<u32>> = PerThread::new(|| {
            static ONCE: AtomicBool = AtomicBool::new(false);
            if !ONCE.swap(true, Ordering::Relaxed) {
                ITSELF.with(|value| value.set(5));
            }
            Cell::new(0)
        });
        assert_eq!(OUTER.with(|value| *value), Some(21));
        // The one that was made first, further in, is the one.
        assert_eq!(ITSELF.with(Cell::get), Some(5));
    }

    #[test]
    fn the_value_stays_where_it_is_when_others_come() {
        static FIRST: PerThread<Cell<u32>> = PerThread::new(|| Cell::new(1));
        let sum = FIRST.with(|first| {
            // More than there are slots.
            for _ in 0..100 {
                let more: &'static PerThread<u32> = Box::leak(Box::new(PerThread::new(|| 3)));
                first.set(first.get() + more.with(|value| *value).unwrap());
            }
            first.get()
        });
        assert_eq!(sum, Some(301));
        assert_eq!(FIRST.with(Cell::get), sum);
    }
}
