//! The data of a hooked function: the client id that the mapper returns to the runtime points to it.
//!
//! Contract of the unsafe code here: the client id of a hooked function is the address of a [`Hooked`] that the
//! mapper below has made, with [`UnusedVectors`] in the bits that its alignment leaves free; the runtime passes it back
//! unchanged. It is freed when the function's module has been
//! announced to be unloaded, after it was removed from the table, and otherwise never: the hooks of a function run while there is a frame of it, and the
//! runtime unloads a module only when there is none (`SAFETY.md` has the argument). The mapper's client data is a
//! [`Mapper`] that is never freed.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use corprof_sys as sys;

use super::function_hooks::FunctionHooks;
use super::shared_lifetime::SharedLifetime;
use super::unused_vectors::UnusedVectors;
use crate::error::Result;
use crate::guard::Switch;
use crate::id_map::IdMap;
use crate::raw::call_site::{Event, Scope};
use crate::running::Running;
use crate::runtime::Lifetime;
use crate::runtime::{Forget, ProfilerInfo, Unload};
use corprof_in_process::LastError;
use corprof_types::FunctionId;

/// The mapper, for messages.
const MAPPER: &str = "FunctionIDMapper2";

/// A hooked function. Its client id points to this, in each version of its code: tiered compilation makes up to three, and one
/// that replaces the code of a running call reports the end of a call that another has reported the beginning of.
#[repr(align(16))]
pub(super) struct Hooked<P: FunctionHooks> {
    pub(super) running: &'static Running<P>,
    pub(super) function: FunctionId,
    data: P::Function,
    /// Whether only a call can tell if the function is unloaded with a module, and none has.
    pub(super) lifetime: SharedLifetime,
    functions: &'static Functions<P>,
}

impl<P: FunctionHooks> Hooked<P> {
    /// Whether [`deliver_at_once`](Self::deliver_at_once) may be used: the profiler is on and has not panicked.
    #[inline(always)]
    pub(super) fn is_undisturbed(&self) -> bool {
        self.running.switch.is_undisturbed()
    }

    /// Runs the profiler's part of a hook with nothing around it but what catches a panic.
    #[inline(always)]
    pub(super) fn deliver_at_once(&self, hook: &'static str, work: impl FnOnce(&P, &P::Function)) {
        let running = self.running;
        Switch::catch(hook, || &running.switch, || work(&running.profiler, &self.data));
    }

    /// Runs the profiler's part of a hook, as [`Running::deliver`] does for callbacks.
    pub(super) fn deliver(&self, hook: &'static str, work: impl FnOnce(&P, &P::Function)) {
        self.running.deliver(hook, |profiler| work(profiler, &self.data));
    }

    /// From now on this is freed with the function's module. Called once for each, when its lifetime becomes known.
    pub(super) fn goes_with_module(&'_ self) {
        // The mapper gave the number out for the whole of the allocation.
        let owned = core::ptr::with_exposed_provenance_mut(core::ptr::from_ref(self).addr());
        NonNull::new(owned).into_iter().for_each(|owned| self.functions.add_unloadable(self.function, owned));
    }
}

/// Determines which vector registers a function does not use.
pub(super) type UnusedVectorsOf = fn(&ProfilerInfo, FunctionId) -> UnusedVectors;

/// The client data of the mapper.
struct Mapper<P: FunctionHooks> {
    running: Arc<Running<P>>,
    /// The flags in the lowest bits of a function's client id.
    unused_vectors: UnusedVectorsOf,
    functions: Arc<Functions<P>>,
}

/// The hooked functions.
struct Functions<P: FunctionHooks>(Mutex<Table<P>>);

struct Table<P: FunctionHooks> {
    /// The client ids of those that may be compiled again: all versions of a function's code have one.
    clients: IdMap<FunctionId, usize>,
    /// Those that are unloaded with a module.
    unloadable: IdMap<FunctionId, Vec<Owned<P>>>,
}

impl<P: FunctionHooks> Forget for Functions<P> {
    fn forget(&self, unload: &Unload) {
        let mut table = self.table();
        for function in unload.functions() {
            table.clients.remove(&function);
        }
        let unloaded: Vec<_> =
            unload.unloaded_functions().filter_map(|function| table.unloadable.remove(&function)).collect();
        drop(table);
        // The profiler's own code may run here, without the lock.
        drop(unloaded);
    }
}

impl<P: FunctionHooks> Functions<P> {
    fn new() -> Self {
        Self(Mutex::new(Table { clients: IdMap::default(), unloadable: IdMap::default() }))
    }

