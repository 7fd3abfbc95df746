//! Machine code: where a method's code lies, which method an address belongs to, and which IL it came from.
#![forbid(unsafe_code)]

use corprof_types::{FunctionId, HResult, ReJitId};

use crate::error::{Error, Result};
use crate::raw::data::{CodeRegion, IlToNativeMapEntry};
use crate::raw::info::{Address, all_of};
use crate::runtime::ProfilerInfo;

/// A version of a method's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionVersion {
    /// The method.
    pub function: FunctionId,
    /// Which version; `None` for the first.
    pub rejit: Option<ReJitId>,
}

impl ProfilerInfo {
    /// The stretches of machine code of a version of a method; `None` for the first version
    /// (`ICorProfilerInfo4::GetCodeInfo3`). Of a method that is compiled in tiers there may be several:
    /// [`ProfilerInfo::native_code_start_addresses`] has all.
    ///
    /// # Errors
    /// `CORPROF_E_FUNCTION_NOT_COMPILED` before the method has been compiled.
    #[doc(alias = "GetCodeInfo")]
    #[doc(alias = "GetCodeInfo2")]
    #[doc(alias = "GetCodeInfo3")]
    pub fn code_regions(&self, function: FunctionId, rejit: Option<ReJitId>) -> Result<Vec<CodeRegion>> {
        self.raw().code_regions(function, rejit)
    }

    /// The addresses at which compilations of a version of a method begin, the tiers included
    /// (`ICorProfilerInfo9::GetNativeCodeStartAddresses`). Empty before the method has been compiled.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetNativeCodeStartAddresses")]
    pub fn native_code_start_addresses(
        &self,
        function: FunctionId,
        rejit: Option<ReJitId>,
    ) -> Result<Vec<usize>> {
        self.raw().native_code_start_addresses(function, rejit)
    }

    /// The stretches of one compilation, given by the address at which it begins
    /// (`ICorProfilerInfo9::GetCodeInfo4`).
    ///
    /// # Errors
    /// `E_INVALIDARG` for an address at which no compilation begins.
    #[doc(alias = "GetCodeInfo4")]
    pub fn code_regions_at(&self, start: usize) -> Result<Vec<CodeRegion>> {
        self.raw().code_regions_at(start)
    }

    /// The method, and the version of it, whose code lies at an address (`ICorProfilerInfo8::GetFunctionFromIP3`);
    /// methods that were made at run time included. `None` when there is none, as for native code. May be called
    /// from anywhere.
    ///
    /// # Errors
    /// What else the runtime reports.
    #[doc(alias = "GetFunctionFromIP2")]
    #[doc(alias = "GetFunctionFromIP3")]
    pub fn function_version_from_ip(&self, address: usize) -> Result<Option<FunctionVersion>> {
        let found = self.reported(|| match self.raw().function_version_from_ip(Address(address)) {
            Err(Error::Call { hresult: HResult::E_FAIL, .. }) => Ok((None, None)),
            found => found,
        });
        let (function, rejit) = found?;
        Ok(function.map(|function| FunctionVersion { function, rejit }))
    }

    /// Which machine code of a version of a method came from which IL (`ICorProfilerInfo4::GetILToNativeMapping2`).
    ///
    /// # Errors
    /// `CORPROF_E_DEBUGGING_DISABLED` where the runtime has no debugging support; what else it reports.
    #[doc(alias = "GetILToNativeMapping")]
    #[doc(alias = "GetILToNativeMapping2")]
    pub fn il_to_native_map(
        &self,
        function: FunctionId,
        rejit: Option<ReJitId>,
    ) -> Result<Vec<IlToNativeMapEntry>> {
        self.raw().il_to_native_map(function, rejit)
    }

    /// Which machine code of one compilation, given by the address at which it begins, came from which IL
    /// (`ICorProfilerInfo9::GetILToNativeMapping3`).
    ///
    /// # Errors
    /// As for [`ProfilerInfo::il_to_native_map`].
    #[doc(alias = "GetILToNativeMapping3")]
    pub fn il_to_native_map_at(&self, start: usize) -> Result<Vec<IlToNativeMapEntry>> {
        self.raw().il_to_native_map_at(start)
    }

    /// The methods that have been compiled, each with its version (`ICorProfilerInfo4::EnumJITedFunctions2`,
    /// `ICorProfilerFunctionEnum::Next`). What an
    /// attached profiler has missed. Precompiled code is not among them.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "EnumJITedFunctions")]
    #[doc(alias = "EnumJITedFunctions2")]
    #[doc(alias = "Next")]
    pub fn jitted_functions(&self) -> Result<Vec<FunctionVersion>> {
        let call = "ICorProfilerInfo4::EnumJITedFunctions2";
        let functions = self.reported(|| all_of(call, self.raw().jitted_functions()?))?;
        Ok(functions.into_iter().map(|(function, rejit)| FunctionVersion { function, rejit }).collect())
    }
}
