//! The IL of methods, before they are compiled for the first time.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::ptr::{NonNull, copy_nonoverlapping, null, null_mut};

use corprof_sys as sys;
use sigparse::MethodDef;

use super::{call, length_of, lent};
use crate::com::interface::{self, MallocPtr};
use crate::ids::{FunctionId, ModuleId};
use crate::values::IlMapEntry;
use crate::{Error, HResult, ProfilerInfo, Result};

impl ProfilerInfo {
    /// The IL that a method has in its file, or that was set last: header, code and exception clauses
    /// (`ICorProfilerInfo::GetILFunctionBody`). What ReJIT has given it is not known here.
    ///
    /// # Errors
    /// `CORPROF_E_FUNCTION_NOT_IL` for a method without IL: abstract, native, the runtime's own.
    #[doc(alias = "GetILFunctionBody")]
    pub fn il_function_body(&self, module: ModuleId, method: MethodDef) -> Result<Vec<u8>> {
        let (mut body, mut length) = (null(), 0);
        // SAFETY: locals.
        unsafe {
            call!(
                self,
                ICorProfilerInfo::GetILFunctionBody(
                    module.as_raw(),
                    method.token(),
                    &raw mut body,
                    &raw mut length,
                )
            )
        }?;
        // SAFETY: the runtime has lent a body of that length, alive as long as the module, which the caller may name.
        Ok(unsafe { lent(body, length) }.to_vec())
    }

    /// Gives a method other IL: header, code and exception clauses as they would lie in the file
    /// (`ICorProfilerInfo::SetILFunctionBody`, with memory of `ICorProfilerInfo::GetILFunctionBodyAllocator`, so
    /// `IMethodMalloc::Alloc`). It counts for compilations that begin afterwards: call it from `ModuleLoadFinished`
    /// or `JITCompilationStarted`, and have precompiled code refused where there is some.
    ///
    /// The runtime does not check the IL: what is wrong with it fails when it is compiled.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "SetILFunctionBody")]
    #[doc(alias = "GetILFunctionBodyAllocator")]
    #[doc(alias = "Alloc")]
    pub fn set_il_function_body(&self, module: ModuleId, method: MethodDef, body: &[u8]) -> Result<()> {
        const ALLOCATOR: &str = "ICorProfilerInfo::GetILFunctionBodyAllocator";
        let length = length_of("IMethodMalloc::Alloc", body)?;
        let mut out = null_mut();
        // SAFETY: a local.
        unsafe { call!(self, ICorProfilerInfo::GetILFunctionBodyAllocator(module.as_raw(), &raw mut out)) }?;
        // SAFETY: the runtime has given the allocator, with a reference.
        let allocator = unsafe { interface::from_raw::<MallocPtr>(out.cast()) };
        let allocator = allocator.ok_or(Error::Null { call: ALLOCATOR, what: "allocator" })?;
        let this = allocator.as_ptr();
        // SAFETY: a live allocator.
        let memory = unsafe { ((*(*this).lpVtbl).Alloc)(this, length) }.cast::<u8>();
        if memory.is_null() {
            return Err(Error::Call { call: "IMethodMalloc::Alloc", hresult: HResult::E_OUTOFMEMORY });
        }
        // SAFETY: as many bytes were allocated, for us alone; the body that is set is the runtime's from here on.
        unsafe {
            copy_nonoverlapping(body.as_ptr(), memory, body.len());
            call!(
                self,
                ICorProfilerInfo::SetILFunctionBody(module.as_raw(), method.token(), memory.cast_const())
            )
        }
        .map(drop)
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
        const CALL: &str = "ICorProfilerInfo::SetILInstrumentedCodeMap";
        let count = length_of(CALL, map)?;
        let bytes = size_of::<sys::COR_IL_MAP>() * map.len().max(1);
        // SAFETY: a number of bytes that is not zero.
        let Some(memory) = NonNull::new(unsafe { task_memory(bytes) }) else {
            return Err(Error::Call { call: CALL, hresult: HResult::E_OUTOFMEMORY });
        };
        let entries = memory.cast::<sys::COR_IL_MAP>();
        for (index, entry) in map.iter().enumerate() {
            // SAFETY: there is room for as many entries; the memory is aligned for anything.
            unsafe { entries.add(index).write((*entry).into()) };
        }
        // SAFETY: a list with its length; the runtime takes it over, whatever it answers.
        unsafe {
            call!(
                self,
                ICorProfilerInfo::SetILInstrumentedCodeMap(
                    function.as_raw(),
                    first.into(),
                    count,
                    entries.as_ptr(),
                )
            )
        }
        .map(drop)
    }
}

/// Memory that the runtime can free: `CoTaskMemAlloc`, which is `malloc` where there is no COM.
///
/// # Safety
/// As C has it.
unsafe fn task_memory(bytes: usize) -> *mut c_void {
    #[cfg(windows)]
    #[link(name = "ole32")]
    unsafe extern "system" {
        #[link_name = "CoTaskMemAlloc"]
        fn allocate(bytes: usize) -> *mut c_void;
    }
    #[cfg(not(windows))]
    unsafe extern "C" {
        #[link_name = "malloc"]
        fn allocate(bytes: usize) -> *mut c_void;
    }
    // SAFETY: as C has it.
    unsafe { allocate(bytes) }
}
