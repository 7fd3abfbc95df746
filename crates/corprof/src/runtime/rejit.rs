//! ReJIT: compiling methods again with other IL.
#![forbid(unsafe_code)]

use corprof_types::{FunctionId, HResult, ModuleId, ReJitId};
use sigparse::MethodDef;

use crate::error::{Error, Result};
use crate::raw::info::all_of;
use crate::runtime::ProfilerInfo;
use crate::values::ReJitFlags;

/// The first major version whose `RequestReJITWithInliners` accepts any method.
const FIRST_WITH_UNLOADED_METHODS: u16 = 7;

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
    /// # Errors
    /// `CORPROF_E_REJIT_NOT_ENABLED`: the event mask does not have the flag. `CORPROF_E_UNSUPPORTED_CALL_SEQUENCE`:
    /// called in a hook, or in a callback with an object. Any other failure of the call. [`Profiler::rejit_error`](crate::Profiler::rejit_error) is
    /// called for each method that cannot be compiled again.
    #[doc(alias = "RequestReJIT")]
    #[doc(alias = "SetFunctionReJIT")]
    pub fn request_rejit(&self, methods: &[ModuleMethod]) -> Result<()> {
        self.raw().request_rejit(&pairs(methods))
    }

    /// Requests ReJIT of methods and of the methods into which they are inlined.
    ///
    /// Needs [`ENABLE_REJIT`](crate::EventMask::ENABLE_REJIT). `ICorProfilerInfo10::RequestReJITWithInliners`.
    ///
    /// Before .NET 7, each method is checked first, by [`ProfilerInfo::can_rejit_with_inliners`].
    ///
    /// # Errors
    /// [`Error::Unsafe`]: the runtime would crash; no method is recompiled. `E_INVALIDARG`: `flags` does not have
    /// [`ReJitFlags::BLOCK_INLINING`]. Others as for [`ProfilerInfo::request_rejit`].
    #[doc(alias = "RequestReJITWithInliners")]
    pub fn request_rejit_with_inliners(&self, flags: ReJitFlags, methods: &[ModuleMethod]) -> Result<()> {
        for method in methods {
            if !self.can_rejit_with_inliners(*method)? {
                let call = "ICorProfilerInfo10::RequestReJITWithInliners";
                let why = "before .NET 7 it crashes for a method that is not loaded, or that is inlined into precompiled code";
                return Err(Error::Unsafe { call, why });
            }
        }
        self.raw().request_rejit_with_inliners(flags.bits(), &pairs(methods))
    }

    /// Returns whether the runtime can find the inliners of a method. Always `true` from .NET 7 on.
    ///
    /// Before .NET 7, `RequestReJITWithInliners` dereferences null for a method whose type has not been loaded, and
    /// for the inliners of a method that is inlined into precompiled code (dotnet/runtime#69634). Such methods, and
    /// their [`precompiled_inliners`](ProfilerInfo::precompiled_inliners), can be passed to
    /// [`ProfilerInfo::request_rejit`].
    ///
    /// # Errors
    /// Any failure of `ICorProfilerInfo::GetFunctionFromToken` and `ICorProfilerInfo3::EnumModules`.
    pub fn can_rejit_with_inliners(&self, method: ModuleMethod) -> Result<bool> {
        if self.runtime_info()?.major >= FIRST_WITH_UNLOADED_METHODS {
            return Ok(true);
        }
        match self.raw().function_of_token(method.module, method.method) {
            // The method is generic: its instantiations have ids of their own.
            Ok(_) | Err(Error::Call { hresult: HResult::CORPROF_E_FUNCTION_IS_PARAMETERIZED, .. }) => {}
            Err(Error::Call { hresult: HResult::E_INVALIDARG, .. }) => return Ok(false),
            Err(error) => return Err(error),
        }
        for module in self.modules()? {
            // A module without precompiled code has no inliners.
            let inliners = self.precompiled_inliners(module, method.module, method.method);
            if inliners.is_ok_and(|inliners| !inliners.methods.is_empty()) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reverts methods to their first version, and returns a result for each.
    ///
    /// Needs [`ENABLE_REJIT`](crate::EventMask::ENABLE_REJIT). `ICorProfilerInfo4::RequestRevert`.
    ///
    /// # Errors
    /// As for [`ProfilerInfo::request_rejit`].
    #[doc(alias = "RequestRevert")]
    pub fn request_revert(&self, methods: &[ModuleMethod]) -> Result<Vec<Result<(), HResult>>> {
        Ok(self.raw().request_revert(&pairs(methods))?.into_iter().map(HResult::ok).collect())
    }

    /// Returns the ids of the ReJIT versions of a function.
    ///
    /// `ICorProfilerInfo4::GetReJITIDs`.
    ///
    /// # Errors
    /// `CORPROF_E_UNSUPPORTED_CALL_SEQUENCE`: called in a hook, or in a callback with an object. Any other failure of the call.
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
    /// `CORPROF_E_UNSUPPORTED_CALL_SEQUENCE`: called in a hook, or in a callback with an object. Any other failure of the call.
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
