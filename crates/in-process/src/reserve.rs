//! Memory for when there is none: a profiler that finds no memory must not end the program.
//!
//! Contract of the unsafe code here: memory of the reserve is a range that the system's allocator has given out once and that
//! is never given back. Under the lock, `used` says how much of it has been given out, in order; it begins anew when nothing
//! of it is in use. Everything else is the system allocator's.
#![allow(unsafe_code)]

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::null_mut;
use std::alloc::System;

#[cfg(not(loom))]
use core::hint::spin_loop;
#[cfg(not(loom))]
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
#[cfg(loom)]
use loom::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

/// The size in bytes. The pages are not touched before they are needed.
#[cfg(not(loom))]
const SIZE: usize = 4 << 20;
/// The model (`cargo xtask loom`) uses it up.
#[cfg(loom)]
const SIZE: usize = 32;
/// The number of bytes that have to be available again.
const ENOUGH: usize = 256 << 10;
/// The interval, in calls, at which a hook checks for free memory.
const LOOK: usize = 64;

/// The system's allocator, with a reserve for when that has nothing more.
///
/// Without it, Rust ends the process at the first allocation that fails. With it, a profiler has some memory left to end
/// what it is doing; a hook that begins looks at [`is_low`](Self::is_low), and counts instead of allocating.
///
/// ```
/// #[global_allocator]
/// static MEMORY: corprof_in_process::Reserve = corprof_in_process::Reserve::new();
/// # assert!(!MEMORY.is_low());
/// ```
#[derive(Debug)]
pub struct Reserve {
    memory: AtomicPtr<u8>,
    used: AtomicUsize,
    /// The number of allocations in the reserve.
    count: AtomicUsize,
    lock: Lock,
    is_low: AtomicBool,
    looks: AtomicUsize,
}

/// A lock for a few instructions, which allocates nothing.
#[cfg(not(loom))]
#[derive(Debug)]
struct Lock(AtomicBool);

#[cfg(not(loom))]
impl Lock {
    const fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    fn with<T>(&self, work: impl FnOnce() -> T) -> T {
        while self.0.swap(true, Ordering::Acquire) {
            spin_loop();
        }
        let result = work();
        self.0.store(false, Ordering::Release);
        result
    }
}

/// `loom` finds no end of a thread that waits actively: its own lock orders the same.
#[cfg(loom)]
#[derive(Debug)]
struct Lock(loom::sync::Mutex<()>);

#[cfg(loom)]
impl Lock {
    fn new() -> Self {
        Self(loom::sync::Mutex::new(()))
    }

    fn with<T>(&self, work: impl FnOnce() -> T) -> T {
        let _held = self.0.lock();
        work()
    }
}

macro_rules! empty {
    () => {
        Self {
            memory: AtomicPtr::new(null_mut()),
            used: AtomicUsize::new(0),
            count: AtomicUsize::new(0),
            lock: Lock::new(),
            is_low: AtomicBool::new(false),
            looks: AtomicUsize::new(0),
        }
    };
}

impl Default for Reserve {
    fn default() -> Self {
        Self::new()
    }
}

impl Reserve {
    /// A reserve that is made with the first allocation.
    #[cfg(not(loom))]
    #[must_use]
    pub const fn new() -> Self {
        empty!()
    }

    /// As for programs, but not constant: `loom` notes what it creates.
    #[cfg(loom)]
    pub fn new() -> Self {
        empty!()
    }

    /// Returns whether an allocation has failed, and there is still no memory to be had.
    #[inline]
    pub fn is_low(&self) -> bool {
        self.is_low.load(Ordering::Relaxed) && self.is_still_low()
    }

    #[cold]
    fn is_still_low(&self) -> bool {
        if !self.looks.fetch_add(1, Ordering::Relaxed).is_multiple_of(LOOK) {
            return true;
        }
        let layout = Layout::new::<[u8; ENOUGH]>();
        // SAFETY: the layout has a size; what is allocated is freed with the same layout.
        unsafe {
            let memory = System.alloc(layout);
            if memory.is_null() {
                return true;
            }
            System.dealloc(memory, layout);
        }
        self.is_low.store(false, Ordering::Relaxed);
        false
    }

    #[cold]
    fn make(&self) {
        let layout = Layout::new::<[u128; SIZE / size_of::<u128>()]>();
        // SAFETY: the layout has a size.
        let memory = unsafe { System.alloc(layout) };
        let first = self.memory.compare_exchange(null_mut(), memory, Ordering::AcqRel, Ordering::Acquire);
        if first.is_err() && !memory.is_null() {
            // SAFETY: allocated above, and nobody else has it.
            unsafe { System.dealloc(memory, layout) };
        }
    }

    #[cold]
    fn give(&self, layout: Layout) -> *mut u8 {
        self.is_low.store(true, Ordering::Relaxed);
        let memory = self.memory.load(Ordering::Acquire);
        if memory.is_null() {
            return memory;
        }
        self.lock.with(|| {
            let begin = memory.addr().wrapping_add(self.used.load(Ordering::Relaxed));
            let at = begin.next_multiple_of(layout.align()).wrapping_sub(memory.addr());
            let end = at.saturating_add(layout.size());
            if end > SIZE {
                return null_mut();
            }
            self.used.store(end, Ordering::Relaxed);
            self.count.fetch_add(1, Ordering::Relaxed);
            memory.wrapping_add(at)
        })
    }

    fn has(&self, memory: *mut u8) -> bool {
        let begin = self.memory.load(Ordering::Relaxed).addr();
        begin != 0 && memory.addr().wrapping_sub(begin) < SIZE
    }

