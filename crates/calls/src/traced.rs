//! Traced methods with the tracer's data, and their open calls.

use core::num::NonZeroU32;
use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use argvalues::SavedRefs;
use corprof::{FunctionId, IdMap};

use crate::method::CalledMethod;
use crate::moves::Tracked;
use crate::passed::Slots;
use crate::program::Program;
use crate::shadow_stack::Frame;
use crate::shape::Shape;

/// A called method and the value that [`CallTracer::prepare`](crate::CallTracer::prepare) returned for it.
pub(crate) struct Traced<M> {
    pub(crate) called: CalledMethod,
    pub(crate) kept: M,
    /// The number of calls whose values have been read, up to one more than those that are read in full.
    read: AtomicU32,
    /// How inserted code passes the values of its calls.
    slots: OnceLock<Slots>,
}

impl<M> Traced<M> {
    pub(crate) const fn new(called: CalledMethod, kept: M) -> Self {
        Self { called, kept, read: AtomicU32::new(0), slots: OnceLock::new() }
    }

    /// How code of this shape passes the values of the method's calls.
    pub(crate) fn slots(&self, shape: &Shape) -> &Slots {
        self.slots.get_or_init(|| self.called.plan().map_or_else(Slots::none, |plan| shape.slots(plan)))
    }

    /// Notes that the values of a call are read.
    pub(crate) fn note_read(&self, full: Option<NonZeroU32>) {
        // Afterwards nothing is written any more that threads share.
        if full.is_some_and(|full| self.read.load(Ordering::Relaxed) <= full.get()) {
            self.read.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns whether the values of a call are read without their parts.
    pub(crate) fn is_brief(&self, full: Option<NonZeroU32>) -> bool {
        full.is_some_and(|full| self.read.load(Ordering::Relaxed) > full.get())
    }
}

/// An open call. `M` is kept with its method, `A` is attached to it.
pub(crate) type OpenCall<M, A> = Frame<Kept<M>, A>;

/// The data of an open call that its function alone does not determine.
pub(crate) struct Kept<M> {
    pub(crate) method: Arc<Traced<M>>,
    /// The targets of `ref` and `out` parameters.
    pub(crate) saved: Option<SavedRefs>,
    /// Keeps collections recorded for as long as they matter.
    pub(crate) _tracked: Option<Tracked>,
}

impl<M> Kept<M> {
    /// Releases what matters while the call is open.
    pub(crate) fn end(&mut self) {
        self.saved = None;
        self._tracked = None;
    }
}

/// The traced program and its traced methods.
pub(crate) struct TracedProgram<M> {
    pub(crate) program: Program,
    pub(crate) registry: Arc<Registry<M>>,
}

impl<M> TracedProgram<M> {
    /// Returns the method of an open call; `None` if it has been unloaded.
    pub(crate) fn method_of<A>(&self, open: &OpenCall<M, A>) -> Option<Arc<Traced<M>>> {
        match &open.kept {
            Some(kept) => Some(Arc::clone(&kept.method)),
            None => self.registry.get(open.function),
        }
    }
}

/// The instantiation of each function that has only one, for calls that end without a hook.
pub(crate) struct Registry<M>(RwLock<IdMap<FunctionId, Arc<Traced<M>>>>);

impl<M> Default for Registry<M> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<M> Registry<M> {
    pub(crate) fn get(&self, function: FunctionId) -> Option<Arc<Traced<M>>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(&function).cloned()
    }

    pub(crate) fn put(&self, function: FunctionId, only: &Arc<Traced<M>>) {
        let replaced =
            self.0.write().unwrap_or_else(PoisonError::into_inner).insert(function, Arc::clone(only));
        // The tracer's own code may run here, without the lock.
        drop(replaced);
    }

    /// Removes an instantiation, unless the function has been compiled again since.
    pub(crate) fn remove(&self, function: FunctionId, only: &Arc<Traced<M>>) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let is_this = all.get(&function).is_some_and(|registered| Arc::ptr_eq(registered, only));
        let removed = if is_this { all.remove(&function) } else { None };
        drop(all);
        drop(removed);
    }
}
