//! The functions that the runtime calls for the documented hooks.
//!
//! Contract of the unsafe code here: the client id is the mapper's ([`hooked`](super::hooked)), and
//! `COR_PRF_ELT_INFO` is good until the hook returns. The hook that
//! restores registers is installed only on a runtime whose area has the layout that it reads. Nothing unwinds out of these functions.
#![allow(unsafe_code)]

use std::sync::Arc;

use corprof_sys as sys;

use super::frame::{Call, EnterFrame, LeaveFrame, TailcallFrame};
use super::function_hooks::FunctionHooks;
use super::hooked::{Hooked, hooked, install_mapper};
use super::shared_lifetime::settle;
use super::unused_vectors::UnusedVectors;
use crate::error::Result;
use crate::running::Running;
use crate::runtime::ProfilerInfo;

// The names of the hooks, for messages.
const ENTER: &str = "FunctionEnter3WithInfo";
const LEAVE: &str = "FunctionLeave3WithInfo";

/// Installs mapper and hooks. From here on the running profiler lives as long as the process.
pub(super) fn install<P: FunctionHooks>(running: &Arc<Running<P>>) -> Result<()> {
    super::tail_calls::guard(&running.info)?;
    install_mapper(running, |_, _| UnusedVectors::NONE)?;
    // SAFETY: the hooks expect what the mapper returns.
    unsafe {
        running.info.raw().set_hooks_with_info(
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
    if float_registers::are_lost(info) {
        return float_registers::enter::<P>;
    }
    let _ = info;
    enter::<P>
}

/// What the enter hook does when there is something to do besides calling the profiler: it has panicked, is off, or the
/// lifetime of the function is unknown.
///
/// It has a frame of its own, so that the other hook's need not be in memory.
///
/// # Safety
/// `elt` is the runtime's, for the enter hook that is running for this function.
#[cold]
#[inline(never)]
unsafe fn enter_with_care<P: FunctionHooks>(hooked: &Hooked<P>, elt: sys::COR_PRF_ELT_INFO) {
    // SAFETY: says the caller; the frame ends before the hook does.
    let frame = EnterFrame(unsafe { Call::with_info(&hooked.running.info, &hooked.function, elt) });
    let _held = settle(hooked, &frame, ENTER);
    hooked.deliver(ENTER, |profiler, kept| profiler.enter(kept, &frame));
}

/// The same for the leave hook.
///
/// # Safety
/// As for [`enter_with_care`].
#[cold]
#[inline(never)]
unsafe fn leave_with_care<P: FunctionHooks>(hooked: &Hooked<P>, elt: sys::COR_PRF_ELT_INFO) {
    // SAFETY: says the caller; the frame ends before the hook does.
    let frame = LeaveFrame(unsafe { Call::with_info(&hooked.running.info, &hooked.function, elt) });
    hooked.deliver(LEAVE, |profiler, kept| profiler.leave(kept, &frame));
}

/// The enter hook.
///
/// # Safety
/// `client` is what the mapper has returned, and `elt` the runtime's for this call.
pub(super) unsafe extern "system" fn enter<P: FunctionHooks>(
    client: sys::FunctionIDOrClientID,
    elt: sys::COR_PRF_ELT_INFO,
) {
    // SAFETY: the runtime passes what the mapper has returned, to a hook that runs now.
    let hooked = unsafe { hooked::<P>(client.clientID) };
    if hooked.lifetime.is_unknown() || !hooked.is_undisturbed() {
        // SAFETY: `elt` is for this hook and this function.
        return unsafe { enter_with_care(hooked, elt) };
    }
    // SAFETY: `elt` is for this hook and this function, and the frame ends with the hook.
    let frame = EnterFrame(unsafe { Call::with_info(&hooked.running.info, &hooked.function, elt) });
    hooked.deliver_at_once(ENTER, |profiler, kept| profiler.enter(kept, &frame));
}

unsafe extern "system" fn leave<P: FunctionHooks>(
    client: sys::FunctionIDOrClientID,
    elt: sys::COR_PRF_ELT_INFO,
) {
    // SAFETY: the runtime passes what the mapper has returned, to a hook that runs now.
    let hooked = unsafe { hooked::<P>(client.clientID) };
    if !hooked.is_undisturbed() {
        // SAFETY: `elt` is for this hook and this function.
        return unsafe { leave_with_care(hooked, elt) };
    }
    // SAFETY: `elt` is for this hook and this function, and the frame ends with the hook.
    let frame = LeaveFrame(unsafe { Call::with_info(&hooked.running.info, &hooked.function, elt) });
    hooked.deliver_at_once(LEAVE, |profiler, kept| profiler.leave(kept, &frame));
}

unsafe extern "system" fn tailcall<P: FunctionHooks>(
    client: sys::FunctionIDOrClientID,
    elt: sys::COR_PRF_ELT_INFO,
) {
    // SAFETY: the runtime passes what the mapper has returned, to a hook that runs now.
    let hooked = unsafe { hooked::<P>(client.clientID) };
    // SAFETY: `elt` is for this hook and this function, and the frame ends with the hook.
    let frame = TailcallFrame(unsafe { Call::with_info(&hooked.running.info, &hooked.function, elt) });
    hooked.deliver("FunctionTailcall3WithInfo", |profiler, kept| profiler.tailcall(kept, &frame));
}

/// A guard against a defect of the runtime: a hook costs the program its floating-point arguments.
///
/// On .NET Core 3.1 (Linux x86-64) the stub that calls an enter hook with info keeps `xmm0` and `xmm1` for the
/// method that is entered, and forgets `xmm2` to `xmm7`: whatever the hook leaves in them is what the method
/// gets as its third to eighth floating-point argument. Their values are in the area that the stub has saved,
/// however, and [`enter`](float_registers::enter) loads them again when the hook is done.
///
/// Register contract (System V, x86-64): entered with the client id in `rdi` and the `COR_PRF_ELT_INFO` in
/// `rsi`, of which the first word points to the area; calls the hook with both as they are; returns with
/// `xmm2` to `xmm7` loaded from the area, callee-saved registers as they were, and the stack aligned for the
/// call. Only the lower 8 bytes are loaded: no managed argument has more of a register in this runtime.
#[cfg(all(target_arch = "x86_64", unix))]
mod float_registers {
    use core::arch::naked_asm;

    use corprof_sys as sys;

    use crate::hooks::function_hooks::FunctionHooks;
    use crate::hooks::save_area::Stubs;
    use crate::runtime::ProfilerInfo;

    /// The offset in the area of the value of `xmm0`, 8 bytes; those of `xmm1` to `xmm7` follow.
    const FLOATS: usize = 56;

    /// Whether the runtime is one that forgets `xmm2` to `xmm7`: .NET Core 3.0 and 3.1.
    pub(super) fn are_lost(info: &ProfilerInfo) -> bool {
        Stubs::of(info) == Stubs::V3_1
    }

    /// The enter hook, with the registers loaded again afterwards.
    ///
    /// # Safety
    /// As for [`super::enter`]; the runtime is one of those that [`are_lost`] names.
    #[unsafe(naked)]
    pub(super) unsafe extern "system" fn enter<P: FunctionHooks>(
        client: sys::FunctionIDOrClientID,
        elt: sys::COR_PRF_ELT_INFO,
    ) {
        naked_asm!(
            "push rbx",
            "mov rbx, [rsi]",
            "call {hook}",
            "movsd xmm2, qword ptr [rbx + {floats} + 16]",
            "movsd xmm3, qword ptr [rbx + {floats} + 24]",
            "movsd xmm4, qword ptr [rbx + {floats} + 32]",
            "movsd xmm5, qword ptr [rbx + {floats} + 40]",
            "movsd xmm6, qword ptr [rbx + {floats} + 48]",
            "movsd xmm7, qword ptr [rbx + {floats} + 56]",
            "pop rbx",
            "ret",
            hook = sym super::enter::<P>,
            floats = const FLOATS,
        )
    }
}
