//! The functions that the runtime calls for the documented hooks.
//!
//! Contract of the unsafe code here: the client id of a hooked function is the address of a [`Hooked`] that
//! the mapper below has made; the runtime passes it back unchanged. It is freed when the function's module has been
//! announced to be unloaded, and otherwise never: the hooks of a function run while there is a frame of it, and the
//! runtime unloads a module only when there is none (`SAFETY.md` has the argument). The mapper's client data is a
//! [`Mapper`] that is never freed. Nothing unwinds out of these functions.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::ptr::NonNull;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use corprof_sys as sys;

use super::FunctionHooks;
use super::frame::{EnterFrame, LeaveFrame, TailcallFrame};
use crate::com::object::Running;
use crate::ids::FunctionId;
use crate::info::Lifetime;
use crate::{Forget, ProfilerInfo, Result, Unload};

/// A function that is hooked: what its client id points to.
struct Hooked<P: FunctionHooks> {
    running: &'static Running<P>,
    function: FunctionId,
    kept: P::Function,
    /// Whether only a call can say if the function goes away with a module, and there has been none.
    is_doubtful: AtomicBool,
    unloadable: &'static Unloadable<P>,
}

/// What the mapper is called with.
struct Mapper<P: FunctionHooks> {
    running: Arc<Running<P>>,
    unloadable: Arc<Unloadable<P>>,
}

/// The hooked functions that go away with a module, each as often as it was compiled.
struct Unloadable<P: FunctionHooks>(Mutex<HashMap<FunctionId, Vec<Owned<P>>>>);

impl<P: FunctionHooks> Forget for Unloadable<P> {
    fn forget(&self, unload: &Unload) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let gone: Vec<_> = unload.gone_functions().filter_map(|function| all.remove(&function)).collect();
        drop(all);
        // The profiler's own code may run here, without the lock.
        drop(gone);
    }
}

impl<P: FunctionHooks> Unloadable<P> {
    /// From now on `hooked` is freed with the function's module. Once for each.
    fn add(&self, function: FunctionId, hooked: NonNull<Hooked<P>>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry(function).or_default().push(Owned(hooked));
    }
}

/// A [`Hooked`] that is freed on drop.
struct Owned<P: FunctionHooks>(NonNull<Hooked<P>>);

// SAFETY: the owner of a `Hooked`, which is `Send`: references to `Sync` values, a number, a flag, and a `Send` value.
unsafe impl<P: FunctionHooks> Send for Owned<P> {}

