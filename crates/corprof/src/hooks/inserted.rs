//! Hooks that are called by code which a profiler inserts into methods.
//!
//! Inserted code passes the address of the method's [`Inserted`], the address of a variable of its own frame, and words: values, or
//! addresses of copies of values. No stub stands in between, and no value is looked for in registers: the compiler of the method passes
//! them as the C calling convention says, on each processor and system.
//!
//! The calls are unmanaged ones without a transition (`CallConvSuppressGCTransition`): the thread stays in the mode in which no
//! collection runs, as in fast-path hooks, and the runtime refuses the same methods of its API, which the helper thread calls then.
//!
//! Contract of the unsafe code here: the addresses of functions are called by code that passes what [`InsertedMethod`] says. What
//! they point to is never freed.
#![allow(unsafe_code)]

use core::ptr::with_exposed_provenance;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use corprof_types::ObjectId;

use super::Hooks;
use crate::error::Result;
use crate::guard::Switch;
use crate::running::Running;

/// A profiler that is called by code that it inserts into methods.
///
/// [`Hooks::inserted`] has a profiler called. The functions run on the program's threads, in the inserted code, while no collection can
/// run: the rules of [`FunctionHooks`](crate::FunctionHooks) apply.
#[allow(unused_variables, reason = "the defaults ignore their arguments")]
pub trait InsertedHooks: Sized + Send + Sync + 'static {
    /// The profiler's data for each method with inserted code. Never dropped: a frame of the method may be running until the process ends.
    type Method: Send + Sync + 'static;

    /// The profiler has started: methods can be hooked. Called once, before any callback of the program.
    fn installed(&self, hooks: InsertedCalls<Self>);

    /// A method has been called. The inserted code has passed these words.
    fn entered(&self, method: &Self::Method, call: &InsertedEnter<'_>) {}

    /// A method is about to return.
    fn returned(&self, method: &Self::Method, call: &InsertedReturn<'_>) {}

    /// An exception has left the frame of a method.
    fn threw(&self, method: &Self::Method, call: &InsertedThrow<'_>) {}
}

/// A call that begins, as inserted code reports it.
#[derive(Clone, Copy, Debug)]
pub struct InsertedEnter<'c> {
    /// The address of the variable in the method's frame. Frames of callees have lower addresses.
    pub frame: usize,
    /// The words that the code passes.
    pub words: &'c [usize],
}

/// A call that returns, as inserted code reports it.
#[derive(Clone, Copy, Debug)]
pub struct InsertedReturn<'c> {
    /// The same as when the call began.
    pub frame: usize,
    /// The word that the code passes.
    pub word: &'c usize,
}

/// A call that an exception has left, as inserted code reports it.
#[derive(Clone, Copy, Debug)]
pub struct InsertedThrow<'c> {
    /// The same as when the call began.
    pub frame: usize,
    /// The exception; `None` if the code passes null.
    pub exception: Option<ObjectId<'c>>,
}

/// Makes hooks for methods. Passed to [`InsertedHooks::installed`].
pub struct InsertedCalls<P: InsertedHooks>(&'static Installed<P>);

impl<P: InsertedHooks> Clone for InsertedCalls<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: InsertedHooks> Copy for InsertedCalls<P> {}

impl<P: InsertedHooks> core::fmt::Debug for InsertedCalls<P> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("InsertedCalls")
    }
}

/// What all hooked methods share.
struct Installed<P> {
    running: Arc<Running<P>>,
    /// Whether calls are reported.
    is_on: AtomicBool,
}

/// A method with inserted code.
struct Inserted<P: InsertedHooks> {
    installed: &'static Installed<P>,
    method: P::Method,
}

/// The numbers that inserted code of one method needs.
///
/// Each function takes [`key`](Self::key) and the address of a variable of the method's frame first, as pointer-sized integers, and
/// returns nothing.
#[derive(Clone, Copy, Debug)]
pub struct InsertedMethod<M: 'static> {
    /// The first argument of each function.
    pub key: usize,
    /// The function for a return: its third argument is a word for the result.
    pub returned: usize,
    /// The function for an exception: its third argument is the reference to the exception.
    pub threw: usize,
    entered: fn(usize) -> Option<usize>,
    /// The profiler's data.
    pub method: &'static M,
}

