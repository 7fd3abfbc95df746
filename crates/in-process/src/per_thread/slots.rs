//! The values of a thread, with the addresses of the first ones cached in a few words of the thread.
//!
//! The words are a thread-local variable of the ELF file, declared in assembly, since Rust has no attribute for its model. It
//! is found by its *descriptor* (TLSDESC): two words that the dynamic linker has filled in when it loaded the library. The
//! first is the function to call. If there was space in the static part of the threads' memory (the GNU C library keeps a
//! reserve of it), that function loads the second word and returns; otherwise it does what `__tls_get_addr` does.
//! Unlike with the model `initial-exec`, which would be shorter still, loading never fails.
//!
//! Contract of the unsafe code here: the number of a [`Slot`] is its own, so a value under that number has its type. Values are
//! in boxes of their own, which are neither moved nor dropped before the destructor of the table runs, when the thread ends;
//! before it drops them, it clears the words. No address leaves its thread.
//!
//! The function behind a descriptor takes it in `rax` and returns there the offset of the variable from the thread's own
//! address (`fs:0`). It keeps all other registers. Older versions of the GNU C library lose vector and mask registers on the
//! slow path, so those count as lost (the x87's too, but nothing of Rust's is ever in them). That integer registers stay is
//! what a hook gains: it need not save them. The two instructions are those that the ABI prescribes; a linker may replace
//! them where it knows the offset. The variable is as many words as are declared here, at first zero.
#![allow(unsafe_code)]

use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::last_error::LastError;

/// The number of words.
pub(super) const COUNT: usize = 16;

/// The number of a value, the same in each thread.
pub(super) struct Slot<T: 'static> {
    /// From 1 on; 0 before the first access: nothing is ever under that number.
    number: AtomicUsize,
    of: PhantomData<fn() -> T>,
}

impl<T: 'static> Slot<T> {
    pub(super) const fn new() -> Self {
        Self { number: AtomicUsize::new(0), of: PhantomData }
    }

    /// Calls `work` with the running thread's value, which `make` makes the first time.
    #[inline]
    pub(super) fn with<R>(&self, make: fn() -> T, work: impl FnOnce(&T) -> R) -> Option<R> {
        let value = match words::get(self.number.load(Ordering::Relaxed)) {
            Some(value) => value.cast(),
            None => self.find(make)?,
        };
        // SAFETY: what is under this number is a `T`, in a box that is not dropped before the thread ends; only shared
        // references to it are ever made.
        Some(work(unsafe { value.as_ref() }))
    }

    /// Calls `work` with the running thread's value if its address is cached.
    #[inline(always)]
    pub(super) fn with_made<R>(&self, work: impl FnOnce(&T) -> R) -> Option<R> {
        let value: NonNull<T> = words::get(self.number.load(Ordering::Relaxed))?.cast();
        // SAFETY: what is under this number is a `T`, as in `with`.
        Some(work(unsafe { value.as_ref() }))
    }

    /// The value of this thread, which is made the first time.
    #[cold]
    #[inline(never)]
    fn find(&self, make: fn() -> T) -> Option<NonNull<T>> {
        let _kept = LastError::keep();
        let number = self.number();
        let find = |table: &Table| {
            let cached = || table.get(number);
            let value = cached().unwrap_or_else(|| {
                let made = make();
                // It may have accessed the value itself.
                cached().unwrap_or_else(|| table.put(number, made))
            });
            words::set(number, Some(value));
            value.cast()
        };
        TABLE.try_with(find).ok()
    }

    /// The number under which tables have its value.
    pub(super) fn number(&self) -> usize {
        static NEXT: AtomicUsize = AtomicUsize::new(1);
        assigned(&self.number, &NEXT)
    }
}

/// Returns the number in `own`, which is the next one if there is none yet: the only state that threads share.
fn assigned(own: &impl Shared, next: &impl Shared) -> usize {
    match own.load() {
        0 => {
            let new = next.fetch_add();
            // Another thread may have been first. An unused number costs a word.
            own.replace_zero(new)
        }
        number => number,
    }
}

/// A number that threads share: one of the standard library's, or of `loom`.
trait Shared {
    fn load(&self) -> usize;
    /// Adds 1. Returns the number before.
    fn fetch_add(&self) -> usize;
    /// Replaces 0. Returns the number afterwards.
    fn replace_zero(&self, new: usize) -> usize;
}

macro_rules! shared {
    ($($atomic:ty),*) => {$(
        impl Shared for $atomic {
            fn load(&self) -> usize {
                self.load(Ordering::Relaxed)
            }

            fn fetch_add(&self) -> usize {
                self.fetch_add(1, Ordering::Relaxed)
            }

            fn replace_zero(&self, new: usize) -> usize {
                let replaced = self.compare_exchange(0, new, Ordering::Relaxed, Ordering::Relaxed);
                replaced.map_or_else(|others| others, |_| new)
            }
        }
    )*};
}

