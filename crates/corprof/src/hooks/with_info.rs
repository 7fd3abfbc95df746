//! The functions that the runtime calls for the documented hooks.
//!
//! Contract of the unsafe code here: the client id of a hooked function is the address of a [`Hooked`] that
//! the mapper below has made and that is never freed; the runtime passes it back unchanged. The mapper's
//! client data is a [`Running`] that is never freed either. Nothing unwinds out of these functions.
#![allow(unsafe_code)]

use core::ffi::c_void;
use std::sync::Arc;

use corprof_sys as sys;

use super::FunctionHooks;
use super::frame::{EnterFrame, LeaveFrame, TailcallFrame};
use crate::com::object::Running;
use crate::ids::FunctionId;
use crate::{ProfilerInfo, Result};

/// A function that is hooked: what its client id points to.
struct Hooked<P: FunctionHooks> {
    running: &'static Running<P>,
    function: FunctionId,
    kept: P::Function,
}

/// Installs mapper and hooks. From here on the running profiler lives as long as the process.
pub(super) fn install<P: FunctionHooks>(running: &Arc<Running<P>>) -> Result<()> {
    super::tail_calls::guard(&running.info)?;
    let client_data = Arc::into_raw(Arc::clone(running));
    // SAFETY: the mapper expects a `Running<P>`, which the count that was just given up keeps alive; the hooks
    // expect what that mapper returns.
    unsafe {
        running.info.set_function_id_mapper(Some(map_function::<P>), client_data.cast_mut().cast())?;
        running.info.set_hooks_with_info(
            Some(enter_for::<P>(&running.info)),
            Some(leave::<P>),
            Some(tailcall::<P>),
        )
    }
}

/// An enter hook, as the runtime calls it.
type EnterHook = unsafe extern "system" fn(sys::FunctionIDOrClientID, sys::COR_PRF_ELT_INFO);

/// The enter hook for this runtime.
fn enter_for<P: FunctionHooks>(info: &ProfilerInfo) -> EnterHook {
    #[cfg(all(target_arch = "x86_64", unix))]
    if super::float_registers::are_lost(info) {
        return super::float_registers::enter::<P>;
    }
    let _ = info;
    enter::<P>
}

unsafe extern "system" fn map_function<P: FunctionHooks>(
    function: sys::FunctionID,
    client_data: *mut c_void,
    hook: *mut sys::BOOL,
) -> sys::UINT_PTR {
    // SAFETY: `install` has passed a `Running<P>` that is never freed.
    let running: &'static Running<P> = unsafe { &*client_data.cast_const().cast() };
    let kept = FunctionId::from_raw(function).and_then(|function| {
        let kept = running.deliver("FunctionIDMapper2", |profiler| profiler.map_function(function))??;
        Some(Box::new(Hooked { running, function, kept }))
    });
    // SAFETY: the runtime passes a place for a BOOL.
    unsafe { hook.write(kept.is_some().into()) };
    kept.map_or(function, |hooked| Box::into_raw(hooked).expose_provenance())
}

/// What a client id points to.
///
/// # Safety
/// The client id came from [`map_function::<P>`].
unsafe fn hooked<P: FunctionHooks>(client: sys::FunctionIDOrClientID) -> &'static Hooked<P> {
    // SAFETY: says the caller; what it points to is never freed and never written.
    unsafe { &*core::ptr::with_exposed_provenance(client.clientID) }
}

/// The enter hook.
///
/// # Safety
/// `client` is what [`map_function::<P>`] has returned, and `elt` the runtime's for this call.
pub(super) unsafe extern "system" fn enter<P: FunctionHooks>(
    client: sys::FunctionIDOrClientID,
    elt: sys::COR_PRF_ELT_INFO,
) {
    // SAFETY: the runtime passes what the mapper has returned.
    let Hooked { running, function, kept } = unsafe { hooked::<P>(client) };
    // SAFETY: `elt` is for this hook and this function, and the frame ends with the hook.
    let frame = unsafe { EnterFrame::new(&running.info, *function, elt) };
    running.deliver("FunctionEnter3WithInfo", |profiler| profiler.enter(kept, &frame));
}

unsafe extern "system" fn leave<P: FunctionHooks>(
    client: sys::FunctionIDOrClientID,
    elt: sys::COR_PRF_ELT_INFO,
) {
    // SAFETY: the runtime passes what the mapper has returned.
    let Hooked { running, function, kept } = unsafe { hooked::<P>(client) };
    // SAFETY: `elt` is for this hook and this function, and the frame ends with the hook.
    let frame = unsafe { LeaveFrame::new(&running.info, *function, elt) };
    running.deliver("FunctionLeave3WithInfo", |profiler| profiler.leave(kept, &frame));
}

unsafe extern "system" fn tailcall<P: FunctionHooks>(
    client: sys::FunctionIDOrClientID,
    elt: sys::COR_PRF_ELT_INFO,
) {
    // SAFETY: the runtime passes what the mapper has returned.
    let Hooked { running, function, kept } = unsafe { hooked::<P>(client) };
    // SAFETY: `elt` is for this hook and this function, and the frame ends with the hook.
    let frame = unsafe { TailcallFrame::new(&running.info, *function, elt) };
    running.deliver("FunctionTailcall3WithInfo", |profiler| profiler.tailcall(kept, &frame));
}
