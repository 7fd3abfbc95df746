//! What an unload takes with it, and the caches that have to forget it.
#![forbid(unsafe_code)]

use std::collections::HashSet;

use corprof_types::{AnyId, AssemblyId, ClassId, FunctionId, ModuleId};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_ids::function;

    #[test]
    fn a_doubtful_function_is_forgotten_but_not_gone() {
        let mut unload: Unload = [AnyId::Function(function(8))].into_iter().collect();
        unload.doubtful.insert(function(16));
        assert!(unload.takes(function(8)) && unload.takes(function(16)) && !unload.takes(function(24)));
        assert_eq!(unload.functions().count(), 2);
        assert_eq!(unload.gone_functions().collect::<Vec<_>>(), [function(8)]);
    }
}
