//! Calls of the runtime: [`ProfilerInfo`], one façade over `ICorProfilerInfo` to `ICorProfilerInfo15`.
//!
//! Safe code: the methods of the runtime are those of [`crate::raw::info`], which checks ids, versions and lengths. What is
//! `unsafe` here, for the caller to argue for, stands in `unchecked`.

mod classes;
mod code;
mod collections;
mod compilations;
pub(crate) mod control;
mod detach;
mod environment;
pub(crate) mod event_pipe;
mod events;
mod exceptions;
mod function_form;
mod functions;
mod handles;
mod heap;
mod hosted_part;
mod il;
mod in_flight;
mod inlining;
mod jit_helpers;
mod loaded;
mod module_rows;
mod modules;
mod objects;
mod opened_rows;
mod own_thread;
mod ownership;
mod part_names;
mod parts;
mod rejit;
mod reported;
mod shutdown;
mod stack;
mod statics;
mod suspended;
mod suspension;
mod symbols;
mod threads;
mod unchecked;
mod unload;
mod unload_cache;
mod version;
mod visitor;

use core::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock, Weak};

use corprof_types::RuntimeInfo;

pub use classes::{ClassInfo, ClassLayout};
pub use code::FunctionVersion;
pub use collections::WatchCollections;
use collections::Watchers;
use compilations::Compilations;
pub use event_pipe::sessions::{
    EventPipeEventSpec, EventPipeProviderChanged, EventPipeProviderConfig, EventPipeProviderState,
    EventPipeSession,
};
use events::Masks;
pub use exceptions::{ClauseKind, ExceptionClause};
pub use functions::{DynamicFunctionInfo, FunctionInfo, FunctionInstance};
pub use handles::{HandleKind, ObjectHandle};
pub use heap::Reference;
use hosted_part::HostedPart;
use in_flight::InFlight;
pub(crate) use loaded::{Loaded, LoadedModule};
pub use modules::{AssemblyInfo, ModuleFlags, ModuleInfo};
use opened_rows::OpenedRows;
pub use own_thread::OwnThread;
pub(crate) use ownership::Lifetime;
use part_names::PartNames;
pub use rejit::{Inliners, ModuleMethod};
pub use stack::{StackFrame, StackWalk, Walked};
pub use statics::StaticKind;
use suspended::Forms;
pub use suspended::FunctionForm;
pub(crate) use suspended::has_second_functions;
pub use suspension::RuntimeSuspension;
pub use threads::AppDomainInfo;
pub use unload::{Forget, Unload};
pub use unload_cache::{UnloadCache, UnloadLookup};
pub use visitor::VisitorResult;

use crate::error::Result;
use crate::event_mask::PartId;
use crate::raw::info::Info;
use crate::raw::interface::Unknown;

/// The runtime, as a profiler calls it (`ICorProfilerInfo` to `ICorProfilerInfo15`).
///
/// Passed to [`Profiler::initialize`](crate::Profiler::initialize). Clones are cheap and refer to the same runtime.
/// Calls may be made on any thread, but the runtime refuses some outside of certain callbacks.
///
/// The documentation of a method names the flags of the [`EventMask`](crate::EventMask) that it needs, and the COM
/// method that it calls with the interface that declares it. On a runtime without that interface it returns
/// [`Error::RuntimeTooOld`](crate::Error::RuntimeTooOld). The error for a missing flag,
/// `CORPROF_E_INCONSISTENT_WITH_FLAGS`, is displayed with the name of the flag.
///
/// When [`Profiler::shutdown`](crate::Profiler::shutdown) or
/// [`Profiler::profiler_detach_succeeded`](crate::Profiler::profiler_detach_succeeded) has returned, every method
/// returns [`Error::Ended`](crate::Error::Ended).
#[derive(Clone)]
pub struct ProfilerInfo {
    shared: Arc<Shared>,
    /// The part of the profiler that has this.
    part: PartId,
    /// That part, if it was added while the profiler runs.
    hosted: Option<Arc<HostedPart>>,
}

/// The state that all clones share.
struct Shared {
    raw: Info,
    runtime: OnceLock<RuntimeInfo>,
    /// Whether the runtime itself suspends methods that return tasks.
    suspends_methods: bool,
    /// The functions of methods that return tasks.
    forms: Arc<Forms>,
    loaded: Loaded,
    masks: Masks,
    parts: PartNames,
    watchers: Watchers,
    compilations: Arc<Compilations>,
    rows: Arc<OpenedRows>,
    /// On a runtime whose exceptions must stay in place.
    in_flight: Option<InFlight>,
    /// Whether `initialize` has returned.
    has_started: AtomicBool,
    /// Whether the profiler was attached to a running program.
    was_attached: AtomicBool,
}

