//! A value that many threads read without waiting, and that one thread puts in and takes out.
//!
//! A reader counts itself in a counter that it shares with few others, and then reads the pointer. Who takes the value out
//! makes the pointer null, and then waits until each counter has been zero: a reader that it overlooks has counted itself afterwards,
//! and so finds null. `slot_model` tries every order of both. If a reader does not leave in time, the value is put aside, and the
//! slot takes no other one until it has left.
//!
//! Contract of the unsafe code here: a pointer that is not null, in `value` or `aside`, is that of a box which was taken apart
//! when it was put in, and is owned by the slot. It becomes a box again in one place, under the lock, after each counter has been zero since it was
//! taken out of `value`; or when the slot is dropped, which no reader outlives.
#![allow(unsafe_code)]

use core::marker::PhantomData;
use core::ops::Deref;
use core::ptr::{NonNull, null_mut};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use super::inflight::{place_of_thread, wait_until};
use super::sync::{AtomicPtr, AtomicUsize, Mutex, Ordering, in_single_order};

/// How many counters there are.
const SHARDS: usize = if cfg!(loom) { 2 } else { 16 };

/// The number of readers, on a cache line of its own.
#[repr(align(128))]
#[derive(Debug, Default)]
struct Readers(AtomicUsize);

/// See the module's documentation.
#[derive(Debug)]
pub(crate) struct Slot<T> {
    value: AtomicPtr<T>,
    /// A value that was taken out while a thread was reading it.
    aside: AtomicPtr<T>,
    readers: Box<[Readers]>,
    /// Held by who takes out.
    taking: Mutex<()>,
    /// Shared between threads under the conditions below only.
    owned: PhantomData<*mut T>,
}

// SAFETY: the slot owns its value.
unsafe impl<T: Send> Send for Slot<T> {}
// SAFETY: the slot owns its value, which passes from the thread that puts it in to the one that takes it out, and is read by others.
unsafe impl<T: Send + Sync> Sync for Slot<T> {}

/// The value, as long as this lives.
#[derive(Debug)]
#[must_use]
pub(crate) struct Reading<'a, T> {
    value: &'a T,
    readers: &'a Readers,
}

/// What has become of a value that was to be taken out.
#[derive(Debug)]
pub(crate) enum Taken<T> {
    /// There was none.
    Nothing,
    /// No thread reads it.
    Value(Box<T>),
    /// A thread still reads it.
    InUse,
}

impl<T> Deref for Reading<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value
    }
}

impl<T> Drop for Reading<'_, T> {
    fn drop(&mut self) {
        self.readers.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl<T> Slot<T> {
    pub(crate) fn new() -> Self {
        Self {
            value: AtomicPtr::new(null_mut()),
            aside: AtomicPtr::new(null_mut()),
            readers: (0..SHARDS).map(|_| Readers::default()).collect(),
            taking: Mutex::new(()),
            owned: PhantomData,
        }
    }

    /// Returns the value. Waits for nothing.
    #[inline]
    pub(crate) fn read(&self) -> Option<Reading<'_, T>> {
        let readers = self.readers.get(place_of_thread(SHARDS))?;
        readers.0.fetch_add(1, Ordering::SeqCst);
        in_single_order();
        match NonNull::new(self.value.load(Ordering::SeqCst)) {
            // SAFETY: the contract of this file: who takes it out waits for the counter, which this guard holds.
            Some(value) => Some(Reading { value: unsafe { value.as_ref() }, readers }),
            None => {
                readers.0.fetch_sub(1, Ordering::SeqCst);
                None
            }
        }
    }

    /// Puts a value in; returns it if the slot has one, also one that is put aside.
    pub(crate) fn put(&self, value: Box<T>) -> Result<(), Box<T>> {
        let _taking = self.taking.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.is_free() {
            return Err(value);
        }
        self.value.store(Box::into_raw(value), Ordering::SeqCst);
        Ok(())
    }

    /// Returns whether a value can be put in.
    pub(crate) fn is_free(&self) -> bool {
        [&self.value, &self.aside].iter().all(|it| it.load(Ordering::SeqCst).is_null())
    }

    /// Takes the value out: no thread reads it from now on that does not read it already. Waits for those. After the time limit it is
    /// put aside.
    pub(crate) fn take(&self, limit: Duration) -> Taken<T> {
        let _taking = self.taking.lock().unwrap_or_else(PoisonError::into_inner);
        let value = self.value.swap(null_mut(), Ordering::SeqCst);
        if value.is_null() {
            return Taken::Nothing;
        }
        self.aside.store(value, Ordering::SeqCst);
        self.reclaim_locked(limit).map_or(Taken::InUse, Taken::Value)
    }

    /// Returns the value that was put aside, if the threads that were reading it have left.
    pub(crate) fn reclaim(&self) -> Option<Box<T>> {
        let _taking = self.taking.lock().unwrap_or_else(PoisonError::into_inner);
        self.reclaim_locked(Duration::ZERO)
    }

    fn reclaim_locked(&self, limit: Duration) -> Option<Box<T>> {
        let value = NonNull::new(self.aside.load(Ordering::SeqCst))?;
        in_single_order();
        let until = Instant::now() + limit;
        if !self.readers.iter().all(|readers| wait_until(until, || readers.0.load(Ordering::SeqCst) == 0)) {
            return None;
        }
        self.aside.store(null_mut(), Ordering::SeqCst);
        // SAFETY: the contract of this file: it was taken out before, and each counter has been zero since.
        Some(unsafe { Box::from_raw(value.as_ptr()) })
    }
}