impl<M> InsertedMethod<M> {
    /// The most words that can be passed when a method is entered.
    pub const MAX_WORDS: usize = 24;

    /// The function for the beginning of a call, with so many words after the first two arguments; `None` if they are more than
    /// [`MAX_WORDS`](Self::MAX_WORDS).
    #[must_use]
    pub fn entered(&self, words: usize) -> Option<usize> {
        (self.entered)(words)
    }
}

impl<P: InsertedHooks> InsertedCalls<P> {
    /// Returns what code for a method has to call. The data are never dropped.
    #[must_use]
    pub fn hook(self, method: P::Method) -> InsertedMethod<P::Method> {
        let inserted: &'static Inserted<P> = Box::leak(Box::new(Inserted { installed: self.0, method }));
        InsertedMethod {
            key: core::ptr::from_ref(inserted).expose_provenance(),
            returned: (returned::<P> as *const ()).expose_provenance(),
            threw: (threw::<P> as *const ()).expose_provenance(),
            entered: entered::<P>,
            method: &inserted.method,
        }
    }

    /// From now on inserted code reports no more calls (`false`), or does (`true`). Each function looks at this first, and returns
    /// at once: a nanosecond a call, until the methods have been reverted.
    pub fn report(self, reports: bool) {
        self.0.is_on.store(reports, Ordering::Relaxed);
    }
}

impl<P: InsertedHooks> Hooks<P> {
    /// Hooks that are called by code which the profiler inserts into methods. See [`InsertedHooks`].
    ///
    /// The event mask needs no flag for them. They can be installed after an attach too. The profiler cannot be detached any more.
    #[must_use]
    pub const fn inserted() -> Self {
        Self { install: Some(install::<P>) }
    }
}

/// Lets methods be hooked. From here on the running profiler lives as long as the process.
fn install<P: InsertedHooks>(running: &Arc<Running<P>>) -> Result<()> {
    running.info.start_helper_thread()?;
    let installed = Installed { running: Arc::clone(running), is_on: AtomicBool::new(true) };
    running.profiler.installed(InsertedCalls(Box::leak(Box::new(installed))));
    Ok(())
}

impl<P: InsertedHooks> Inserted<P> {
    /// The method that inserted code has passed, if calls are reported.
    ///
    /// # Safety
    /// `key` is that of a method of such a profiler.
    #[inline(always)]
    unsafe fn of(key: usize) -> Option<&'static Self> {
        // SAFETY: the contract of this function; it is never freed, and only read.
        let inserted: &Self = unsafe { &*with_exposed_provenance(key) };
        inserted.installed.is_on.load(Ordering::Relaxed).then_some(inserted)
    }

    #[inline(always)]
    fn deliver(&self, hook: &'static str, work: impl FnOnce(&P, &P::Method)) {
        let running = &*self.installed.running;
        if running.switch.is_undisturbed() {
            Switch::catch(hook, || &running.switch, || work(&running.profiler, &self.method));
        } else {
            self.deliver_with_care(hook, work);
        }
    }

    /// The same for a profiler that has panicked or is switched off.
    #[cold]
    #[inline(never)]
    fn deliver_with_care(&self, hook: &'static str, work: impl FnOnce(&P, &P::Method)) {
        self.installed.running.deliver(hook, |profiler| work(profiler, &self.method));
    }
}

/// # Safety
/// As for [`Inserted::of`].
#[inline(always)]
unsafe fn enter<P: InsertedHooks>(key: usize, frame: usize, words: &[usize]) {
    // SAFETY: the contract of this function.
    let Some(inserted) = (unsafe { Inserted::<P>::of(key) }) else { return };
    inserted.deliver(
        "the code at a method's entry",
        #[inline(always)]
        |profiler, method| profiler.entered(method, &InsertedEnter { frame, words }),
    );
}

/// For more words than most methods have: one copy of the profiler's code for all their numbers.
///
/// # Safety
/// As for [`Inserted::of`].
#[inline(never)]
unsafe fn enter_many<P: InsertedHooks>(key: usize, frame: usize, words: &[usize]) {
    // SAFETY: the contract of this function.
    unsafe { enter::<P>(key, frame, words) }
}

