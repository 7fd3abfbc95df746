//! Which threads may make calls that let a garbage collection run.
//!
//! Such a call suspends the runtime, takes a lock that lets the collector run meanwhile, or calls managed code. In a hook it
//! would move the objects whose references the hook's stub has saved, and in a callback with an object that object. The
//! runtime refuses only some of these calls there. So a thread makes them if it is known to be elsewhere: in a callback that
//! passes no objects, or on a thread that is not managed, such as a profiler's own. Hooks note nothing, and cost nothing.
#![forbid(unsafe_code)]

use core::cell::Cell;
use core::marker::PhantomData;

/// The state of the running thread, as far as callbacks have shown it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// It may be in a hook.
    Nothing,
    /// It was not managed at the first of these calls. Some of them make it a managed thread.
    IsOwn,
    /// It is in any other callback.
    InCallback,
    /// It is in a callback during which no collection may run.
    WithoutCollection,
}

thread_local! {
    static KNOWN: Cell<Known> = const { Cell::new(Known::Nothing) };
}

/// A callback of the running thread; ends when dropped.
pub(crate) struct Callback {
    outer: Known,
    thread_bound: PhantomData<*mut ()>,
}

impl Callback {
    /// A callback begins during which a collection may run.
    #[inline]
    pub(crate) fn begin() -> Self {
        Self::enter(Known::InCallback)
    }

    /// A callback begins that passes an object, or that the runtime may make inside of a hook.
    #[inline]
    pub(crate) fn begin_without_collection() -> Self {
        Self::enter(Known::WithoutCollection)
    }

    #[inline]
    fn enter(known: Known) -> Self {
        Self { outer: KNOWN.replace(known), thread_bound: PhantomData }
    }
}

impl Drop for Callback {
    #[inline]
    fn drop(&mut self) {
        KNOWN.set(self.outer);
    }
}

/// Returns whether a collection may run during a call of the running thread. `is_managed` queries the runtime.
pub(crate) fn is_allowed(is_managed: impl FnOnce() -> bool) -> bool {
    KNOWN.get() == Known::InCallback || is_own(is_managed)
}

/// Returns whether the running thread is in no callback and no hook, and is not managed.
pub(crate) fn is_own(is_managed: impl FnOnce() -> bool) -> bool {
    match KNOWN.get() {
        Known::IsOwn => true,
        Known::InCallback | Known::WithoutCollection => false,
        Known::Nothing if is_managed() => false,
        Known::Nothing => {
            KNOWN.set(Known::IsOwn);
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a thread of its own.
    fn apart(test: impl FnOnce() + Send + 'static) {
        std::thread::spawn(test).join().unwrap();
    }

    #[test]
    fn a_managed_thread_is_refused_outside_of_callbacks() {
        apart(|| {
            assert!(!is_allowed(|| true));
            let callback = Callback::begin();
            assert!(is_allowed(|| true) && !is_own(|| true));
            drop(callback);
            assert!(!is_allowed(|| true));
        });
    }

    #[test]
    fn an_inner_callback_may_refuse_what_the_outer_one_allows() {
        apart(|| {
            let _outer = Callback::begin();
            let inner = Callback::begin_without_collection();
            assert!(!is_allowed(|| true));
            drop(inner);
            assert!(is_allowed(|| true));
        });
    }

    #[test]
    fn a_thread_that_was_not_managed_stays_allowed() {
        apart(|| {
            assert!(is_allowed(|| false));
            assert!(is_allowed(|| true) && is_own(|| true));
            let _callback = Callback::begin_without_collection();
            assert!(!is_allowed(|| false));
        });
    }
}