    #[cold]
    fn take_back(&self) {
        self.lock.with(|| {
            if self.count.fetch_sub(1, Ordering::Relaxed) == 1 {
                self.used.store(0, Ordering::Relaxed);
            }
        });
    }
}

// SAFETY: memory is the system allocator's, or of the reserve, which gives out each byte once until all is free again; it
// does not unwind.
unsafe impl GlobalAlloc for Reserve {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if self.memory.load(Ordering::Relaxed).is_null() {
            self.make();
        }
        // SAFETY: forwarded to the caller.
        let memory = unsafe { System.alloc(layout) };
        if memory.is_null() { self.give(layout) } else { memory }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: forwarded to the caller.
        let memory = unsafe { System.alloc_zeroed(layout) };
        if !memory.is_null() {
            return memory;
        }
        let memory = self.give(layout);
        if !memory.is_null() {
            // SAFETY: as many bytes have been given out.
            unsafe { memory.write_bytes(0, layout.size()) };
        }
        memory
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if self.has(memory) {
            return self.take_back();
        }
        // SAFETY: forwarded to the caller; it is not the reserve's.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !self.has(memory) {
            // SAFETY: forwarded to the caller; it is not the reserve's.
            let new = unsafe { System.realloc(memory, layout, size) };
            if !new.is_null() {
                return new;
            }
        }
        // SAFETY: the caller gives a size that makes a layout.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: the new memory has the smaller of both sizes, and the old is still there.
        unsafe {
            let new = self.alloc(wanted);
            if !new.is_null() {
                core::ptr::copy_nonoverlapping(memory, new, layout.size().min(size));
                self.dealloc(memory, layout);
            }
            new
        }
    }
}

/// Every order of what threads do that find no memory at the same time (`cargo xtask loom`).
#[cfg(all(test, loom))]
mod model {
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread;

    use super::*;

    /// A reserve, and a witness for each half of it: there is room for two at a time.
    struct Shared {
        reserve: Reserve,
        halves: [UnsafeCell<()>; 2],
    }

    impl Shared {
        /// Allocates as where the system has no memory, uses the memory, and frees it. Returns whether there was some.
        fn allocate(&self) -> bool {
            let layout = Layout::new::<[u8; SIZE / 2]>();
            if self.reserve.memory.load(Ordering::Relaxed).is_null() {
                self.reserve.make();
            }
            let memory = self.reserve.give(layout);
            if memory.is_null() {
                return false;
            }
            assert!(self.reserve.has(memory));
            let begin = self.reserve.memory.load(Ordering::Relaxed).addr();
            // Fails if another thread has the same half, or has freed it and this thread does not see what it did with it.
            self.halves[(memory.addr() - begin) / (SIZE / 2)].with_mut(|_| ());
            // SAFETY: allocated above.
            unsafe { self.reserve.dealloc(memory, layout) };
            true
        }
    }

    impl Drop for Shared {
        fn drop(&mut self) {
            let memory = self.reserve.memory.with_mut(|memory| *memory);
            // SAFETY: what `make` has allocated, once for each model.
            unsafe { System.dealloc(memory, Layout::new::<[u128; SIZE / size_of::<u128>()]>()) };
        }
    }

    #[test]
    fn memory_of_the_reserve_is_one_threads_at_a_time() {
        loom::model(|| {
            let shared = Arc::new(Shared {
                reserve: Reserve::new(),
                halves: [UnsafeCell::new(()), UnsafeCell::new(())],
            });
            let other = {
                let shared = Arc::clone(&shared);
                thread::spawn(move || [shared.allocate(), shared.allocate()])
            };
            let own = [shared.allocate(), shared.allocate()];
            let given = own.into_iter().chain(other.join().unwrap()).filter(|is_given| *is_given).count();
            // The first two have room; the second one of a thread has none while the other thread has the second half.
            assert!(own[0] && given >= 3, "{given}");
            let reserve = &shared.reserve;
            assert_eq!((reserve.count.load(Ordering::Relaxed), reserve.used.load(Ordering::Relaxed)), (0, 0));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reserve_is_given_out_and_taken_back() {
        let reserve = Reserve::new();
        reserve.make();
        let layouts = [Layout::new::<u8>(), Layout::new::<u128>(), Layout::new::<[u64; 100]>()];
        let given = layouts.map(|layout| {
            let memory = reserve.give(layout);
            assert!(reserve.has(memory) && memory.addr().is_multiple_of(layout.align()));
            // SAFETY: as many bytes have been given out.
            unsafe { memory.write_bytes(7, layout.size()) };
            (memory, layout)
        });
        assert!(reserve.is_low.load(Ordering::Relaxed));
        assert!(reserve.give(Layout::new::<[u8; SIZE]>()).is_null());
        // SAFETY: allocated above; it grows into the system's memory.
        let grown = unsafe { reserve.realloc(given[2].0, given[2].1, 4096) };
        // SAFETY: as many bytes have been written.
        assert_eq!(unsafe { grown.add(799).read() }, 7);
        assert!(!reserve.has(grown));
        for (memory, layout) in [given[0], given[1]] {
            // SAFETY: allocated above.
            unsafe { reserve.dealloc(memory, layout) };
        }
        assert_eq!((reserve.count.load(Ordering::Relaxed), reserve.used.load(Ordering::Relaxed)), (0, 0));
        // SAFETY: allocated above.
        unsafe { reserve.dealloc(grown, Layout::array::<u64>(512).unwrap()) };
        // There is memory.
        assert!(!reserve.is_low());
    }
}