impl<P: FunctionHooks> Drop for Owned<P> {
    fn drop(&mut self) {
        // SAFETY: the mapper made it of a `Box` and gave that up, and this is its one owner, added once; no hook of its function is running or will
        // be, since the function is gone.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// Installs mapper and hooks. From here on the running profiler lives as long as the process.
pub(super) fn install<P: FunctionHooks>(running: &Arc<Running<P>>) -> Result<()> {
    super::tail_calls::guard(&running.info)?;
    let unloadable = Arc::new(Unloadable(Mutex::default()));
    running.info.forget_with(&unloadable);
    let mapper: &'static Mapper<P> = Box::leak(Box::new(Mapper { running: Arc::clone(running), unloadable }));
    // SAFETY: the mapper expects a `Mapper<P>` that lives for ever; the hooks expect what that mapper returns.
    unsafe {
        let client_data = core::ptr::from_ref(mapper).cast_mut().cast();
        running.info.set_function_id_mapper(Some(map_function::<P>), client_data)?;
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
    // SAFETY: `install` has passed a `Mapper<P>` that is never freed.
    let mapper: &'static Mapper<P> = unsafe { &*client_data.cast_const().cast() };
    let running: &'static Running<P> = &mapper.running;
    let kept = running.info.given(FunctionId::from_raw(function)).and_then(|function| {
        let map = |profiler: &P| {
            let lifetime = running.info.function_owners_seen(function);
            profiler.map_function(function).map(|kept| (kept, lifetime))
        };
        let (kept, lifetime) = running.deliver("FunctionIDMapper2", map)??;
        let is_doubtful = AtomicBool::new(lifetime == Lifetime::Doubtful);
        let unloadable = &*mapper.unloadable;
        let hooked =
            NonNull::from(Box::leak(Box::new(Hooked { running, function, kept, is_doubtful, unloadable })));
        if lifetime == Lifetime::Module {
            unloadable.add(function, hooked);
        }
        Some(hooked)
    });
    // SAFETY: the runtime passes a place for a BOOL.
    unsafe { hook.write(kept.is_some().into()) };
    kept.map_or(function, |hooked| hooked.as_ptr().expose_provenance())
}

/// What a client id points to.
///
/// # Safety
/// The client id came from [`map_function::<P>`], and a hook of its function runs for as long as `'hook`.
unsafe fn hooked<'hook, P: FunctionHooks>(client: sys::FunctionIDOrClientID) -> &'hook Hooked<P> {
    // SAFETY: says the caller; what it points to is not freed while a hook of its function runs, and never written.
    unsafe { &*core::ptr::with_exposed_provenance(client.clientID) }
}

/// Finds out with a first call whether a function goes away with a module. It does not while this call lasts.
#[cold]
fn settle<P: FunctionHooks>(hooked: &Hooked<P>, client: sys::FunctionIDOrClientID, frame: &EnterFrame<'_>) {
    if !hooked.is_doubtful.swap(false, Ordering::Relaxed) {
        return;
    }
    let Hooked { running, function, unloadable, .. } = hooked;
    let find =
        |_: &P| frame.arguments(|call| running.info.called_function_owners_seen(*function, call.frame()));
    // When the runtime does not say, what is kept stays.
    if let Some(Ok(Lifetime::Module)) = running.deliver("FunctionEnter3WithInfo", find) {
        // SAFETY: the mapper made this number of the pointer to `hooked`.
        let owned = NonNull::new(core::ptr::with_exposed_provenance_mut(unsafe { client.clientID }));
        owned.into_iter().for_each(|owned| unloadable.add(*function, owned));
    }
}

/// The enter hook.
///
/// # Safety
/// `client` is what [`map_function::<P>`] has returned, and `elt` the runtime's for this call.
pub(super) unsafe extern "system" fn enter<P: FunctionHooks>(
    client: sys::FunctionIDOrClientID,
    elt: sys::COR_PRF_ELT_INFO,
) {
    // SAFETY: the runtime passes what the mapper has returned, to a hook that runs now.
    let hooked = unsafe { hooked::<P>(client) };
    let Hooked { running, function, kept, .. } = hooked;
    // SAFETY: `elt` is for this hook and this function, and the frame ends with the hook.
    let frame = unsafe { EnterFrame::new(&running.info, *function, elt) };
    if hooked.is_doubtful.load(Ordering::Relaxed) {
        settle(hooked, client, &frame);
    }
    running.deliver("FunctionEnter3WithInfo", |profiler| profiler.enter(kept, &frame));
}

unsafe extern "system" fn leave<P: FunctionHooks>(
    client: sys::FunctionIDOrClientID,
    elt: sys::COR_PRF_ELT_INFO,
) {
    // SAFETY: the runtime passes what the mapper has returned, to a hook that runs now.
    let Hooked { running, function, kept, .. } = unsafe { hooked::<P>(client) };
    // SAFETY: `elt` is for this hook and this function, and the frame ends with the hook.
    let frame = unsafe { LeaveFrame::new(&running.info, *function, elt) };
    running.deliver("FunctionLeave3WithInfo", |profiler| profiler.leave(kept, &frame));
}

unsafe extern "system" fn tailcall<P: FunctionHooks>(
    client: sys::FunctionIDOrClientID,
    elt: sys::COR_PRF_ELT_INFO,
) {
    // SAFETY: the runtime passes what the mapper has returned, to a hook that runs now.
    let Hooked { running, function, kept, .. } = unsafe { hooked::<P>(client) };
    // SAFETY: `elt` is for this hook and this function, and the frame ends with the hook.
    let frame = unsafe { TailcallFrame::new(&running.info, *function, elt) };
    running.deliver("FunctionTailcall3WithInfo", |profiler| profiler.tailcall(kept, &frame));
}