shared!(AtomicUsize);
#[cfg(loom)]
shared!(loom::sync::atomic::AtomicUsize);

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
        // SAFETY: there is no other reference to the list: `get` keeps none, and nothing here calls other code.
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
        // From here on they are not found, nor through the `thread_local!`, which is being destroyed.
        (0..COUNT).for_each(|number| words::set(number, None));
        for value in core::mem::take(self.values.get_mut()).into_iter().flatten() {
            // SAFETY: made by `put`, and taken out of the list.
            unsafe { (value.drop)(value.address) };
        }
    }
}

#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
mod words {
    use core::arch::{asm, global_asm};
    use core::ptr::{NonNull, null_mut};

    use super::COUNT;

    /// An instruction with the offset of the thread's words in `rax`.
    macro_rules! with_offset {
        ($instruction:literal, $($operands:tt)*) => {
            asm!(
                "leaq corprof_per_thread@tlsdesc(%rip), %rax",
                "callq *corprof_per_thread@tlscall(%rax)",
                $instruction,
                $($operands)*
                out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _,
                out("zmm4") _, out("zmm5") _, out("zmm6") _, out("zmm7") _,
                out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _,
                out("zmm12") _, out("zmm13") _, out("zmm14") _, out("zmm15") _,
                out("zmm16") _, out("zmm17") _, out("zmm18") _, out("zmm19") _,
                out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _,
                out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _,
                out("zmm28") _, out("zmm29") _, out("zmm30") _, out("zmm31") _,
                out("k0") _, out("k1") _, out("k2") _, out("k3") _,
                out("k4") _, out("k5") _, out("k6") _, out("k7") _,
                options(att_syntax),
            )
        };
    }

    /// The value that is cached under a number in the running thread.
    #[inline]
    pub(super) fn get(number: usize) -> Option<NonNull<()>> {
        if number >= COUNT {
            return None;
        }
        let value: *mut ();
        // SAFETY: reads one of the thread's own words, as the contract of this file has it.
        unsafe {
            with_offset!(
                "movq %fs:(%rax, {number}, 8), %rax",
                number = in(reg) number, out("rax") value, options(readonly),
            );
        }
        NonNull::new(value)
    }

    /// Caches a value under a number in the running thread, or none; beyond the last slot it does nothing.
    pub(super) fn set(number: usize, value: Option<NonNull<()>>) {
        if number >= COUNT {
            return;
        }
        let value = value.map_or(null_mut(), NonNull::as_ptr);
        // SAFETY: writes one of the thread's own words, as the contract of this file has it.
        unsafe {
            with_offset!(
                "movq {value}, %fs:(%rax, {number}, 8)",
                number = in(reg) number, value = in(reg) value, out("rax") _,
            );
        }
    }

    // Hidden: each library that has this crate in it has its own.
    global_asm!(
        ".pushsection .tbss.corprof_per_thread, \"awT\", @nobits",
        ".p2align 3",
        ".globl corprof_per_thread",
        ".hidden corprof_per_thread",
        ".type corprof_per_thread, @object",
        ".size corprof_per_thread, 8 * {count}",
        "corprof_per_thread:",
        ".zero 8 * {count}",
        ".popsection",
        count = const COUNT,
    );
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")))]
mod words {
    use core::cell::Cell;
    use core::ptr::NonNull;

    use super::COUNT;

    thread_local! {
        static WORDS: [Cell<Option<NonNull<()>>>; COUNT] = const { [const { Cell::new(None) }; COUNT] };
    }

    #[inline]
    pub(super) fn get(number: usize) -> Option<NonNull<()>> {
        WORDS.try_with(|words| words.get(number)?.get()).ok().flatten()
    }

    pub(super) fn set(number: usize, value: Option<NonNull<()>>) {
        let _ = WORDS.try_with(|words| words.get(number).map(|word| word.set(value)));
    }
}

#[cfg(all(test, loom))]
mod model {
    use std::sync::Arc;

    use loom::sync::atomic::AtomicUsize;

    use super::assigned;

    /// Two threads that access two values first, in opposite orders.
    #[test]
    fn threads_agree_on_numbers_and_no_two_values_share_one() {
        loom::model(|| {
            let shared = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(1)));
            let other = Arc::clone(&shared);
            let thread = loom::thread::spawn(move || {
                let (one, two, next) = &*other;
                let second = assigned(two, next);
                (assigned(one, next), second)
            });
            let (one, two, next) = &*shared;
            let own = (assigned(one, next), assigned(two, next));
            assert_eq!(own, thread.join().unwrap());
            assert_ne!(own.0, own.1);
            assert!(own.0 != 0 && own.1 != 0);
        });
    }
}