/// # Safety
/// As for [`Inserted::of`].
unsafe extern "C" fn returned<P: InsertedHooks>(key: usize, frame: usize, word: usize) {
    // SAFETY: the contract of this function.
    let Some(inserted) = (unsafe { Inserted::<P>::of(key) }) else { return };
    inserted.deliver(
        "the code at a method's exit",
        #[inline(always)]
        |profiler, method| profiler.returned(method, &InsertedReturn { frame, word: &word }),
    );
}

/// # Safety
/// As for [`Inserted::of`]; `exception` is null or a reference.
unsafe extern "C" fn threw<P: InsertedHooks>(key: usize, frame: usize, exception: usize) {
    // SAFETY: the contract of this function.
    let Some(inserted) = (unsafe { Inserted::<P>::of(key) }) else { return };
    // SAFETY: the contract of this function; no collection runs before it returns.
    let exception = unsafe { ObjectId::from_raw(exception) };
    inserted.deliver("a method's fault handler", |profiler, method| {
        profiler.threw(method, &InsertedThrow { frame, exception });
    });
}

/// Declares a function for each number of words, and the list of them.
macro_rules! functions {
    ($($count:literal $name:ident by $enter:ident($($word:ident)*);)*) => {
        $(
            /// # Safety
            /// As for [`Inserted::of`].
            unsafe extern "C" fn $name<P: InsertedHooks>(key: usize, frame: usize, $($word: usize),*) {
                // SAFETY: the contract of this function.
                unsafe { $enter::<P>(key, frame, &[$($word),*]) }
            }
        )*

        /// The address of the function for so many words.
        fn entered<P: InsertedHooks>(words: usize) -> Option<usize> {
            match words {
                $($count => Some(($name::<P> as *const ()).expose_provenance()),)*
                _ => None,
            }
        }
    };
}

functions! {
    0 enter_0 by enter();
    1 enter_1 by enter(a);
    2 enter_2 by enter(a b);
    3 enter_3 by enter(a b c);
    4 enter_4 by enter(a b c d);
    5 enter_5 by enter_many(a b c d e);
    6 enter_6 by enter_many(a b c d e f);
    7 enter_7 by enter_many(a b c d e f g);
    8 enter_8 by enter_many(a b c d e f g h);
    9 enter_9 by enter_many(a b c d e f g h i);
    10 enter_10 by enter_many(a b c d e f g h i j);
    11 enter_11 by enter_many(a b c d e f g h i j k);
    12 enter_12 by enter_many(a b c d e f g h i j k l);
    13 enter_13 by enter_many(a b c d e f g h i j k l m);
    14 enter_14 by enter_many(a b c d e f g h i j k l m n);
    15 enter_15 by enter_many(a b c d e f g h i j k l m n o);
    16 enter_16 by enter_many(a b c d e f g h i j k l m n o p);
    17 enter_17 by enter_many(a b c d e f g h i j k l m n o p q);
    18 enter_18 by enter_many(a b c d e f g h i j k l m n o p q r);
    19 enter_19 by enter_many(a b c d e f g h i j k l m n o p q r s);
    20 enter_20 by enter_many(a b c d e f g h i j k l m n o p q r s t);
    21 enter_21 by enter_many(a b c d e f g h i j k l m n o p q r s t u);
    22 enter_22 by enter_many(a b c d e f g h i j k l m n o p q r s t u v);
    23 enter_23 by enter_many(a b c d e f g h i j k l m n o p q r s t u v w);
    24 enter_24 by enter_many(a b c d e f g h i j k l m n o p q r s t u v w x);
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nothing;

    impl InsertedHooks for Nothing {
        type Method = ();

        fn installed(&self, _: InsertedCalls<Self>) {}
    }

    #[test]
    fn there_is_a_function_for_each_number_of_words() {
        let most = InsertedMethod::<()>::MAX_WORDS;
        let all: Vec<usize> = (0..=most).map(|words| entered::<Nothing>(words).unwrap()).collect();
        assert!(all.iter().all(|address| *address != 0) && entered::<Nothing>(most + 1).is_none());
    }
}
