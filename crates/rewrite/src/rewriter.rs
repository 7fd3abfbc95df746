//! Modules and the bodies that were submitted for their methods; requests for ReJIT.
#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use corprof::token::MethodDef;
use corprof::values::ReJitFlags;
use corprof::{
    Forget, HResult, IdMap, ModuleFlags, ModuleId, ModuleMethod, Names, OwnThread, ProfilerInfo, Unload,
    UnloadCache,
};

use crate::module::LiveModule;
use crate::{Result, RewriteError};

/// Rewrites methods: keeps what is known of modules, and which bodies were submitted.
///
/// Clones share their state. May be used on any thread. No lock is held while the runtime is called.
#[derive(Clone)]
pub struct Rewriter {
    names: Names,
    pub(crate) shared: Arc<Shared>,
}

pub(crate) struct Shared {
    modules: UnloadCache<ModuleId, Arc<LiveModule>>,
    submitted: Mutex<HashMap<(ModuleId, MethodDef), Arc<Submitted>>>,
}

/// A body that was submitted at the first compilation of a method.
pub(crate) struct Submitted {
    /// The body that the runtime had.
    pub(crate) original: Vec<u8>,
    /// The new body, for a thread that compiles the method at the same time.
    pub(crate) bytes: Vec<u8>,
}

impl Rewriter {
    /// A rewriter for the runtime's methods.
    #[must_use]
    pub fn new(info: &ProfilerInfo) -> Self {
        let modules =
            UnloadCache::new(info, |modules: &mut IdMap<_, _>, unload| modules.remove(&unload.module()?));
        let shared = Arc::new(Shared { modules, submitted: Mutex::default() });
        info.forget_with(&shared);
        Self { names: Names::new(info), shared }
    }

    /// The runtime.
    #[must_use]
    pub fn info(&self) -> &ProfilerInfo {
        self.names.info()
    }

    /// Returns a module, with its metadata opened for writing.
    ///
    /// # Errors
    /// Any failure of [`ProfilerInfo::module_metadata_emit`].
    pub fn module(&self, id: ModuleId) -> Result<Arc<LiveModule>> {
        // Threads that open one at the same time use the same one.
        self.shared.modules.get_or_find(id, || LiveModule::open(&self.names, id).map(Arc::new))
    }

    /// Has methods compiled again at their next call, and the methods that they were inlined into.
    /// `ICorProfilerInfo10::RequestReJITWithInliners`.
    ///
    /// The runtime calls `Profiler::rejit_parameters` for the new IL. Takes [evidence](OwnThread) of a thread of the profiler's own: a
    /// request suspends the runtime, and from a callback waits for threads that may wait for the callback.
    ///
    /// The runtime confuses methods of one call that are inlined into each other: such methods would keep their IL. So several
    /// methods are requested a second time, by `ICorProfilerInfo4::RequestReJIT`; a method that is called between the requests
    /// is compiled twice.
    ///
    /// Before .NET 9, [`ProfilerInfo::request_rejit_with_inliners`] makes other calls. A method is not inlined any more there.
    ///
    /// Returns the methods that were requested alone: since .NET 9 those of the core library whose inliners
    /// [must not be requested](ProfilerInfo::may_request_inliners), which are all for an attached profiler. The code into which they
    /// have been inlined stays as it is.
    ///
    /// # Errors
    /// [`RewriteError::Collectible`]: a method belongs to a module that can be unloaded, and nothing is requested.
    /// `CORPROF_E_REJIT_NOT_ENABLED`; any other failure of the call.
    pub fn request_rejit(&self, _: &OwnThread<'_>, methods: &[ModuleMethod]) -> Result<Vec<ModuleMethod>> {
        let mut modules: Vec<ModuleId> = methods.iter().map(|method| method.module).collect();
        modules.sort_unstable();
        modules.dedup();
        for module in modules {
            if self.info().module_info(module)?.flags.contains(ModuleFlags::COLLECTIBLE) {
                return Err(RewriteError::Collectible(module));
            }
        }
        let (mut with_inliners, mut alone) = (Vec::new(), Vec::new());
        for &method in methods {
            let requested =
                if self.info().may_request_inliners(method)? { &mut with_inliners } else { &mut alone };
            requested.push(method);
        }
        if !with_inliners.is_empty() {
            self.info().request_rejit_with_inliners(ReJitFlags::BLOCK_INLINING, &with_inliners)?;
        }
        // A method that is inlined into others of the list, and they into it, would keep its IL: the runtime makes a version
        // of it as an inliner, without a query for the IL. Another request corrects that.
        if with_inliners.len() > 1 || !alone.is_empty() {
            self.info().request_rejit(methods)?;
        }
        Ok(alone)
    }

    /// Reverts methods to the IL from before ReJIT. `ICorProfilerInfo4::RequestRevert`.
    ///
    /// Returns an outcome for each method. Running calls finish with their current code.
    ///
    /// # Errors
    /// As for [`request_rejit`](Self::request_rejit).
    pub fn request_revert(
        &self,
        _: &OwnThread<'_>,
        methods: &[ModuleMethod],
    ) -> Result<Vec<Result<(), HResult>>> {
        Ok(self.info().request_revert(methods)?)
    }
}

impl Shared {
    /// The body that was submitted for a method.
    pub(crate) fn submitted(&self, key: (ModuleId, MethodDef)) -> Option<Arc<Submitted>> {
        locked(&self.submitted).get(&key).cloned()
    }

    /// Notes a body that is about to be submitted, unless another thread has noted one for the same original. Returns the
    /// one that counts.
    pub(crate) fn note(&self, key: (ModuleId, MethodDef), new: Submitted) -> Arc<Submitted> {
        let mut submitted = locked(&self.submitted);
        match submitted.get(&key) {
            Some(other) if other.original == new.original => other.clone(),
            _ => {
                let new = Arc::new(new);
                submitted.insert(key, new.clone());
                new
            }
        }
    }

    /// Removes a body that the runtime has not accepted.
    pub(crate) fn remove(&self, key: (ModuleId, MethodDef)) {
        locked(&self.submitted).remove(&key);
    }
}

impl Forget for Shared {
    fn forget(&self, unload: &Unload) {
        let Some(module) = unload.module() else { return };
        locked(&self.submitted).retain(|(of, _), _| *of != module);
    }
}

impl core::fmt::Debug for Rewriter {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Rewriter")
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