    fn table(&self) -> MutexGuard<'_, Table<P>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `hooked` is freed with the function's module from now on. Called once for each.
    fn add_unloadable(&self, function: FunctionId, hooked: NonNull<Hooked<P>>) {
        self.table().unloadable.entry(function).or_default().push(Owned(hooked));
    }

    /// The client id of a function that has been compiled before.
    fn client_of(&self, function: FunctionId) -> Option<usize> {
        self.table().clients.get(&function).copied()
    }

    /// Adds a function, and returns its client id: that of another thread, if it has compiled the function meanwhile.
    fn add(&self, hooked: Box<Hooked<P>>, lifetime: Lifetime, unused: UnusedVectors) -> usize {
        let function = hooked.function;
        let mut table = self.table();
        if let Some(client) = table.clients.get(&function).copied() {
            drop(table);
            // The profiler's own code may run here, without the lock.
            drop(hooked);
            return client;
        }
        let hooked = NonNull::from(Box::leak(hooked));
        let client = hooked.as_ptr().expose_provenance() | usize::from(unused.bits());
        table.clients.insert(function, client);
        if lifetime == Lifetime::Module {
            table.unloadable.entry(function).or_default().push(Owned(hooked));
        }
        client
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
        // function is running or will be, since the function is unloaded.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// Installs the mapper. From here on the running profiler lives as long as the process.
pub(super) fn install_mapper<P: FunctionHooks>(
    running: &Arc<Running<P>>,
    unused_vectors: UnusedVectorsOf,
) -> Result<()> {
    let functions = Arc::new(Functions::new());
    running.info.forget_with(&functions);
    let mapper: &'static Mapper<P> =
        Box::leak(Box::new(Mapper { running: Arc::clone(running), unused_vectors, functions }));
    let client_data = core::ptr::from_ref(mapper).cast_mut().cast();
    // SAFETY: the mapper expects a `Mapper<P>` that lives for ever.
    unsafe { running.info.raw().set_function_id_mapper(Some(map_function::<P>), client_data) }
}

unsafe extern "system" fn map_function<P: FunctionHooks>(
    function: sys::FunctionID,
    client_data: *mut c_void,
    hook: *mut sys::BOOL,
) -> sys::UINT_PTR {
    let _kept = LastError::keep();
    let _scope = Scope::callback(Event::Callback);
    // SAFETY: `install_mapper` has passed a `Mapper<P>` that is never freed.
    let mapper: &'static Mapper<P> = unsafe { &*client_data.cast_const().cast() };
    let running: &'static Running<P> = &mapper.running;
    // SAFETY: the runtime passes the id of a function.
    let client = unsafe { FunctionId::from_raw(function) }.and_then(|function| {
        let _held = running.info.hold_if_unloadable(function);
        if running.info.is_damaged_by_hooks(function) {
            return None;
        }
        if let Some(client) = mapper.functions.client_of(function) {
            // SAFETY: the table has the client ids of functions that are not unloaded, and this one is compiled now.
            let hooked = unsafe { hooked::<P>(client) };
            let map = |profiler: &P| profiler.map_again(function, &hooked.data);
            return running.deliver(MAPPER, map)?.then_some(client);
        }
        // SAFETY: this is the mapper, and the function is held.
        unsafe { running.info.note_form(function) };
        let map = |profiler: &P| {
            let lifetime = running.info.function_owners_seen(function);
            let data = profiler.map_function(function)?;
            Some((data, lifetime))
        };
        let (data, lifetime) = running.deliver(MAPPER, map)??;
        let shared = SharedLifetime::new(&running.info, function, lifetime);
        let hooked = Hooked { running, function, data, lifetime: shared, functions: &*mapper.functions };
        let unused = (mapper.unused_vectors)(&running.info, function);
        Some(mapper.functions.add(Box::new(hooked), lifetime, unused))
    });
    // SAFETY: the runtime passes a pointer to a BOOL.
    unsafe { hook.write(client.is_some().into()) };
    client.unwrap_or(function)
}

/// Returns the hooked function behind a client id.
///
/// # Safety
/// The client id came from [`map_function::<P>`], and a hook of its function runs for as long as `'hook`.
pub(super) unsafe fn hooked<'hook, P: FunctionHooks>(client: usize) -> &'hook Hooked<P> {
    // SAFETY: the contract of this function; what it points to is not freed while a hook of its function runs, and never written.
    unsafe { &*core::ptr::with_exposed_provenance(client & !usize::from(UnusedVectors::MASK.bits())) }
}
