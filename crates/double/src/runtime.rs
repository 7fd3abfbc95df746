//! The fake runtime: the definition of a program, and a log of the profiler's calls.

use std::sync::{Arc, MutexGuard};

use corprof::{EventMask, HResult};

use crate::com::{self, Shared};
use crate::model::{ClassKind, CoreLib, Model, Type, TypeRow};
use crate::{Object, Version};

/// A runtime without .NET: modules with their types and methods, into which a profiler is loaded.
///
/// It has a core library from the start. [`Runtime::module`] defines the modules of a program; [`Runtime::start`] loads a
/// profiler and returns the [`Session`](crate::Session) that runs the program.
pub struct Runtime {
    shared: Arc<Shared>,
}

impl Runtime {
    /// Creates a runtime that has its core library only.
    #[must_use]
    pub fn new(version: Version) -> Self {
        let shared = com::runtime(version);
        let [major, minor, build, _] = version.numbers();
        let folder = format!("/dotnet/shared/Microsoft.NETCore.App/{major}.{minor}.{build}");
        shared.model().define_core_lib(&folder, version.numbers());
        Self { shared }
    }

    pub(crate) fn model(&self) -> MutexGuard<'_, Model> {
        self.shared.model()
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// The version of the runtime.
    #[must_use]
    pub fn version(&self) -> Version {
        self.shared.version
    }

    /// A predefined type of the core library.
    pub(crate) fn core(&self, which: impl FnOnce(&CoreLib) -> usize) -> Type {
        let model = self.model();
        match model.classes.get(which(&model.core)).map(|class| class.kind.clone()) {
            Some(ClassKind::Instance { module, rid, .. }) => {
                Type::Class(TypeRow { module, rid, is_value: false, args: Vec::new() })
            }
            _ => Type::Object,
        }
    }

    /// The event mask that the profiler has set.
    #[must_use]
    pub fn event_mask(&self) -> EventMask {
        let [low, high] = self.model().profiling.mask;
        EventMask::from_halves(low, high)
    }

    /// Returns whether the profiler has requested its detach; see [`Session::finish_detach`](crate::Session::finish_detach).
    #[must_use]
    pub fn wants_detach(&self) -> bool {
        self.model().profiling.detach.is_some()
    }

    /// The number of `ForceGC` calls. The fake runtime never collects by itself.
    #[must_use]
    pub fn forced_collections(&self) -> usize {
        self.model().profiling.forced_collections
    }

    /// Makes a COM method return a code and do nothing else, such as `ICorProfilerInfo3::GetModuleInfo2`.
    ///
    /// The interface is the one that declares the method.
    pub fn refuse(&self, method: &str, code: HResult) {
        self.shared.refuse(method, code);
    }

    /// Ends the effect of [`Runtime::refuse`] for a method.
    pub fn allow(&self, method: &str) {
        self.shared.allow(method);
    }

    /// The number of calls of a COM method, such as `ICorProfilerInfo2::GetFunctionInfo2`.
    #[must_use]
    pub fn calls_of(&self, method: &str) -> usize {
        self.shared.calls_of(method)
    }

    /// The COM methods that the profiler has called.
    #[must_use]
    pub fn called(&self) -> Vec<&'static str> {
        self.shared.called()
    }

    /// The called COM methods that the fake runtime does not implement, in order. They have returned `E_NOTIMPL`.
    #[must_use]
    pub fn unscripted(&self) -> Vec<&'static str> {
        self.shared.unscripted()
    }

    /// Returns the misuses of the API. Each may crash a real runtime: calls with stale or invalid ids, use of
    /// a COM object after its release, saved registers that were not restored. After the end of a session also panics.
    #[must_use]
    pub fn misuse(&self) -> Vec<String> {
        self.shared.misuse()
    }

    /// Returns everything that the profiler has not released: COM objects with their reference counts, open metadata
    /// enumerations, handles.
    #[must_use]
    pub fn held(&self) -> Vec<String> {
        let references = self.shared.referenced().into_iter();
        let mut held: Vec<String> =
            references.map(|(name, count)| format!("{name}, {count} references")).collect();
        let model = self.model();
        if model.open_enumerations() > 0 {
            held.push(format!("{} enumerations of metadata", model.open_enumerations()));
        }
        if model.handles.open() > 0 {
            held.push(format!("{} handles", model.handles.open()));
        }
        if model.profiling.suspensions > 0 {
            held.push("the runtime, suspended".to_owned());
        }
        held
    }

    /// Checks, after the end of a session, that the profiler has released everything and misused nothing.
    ///
    /// `corprof` never releases a profiler with hooks, since code may be running in it; use [`Runtime::held`] for those.
    ///
    /// # Panics
    /// If something is not released or was misused; the message lists all of it.
    #[track_caller]
    pub fn assert_released(&self) {
        let (held, misuse) = (self.held(), self.misuse());
        assert!(held.is_empty(), "the profiler still holds: {}", held.join("; "));
        assert!(misuse.is_empty(), "the profiler must not do this: {}", misuse.join("; "));
    }

    /// Sets an environment variable of the program.
    pub fn set_environment(&self, name: &str, value: &str) {
        self.model().environment.insert(name.to_owned(), value.to_owned());
    }

    /// The value of an environment variable of the program.
    #[must_use]
    pub fn environment(&self, name: &str) -> Option<String> {
        self.model().environment.get(name).cloned()
    }

    /// The current address of an object.
    #[must_use]
    pub fn address(&self, object: Object) -> usize {
        self.model().heap.address(object.index)
    }
}

impl core::fmt::Debug for Runtime {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Runtime({:?})", self.version())
    }
}
