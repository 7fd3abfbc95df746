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

use super::FunctionHooks;
use super::doubt::settle;
use super::frame::{Call, EnterFrame, LeaveFrame, TailcallFrame};
use super::hooked::{Hooked, hooked, install_mapper};
use super::idle::Idle;
use crate::com::object::Running;
use crate::{EventMask, Result};

/// The name of the enter hook, for messages.
const ENTER: &str = "FunctionEnter3";

/// What only hooks with info need.
const WITH_INFO_ONLY: EventMask = EventMask::ENABLE_FUNCTION_ARGS
    .union(EventMask::ENABLE_FUNCTION_RETVAL)
    .union(EventMask::ENABLE_FRAME_INFO);

/// Installs mapper and hooks. From here on the running profiler lives as long as the process.
pub(super) fn install<P: FunctionHooks, const SELECTIVE: bool>(running: &Arc<Running<P>>) -> Result<()> {
    let info = &running.info;
    info.set_event_mask(info.event_mask()?.difference(WITH_INFO_ONLY))?;
    let stubs = stubs::for_this_processor::<Calls<P, SELECTIVE>>()?;
    info.start_clerk()?;
    install_mapper(running, Idle::of)?;
    // SAFETY: the hooks expect what the mapper returns, and keep the registers that compiled code has in use.
    unsafe { info.set_hooks(Some(stubs.enter), Some(stubs.leave), Some(stubs.tailcall)) }
}

/// From the stubs to a profiler: every call, or those that are selected.
struct Calls<P, const SELECTIVE: bool>(PhantomData<P>);

impl<P: FunctionHooks, const SELECTIVE: bool> Calls<P, SELECTIVE> {
    /// The enter hook of a call after the first ones, or with `IN_DOUBT` of one of those. They are two functions, so that the
    /// compiler makes each of one piece with the profiler's part.
    #[inline(always)]
    fn enter<const IN_DOUBT: bool>(hooked: &Hooked<P>, area: &EnterArea) {
        let frame = EnterFrame(Call::fast(&hooked.running.info, &hooked.function, area));
        if IN_DOUBT {
            settle(hooked, &frame, ENTER);
        }
        if SELECTIVE && !hooked.begins(Some(area.stack())) {
            return;
        }
        hooked.deliver(ENTER, |profiler, kept| profiler.enter(kept, &frame));
    }

    /// One of a function's first calls, with which it is found out whether the function goes away with a module. It is apart
    /// as a whole, so that the hooks of other calls put nothing away for what they do not do.
    ///
    /// # Safety
    /// As for [`Receiver::enter`].
    #[cold]
    #[inline(never)]
    unsafe extern "C" fn enter_in_doubt(client: usize, area: &EnterArea) {
        // SAFETY: says the caller.
        Self::enter::<true>(unsafe { hooked::<P>(client) }, area);
    }
}

// SAFETY: `deliver` and `settle` let nothing unwind.
unsafe impl<P: FunctionHooks, const SELECTIVE: bool> Receiver for Calls<P, SELECTIVE> {
    unsafe extern "C" fn enter(client: usize, area: &EnterArea) {
        // SAFETY: the runtime passes what the mapper has returned, to a hook that runs now.
        let hooked = unsafe { hooked::<P>(client) };
        if hooked.doubt.is_left() {
            // SAFETY: as above.
            return unsafe { Self::enter_in_doubt(client, area) };
        }
        Self::enter::<false>(hooked, area);
    }

    unsafe extern "C" fn leave(client: usize, area: &LeaveArea) {
        // SAFETY: the runtime passes what the mapper has returned, to a hook that runs now.
        let hooked = unsafe { hooked::<P>(client) };
        if SELECTIVE && !hooked.ends(Some(area.stack())) {
            return;
        }
        let frame = LeaveFrame(Call::fast(&hooked.running.info, &hooked.function, area));
        hooked.deliver("FunctionLeave3", |profiler, kept| profiler.leave(kept, &frame));
    }

    unsafe extern "C" fn tailcall(client: usize, area: &LeaveArea) {
        // SAFETY: the runtime passes what the mapper has returned, to a hook that runs now.
        let hooked = unsafe { hooked::<P>(client) };
        if SELECTIVE && !hooked.ends(Some(area.stack())) {
            return;
        }
        let frame = TailcallFrame(Call::fast(&hooked.running.info, &hooked.function, area));
        hooked.deliver("FunctionTailcall3", |profiler, kept| profiler.tailcall(kept, &frame));
    }
}