impl ProfilerInfo {
    /// Calls the newest version of `ICorProfilerInfo` that the runtime's object has.
    pub(crate) fn from_unknown(unknown: Unknown<'_>) -> Result<Self> {
        Ok(Self::new(Info::from_unknown(unknown)?))
    }

    fn new(raw: Info) -> Self {
        let loaded = Loaded::new(Arc::clone(raw.alive()));
        let watchers = Watchers::default();
        let compilations = Arc::default();
        let rows = Arc::<OpenedRows>::default();
        loaded.forget_with(Arc::<OpenedRows>::downgrade(&rows));
        let forms = Arc::<Forms>::default();
        loaded.forget_with(Arc::<Forms>::downgrade(&forms));
        // For the hooks, which must not query it themselves. Without an answer they treat the runtime as unmeasured.
        let runtime: OnceLock<RuntimeInfo> = raw.runtime_info().ok().map(OnceLock::from).unwrap_or_default();
        if let Some(runtime) = runtime.get() {
            raw.set_major(runtime.major);
        }
        let suspends_methods = runtime.get().is_some_and(suspended::suspends_methods);
        let in_flight = InFlight::of(runtime.get());
        Self {
            shared: Arc::new(Shared {
                raw,
                runtime,
                suspends_methods,
                forms,
                loaded,
                masks: Masks::new(),
                parts: PartNames::default(),
                watchers,
                compilations,
                rows,
                in_flight,
                has_started: AtomicBool::new(false),
                was_attached: AtomicBool::new(false),
            }),
            part: PartId::CRATE,
            hosted: None,
        }
    }

    /// Returns the newest version of `ICorProfilerInfo` that the runtime has: 11 on .NET Core 3.1, 15 on .NET 9.
    #[must_use]
    pub fn version(&self) -> u8 {
        self.raw().version()
    }

    /// Returns the number of unloads that have been seen.
    ///
    /// A result of a call may be cached only if the number has not changed since before the call. An [`UnloadCache`] keeps to that.
    #[must_use]
    pub fn unload_count(&self) -> u64 {
        self.shared.loaded.unloads()
    }

    /// Returns the number of cached facts about loaded modules and classes, for measuring profiler overhead.
    ///
    /// Grows with loads and shrinks with unloads. The caches of [`Names`](crate::Names) are not counted.
    #[must_use]
    pub fn cached_count(&self) -> usize {
        self.shared.loaded.len()
    }

    /// Registers a cache of ids: `who` is notified of every unload for as long as it lives.
    ///
    /// Unloads of modules, with everything that belongs to them, are seen under any event mask, as are those of dynamic
    /// methods.
    ///
    /// ```
    /// use std::collections::HashMap;
    /// use std::sync::{Arc, Mutex, PoisonError};
    ///
    /// use corprof::{Forget, FunctionId, ProfilerInfo, Unload};
    ///
    /// #[derive(Default)]
    /// struct Counts(Mutex<HashMap<FunctionId, u64>>);
    ///
    /// impl Forget for Counts {
    ///     fn forget(&self, unload: &Unload) {
    ///         let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
    ///         for function in unload.functions() {
    ///             counts.remove(&function);
    ///         }
    ///     }
    /// }
    ///
    /// fn counts(info: &ProfilerInfo) -> Arc<Counts> {
    ///     let counts = Arc::new(Counts::default());
    ///     info.forget_with(&counts);
    ///     counts
    /// }
    /// ```
    pub fn forget_with<F: Forget + 'static>(&self, who: &Arc<F>) {
        let who: Weak<F> = Arc::downgrade(who);
        self.shared.loaded.forget_with(who);
    }

    /// The methods of the runtime.
    pub(crate) fn raw(&self) -> &Info {
        &self.shared.raw
    }

    /// Starts the thread that makes calls for fast hooks.
    pub(crate) fn start_helper_thread(&self) -> Result<()> {
        self.raw().start_helper()
    }

    /// Returns whether compiled code calls the profiler's hooks directly.
    pub(crate) fn has_fast_hooks(&self) -> bool {
        self.raw().has_helper()
    }

    /// The modules and classes whose loads were seen.
    pub(crate) fn loaded(&self) -> &Loaded {
        &self.shared.loaded
    }

    /// Makes every later call fail: the runtime shuts down, or has released the profiler. Calls that other
    /// threads have begun before are not waited for.
    pub(crate) fn end(&self) {
        self.raw().end();
        self.loaded().end();
    }
}

impl core::fmt::Debug for ProfilerInfo {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "ProfilerInfo(ICorProfilerInfo{})", self.version())
    }
}
