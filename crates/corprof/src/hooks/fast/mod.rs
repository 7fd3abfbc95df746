//! Hooks that are called by the compiled code directly, without the runtime in between.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | installing them, and from the stubs to the profiler |
//! | `x86_64_sysv` | the stubs for x86-64 outside of Windows |
//! | `missing` | where there are no stubs: the profiler is refused |
//!
//! Another architecture or convention is another file with stubs, areas and what is found in them.
//!
//! Contract of the unsafe code here: a stub passes the mapper's client id and an area of its own that lives until the
//! stub ends; nothing unwinds out of the functions that the stubs call.
#![allow(unsafe_code)]

#[cfg(not(all(target_arch = "x86_64", unix)))]
#[path = "missing.rs"]
mod stubs;
#[cfg(all(target_arch = "x86_64", unix))]
#[path = "x86_64_sysv.rs"]
mod stubs;

use core::marker::PhantomData;
use std::sync::Arc;

use stubs::Receiver;
pub(super) use stubs::{EnterArea, LeaveArea};
#[cfg(all(target_arch = "x86_64", unix))]
pub(super) use stubs::{FLOAT_ARGUMENTS, INTEGER_ARGUMENTS};

use super::frame::{Call, EnterFrame, LeaveFrame, TailcallFrame};
use super::function_hooks::FunctionHooks;
use super::hooked::{hooked, install_mapper};
use super::shared_lifetime::settle;
use super::unused_vectors::UnusedVectors;
use crate::error::Result;
use crate::event_mask::EventMask;
use crate::running::Running;

// The names of the hooks, for messages.
const ENTER: &str = "FunctionEnter3";
const LEAVE: &str = "FunctionLeave3";
const TAILCALL: &str = "FunctionTailcall3";

/// What only hooks with info need.
const WITH_INFO_ONLY: EventMask = EventMask::ENABLE_FUNCTION_ARGS
    .union(EventMask::ENABLE_FUNCTION_RETVAL)
    .union(EventMask::ENABLE_FRAME_INFO);

/// The first .NET version with on-stack replacement on x86-64. The code that replaces a running method calls no leave hook.
const FIRST_WITH_OSR: u16 = 7;

/// Installs mapper and hooks. From here on the running profiler lives as long as the process.
pub(super) fn install<P: FunctionHooks>(running: &Arc<Running<P>>) -> Result<()> {
    let info = &running.info;
    let mut mask = info.event_mask()?.difference(WITH_INFO_ONLY);
    if info.major_version().is_none_or(|major| major >= FIRST_WITH_OSR) {
        mask |= EventMask::DISABLE_TIERED_COMPILATION;
    }
    info.set_event_mask(mask)?;
    let stubs = stubs::for_this_processor::<Calls<P>>()?;
    info.start_helper_thread()?;
    install_mapper(running, UnusedVectors::of)?;
    // SAFETY: the hooks expect what the mapper returns, and keep the registers that compiled code has in use.
    unsafe { info.raw().set_hooks(Some(stubs.enter), Some(stubs.leave), Some(stubs.tailcall)) }
}

/// The way of every call from the stubs to a profiler.
struct Calls<P>(PhantomData<P>);

/// What the hooks do when there is something to do besides calling the profiler: it has panicked, is off, or the lifetime of
/// the function is unknown. They are functions of their own, so that the other hooks save no registers for what they do
/// not do. All have the contract of [`Receiver`]'s.
impl<P: FunctionHooks> Calls<P> {
    #[cold]
    #[inline(never)]
    unsafe extern "C" fn enter_with_care(client: usize, area: &EnterArea) {
        // SAFETY: says the caller.
        let hooked = unsafe { hooked::<P>(client) };
        let frame = EnterFrame(Call::fast(&hooked.running.info, &hooked.function, area));
        let _held = settle(hooked, &frame, ENTER);
        hooked.deliver(ENTER, |profiler, kept| profiler.enter(kept, &frame));
    }

    #[cold]
    #[inline(never)]
    unsafe extern "C" fn leave_with_care(client: usize, area: &LeaveArea) {
        // SAFETY: says the caller.
        let hooked = unsafe { hooked::<P>(client) };
        let frame = LeaveFrame(Call::fast(&hooked.running.info, &hooked.function, area));
        hooked.deliver(LEAVE, |profiler, kept| profiler.leave(kept, &frame));
    }

    #[cold]
    #[inline(never)]
    unsafe extern "C" fn tailcall_with_care(client: usize, area: &LeaveArea) {
        // SAFETY: says the caller.
        let hooked = unsafe { hooked::<P>(client) };
        let frame = TailcallFrame(Call::fast(&hooked.running.info, &hooked.function, area));
        hooked.deliver(TAILCALL, |profiler, kept| profiler.tailcall(kept, &frame));
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
        hooked.deliver_at_once(ENTER, |profiler, kept| profiler.enter(kept, &frame));
    }

    unsafe extern "C" fn leave(client: usize, area: &LeaveArea) {
        // SAFETY: the runtime passes what the mapper has returned, to a hook that runs now.
        let hooked = unsafe { hooked::<P>(client) };
        if !hooked.is_undisturbed() {
            // SAFETY: as above.
            return unsafe { Self::leave_with_care(client, area) };
        }
        let frame = LeaveFrame(Call::fast(&hooked.running.info, &hooked.function, area));
        hooked.deliver_at_once(LEAVE, |profiler, kept| profiler.leave(kept, &frame));
    }

    unsafe extern "C" fn tailcall(client: usize, area: &LeaveArea) {
        // SAFETY: the runtime passes what the mapper has returned, to a hook that runs now.
        let hooked = unsafe { hooked::<P>(client) };
        if !hooked.is_undisturbed() {
            // SAFETY: as above.
            return unsafe { Self::tailcall_with_care(client, area) };
        }
        let frame = TailcallFrame(Call::fast(&hooked.running.info, &hooked.function, area));
        hooked.deliver_at_once(TAILCALL, |profiler, kept| profiler.tailcall(kept, &frame));
    }
}
