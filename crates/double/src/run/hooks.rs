//! Calling the profiler's mapper and hooks.
//!
//! Contract of the unsafe code here: the functions are those that the profiler has passed to `SetFunctionIDMapper2` and
//! `SetEnterLeaveFunctionHooks3WithInfo`, and are called as the runtime calls them: the mapper with its own data, the
//! hooks with the result of the mapper and a record whose first word points to saved registers.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::ptr::with_exposed_provenance_mut;

use corprof_sys as sys;

use crate::model::Profiling;
use crate::site::{self, Site};

/// Calls the mapper; returns the client id for the hooks, `None` if the function is not hooked.
pub(super) fn map(profiling: &(sys::FunctionIDMapper2, usize), function: usize) -> Option<usize> {
    let (Some(mapper), data) = *profiling else { return Some(function) };
    let mut hook = 1;
    let data: *mut c_void = with_exposed_provenance_mut(data);
    // SAFETY: as the contract has it; a pointer to a local.
    let client = unsafe { mapper(function, data, &raw mut hook) };
    (hook != 0).then_some(client)
}

/// One of the three hooks.
pub(super) type Hook = Option<unsafe extern "system" fn(sys::FunctionIDOrClientID, sys::COR_PRF_ELT_INFO)>;

/// The hooks that the profiler has installed.
pub(super) fn mapper_of(profiling: &Profiling) -> (sys::FunctionIDMapper2, usize) {
    (profiling.mapper, profiling.mapper_data)
}

/// Calls a hook.
pub(super) fn call(hook: Hook, client: usize, record: usize) {
    if let Some(hook) = hook {
        let _site = site::enter(Site::Hook);
        // SAFETY: as the contract has it.
        unsafe { hook(sys::FunctionIDOrClientID { clientID: client }, record) };
    }
}
