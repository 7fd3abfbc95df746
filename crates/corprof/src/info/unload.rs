//! What is going away, who has to forget it, and which ids are gone.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};

use crate::ids::{AnyId, AssemblyId, ClassId, FunctionId, ModuleId};

/// What an unload takes with it: the ids that nothing may be remembered of from now on.
///
/// Of a module that is unloaded these are the module, and every class and function that is known to belong to it,
/// or to have a type argument of it.
#[derive(Debug, Default)]
pub struct Unload {
    pub(crate) ids: HashSet<AnyId>,
    /// Functions that may be among them: shared ones of which the type arguments are not known.
    pub(crate) doubtful: HashSet<FunctionId>,
}

impl Unload {
    /// Whether this id goes away. `true` also for a function of which that is only possible: it is to be
    /// forgotten, and found again if it is still there.
    #[must_use]
    pub fn takes(&self, id: impl Into<AnyId>) -> bool {
        let id = id.into();
        self.ids.contains(&id) || matches!(id, AnyId::Function(function) if self.doubtful.contains(&function))
    }

    /// The functions that go away, and those of which it is possible.
    pub fn functions(&self) -> impl Iterator<Item = FunctionId> {
        self.gone_functions().chain(self.doubtful.iter().copied())
    }

    /// The functions that go away for certain.
    pub(crate) fn gone_functions(&self) -> impl Iterator<Item = FunctionId> {
        self.ids.iter().filter_map(|id| match id {
            AnyId::Function(function) => Some(*function),
            _ => None,
        })
    }

    /// The classes that go away.
    pub fn classes(&self) -> impl Iterator<Item = ClassId> {
        self.ids.iter().filter_map(|id| match id {
            AnyId::Class(class) => Some(*class),
            _ => None,
        })
    }

    /// The module, when a module is unloaded.
    #[must_use]
    pub fn module(&self) -> Option<ModuleId> {
        self.ids.iter().find_map(|id| match id {
            AnyId::Module(module) => Some(*module),
            _ => None,
        })
    }

    /// The assembly, when an assembly is unloaded.
    #[must_use]
    pub fn assembly(&self) -> Option<AssemblyId> {
        self.ids.iter().find_map(|id| match id {
            AnyId::Assembly(assembly) => Some(*assembly),
            _ => None,
        })
    }
}

impl FromIterator<AnyId> for Unload {
    fn from_iter<I: IntoIterator<Item = AnyId>>(ids: I) -> Self {
        Self { ids: ids.into_iter().collect(), doubtful: HashSet::new() }
    }
}

/// Something that remembers ids and forgets those that go away; see
/// [`ProfilerInfo::forget_with`](crate::ProfilerInfo::forget_with).
pub trait Forget: Send + Sync {
    /// Forgets these ids. Called on the thread of the unload callback, after the profiler's own method has been
    /// called and before the callback returns. Must not call the runtime, nor wait for a thread that does: the
    /// garbage collector may have to wait for this thread.
    fn forget(&self, unload: &Unload);
}

/// How many ids are known to be gone, at least: the last ones, less those whose numbers are in use again. At most twice
/// as many are kept.
const GONE: usize = 1 << 15;

/// The ids that the runtime has taken back, and not given out again.
#[derive(Debug, Default)]
pub(super) struct Gone {
    /// How many there are: in most programs none, and then nothing is looked for.
    count: AtomicUsize,
    ids: RwLock<Ids>,
}

#[derive(Debug, Default)]
struct Ids {
    recent: HashSet<AnyId>,
    /// Dropped when there are enough recent ones, which then become these.
    older: HashSet<AnyId>,
    /// Those of which the end has not been waited for: whoever is asking for them still gets answers, with ids that
    /// are no news.
    going: HashSet<AnyId>,
}

impl Ids {
    fn len(&self) -> usize {
        self.recent.len() + self.older.len()
    }

    fn contains(&self, id: AnyId) -> bool {
        self.recent.contains(&id) || self.older.contains(&id)
    }

    /// Whether it is new.
    fn insert(&mut self, id: AnyId) -> bool {
        let is_new = !self.older.remove(&id);
        if self.recent.len() >= GONE {
            self.older = core::mem::take(&mut self.recent);
        }
        self.recent.insert(id) && is_new
    }

    fn remove(&mut self, id: AnyId) {
        self.recent.remove(&id);
        self.older.remove(&id);
    }
}

impl Gone {
    /// Adds ids; whether one of them is new. Until they are [settled](Self::settled), none is removed.
    pub(super) fn add(&self, ids: impl Iterator<Item = AnyId>) -> bool {
        let mut gone = self.ids.write().unwrap_or_else(PoisonError::into_inner);
        let is_new = ids.fold(false, |is_new, id| {
            gone.going.insert(id);
            gone.insert(id) || is_new
        });
        // In the order of all, as the counters of who is asking: see `inflight`.
        self.count.store(gone.len(), Ordering::SeqCst);
        is_new
    }

    /// Nobody is asking for these ids any more: when the runtime gives one out, it is for something new.
    pub(super) fn settled(&self, ids: impl Iterator<Item = AnyId>) {
        let mut gone = self.ids.write().unwrap_or_else(PoisonError::into_inner);
        for id in ids {
            gone.going.remove(&id);
        }
    }

    /// The runtime has given out this id: it names something that is there.
    pub(super) fn remove(&self, id: AnyId) {
        if self.contains(id) {
            let mut gone = self.ids.write().unwrap_or_else(PoisonError::into_inner);
            if !gone.going.contains(&id) {
                gone.remove(id);
                self.count.store(gone.len(), Ordering::SeqCst);
            }
        }
    }

    pub(super) fn contains(&self, id: AnyId) -> bool {
        self.count.load(Ordering::SeqCst) > 0
            && self.ids.read().unwrap_or_else(PoisonError::into_inner).contains(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(raw: usize) -> FunctionId {
        FunctionId::from_raw(raw).unwrap()
    }

    #[test]
    fn an_id_is_gone_until_it_is_given_out_again() {
        let gone = Gone::default();
        let id = AnyId::Function(function(8));
        assert!(gone.add([id].into_iter()));
        assert!(!gone.add([id].into_iter()));
        assert!(gone.contains(id));
        // The same number is another kind's as well.
        assert!(!gone.contains(ClassId::from_raw(8).unwrap().into()));
        // The answer to somebody who had asked before.
        gone.remove(id);
        assert!(gone.contains(id));
        gone.settled([id].into_iter());
        gone.remove(id);
        assert!(!gone.contains(id));
    }

    #[test]
    fn what_is_known_to_be_gone_is_bounded() {
        let gone = Gone::default();
        let last = 5 * GONE / 2;
        for raw in 1..=last {
            gone.add([AnyId::Function(function(raw))].into_iter());
        }
        assert!(gone.count.load(Ordering::SeqCst) <= 2 * GONE);
        assert!((last - GONE + 1..=last).all(|raw| gone.contains(function(raw).into())));
        assert!(!gone.contains(function(1).into()));
    }

    #[test]
    fn a_doubtful_function_is_forgotten_but_not_gone() {
        let mut unload: Unload = [AnyId::Function(function(8))].into_iter().collect();
        unload.doubtful.insert(function(16));
        assert!(unload.takes(function(8)) && unload.takes(function(16)) && !unload.takes(function(24)));
        assert_eq!(unload.functions().count(), 2);
        assert_eq!(unload.gone_functions().collect::<Vec<_>>(), [function(8)]);
    }
}
