//! Machine code: the code regions of functions, instruction pointers to functions, IL-to-native maps.
#![forbid(unsafe_code)]

use corprof_types::{FunctionId, ReJitId};

use crate::error::Result;
use crate::raw::data::{CodeRegion, IlToNativeMapEntry};
use crate::raw::info::all_of;
use crate::runtime::ProfilerInfo;

/// A version of a method's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionVersion {
    /// The method.
    pub function: FunctionId,
    /// The ReJIT version; `None` for the first version.
    pub rejit: Option<ReJitId>,
}

impl ProfilerInfo {
    /// Returns the native code regions of a function version; `None` is the first version.
    ///
    /// `ICorProfilerInfo4::GetCodeInfo3`. A method that is compiled in tiers has several bodies of code:
    /// [`ProfilerInfo::native_code_start_addresses`] returns all.
    ///
    /// # Errors
    /// `CORPROF_E_FUNCTION_NOT_COMPILED`: the method has not been jitted yet. Any other failure of the call.
    #[doc(alias = "GetCodeInfo")]
    #[doc(alias = "GetCodeInfo2")]
    #[doc(alias = "GetCodeInfo3")]
    pub fn code_regions(&self, function: FunctionId, rejit: Option<ReJitId>) -> Result<Vec<CodeRegion>> {
        self.raw().code_regions(function, rejit)
    }

    /// Returns the start addresses of all compilations of a function version, tiers included.
    ///
    /// `ICorProfilerInfo9::GetNativeCodeStartAddresses`. Empty before the method has been jitted.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetNativeCodeStartAddresses")]
    pub fn native_code_start_addresses(
        &self,
        function: FunctionId,
        rejit: Option<ReJitId>,
    ) -> Result<Vec<usize>> {
        self.raw().native_code_start_addresses(function, rejit)
    }

    /// Returns the native code regions of the compilation that starts at an address.
    ///
    /// `ICorProfilerInfo9::GetCodeInfo4`.
    ///
    /// # Errors
    /// `E_INVALIDARG`: no compilation starts at the address. Any other failure of the call.
    #[doc(alias = "GetCodeInfo4")]
    pub fn code_regions_at(&self, start: usize) -> Result<Vec<CodeRegion>> {
        self.raw().code_regions_at(start)
    }

    /// Returns the IL-to-native map of a function version.
    ///
    /// `ICorProfilerInfo4::GetILToNativeMapping2`.
    ///
    /// # Errors
    /// `CORPROF_E_DEBUGGING_DISABLED`: the runtime has no debugging support. Any other failure of the call.
    #[doc(alias = "GetILToNativeMapping")]
    #[doc(alias = "GetILToNativeMapping2")]
    pub fn il_to_native_map(
        &self,
        function: FunctionId,
        rejit: Option<ReJitId>,
    ) -> Result<Vec<IlToNativeMapEntry>> {
        self.raw().il_to_native_map(function, rejit)
    }

    /// Returns the IL-to-native map of the compilation that starts at an address.
    ///
    /// `ICorProfilerInfo9::GetILToNativeMapping3`.
    ///
    /// # Errors
    /// As for [`ProfilerInfo::il_to_native_map`].
    #[doc(alias = "GetILToNativeMapping3")]
    pub fn il_to_native_map_at(&self, start: usize) -> Result<Vec<IlToNativeMapEntry>> {
        self.raw().il_to_native_map_at(start)
    }

    /// Returns the functions that have been jitted, each with its version.
    ///
    /// `ICorProfilerInfo4::EnumJITedFunctions2`, `ICorProfilerFunctionEnum::Next`. An attached profiler calls it for
    /// the compilations before it was attached. Precompiled code is not in it.
    ///
    /// # Errors
    /// `CORPROF_E_UNSUPPORTED_CALL_SEQUENCE`: called in a hook, or in a callback with an object. Any other failure of the call.
    #[doc(alias = "EnumJITedFunctions")]
    #[doc(alias = "EnumJITedFunctions2")]
    #[doc(alias = "Next")]
    pub fn jitted_functions(&self) -> Result<Vec<FunctionVersion>> {
        let call = "ICorProfilerInfo4::EnumJITedFunctions2";
        let functions = self.reported(|| all_of(call, self.raw().jitted_functions()?))?;
        Ok(functions.into_iter().map(|(function, rejit)| FunctionVersion { function, rejit }).collect())
    }
}
