//! What is kept with a hooked function: the client id that the mapper gives to the runtime points to it.
//!
//! Contract of the unsafe code here: the client id of a hooked function is the address of a [`Hooked`] that the
//! mapper below has made, with [`Idle`] in the bits that its alignment leaves free; the runtime passes it back
//! unchanged. It is freed when the function's module has been
//! announced to be unloaded, and otherwise never: the hooks of a function run while there is a frame of it, and the
//! runtime unloads a module only when there is none (`SAFETY.md` has the argument). The mapper's client data is a
//! [`Mapper`] that is never freed.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::hint::cold_path;
use core::ptr::NonNull;
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use corprof_sys as sys;

use super::FunctionHooks;
use super::doubt::Doubt;
use super::idle::Idle;
use super::selection::{self, Gate};
use crate::com::guard::guarded_by;
use crate::com::object::Running;
use crate::ids::FunctionId;
use crate::info::Lifetime;
use crate::{Forget, ProfilerInfo, Result, Unload};

/// A function that is hooked: what its client id points to.
#[repr(align(16))]
pub(super) struct Hooked<P: FunctionHooks> {
    pub(super) running: &'static Running<P>,
    pub(super) function: FunctionId,
    kept: P::Function,
    gate: Gate,
    /// Whether only a call can say if the function goes away with a module, and none has.
    pub(super) doubt: Doubt,
    unloadable: &'static Unloadable<P>,
}

impl<P: FunctionHooks> Hooked<P> {
    /// Runs the profiler's part of a hook, as [`Running::deliver`] does for callbacks.
    #[inline(always)]
    pub(super) fn deliver(&self, hook: &'static str, work: impl FnOnce(&P, &P::Function)) {
        let running = self.running;
        if running.stopped.load(Ordering::Relaxed) {
            return cold_path();
        }
        guarded_by(hook, || &self.running.panic_reported, || work(&running.profiler, &self.kept));
    }

    /// Whether the profiler is told of a call that begins, with selective hooks.
    pub(super) fn begins(&self, place: Option<usize>) -> bool {
        let Some(place) = place else { return false };
        let is_on = self.running.info.are_calls_reported();
        selection::begins(&self.gate, core::ptr::from_ref(self).addr(), place, is_on)
    }

    /// The same for one that ends.
    pub(super) fn ends(&self, place: Option<usize>) -> bool {
        let Some(place) = place else { return false };
        selection::ends(core::ptr::from_ref(self).addr(), place)
    }

    /// From now on this is freed with the function's module. Once for each, by who has taken its doubts away.
    pub(super) fn goes_with_module(&'_ self) {
        // The mapper gave the number out for the whole of the allocation.
        let owned = core::ptr::with_exposed_provenance_mut(core::ptr::from_ref(self).addr());
        NonNull::new(owned).into_iter().for_each(|owned| self.unloadable.add(self.function, owned));
    }
}

/// Finds out which registers are idle.
pub(super) type IdleOf = fn(&ProfilerInfo, FunctionId) -> Idle;

/// What the mapper is called with.
struct Mapper<P: FunctionHooks> {
    running: Arc<Running<P>>,
    /// What is in the lowest bits of a function's client id.
    idle: IdleOf,
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

// SAFETY: the owner of a `Hooked`, which is `Send`: references to `Sync` values, a number, a flag,
// and a `Send` value.
unsafe impl<P: FunctionHooks> Send for Owned<P> {}

impl<P: FunctionHooks> Drop for Owned<P> {
    fn drop(&mut self) {
        // SAFETY: the mapper made it of a `Box` and gave that up, and this is its one owner, added once; no hook of its
        // function is running or will be, since the function is gone.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// Installs the mapper. From here on the running profiler lives as long as the process.
pub(super) fn install_mapper<P: FunctionHooks>(running: &Arc<Running<P>>, idle: IdleOf) -> Result<()> {
    let unloadable = Arc::new(Unloadable(Mutex::default()));
    running.info.forget_with(&unloadable);
    let mapper: &'static Mapper<P> =
        Box::leak(Box::new(Mapper { running: Arc::clone(running), idle, unloadable }));
    let client_data = core::ptr::from_ref(mapper).cast_mut().cast();
    // SAFETY: the mapper expects a `Mapper<P>` that lives for ever.
    unsafe { running.info.set_function_id_mapper(Some(map_function::<P>), client_data) }
}

unsafe extern "system" fn map_function<P: FunctionHooks>(
    function: sys::FunctionID,
    client_data: *mut c_void,
    hook: *mut sys::BOOL,
) -> sys::UINT_PTR {
    // SAFETY: `install_mapper` has passed a `Mapper<P>` that is never freed.
    let mapper: &'static Mapper<P> = unsafe { &*client_data.cast_const().cast() };
    let running: &'static Running<P> = &mapper.running;
    let kept = running.info.given(FunctionId::from_raw(function)).and_then(|function| {
        let map = |profiler: &P| {
            let lifetime = running.info.function_owners_seen(function);
            let kept = profiler.map_function(function)?;
            let gate = Gate::new(profiler.selected_calls(&kept));
            Some((kept, gate, lifetime))
        };
        let (kept, gate, lifetime) = running.deliver("FunctionIDMapper2", map)??;
        let doubt = Doubt::about(&running.info, function, lifetime);
        let unloadable = &*mapper.unloadable;
        let hooked =
            NonNull::from(Box::leak(Box::new(Hooked { running, function, kept, gate, doubt, unloadable })));
        if lifetime == Lifetime::Module {
            unloadable.add(function, hooked);
        }
        let idle = (mapper.idle)(&running.info, function);
        Some(hooked.as_ptr().expose_provenance() | usize::from(idle.bits()))
    });
    // SAFETY: the runtime passes a place for a BOOL.
    unsafe { hook.write(kept.is_some().into()) };
    kept.unwrap_or(function)
}

/// What a client id points to.
///
/// # Safety
/// The client id came from [`map_function::<P>`], and a hook of its function runs for as long as `'hook`.
pub(super) unsafe fn hooked<'hook, P: FunctionHooks>(client: usize) -> &'hook Hooked<P> {
    // SAFETY: says the caller; what it points to is not freed while a hook of its function runs, and never written.
    unsafe { &*core::ptr::with_exposed_provenance(client & !usize::from(Idle::MASK.bits())) }
}
