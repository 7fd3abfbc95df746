//! The functions that the runtime calls for the documented hooks.
//!
//! Contract of the unsafe code here: the client id is the mapper's ([`hooked`](super::hooked)), and
//! `COR_PRF_ELT_INFO` is good until the hook returns. Nothing unwinds out of these functions.
#![allow(unsafe_code)]

use std::sync::Arc;

use corprof_sys as sys;

use super::FunctionHooks;
use super::doubt::settle;
use super::frame::{Call, EnterFrame, LeaveFrame, TailcallFrame};
use super::hooked::{Hooked, hooked, install_mapper};
use super::idle::Idle;
use super::save_area::caller_stack_pointer;
use crate::com::object::Running;
use crate::{Error, ProfilerInfo, Result};

/// Installs mapper and hooks. From here on the running profiler lives as long as the process.
pub(super) fn install<P: FunctionHooks, const SELECTIVE: bool>(running: &Arc<Running<P>>) -> Result<()> {
    if SELECTIVE && !super::save_area::HAS_CALLER_STACK_POINTER {
        return Err(Error::other(
            "calls cannot be selected with hooks with info here: x86-64 outside of Windows only",
        ));
    }
    super::tail_calls::guard(&running.info)?;
    install_mapper(running, |_, _| Idle::NEVER)?;
    // SAFETY: the hooks expect what the mapper returns.
    unsafe {
        running.info.set_hooks_with_info(
            Some(enter_for::<P, SELECTIVE>(&running.info)),
            Some(leave::<P, SELECTIVE>),
            Some(tailcall::<P, SELECTIVE>),
        )
    }
}

/// An enter hook, as the runtime calls it.
type EnterHook = unsafe extern "system" fn(sys::FunctionIDOrClientID, sys::COR_PRF_ELT_INFO);

/// The enter hook for this runtime.
fn enter_for<P: FunctionHooks, const SELECTIVE: bool>(info: &ProfilerInfo) -> EnterHook {
    #[cfg(all(target_arch = "x86_64", unix))]
    if super::float_registers::are_lost(info) {
        return super::float_registers::enter::<P, SELECTIVE>;
    }
    let _ = info;
    enter::<P, SELECTIVE>
}

/// Finds out with this call whether a function goes away with a module.
///
/// It has a frame of its own, so that the hook's need not be in memory.
///
/// # Safety
/// `elt` is the runtime's, for the enter hook that is running for this function.
#[cold]
#[inline(never)]
unsafe fn settle_by<P: FunctionHooks>(hooked: &Hooked<P>, elt: sys::COR_PRF_ELT_INFO) {
    // SAFETY: says the caller; the frame ends before the hook does.
    let frame = EnterFrame(unsafe { Call::with_info(&hooked.running.info, &hooked.function, elt) });
    settle(hooked, &frame, "FunctionEnter3WithInfo");
}

/// The enter hook.
///
/// # Safety
/// `client` is what the mapper has returned, and `elt` the runtime's for this call.
pub(super) unsafe extern "system" fn enter<P: FunctionHooks, const SELECTIVE: bool>(
    client: sys::FunctionIDOrClientID,
    elt: sys::COR_PRF_ELT_INFO,
) {
    // SAFETY: the runtime passes what the mapper has returned, to a hook that runs now.
    let hooked = unsafe { hooked::<P>(client.clientID) };
    if hooked.doubt.is_left() {
        // SAFETY: `elt` is for this hook and this function.
        unsafe { settle_by(hooked, elt) };
    }
    // SAFETY: `elt` is for this hook.
    if SELECTIVE && !hooked.begins(unsafe { caller_stack_pointer(elt) }) {
        return;
    }
    // SAFETY: `elt` is for this hook and this function, and the frame ends with the hook.
    let frame = EnterFrame(unsafe { Call::with_info(&hooked.running.info, &hooked.function, elt) });
    hooked.deliver("FunctionEnter3WithInfo", |profiler, kept| profiler.enter(kept, &frame));
}

unsafe extern "system" fn leave<P: FunctionHooks, const SELECTIVE: bool>(
    client: sys::FunctionIDOrClientID,
    elt: sys::COR_PRF_ELT_INFO,
) {
    // SAFETY: the runtime passes what the mapper has returned, to a hook that runs now.
    let hooked = unsafe { hooked::<P>(client.clientID) };
    // SAFETY: `elt` is for this hook.
    if SELECTIVE && !hooked.ends(unsafe { caller_stack_pointer(elt) }) {
        return;
    }
    // SAFETY: `elt` is for this hook and this function, and the frame ends with the hook.
    let frame = LeaveFrame(unsafe { Call::with_info(&hooked.running.info, &hooked.function, elt) });
    hooked.deliver("FunctionLeave3WithInfo", |profiler, kept| profiler.leave(kept, &frame));
}

unsafe extern "system" fn tailcall<P: FunctionHooks, const SELECTIVE: bool>(
    client: sys::FunctionIDOrClientID,
    elt: sys::COR_PRF_ELT_INFO,
) {
    // SAFETY: the runtime passes what the mapper has returned, to a hook that runs now.
    let hooked = unsafe { hooked::<P>(client.clientID) };
    // SAFETY: `elt` is for this hook.
    if SELECTIVE && !hooked.ends(unsafe { caller_stack_pointer(elt) }) {
        return;
    }
    // SAFETY: `elt` is for this hook and this function, and the frame ends with the hook.
    let frame = TailcallFrame(unsafe { Call::with_info(&hooked.running.info, &hooked.function, elt) });
    hooked.deliver("FunctionTailcall3WithInfo", |profiler, kept| profiler.tailcall(kept, &frame));
}
