//! From a call of an ELT hook to the profiler: the functions that the runtime and the fast-path stubs call.
//!
//! Contract of the unsafe code here: the client id is the mapper's ([`hooked`](super::hooked)). A slow-path hook gets a
//! `COR_PRF_ELT_INFO` that is valid until the hook returns; a fast-path stub passes an area of its own that is valid until
//! the stub returns. The hook that restores registers is installed only on a runtime whose area has the layout that it reads.
//! Nothing unwinds out of these functions.
#![allow(unsafe_code)]

use core::marker::PhantomData;
use std::sync::Arc;

use corprof_sys as sys;

use super::fast::{self, EnterArea, LeaveArea, Receiver};
use super::frame::{Call, EnterFrame, LeaveFrame, TailcallFrame};
use super::function_hooks::FunctionHooks;
use super::hooked::{Hooked, hooked, install_mapper};
use super::shared_lifetime::settle;
use super::unused_vectors::UnusedVectors;
use crate::error::Result;
use crate::event_mask::EventMask;
use crate::report;
use crate::running::Running;
use crate::runtime::ProfilerInfo;

// The names of the hooks, for messages.
const SLOW_ENTER: &str = "FunctionEnter3WithInfo";
const SLOW_LEAVE: &str = "FunctionLeave3WithInfo";
const FAST_ENTER: &str = "FunctionEnter3";
const FAST_LEAVE: &str = "FunctionLeave3";
const FAST_TAILCALL: &str = "FunctionTailcall3";

/// Flags that only slow-path hooks need.
const WITH_INFO_ONLY: EventMask = EventMask::ENABLE_FUNCTION_ARGS
    .union(EventMask::ENABLE_FUNCTION_RETVAL)
    .union(EventMask::ENABLE_FRAME_INFO);

/// Installs the mapper and fast-path hooks. From here on the running profiler lives as long as the process.
pub(super) fn install_fast<P: FunctionHooks>(running: &Arc<Running<P>>) -> Result<()> {
    let info = &running.info;
    info.remove_from_event_mask(WITH_INFO_ONLY)?;
    let stubs = fast::for_this_processor::<Calls<P>>()?;
    info.start_helper_thread()?;
    if !info.major_version().is_some_and(UnusedVectors::are_measured_on) {
        let version = info.runtime_info().map_or("of unknown version", |runtime| &runtime.version_string);
        report::failure(&format!(
            "fast-path hooks were not measured on the runtime {version}: they keep every register, and take longer"
        ));
    }
    install_mapper(running, UnusedVectors::of)?;
    // SAFETY: the hooks expect what the mapper returns, and keep the registers that compiled code has in use.
    unsafe { info.raw().set_hooks(Some(stubs.enter), Some(stubs.leave), Some(stubs.tailcall)) }
}

/// Receives the calls of the fast-path stubs.
struct Calls<P>(PhantomData<P>);

/// The hooks of a profiler that has panicked or is switched off, and of a function of an unknown lifetime. They are functions
/// of their own, so that the other hooks save no registers for them. Each has the contract of that of [`Receiver`].
impl<P: FunctionHooks> Calls<P> {
    #[cold]
    #[inline(never)]
    unsafe extern "C" fn enter_with_care(client: usize, area: &EnterArea) {
        // SAFETY: the contract of this function.
        let hooked = unsafe { hooked::<P>(client) };
        let frame = EnterFrame(Call::fast(&hooked.running.info, &hooked.function, area));
        let _held = settle(hooked, &frame, FAST_ENTER);
        hooked.deliver(FAST_ENTER, |profiler, data| profiler.enter(data, &frame));
    }

    #[cold]
    #[inline(never)]
    unsafe extern "C" fn leave_with_care(client: usize, area: &LeaveArea) {
        // SAFETY: the contract of this function.
        let hooked = unsafe { hooked::<P>(client) };
        let frame = LeaveFrame(Call::fast(&hooked.running.info, &hooked.function, area));
        hooked.deliver(FAST_LEAVE, |profiler, data| profiler.leave(data, &frame));
    }

    #[cold]
    #[inline(never)]
    unsafe extern "C" fn tailcall_with_care(client: usize, area: &LeaveArea) {
        // SAFETY: the contract of this function.
        let hooked = unsafe { hooked::<P>(client) };
        let frame = TailcallFrame(Call::fast(&hooked.running.info, &hooked.function, area));
        hooked.deliver(FAST_TAILCALL, |profiler, data| profiler.tailcall(data, &frame));
    }
}

// SAFETY: nothing unwinds out of `deliver`, `deliver_at_once` and `settle`.
unsafe impl<P: FunctionHooks> Receiver for Calls<P> {
    unsafe extern "C" fn enter(client: usize, area: &EnterArea) {
        // SAFETY: the runtime passes what the mapper has returned, to a hook that runs now.
        let hooked = unsafe { hooked::<P>(client) };
        if hooked.lifetime.is_unknown() || !hooked.is_undisturbed() {
            // SAFETY: as above.
            return unsafe { Self::enter_with_care(client, area) };
        }
        let frame = EnterFrame(Call::fast(&hooked.running.info, &hooked.function, area));
        hooked.deliver_at_once(FAST_ENTER, |profiler, data| profiler.enter(data, &frame));
    }