impl<T> Drop for Slot<T> {
    fn drop(&mut self) {
        for place in [&self.value, &self.aside] {
            if let Some(value) = NonNull::new(place.swap(null_mut(), Ordering::SeqCst)) {
                // SAFETY: the contract of this file; a reader borrows the slot.
                drop(unsafe { Box::from_raw(value.as_ptr()) });
            }
        }
    }
}

#[cfg(all(test, loom))]
#[path = "slot_model.rs"]
mod model;

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_value_that_nobody_reads_is_taken_out() {
        let slot = Slot::new();
        assert!(slot.read().is_none() && matches!(slot.take(LONG), Taken::Nothing));
        assert!(slot.put(Box::new(1)).is_ok());
        assert_eq!(slot.put(Box::new(2)), Err(Box::new(2)));
        assert_eq!(slot.read().as_deref(), Some(&1));
        assert!(matches!(slot.take(LONG), Taken::Value(value) if *value == 1));
        assert!(slot.read().is_none() && slot.reclaim().is_none());
    }

    #[test]
    fn a_value_that_is_read_is_put_aside_and_the_slot_stays_taken() {
        let slot = Slot::new();
        slot.put(Box::new(1)).unwrap();
        let reading = slot.read().unwrap();
        assert!(matches!(slot.take(Duration::from_millis(10)), Taken::InUse));
        assert!(slot.read().is_none() && slot.reclaim().is_none());
        assert!(slot.put(Box::new(2)).is_err());
        assert_eq!(*reading, 1);
        drop(reading);
        assert_eq!(slot.reclaim(), Some(Box::new(1)));
        assert!(slot.put(Box::new(2)).is_ok());
    }

    #[test]
    fn a_slot_drops_what_it_has() {
        let (slot, value) = (Slot::new(), Arc::new(()));
        slot.put(Box::new(Arc::clone(&value))).unwrap();
        let reading = slot.read().unwrap();
        assert!(matches!(slot.take(Duration::ZERO), Taken::InUse));
        drop(reading);
        drop(slot);
        assert_eq!(Arc::strong_count(&value), 1);
    }

    #[test]
    fn readers_find_a_value_that_is_whole() {
        /// Says that it is dropped.
        struct Value(Arc<AtomicBool>);
        impl Drop for Value {
            fn drop(&mut self) {
                self.0.store(true, Ordering::SeqCst);
            }
        }
        let (slot, stop) = (Slot::<Value>::new(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        let Some(value) = slot.read() else { continue };
                        let dropped = Arc::clone(&value.0);
                        std::hint::spin_loop();
                        assert!(!dropped.load(Ordering::SeqCst));
                    }
                });
            }
            for _ in 0..2000 {
                let dropped = Arc::new(AtomicBool::new(false));
                assert!(slot.put(Box::new(Value(dropped))).is_ok());
                assert!(matches!(slot.take(LONG), Taken::Value(_)));
            }
            stop.store(true, Ordering::Relaxed);
        });
    }
}
