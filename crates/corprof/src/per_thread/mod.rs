//! What each thread keeps for itself, found in a few instructions.
//!
//! A `thread_local!` of a library that is loaded at run time is found through the dynamic linker and then through the
//! state of its initialisation, again at each access; in a hook that is a good part of all there is to do. Here a
//! [`Table`] in a `thread_local!` owns the values of all [`PerThread`]s of a thread, and where the first of them are, is
//! [`at_hand`] as well.
//!
//! Contract of the unsafe code here: values are in boxes of their own, which are neither moved nor dropped before the
//! destructor of the table runs, when the thread ends; before it drops them, it takes away what is at hand. The number
//! of a [`PerThread`] is its own, so what is under that number has its type. Nothing of this leaves the thread.
#![allow(unsafe_code)]

mod at_hand;

use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering};

/// A value for each thread, as `thread_local!` declares one, for the hooks of a profiler: it is found without a call
/// into the dynamic linker on x86-64 with the GNU C library, in some ten instructions. Elsewhere, and beyond the first 15
/// of a library, it is a `thread_local!`.
///
/// It is meant to be a `static`. A thread's value is made when the thread first asks for it and dropped when the thread
/// ends. Several threads never see one value, so it need be neither `Send` nor `Sync`.
///
/// ```
/// use core::cell::Cell;
/// use corprof::PerThread;
///
/// static CALLS: PerThread<Cell<u64>> = PerThread::new(|| Cell::new(0));
///
/// CALLS.with(|calls| calls.set(calls.get() + 1));
/// assert_eq!(CALLS.with(Cell::get), Some(1));
/// std::thread::spawn(|| assert_eq!(CALLS.with(Cell::get), Some(0))).join().unwrap();
/// ```
pub struct PerThread<T: 'static> {
    /// From 1 on; 0 if nobody has asked for it yet: nothing is ever under that number.
    number: AtomicUsize,
    make: fn() -> T,
    of: PhantomData<fn() -> T>,
}

impl<T: 'static> PerThread<T> {
    /// Values that are made by `make`, each on its thread.
    #[must_use]
    pub const fn new(make: fn() -> T) -> Self {
        Self { number: AtomicUsize::new(0), make, of: PhantomData }
    }

    /// Lends the running thread's value. `None`, and `work` is not called, if the thread is ending and the value is
    /// gone.
    #[inline]
    pub fn with<R>(&self, work: impl FnOnce(&T) -> R) -> Option<R> {
        let value = match at_hand::get(self.number.load(Ordering::Relaxed)) {
            Some(value) => value.cast(),
            None => self.find()?,
        };
        // SAFETY: what is under this number is a `T`, in a box that is not dropped before the thread ends; only shared
        // references to it are ever made.
        Some(work(unsafe { value.as_ref() }))
    }

    /// Lends the running thread's value if there is one: `None`, and `work` is not called, also if the thread has not asked
    /// for it yet, and beyond the first 15 of a library.
    ///
    /// For the shortest way through a hook, beside another that asks by [`with`](Self::with): a hook that may have to make
    /// the value puts registers away for that at each call.
    #[inline(always)]
    pub fn with_made<R>(&self, work: impl FnOnce(&T) -> R) -> Option<R> {
        let value: NonNull<T> = at_hand::get(self.number.load(Ordering::Relaxed))?.cast();
        // SAFETY: what is under this number is a `T`, as in `with`.
        Some(work(unsafe { value.as_ref() }))
    }

    /// The value of this thread, which is made the first time.
    #[cold]
    #[inline(never)]
    fn find(&self) -> Option<NonNull<T>> {
        let number = self.number();
        let find = |table: &Table| {
            let known = || table.get(number);
            let value = known().unwrap_or_else(|| {
                let made = (self.make)();
                // It may have asked for the value itself.
                known().unwrap_or_else(|| table.put(number, made))
            });
            at_hand::set(number, Some(value));
            value.cast()
        };
        TABLE.try_with(find).ok()
    }

    /// The number under which tables have its value.
    fn number(&self) -> usize {
        static NEXT: AtomicUsize = AtomicUsize::new(1);
        let known = self.number.load(Ordering::Relaxed);
        if known != 0 {
            return known;
        }
        let new = NEXT.fetch_add(1, Ordering::Relaxed);
        // Another thread may have been first. A number that nobody has costs a word.
        match self.number.compare_exchange(0, new, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => new,
            Err(others) => others,
        }
    }
}

thread_local! {
    static TABLE: Table = const { Table { values: UnsafeCell::new(Vec::new()) } };
}

/// The values of one thread, by number.
struct Table {
    values: UnsafeCell<Vec<Option<Value>>>,
}

/// A value in a box of its own.
#[derive(Clone, Copy)]
struct Value {
    address: NonNull<()>,
    drop: unsafe fn(NonNull<()>),
}

impl Table {
    fn get(&self, number: usize) -> Option<NonNull<()>> {
        // SAFETY: nothing that could change the list runs until the address has been copied out of it.
        let values = unsafe { &*self.values.get() };
        Some(values.get(number)?.as_ref()?.address)
    }

    /// Puts a value under a number that has none.
    fn put<T: 'static>(&self, number: usize, value: T) -> NonNull<()> {
        unsafe fn drop_box<T>(address: NonNull<()>) {
            // SAFETY: `put` has made it of a box of this type, and the table gives it up once.
            drop(unsafe { Box::from_raw(address.cast::<T>().as_ptr()) });
        }
        let address = NonNull::from(Box::leak(Box::new(value))).cast();
        // SAFETY: there is no other reference to the list: `get` keeps none, and nothing here calls anybody's code.
        let values = unsafe { &mut *self.values.get() };
        if values.len() <= number {
            values.resize(number + 1, None);
        }
        if let Some(place) = values.get_mut(number) {
            *place = Some(Value { address, drop: drop_box::<T> });
        }
        address
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        // From here on nobody finds them: nor by the `thread_local!`, which is being destroyed.
        (0..at_hand::ROOM).for_each(|number| at_hand::set(number, None));
        for value in core::mem::take(self.values.get_mut()).into_iter().flatten() {
            // SAFETY: made by `put`, and taken out of the list.
            unsafe { (value.drop)(value.address) };
        }
    }
}

#[cfg(test)]
mod tests {
    use core::cell::{Cell, RefCell};
    use std::sync::atomic::AtomicBool;
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
    fn what_has_not_been_asked_for_is_not_made() {
        static VALUE: PerThread<Cell<u32>> = PerThread::new(|| Cell::new(1));
        assert_eq!(VALUE.with_made(Cell::get), None);
        VALUE.with(|value| value.set(2)).unwrap();
        // Other tests may have used up what is at hand.
        let is_at_hand = VALUE.number() < at_hand::ROOM;
        assert_eq!(VALUE.with_made(Cell::get), is_at_hand.then_some(2));
        thread::spawn(|| assert_eq!(VALUE.with_made(Cell::get), None)).join().unwrap();
    }

    #[test]
    fn a_value_is_dropped_with_its_thread_and_not_found_from_there() {
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
    fn making_a_value_may_ask_for_others_and_for_itself() {
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
            // More than are at hand.
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
