//! The runtime: what a program has, and what the profiler has asked.

use std::sync::{Arc, MutexGuard};

use corprof::{EventMask, HResult, Profiler};

use crate::com::Shared;
use crate::model::{ClassKind, CoreLib, Model, ReJitState, Type, TypeRow};
use crate::{Class, Entry, Method, Module, Object, Session, Version};

/// A runtime without .NET: modules with their types and methods, into which a profiler is loaded.
///
/// It has a core library from the start. What a program is made of is defined with [`Runtime::module`]; then
/// [`Runtime::start`] loads a profiler, and the [`Session`] that this gives makes things happen.
pub struct Runtime {
    shared: Arc<Shared>,
}

/// What a method is compiled from again: see [`Runtime::recompiled`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recompiled {
    /// The IL that the profiler has given, header and body; `None` where it has left it as it is.
    pub il: Option<Vec<u8>>,
    /// The flags that it has set (`COR_PRF_CODEGEN_FLAGS`).
    pub flags: u32,
}

impl Runtime {
    /// A runtime with nothing but its core library.
    #[must_use]
    pub fn new(version: Version) -> Self {
        let shared = Shared::new(version);
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

    /// Which runtime it stands for.
    #[must_use]
    pub fn version(&self) -> Version {
        self.shared.version
    }

    /// The core library, `System.Private.CoreLib`. Types may be added to it.
    #[must_use]
    pub fn core_lib(&self) -> Module<'_> {
        Module { runtime: self, index: 0 }
    }

    /// A type of the core library that the double knows.
    pub(crate) fn core(&self, which: impl FnOnce(&CoreLib) -> usize) -> Type {
        let model = self.model();
        match model.classes.get(which(&model.core)).map(|class| class.kind.clone()) {
            Some(ClassKind::Instance { module, rid, .. }) => {
                Type::Class(TypeRow { module, rid, is_value: false, args: Vec::new() })
            }
            _ => Type::Object,
        }
    }

