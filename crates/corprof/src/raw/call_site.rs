//! Where a call of the runtime is made, and whether it may be made there: the one place that knows and decides.
//!
//! Some methods of the profiling API let a garbage collection run: they suspend the runtime, take a lock that lets the
//! collector run meanwhile, or run managed code. In a hook a collection would move the objects whose references the hook's stub
//! has saved, and in a callback with an object that object. Most of these methods also wait for a collection or a suspension to
//! end, for ever if the thread itself is in one. The runtime refuses only some of these calls.
//!
//! So each method has a [`Class`] in the tables of [`info`](super::info), each callback an [`Event`] in the table of the thunks,
//! and the thread the scopes that it is in: callbacks, calls of the runtime that have not returned, a suspension of its own.
//! An inner scope adds to what the outer ones forbid. What the runtime calls while it is called is therefore bound by
//! where that call was made: a `HandleDestroyed` that comes because a hook drops a handle is still in the hook.
//!
//! Hooks note nothing, and cost nothing. They are recognised by what they are not: a thread makes these calls if it is in a
//! callback that allows them, or outside of callbacks and calls if it is not managed, such as one of the profiler's own. A
//! hook on a thread of the profiler's own runs only inside a call that runs managed code, and that call is noted.
//!
//! | scope | notes |
//! |---|---|
//! | callback | what its event forbids |
//! | call | that one is running; outside of callbacks, that the thread may be in a hook |
//! | suspension | until its guard is dropped, on whatever level |
#![forbid(unsafe_code)]

use core::cell::Cell;
use core::marker::PhantomData;

use crate::error::{CallSite, Error, Result};

/// What a method of the profiling API does, which decides where it may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Neither lets a collection run nor waits for one. May be called everywhere.
    Reads,
    /// The same, and is not about the running thread: repeated on the helper thread if the runtime refuses it in a fast hook.
    Proxied,
    /// Lets a collection run, or waits for the end of one or of a suspension.
    Collects,
    /// The same, except where the running thread has the lock of the list of threads.
    ListsThreads,
    /// Reads the whole heap, while the running thread has suspended the runtime.
    WalksHeap,
    /// Runs managed code or stops the program's threads: the running thread must hold no lock that these may want, and most
    /// callbacks come with some.
    Unlocked,
    /// Collects, and only a thread of the profiler's own may wait for it.
    OnOwnThread,
}

/// What a callback comes with, which decides what may be called in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// It is about the profiler itself, comes from no managed code and with no lock. A collection may run.
    Lifecycle,
    /// A collection may run.
    Callback,
    /// The same. The running thread becomes managed.
    ThreadCreated,
    /// It passes an object, or the runtime itself relies on that no collection runs.
    Objects,
    /// A collection is running.
    Collection,
    /// The runtime is being suspended or resumed, or all threads are suspended.
    Suspension,
}

/// The scopes of a thread.
type Scopes = u16;

const CALLBACK: Scopes = 1 << 0;
const OBJECTS: Scopes = 1 << 1;
const COLLECTION: Scopes = 1 << 2;
const SUSPENSION: Scopes = 1 << 3;
/// The innermost scope is a call. What runs now is a hook or a visitor.
const CALL: Scopes = 1 << 4;
/// The outermost scope is a call that may have been made in a hook.
const MAYBE_HOOK: Scopes = 1 << 5;
/// The thread has suspended the runtime.
const SUSPENDED: Scopes = 1 << 6;
/// The thread is the profiler's own: it was not managed when it made a call outside of callbacks. Some calls make it managed.
const OWN: Scopes = 1 << 7;
/// In a callback in the midst of the runtime's work, which may hold locks: a compilation, a load.
const AMIDST: Scopes = 1 << 8;

/// What a scope that ends leaves as it is.
const LASTING: Scopes = SUSPENDED | OWN;

thread_local! {
    static SCOPES: Cell<Scopes> = const { Cell::new(0) };
}

/// The version whose list of threads must not be read by the thread that suspends the runtime or collects: the call releases the
/// lock of the list, which that thread holds until the runtime is resumed (dotnet/runtime#110062).
const RELEASES_LIST_OF_THREADS: u16 = 9;

impl Class {
    /// The scopes in which a method of this class must not be called, on a runtime of this major version.
    const fn forbidden(self, major: u16) -> Scopes {
        const STOPPED: Scopes = COLLECTION | SUSPENSION | SUSPENDED;
        match self {
            Self::Reads | Self::Proxied => 0,
            Self::Collects => CALL | OBJECTS | STOPPED,
            Self::ListsThreads if major == RELEASES_LIST_OF_THREADS => {
                CALL | OBJECTS | COLLECTION | SUSPENSION
            }
            Self::ListsThreads => CALL | OBJECTS,
            Self::WalksHeap => CALL | AMIDST | OBJECTS | COLLECTION | SUSPENSION,
            Self::Unlocked => CALL | AMIDST | OBJECTS | STOPPED,
            Self::OnOwnThread => CALL | CALLBACK | OBJECTS | STOPPED,
        }
    }
}

