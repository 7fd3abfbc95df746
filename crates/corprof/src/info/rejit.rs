//! Compiling methods again, with other IL.
#![allow(unsafe_code)]

use core::ptr::null_mut;

use sigparse::MethodDef;

use super::{Enumerator, ModuleMethod, call, fill, length_of, room_of};
use crate::ids::{FunctionId, ModuleId, ReJitId};
use crate::values::ReJitFlags;
use crate::{HResult, ProfilerInfo, Result};

/// The methods that precompiled code of a module has a method inlined into.
#[derive(Debug)]
pub struct Inliners {
    /// The methods.
    pub methods: Enumerator<ModuleMethod>,
    /// Whether more are to be expected: the runtime has not loaded everything that it would have to look at.
    pub incomplete: bool,
}

/// Modules and methods in two lists, as the runtime takes them.
fn lists(methods: &[ModuleMethod]) -> (Vec<usize>, Vec<u32>) {
    methods.iter().map(|method| (method.module.as_raw(), method.method.token())).unzip()
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
        let (mut modules, mut tokens) = lists(methods);
        let count = length_of("ICorProfilerInfo4::RequestReJIT", methods)?;
        // SAFETY: two lists with their common length, which the runtime only reads.
        unsafe {
            call!(self, ICorProfilerInfo4::RequestReJIT(count, modules.as_mut_ptr(), tokens.as_mut_ptr()))
        }
        .map(drop)
    }

    /// The same, and for the methods that they were inlined into as well
    /// (`ICorProfilerInfo10::RequestReJITWithInliners`).
    ///
    /// # Errors
    /// As for [`ProfilerInfo::request_rejit`]; `E_INVALIDARG` without [`ReJitFlags::BLOCK_INLINING`].
    #[doc(alias = "RequestReJITWithInliners")]
    pub fn request_rejit_with_inliners(&self, flags: ReJitFlags, methods: &[ModuleMethod]) -> Result<()> {
        let (mut modules, mut tokens) = lists(methods);
        let count = length_of("ICorProfilerInfo10::RequestReJITWithInliners", methods)?;
        // SAFETY: two lists with their common length, which the runtime only reads.
        unsafe {
            call!(
                self,
                ICorProfilerInfo10::RequestReJITWithInliners(
                    flags.bits(),
                    count,
                    modules.as_mut_ptr(),
                    tokens.as_mut_ptr(),
                )
            )
        }
        .map(drop)
    }

    /// Gives methods their first code back (`ICorProfilerInfo4::RequestRevert`). One outcome for each method.
    ///
    /// # Errors
    /// As for [`ProfilerInfo::request_rejit`].
    #[doc(alias = "RequestRevert")]
    pub fn request_revert(&self, methods: &[ModuleMethod]) -> Result<Vec<Result<(), HResult>>> {
        let (mut modules, mut tokens) = lists(methods);
        let mut status = vec![HResult::S_OK.0; methods.len()];
        let count = length_of("ICorProfilerInfo4::RequestRevert", methods)?;
        // SAFETY: two lists that the runtime reads and one that it writes, with their common length.
        unsafe {
            call!(
                self,
                ICorProfilerInfo4::RequestRevert(
                    count,
                    modules.as_mut_ptr(),
                    tokens.as_mut_ptr(),
                    status.as_mut_ptr(),
                )
            )
        }?;
        Ok(status.into_iter().map(|code| HResult(code).ok()).collect())
    }

    /// The versions of a method's code other than the first (`ICorProfilerInfo4::GetReJITIDs`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetReJITIDs")]
    pub fn rejit_ids(&self, function: FunctionId) -> Result<Vec<ReJitId>> {
        let ids = fill("ICorProfilerInfo4::GetReJITIDs", |room: &mut [usize]| {
            let mut count = 0;
            // SAFETY: a local, and a buffer with its length.
            unsafe {
                call!(
                    self,
                    ICorProfilerInfo4::GetReJITIDs(
                        function.as_raw(),
                        room_of(room),
                        &raw mut count,
                        room.as_mut_ptr(),
                    )
                )
            }?;
            Ok(count)
        })?;
        Ok(ids.iter().filter_map(|id| ReJitId::from_raw(*id)).collect())
    }

    /// The methods of `inliners` that precompiled code has `method` of `module` inlined into
    /// (`ICorProfilerInfo6::EnumNgenModuleMethodsInliningThisMethod`).
    ///
    /// # Errors
    /// `CORPROF_E_DATAINCOMPLETE` for a module whose loading has not come far enough, or without precompiled code.
    #[doc(alias = "EnumNgenModuleMethodsInliningThisMethod")]
    pub fn precompiled_inliners(
        &self,
        inliners: ModuleId,
        module: ModuleId,
        method: MethodDef,
    ) -> Result<Inliners> {
        const CALL: &str = "ICorProfilerInfo6::EnumNgenModuleMethodsInliningThisMethod";
        let (mut incomplete, mut out) = (0, null_mut());
        // SAFETY: locals.
        unsafe {
            call!(
                self,
                ICorProfilerInfo6::EnumNgenModuleMethodsInliningThisMethod(
                    inliners.as_raw(),
                    module.as_raw(),
                    method.token(),
                    &raw mut incomplete,
                    &raw mut out,
                )
            )
        }?;
        // SAFETY: the runtime has given the enumerator, with a reference.
        let methods = unsafe { Enumerator::<ModuleMethod>::from_raw(CALL, out) }?;
        Ok(Inliners { methods, incomplete: incomplete != 0 })
    }
}
