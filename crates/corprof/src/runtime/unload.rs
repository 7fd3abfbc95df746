//! Unloads: the ids that become stale, and the caches that evict them.
#![forbid(unsafe_code)]

use std::collections::HashSet;

use corprof_types::{AnyId, AssemblyId, ClassId, FunctionId, ModuleId};

/// The ids that become stale with an unload, which every cache has to evict.
///
/// For a module: its own id, and those of every class and function that belongs to it or has a type argument of it.
#[derive(Debug, Default)]
pub struct Unload {
    pub(crate) ids: HashSet<AnyId>,
    /// Functions that may be among them: shared ones whose type arguments are not known.
    pub(crate) deferred: HashSet<FunctionId>,
}

impl Unload {
    /// Returns `true` if an id becomes stale; may return `true` for a function that does not.
    ///
    /// A cache evicts the id in both cases. A function that is still loaded can be looked up again.
    #[must_use]
    pub fn takes(&self, id: impl Into<AnyId>) -> bool {
        let id = id.into();
        self.ids.contains(&id) || matches!(id, AnyId::Function(function) if self.deferred.contains(&function))
    }

    /// Returns the functions that become stale or may become stale.
    pub fn functions(&self) -> impl Iterator<Item = FunctionId> {
        self.unloaded_functions().chain(self.deferred.iter().copied())
    }

    /// The functions that become stale for certain.
    pub(crate) fn unloaded_functions(&self) -> impl Iterator<Item = FunctionId> {
        self.ids.iter().filter_map(|id| match id {
            AnyId::Function(function) => Some(*function),
            _ => None,
        })
    }

    /// Returns the classes that become stale.
    pub fn classes(&self) -> impl Iterator<Item = ClassId> {
        self.ids.iter().filter_map(|id| match id {
            AnyId::Class(class) => Some(*class),
            _ => None,
        })
    }

    /// Returns the module, if a module is unloaded.
    #[must_use]
    pub fn module(&self) -> Option<ModuleId> {
        self.ids.iter().find_map(|id| match id {
            AnyId::Module(module) => Some(*module),
            _ => None,
        })
    }

    /// Returns the assembly, if an assembly is unloaded.
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
        Self { ids: ids.into_iter().collect(), deferred: HashSet::new() }
    }
}

/// A cache of ids that evicts stale ones; see [`ProfilerInfo::forget_with`](crate::ProfilerInfo::forget_with).
pub trait Forget: Send + Sync {
    /// Evicts the ids of an unload.
    ///
    /// Called on the thread of the unload callback, after the profiler's own method and before the callback returns.
    /// Must not call the runtime or wait for a thread that does: a garbage collection may wait for this thread. A panic is reported, and
    /// ends here: the other caches evict, and the unload waits for calls as always.
    fn forget(&self, unload: &Unload);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_ids::function;

    #[test]
    fn a_function_of_deferred_ownership_is_forgotten_but_not_unloaded() {
        let mut unload: Unload = [AnyId::Function(function(8))].into_iter().collect();
        unload.deferred.insert(function(16));
        assert!(unload.takes(function(8)) && unload.takes(function(16)) && !unload.takes(function(24)));
        assert_eq!(unload.functions().count(), 2);
        assert_eq!(unload.unloaded_functions().collect::<Vec<_>>(), [function(8)]);
    }
}