    unsafe extern "C" fn leave(client: usize, area: &LeaveArea) {
        // SAFETY: the runtime passes what the mapper has returned, to a hook that runs now.
        let hooked = unsafe { hooked::<P>(client) };
        if !hooked.is_undisturbed() {
            // SAFETY: as above.
            return unsafe { Self::leave_with_care(client, area) };
        }
        let frame = LeaveFrame(Call::fast(&hooked.running.info, &hooked.function, area));
        hooked.deliver_at_once(FAST_LEAVE, |profiler, data| profiler.leave(data, &frame));
    }

    unsafe extern "C" fn tailcall(client: usize, area: &LeaveArea) {
        // SAFETY: the runtime passes what the mapper has returned, to a hook that runs now.
        let hooked = unsafe { hooked::<P>(client) };
        if !hooked.is_undisturbed() {
            // SAFETY: as above.
            return unsafe { Self::tailcall_with_care(client, area) };
        }
        let frame = TailcallFrame(Call::fast(&hooked.running.info, &hooked.function, area));
        hooked.deliver_at_once(FAST_TAILCALL, |profiler, data| profiler.tailcall(data, &frame));
    }
}

/// Installs the mapper and slow-path hooks. From here on the running profiler lives as long as the process.
pub(super) fn install_with_info<P: FunctionHooks>(running: &Arc<Running<P>>) -> Result<()> {
    let info = &running.info;
    super::tail_calls::guard(info)?;
    install_mapper(running, |_, _| UnusedVectors::NONE)?;
    // SAFETY: the hooks expect what the mapper returns.
    unsafe {
        info.raw().set_hooks_with_info(Some(enter_for::<P>(info)), Some(leave::<P>), Some(tailcall::<P>))
    }
}

/// A slow-path enter hook, as the runtime calls it.
type EnterHook = unsafe extern "system" fn(sys::FunctionIDOrClientID, sys::COR_PRF_ELT_INFO);

/// The slow-path enter hook for this runtime.
fn enter_for<P: FunctionHooks>(info: &ProfilerInfo) -> EnterHook {
    #[cfg(all(target_arch = "x86_64", unix))]
    if float_registers::are_lost(info) {
        return float_registers::enter::<P>;
    }
    let _ = info;
    enter::<P>
}

/// The slow-path enter hook of a profiler that has panicked or is switched off, and of a function of an unknown lifetime.
///
/// It has a frame of its own, so that the frame of the other hook need not be in memory.
///
/// # Safety
/// `elt` is the runtime's, for the enter hook that is running for this function.
#[cold]
#[inline(never)]
unsafe fn enter_with_care<P: FunctionHooks>(hooked: &Hooked<P>, elt: sys::COR_PRF_ELT_INFO) {
    // SAFETY: the contract of this function; the frame ends before the hook does.
    let frame = EnterFrame(unsafe { Call::with_info(&hooked.running.info, &hooked.function, elt) });
    let _held = settle(hooked, &frame, SLOW_ENTER);
    hooked.deliver(SLOW_ENTER, |profiler, data| profiler.enter(data, &frame));
}

/// The same for the leave hook.
///
/// # Safety
/// As for [`enter_with_care`].
#[cold]
#[inline(never)]
unsafe fn leave_with_care<P: FunctionHooks>(hooked: &Hooked<P>, elt: sys::COR_PRF_ELT_INFO) {
    // SAFETY: the contract of this function; the frame ends before the hook does.
    let frame = LeaveFrame(unsafe { Call::with_info(&hooked.running.info, &hooked.function, elt) });
    hooked.deliver(SLOW_LEAVE, |profiler, data| profiler.leave(data, &frame));
}

/// The slow-path enter hook.
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
    hooked.deliver_at_once(SLOW_ENTER, |profiler, data| profiler.enter(data, &frame));
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
    hooked.deliver_at_once(SLOW_LEAVE, |profiler, data| profiler.leave(data, &frame));
}

unsafe extern "system" fn tailcall<P: FunctionHooks>(
    client: sys::FunctionIDOrClientID,
    elt: sys::COR_PRF_ELT_INFO,
) {
    // SAFETY: the runtime passes what the mapper has returned, to a hook that runs now.
    let hooked = unsafe { hooked::<P>(client.clientID) };
    // SAFETY: `elt` is for this hook and this function, and the frame ends with the hook.
    let frame = TailcallFrame(unsafe { Call::with_info(&hooked.running.info, &hooked.function, elt) });
    hooked.deliver("FunctionTailcall3WithInfo", |profiler, data| profiler.tailcall(data, &frame));
}

/// A guard against a defect of the runtime: a hook costs the program its floating-point arguments.
///
/// On .NET Core 3.1 (Linux x86-64) the stub that calls a slow-path enter hook restores `xmm0` and `xmm1` for the
/// method that is entered, and does not restore `xmm2` to `xmm7`: the method gets the values that the hook leaves in them
/// as its third to eighth floating-point argument. Their values are in the area that the stub has saved,
/// and [`enter`](float_registers::enter) loads them again after the hook.
///
/// Register contract (System V, x86-64): entered with the client id in `rdi` and the `COR_PRF_ELT_INFO` in
/// `rsi`, whose first word points to the area; calls the hook with both as they are; returns with
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

    /// Returns whether the runtime does not restore `xmm2` to `xmm7`: .NET Core 3.0 and 3.1.
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
