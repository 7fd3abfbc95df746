//! Compiling methods again, with other IL.
#![forbid(unsafe_code)]

use corprof_types::{FunctionId, HResult, ModuleId, ReJitId};
use sigparse::MethodDef;

use crate::error::Result;
use crate::raw::info::all_of;
use crate::runtime::ProfilerInfo;
use crate::values::ReJitFlags;

/// The methods that precompiled code of a module has a method inlined into.
#[derive(Debug)]
pub struct Inliners {
    /// The methods.
    pub methods: Vec<ModuleMethod>,
    /// Whether more are to be expected: the runtime has not loaded everything that it would have to look at.
    pub incomplete: bool,
}

/// A method as its module has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModuleMethod {
    /// The module.
    pub module: ModuleId,
    /// The method in it.
    pub method: MethodDef,
}

/// Modules with tokens of theirs.
fn pairs(methods: &[ModuleMethod]) -> Vec<(ModuleId, MethodDef)> {
    methods.iter().map(|method| (method.module, method.method)).collect()
}

impl ProfilerInfo {
    /// Has methods compiled again at their next call (`ICorProfilerInfo4::RequestReJIT`). How, is asked of
    /// [`Profiler::rejit_parameters`](crate::Profiler::rejit_parameters). Calls that are running keep the old code;
    /// methods that they were inlined into keep it as well, see [`ProfilerInfo::request_rejit_with_inliners`].
    ///
    /// Needs [`EventMask::ENABLE_REJIT`](crate::EventMask::ENABLE_REJIT), and a thread that runs no managed code:
    /// best one of the profiler's own on which [`ProfilerInfo::initialize_current_thread`] was called.
    ///
    /// # Errors
    /// `CORPROF_E_REJIT_NOT_ENABLED`; `CORPROF_E_UNSUPPORTED_CALL_SEQUENCE` from a callback. What is wrong with a
    /// single method is told to [`Profiler::rejit_error`](crate::Profiler::rejit_error).
    #[doc(alias = "RequestReJIT")]
    #[doc(alias = "SetFunctionReJIT")]
    pub fn request_rejit(&self, methods: &[ModuleMethod]) -> Result<()> {
        self.raw().request_rejit(&pairs(methods))
    }

    /// The same, and for the methods that they were inlined into as well
    /// (`ICorProfilerInfo10::RequestReJITWithInliners`).
    ///
    /// # Errors
    /// As for [`ProfilerInfo::request_rejit`]; `E_INVALIDARG` without [`ReJitFlags::BLOCK_INLINING`].
    #[doc(alias = "RequestReJITWithInliners")]
    pub fn request_rejit_with_inliners(&self, flags: ReJitFlags, methods: &[ModuleMethod]) -> Result<()> {
        self.raw().request_rejit_with_inliners(flags.bits(), &pairs(methods))
    }

    /// Gives methods their first code back (`ICorProfilerInfo4::RequestRevert`). One outcome for each method.
    ///
    /// # Errors
    /// As for [`ProfilerInfo::request_rejit`].
    #[doc(alias = "RequestRevert")]
    pub fn request_revert(&self, methods: &[ModuleMethod]) -> Result<Vec<Result<(), HResult>>> {
        Ok(self.raw().request_revert(&pairs(methods))?.into_iter().map(HResult::ok).collect())
    }

    /// The versions of a method's code other than the first (`ICorProfilerInfo4::GetReJITIDs`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetReJITIDs")]
    pub fn rejit_ids(&self, function: FunctionId) -> Result<Vec<ReJitId>> {
        self.raw().rejit_ids(function)
    }

    /// The methods of `inliners` that precompiled code has `method` of `module` inlined into
    /// (`ICorProfilerInfo6::EnumNgenModuleMethodsInliningThisMethod`,
    /// `ICorProfilerMethodEnum::Next`).
    ///
    /// # Errors
    /// `CORPROF_E_DATAINCOMPLETE` for a module whose loading has not come far enough, or without precompiled code.
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
        let methods = all_of(call, list)?.into_iter().map(|(module, method)| ModuleMethod { module, method });
        Ok(Inliners { methods: methods.collect(), incomplete })
    }
}