    /// `System.Exception`, to be thrown or extended.
    #[must_use]
    pub fn exception(&self) -> Class<'_> {
        match self.core(|core| core.exception) {
            Type::Class(row) => Class::new(self, row),
            _ => self.core_lib().class("System.Exception"),
        }
    }

    /// Defines a module, and the assembly of that name.
    #[must_use]
    pub fn module(&self, assembly: &str) -> Module<'_> {
        let mut model = self.model();
        let index = model.modules.len();
        model.modules.push(crate::model::Module::new(assembly, &format!("/app/{assembly}.dll"), index));
        Module { runtime: self, index }
    }

    /// Loads a profiler as at the start of a program. What an earlier session has loaded stays loaded, and is not told
    /// again: for another start, make another runtime.
    ///
    /// # Errors
    /// The code that the profiler's `initialize` has ended with.
    pub fn start<P: Profiler>(&self) -> Result<Session<'_, P>, HResult> {
        Session::start(self, Entry::<P>::of(), None)
    }

    /// Attaches a profiler to a program that runs, with client data. Its core library and this thread are there; what
    /// else was loaded in an earlier session stays so.
    ///
    /// # Errors
    /// The code that the profiler's `initialize_for_attach` has ended with.
    pub fn attach<P: Profiler>(&self, client_data: &[u8]) -> Result<Session<'_, P>, HResult> {
        Session::start(self, Entry::<P>::of(), Some(client_data))
    }

    /// Loads a profiler through the entry point of its library.
    ///
    /// # Errors
    /// As for [`Runtime::start`], and what the entry point and the class factory report.
    pub fn start_library<P: Profiler>(&self, entry: Entry<P>) -> Result<Session<'_, P>, HResult> {
        Session::start(self, entry, None)
    }

    /// The event mask that the profiler has set.
    #[must_use]
    pub fn event_mask(&self) -> EventMask {
        let [low, high] = self.model().profiling.mask;
        EventMask::from_halves(low, high)
    }

    /// Whether the profiler has asked to be detached; see [`Session::finish_detach`].
    #[must_use]
    pub fn wants_detach(&self) -> bool {
        self.model().profiling.detach.is_some()
    }

    /// How often the profiler has asked for a garbage collection. The double makes none by itself.
    #[must_use]
    pub fn forced_collections(&self) -> usize {
        self.model().profiling.forced_collections
    }

    /// Lets a method of an interface answer with a code and do nothing else, from now on:
    /// `ICorProfilerInfo3::GetModuleInfo2`. The interface is the one that declares the method.
    pub fn refuse(&self, method: &str, code: HResult) {
        self.shared.refuse(method, code);
    }

    /// Lets a method answer again.
    pub fn answer(&self, method: &str) {
        self.shared.answer_again(method);
    }

    /// How often the profiler has called a method: `ICorProfilerInfo2::GetFunctionInfo2`.
    #[must_use]
    pub fn calls_of(&self, method: &str) -> usize {
        self.shared.calls_of(method)
    }

    /// All methods that the profiler has called.
    #[must_use]
    pub fn called(&self) -> Vec<&'static str> {
        self.shared.called()
    }

    /// The methods that the profiler has called and the double does not know, in order. They have answered with
    /// `E_NOTIMPL`.
    #[must_use]
    pub fn unscripted(&self) -> Vec<&'static str> {
        self.shared.unscripted()
    }

    /// What the profiler has done that it must not do: asked about something that has gone, or about a number that is no
    /// id; used an object after its release; not put back registers. The runtime might have crashed. When a session has
    /// ended, also that the profiler has panicked.
    #[must_use]
    pub fn misuse(&self) -> Vec<String> {
        self.shared.misuse()
    }

    /// What the profiler holds: the objects it has references to, with their number, enumerations of metadata that it has
    /// not closed, and handles that it has not destroyed.
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

    /// Checks that the profiler holds nothing any more, and has done nothing that it must not do. To be called when the
    /// session has ended.
    ///
    /// A profiler with hooks is never let go by the library, since code may be running in it: for one of these, look at
    /// [`Runtime::held`].
    ///
    /// # Panics
    /// If it does hold something, or has done something; the message says what.
    #[track_caller]
    pub fn assert_released(&self) {
        let (held, misuse) = (self.held(), self.misuse());
        assert!(held.is_empty(), "the profiler still holds: {}", held.join("; "));
        assert!(misuse.is_empty(), "the profiler must not do this: {}", misuse.join("; "));
    }

    /// What a method was compiled from again at last; `None` for one that was not, or went back.
    #[must_use]
    pub fn recompiled(&self, method: &Method<'_>) -> Option<Recompiled> {
        let (module, token) = (method.class.row.module, method.token().token());
        let model = self.model();
        let latest =
            model.rejits.iter().rev().find(|rejit| (rejit.module, rejit.method) == (module, token))?;
        let is_active = latest.state == ReJitState::Active;
        is_active.then(|| Recompiled { il: latest.il.clone(), flags: latest.flags })
    }

    /// The IL that a method is compiled from the first time: the profiler's, if it has set some.
    #[must_use]
    pub fn il(&self, method: &Method<'_>) -> Vec<u8> {
        method.with_module(|module| {
            let row = module.method(method.token().token());
            row.map(|row| row.replaced.as_ref().unwrap_or(&row.il).to_vec()).unwrap_or_default()
        })
    }

    /// Sets an environment variable that the profiler sees.
    pub fn set_environment(&self, name: &str, value: &str) {
        self.model().environment.insert(name.to_owned(), value.to_owned());
    }

    /// What the profiler sees of an environment variable.
    #[must_use]
    pub fn environment(&self, name: &str) -> Option<String> {
        self.model().environment.get(name).cloned()
    }

    /// Where an object is now.
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