impl Event {
    const fn scopes(self) -> Scopes {
        CALLBACK
            | match self {
                Self::Lifecycle => 0,
                Self::Callback | Self::ThreadCreated => AMIDST,
                Self::Objects => AMIDST | OBJECTS,
                Self::Collection => AMIDST | COLLECTION,
                Self::Suspension => AMIDST | SUSPENSION,
            }
    }
}

/// Where a thread with these forbidden scopes is.
const fn site(found: Scopes) -> CallSite {
    match found {
        _ if found & CALL != 0 => CallSite::InsideCall,
        _ if found & OBJECTS != 0 => CallSite::WithObjects,
        _ if found & COLLECTION != 0 => CallSite::Collection,
        _ if found & SUSPENSION != 0 => CallSite::Suspension,
        _ if found & SUSPENDED != 0 => CallSite::Suspended,
        _ => CallSite::Callback,
    }
}

/// A scope of the running thread; ends when dropped.
#[must_use]
pub(crate) struct Scope {
    outer: Scopes,
    thread_bound: PhantomData<*mut ()>,
}

impl Scope {
    #[inline]
    fn enter(outer: Scopes, inner: Scopes) -> Self {
        SCOPES.set(inner);
        Self { outer, thread_bound: PhantomData }
    }

    /// The runtime makes a callback.
    #[inline]
    pub(crate) fn callback(event: Event) -> Self {
        let outer = SCOPES.get();
        let mut inner = outer & !CALL | event.scopes();
        // Not by a call of the profiler's: managed code is about to run on it.
        if event == Event::ThreadCreated && outer & CALL == 0 {
            inner &= !OWN;
        }
        Self::enter(outer, inner)
    }

    /// The profiler calls the runtime. `is_managed` queries whether the runtime knows the thread.
    ///
    /// # Errors
    /// [`Error::Misplaced`]: the thread is where a method of this class must not be called.
    #[inline]
    pub(crate) fn call(
        call: &'static str,
        class: Class,
        major: u16,
        is_managed: impl FnOnce() -> bool,
    ) -> Result<Self> {
        let forbidden = class.forbidden(major);
        if forbidden != 0 {
            check(forbidden, is_managed).map_err(|site| Error::Misplaced { call, site })?;
        }
        let outer = SCOPES.get();
        let maybe_hook = if outer & (CALLBACK | CALL | OWN) == 0 { MAYBE_HOOK } else { 0 };
        Ok(Self::enter(outer, outer | CALL | maybe_hook))
    }
}

impl Drop for Scope {
    #[inline]
    fn drop(&mut self) {
        SCOPES.set(self.outer & !LASTING | SCOPES.get() & LASTING);
    }
}

/// Fails in one of these scopes, and where the thread may be in a hook.
fn check(forbidden: Scopes, is_managed: impl FnOnce() -> bool) -> Result<(), CallSite> {
    let scopes = SCOPES.get();
    if scopes & forbidden != 0 {
        return Err(site(scopes & forbidden));
    }
    let is_known = scopes & OWN != 0 || scopes & (CALLBACK | MAYBE_HOOK) == CALLBACK;
    if !is_known {
        if is_managed() {
            return Err(CallSite::Hook);
        }
        SCOPES.set(scopes | OWN);
    }
    Ok(())
}

/// Fails unless the running thread is the profiler's own, in no callback, hook or call, and has not suspended the runtime.
pub(crate) fn require_own(call: &'static str, is_managed: impl FnOnce() -> bool) -> Result<()> {
    check(Class::OnOwnThread.forbidden(0), is_managed).map_err(|site| Error::Misplaced { call, site })
}

/// The same, or in a callback about the profiler's own start and end.
pub(crate) fn require_unlocked(call: &'static str, is_managed: impl FnOnce() -> bool) -> Result<()> {
    check(Class::Unlocked.forbidden(0), is_managed).map_err(|site| Error::Misplaced { call, site })
}

/// Returns whether the running thread has suspended the runtime.
pub(crate) fn has_suspended() -> bool {
    SCOPES.get() & SUSPENDED != 0
}

/// The running thread has suspended the runtime, or resumes it.
pub(crate) fn set_suspended(is: bool) {
    let scopes = SCOPES.get();
    SCOPES.set(if is { scopes | SUSPENDED } else { scopes & !SUSPENDED });
}

#[cfg(test)]
#[path = "call_site_tests.rs"]
mod tests;
