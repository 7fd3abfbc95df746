//! The IL of methods, before they are compiled for the first time.
#![forbid(unsafe_code)]

use corprof_types::{FunctionId, ModuleId};
use sigparse::MethodDef;

use crate::error::Result;
use crate::runtime::ProfilerInfo;
use crate::values::IlMapEntry;

impl ProfilerInfo {
    /// The IL that a method has in its file, or that was set last: header, code and exception clauses
    /// (`ICorProfilerInfo::GetILFunctionBody`). What ReJIT has given it is not known here.
    ///
    /// # Errors
    /// `CORPROF_E_FUNCTION_NOT_IL` for a method without IL: abstract, native, the runtime's own.
    #[doc(alias = "GetILFunctionBody")]
    pub fn il_function_body(&self, module: ModuleId, method: MethodDef) -> Result<Vec<u8>> {
        self.raw().il_function_body(module, method)
    }

    /// Which offset of a method's new IL stands for which of the old, for a debugger
    /// (`ICorProfilerInfo::SetILInstrumentedCodeMap`). Called from `JITCompilationStarted` with `first` for the first
    /// map of a method, and again where it is extended.
    ///
    /// # Errors
    /// What the runtime reports.
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
