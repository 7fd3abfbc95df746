//! ReJIT: compiling methods again with other IL.
#![forbid(unsafe_code)]

use corprof_types::{FunctionId, HResult, ModuleId, ReJitId};
use sigparse::MethodDef;

use crate::error::Result;
use crate::raw::info::all_of;
use crate::runtime::ProfilerInfo;
use crate::values::ReJitFlags;

/// The methods of a precompiled module into which a method is inlined.
#[derive(Debug)]
pub struct Inliners {
    /// The methods.
    pub methods: Vec<ModuleMethod>,
    /// Whether the list may be incomplete: the runtime has not loaded all code that could inline the method.
    pub incomplete: bool,
}

/// A method, by module and token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModuleMethod {
    /// The module.
    pub module: ModuleId,
    /// The method in it.
    pub method: MethodDef,
}

/// Returns the modules and tokens of methods.
fn pairs(methods: &[ModuleMethod]) -> Vec<(ModuleId, MethodDef)> {
    methods.iter().map(|method| (method.module, method.method)).collect()
}

impl ProfilerInfo {
    /// Requests ReJIT of methods: they are compiled again at their next call.
    ///
    /// Needs [`ENABLE_REJIT`](crate::EventMask::ENABLE_REJIT). `ICorProfilerInfo4::RequestReJIT`. The runtime calls
    /// [`Profiler::rejit_parameters`](crate::Profiler::rejit_parameters) for the new IL. Running calls keep the old
    /// code, as do methods into which these are inlined; see [`ProfilerInfo::request_rejit_with_inliners`].
    ///
    /// Must be called on a thread that runs no managed code: a thread of the profiler's own that has called
    /// [`ProfilerInfo::initialize_current_thread`].
    ///
    /// Before .NET 9 the runtime crashes when it inlines a method that was requested (dotnet/runtime#95653). There the
    /// methods are not inlined any more, whatever [`Profiler::jit_inlining`](crate::Profiler::jit_inlining) returns, and the
    /// request waits for compilations that inline one. An attached profiler has not seen the compilations that began before: its
    /// first request waits until one second after the attach.
    ///
    /// # Errors
    /// `CORPROF_E_REJIT_NOT_ENABLED`: the event mask does not have the flag. [`Error::Conflict`](crate::Error::Conflict): another
    /// profiler of the class id changes IL.
    /// [`Error::Misplaced`](crate::Error::Misplaced): called in a hook, in a callback with an object, of a collection
    /// or of a suspension, or on a thread that has suspended the runtime. [`Error::Unsafe`](crate::Error::Unsafe): a
    /// method is one of those that [must not be requested](Self::may_request_rejit), and nothing is requested; or a
    /// compilation that inlines a method has not finished within ten seconds, or the calling thread is compiling it;
    /// then the request may be repeated. Any other failure of the call.
    /// [`Profiler::rejit_error`](crate::Profiler::rejit_error) is called for each method that cannot be compiled again.
    #[doc(alias = "RequestReJIT")]
    #[doc(alias = "SetFunctionReJIT")]
    pub fn request_rejit(&self, methods: &[ModuleMethod]) -> Result<()> {
        self.own_il()?;
        self.refuse_dangerous("ICorProfilerInfo4::RequestReJIT", methods)?;
        let methods = pairs(methods);
        self.refuse_inlining(&methods)?;
        self.raw().request_rejit(&methods)
    }

