//! The IL of methods before they are jitted.
#![forbid(unsafe_code)]

use corprof_types::{FunctionId, ModuleId};
use sigparse::MethodDef;

use crate::error::Result;
use crate::runtime::ProfilerInfo;
use crate::values::IlMapEntry;

impl ProfilerInfo {
    /// Returns the IL of a method: header, code and exception clauses.
    ///
    /// `ICorProfilerInfo::GetILFunctionBody`. The IL is that of the file, or that of the last `SetILFunctionBody`; IL
    /// of a ReJIT version is not returned.
    ///
    /// # Errors
    /// `CORPROF_E_FUNCTION_NOT_IL`: the method has no IL (abstract, native, or implemented by the runtime). Any other
    /// failure of the call.
    #[doc(alias = "GetILFunctionBody")]
    pub fn il_function_body(&self, module: ModuleId, method: MethodDef) -> Result<Vec<u8>> {
        self.raw().il_function_body(module, method)
    }

    /// Sets the map from the offsets of the original IL to those of the new IL, for debuggers.
    ///
    /// `ICorProfilerInfo::SetILInstrumentedCodeMap`. May be called in
    /// [`jit_compilation_started`](crate::Profiler::jit_compilation_started). `first` is `true` for the first map of a
    /// method, and `false` for one that extends it.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "SetILInstrumentedCodeMap")]
    pub fn set_il_instrumented_code_map(
        &self,
        function: FunctionId,
        first: bool,
        map: &[IlMapEntry],
    ) -> Result<()> {
        self.raw().set_il_instrumented_code_map(function, first, map)
    }
}
