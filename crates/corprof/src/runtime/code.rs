//! Machine code: the code regions of functions, instruction pointers to functions, IL-to-native maps.
#![forbid(unsafe_code)]

use corprof_types::{FunctionId, ReJitId};

use crate::error::{Error, Result};
use crate::raw::data::{CodeRegion, IlToNativeMapEntry, NativeCodeStart};
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

/// The first major version that makes the list of compiled functions without reading their assemblies.
const FIRST_WITHOUT_ASSEMBLIES: u16 = 5;

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
    ) -> Result<Vec<NativeCodeStart>> {
        let starts = self.raw().native_code_start_addresses(function, rejit)?;
        Ok(starts.into_iter().map(|address| NativeCodeStart { function, address }).collect())
    }

    /// Returns the native code regions of one compilation.
    ///
    /// `ICorProfilerInfo9::GetCodeInfo4`.
    ///
    /// # Errors
    /// [`Error::Unloaded`](crate::Error::Unloaded): the function has been unloaded. Any other failure of the call.
    #[doc(alias = "GetCodeInfo4")]
    pub fn code_regions_at(&self, start: NativeCodeStart) -> Result<Vec<CodeRegion>> {
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

    /// Returns the IL-to-native map of one compilation.
    ///
    /// `ICorProfilerInfo9::GetILToNativeMapping3`.
    ///
    /// # Errors
    /// As for [`ProfilerInfo::il_to_native_map`]. [`Error::Unloaded`](crate::Error::Unloaded): the function has been unloaded.
    #[doc(alias = "GetILToNativeMapping3")]
    pub fn il_to_native_map_at(&self, start: NativeCodeStart) -> Result<Vec<IlToNativeMapEntry>> {
        self.raw().il_to_native_map_at(start)
    }

    /// Returns the functions that have been jitted, each with its version.
    ///
    /// `ICorProfilerInfo4::EnumJITedFunctions2`, `ICorProfilerFunctionEnum::Next`. An attached profiler calls it for
    /// the compilations before it was attached. Precompiled code is not in it, nor functions that have been unloaded, which the
    /// runtime still lists for a while; nor a function with the number of one, until something else reports it.
    ///
    /// # Errors
    /// [`Error::Unsafe`]: on .NET Core 3.1 once the unload of a module has begun. The runtime asks the assembly of each function
    /// for its code versions, and frees the assembly before it removes the code from the list.
    /// [`Error::Misplaced`](crate::Error::Misplaced): called in a hook, in a callback with an object, of a collection
    /// or of a suspension, or on a thread that has suspended the runtime. Any other failure of the call.
    #[doc(alias = "EnumJITedFunctions")]
    #[doc(alias = "EnumJITedFunctions2")]
    #[doc(alias = "Next")]
    pub fn jitted_functions(&self) -> Result<Vec<FunctionVersion>> {
        let call = "ICorProfilerInfo4::EnumJITedFunctions2";
        // An unload that begins now waits until the runtime has made the list.
        let _lookup = self.loaded().lookup();
        if self.loaded().has_unloaded() && self.runtime_info()?.major < FIRST_WITHOUT_ASSEMBLIES {
            let why = "a module has been unloaded, and the list may have functions whose assembly is freed";
            return Err(Error::Unsafe { call, why });
        }
        let alive = self.raw().alive();
        let functions = self.reported(|| {
            let mut functions = all_of(call, self.raw().jitted_functions()?)?;
            // Their code is listed longer than what a query about them reads.
            functions.retain(|(function, _)| !alive.is_unloaded((*function).into()));
            Ok(functions)
        })?;
        Ok(functions.into_iter().map(|(function, rejit)| FunctionVersion { function, rejit }).collect())
    }
}