    /// Requests ReJIT of methods and of the methods into which they are inlined.
    ///
    /// Needs [`ENABLE_REJIT`](crate::EventMask::ENABLE_REJIT). `ICorProfilerInfo10::RequestReJITWithInliners`.
    ///
    /// Before .NET 9 that call crashes, for methods that are not loaded, that are inlined into precompiled code, or whose
    /// inliners are inlined (dotnet/runtime#69634, #95653). There the inliners are requested by [`ProfilerInfo::request_rejit`]
    /// as well: those that [`ProfilerInfo::precompiled_inliners`] finds, and those whose compilation was reported.
    /// [`Profiler::rejit_parameters`](crate::Profiler::rejit_parameters) is called for them too. On .NET Core 3.1 inliners of modules that
    /// can be unloaded keep their code.
    ///
    /// # Errors
    /// `E_INVALIDARG`: `flags` does not have [`ReJitFlags::BLOCK_INLINING`]. [`Error::Unsafe`](crate::Error::Unsafe): also
    /// for a method whose inliners [must not be requested](Self::may_request_inliners). Others as for [`ProfilerInfo::request_rejit`].
    #[doc(alias = "RequestReJITWithInliners")]
    pub fn request_rejit_with_inliners(&self, flags: ReJitFlags, methods: &[ModuleMethod]) -> Result<()> {
        self.own_il()?;
        let call = "ICorProfilerInfo10::RequestReJITWithInliners";
        self.refuse_dangerous(call, methods)?;
        self.refuse_dangerous_inliners(call, methods)?;
        // The runtime refuses other flags before it looks for inliners.
        if self.may_inline_requested() || !flags.contains(ReJitFlags::BLOCK_INLINING) {
            return self.raw().request_rejit_with_inliners(flags.bits(), &pairs(methods));
        }
        let mut inliners = Vec::new();
        for module in self.modules()? {
            for method in methods {
                // A module without precompiled code has no inliners.
                if let Ok(found) = self.precompiled_inliners(module, method.module, method.method) {
                    inliners.extend(found.methods);
                }
            }
        }
        for method in methods {
            let jitted = self.jitted_inliners((method.module, method.method)).into_iter();
            inliners.extend(jitted.map(|(module, method)| ModuleMethod { module, method }));
        }
        let mut all = methods.to_vec();
        for inliner in inliners {
            if !self.has_no_versions(inliner.module)? {
                all.push(inliner);
            }
        }
        all.sort_unstable_by_key(|it| (it.module, it.method));
        all.dedup();
        self.request_rejit(&all)
    }

    /// Reverts methods to their first version, and returns a result for each.
    ///
    /// Needs [`ENABLE_REJIT`](crate::EventMask::ENABLE_REJIT). `ICorProfilerInfo4::RequestRevert`.
    ///
    /// # Errors
    /// As for [`ProfilerInfo::request_rejit`].
    #[doc(alias = "RequestRevert")]
    pub fn request_revert(&self, methods: &[ModuleMethod]) -> Result<Vec<Result<(), HResult>>> {
        self.own_il()?;
        Ok(self.raw().request_revert(&pairs(methods))?.into_iter().map(HResult::ok).collect())
    }

    /// Returns the ids of the ReJIT versions of a function.
    ///
    /// `ICorProfilerInfo4::GetReJITIDs`.
    ///
    /// # Errors
    /// [`Error::Misplaced`](crate::Error::Misplaced): called in a hook, in a callback with an object, of a collection
    /// or of a suspension, or on a thread that has suspended the runtime. Any other failure of the call.
    #[doc(alias = "GetReJITIDs")]
    pub fn rejit_ids(&self, function: FunctionId) -> Result<Vec<ReJitId>> {
        self.raw().rejit_ids(function)
    }

    /// Returns the methods of the precompiled module `inliners` into which `method` of `module` is inlined.
    ///
    /// `ICorProfilerInfo6::EnumNgenModuleMethodsInliningThisMethod`, `ICorProfilerMethodEnum::Next`.
    ///
    /// # Errors
    /// `CORPROF_E_DATAINCOMPLETE`: the module is still loading, or has no precompiled code.
    /// [`Error::Misplaced`](crate::Error::Misplaced): called in a hook, in a callback with an object, of a collection
    /// or of a suspension, or on a thread that has suspended the runtime. Any other failure of the call.
    #[doc(alias = "EnumNgenModuleMethodsInliningThisMethod")]
    #[doc(alias = "Next")]
    pub fn precompiled_inliners(
        &self,
        inliners: ModuleId,
        module: ModuleId,
        method: MethodDef,
    ) -> Result<Inliners> {
        let call = "ICorProfilerInfo6::EnumNgenModuleMethodsInliningThisMethod";
        let (incomplete, list) = self.raw().precompiled_inliners(inliners, module, method)?;
        let methods = all_of(call, list)?.into_iter().map(|(module, method)| {
            self.raw().alive().reported(module.into());
            ModuleMethod { module, method }
        });
        Ok(Inliners { methods: methods.collect(), incomplete })
    }
}
