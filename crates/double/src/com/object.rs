//! A COM object: header, reference counts, and the prologue of every method.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU32, Ordering};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use corprof::{EventMask, HResult};
use corprof_sys as sys;

use super::enumerators::List;
use crate::Version;
use crate::model::Model;

/// The versions of the information interface, in order.
const INFOS: [sys::GUID; 15] = [
    sys::IID_ICorProfilerInfo,
    sys::IID_ICorProfilerInfo2,
    sys::IID_ICorProfilerInfo3,
    sys::IID_ICorProfilerInfo4,
    sys::IID_ICorProfilerInfo5,
    sys::IID_ICorProfilerInfo6,
    sys::IID_ICorProfilerInfo7,
    sys::IID_ICorProfilerInfo8,
    sys::IID_ICorProfilerInfo9,
    sys::IID_ICorProfilerInfo10,
    sys::IID_ICorProfilerInfo11,
    sys::IID_ICorProfilerInfo12,
    sys::IID_ICorProfilerInfo13,
    sys::IID_ICorProfilerInfo14,
    sys::IID_ICorProfilerInfo15,
];

/// The code of a method: `S_OK`, or another one, which may be a success code.
pub(crate) type Answer = Result<(), HResult>;

/// The state that outlives a session: the runtime and all objects that the profiler may have references to.
pub(crate) struct Shared {
    pub(crate) version: Version,
    vtable_of: fn(&Kind) -> *const c_void,
    model: Mutex<Model>,
    /// The number of calls of each method.
    calls: Mutex<BTreeMap<&'static str, usize>>,
    /// Methods that return a code without doing anything.
    refusals: Mutex<HashMap<String, HResult>>,
    /// Called methods that are not implemented.
    unscripted: Mutex<Vec<&'static str>>,
    /// The profiler's callback object, as an address, while a session has one.
    callback: Mutex<Option<usize>>,
    /// Misuses by the profiler.
    misuse: Mutex<Vec<String>>,
    /// All objects, released ones included: a call of one of those is reported as a misuse and does not crash.
    #[allow(clippy::vec_box, reason = "the profiler has their addresses")]
    objects: Mutex<Vec<Box<Object>>>,
}

// SAFETY: the objects in it are changed through atomics and locks only.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// `vtable_of` returns the vtable for a kind of object.
    pub(super) fn with_vtables(version: Version, vtable_of: fn(&Kind) -> *const c_void) -> Arc<Self> {
        let shared = Arc::new(Self {
            version,
            vtable_of,
            model: Mutex::default(),
            calls: Mutex::default(),
            refusals: Mutex::default(),
            unscripted: Mutex::default(),
            callback: Mutex::default(),
            misuse: Mutex::default(),
            objects: Mutex::default(),
        });
        shared.object(Kind::Info);
        shared
    }

    /// The callback object for what the runtime reports during a call, until there is another.
    ///
    /// # Safety
    /// The object is one of `corprof`'s, and is alive until this is called again.
    pub(crate) unsafe fn set_callback(&self, callback: Option<NonNull<c_void>>) {
        *lock(&self.callback) = callback.map(|callback| callback.as_ptr().expose_provenance());
    }

    /// Reports the begin or the end of a handle to a profiler that has set `GC`, as the runtime does: during the call, on its
    /// thread.
    pub(crate) fn handle_changed(&self, handle: usize, object: Option<usize>) {
        let [low, high] = self.model().profiling.mask;
        let callback = *lock(&self.callback);
        let (Some(callback), true) = (callback, EventMask::from_halves(low, high).contains(EventMask::GC))
        else {
            return;
        };
        let this: *mut sys::ICorProfilerCallback2 = core::ptr::with_exposed_provenance_mut(callback);
        // SAFETY: the contract of `set_callback`; numbers.
        unsafe {
            let vtable = &*(*this).lpVtbl;
            match object {
                Some(object) => (vtable.HandleCreated)(this, handle, object),
                None => (vtable.HandleDestroyed)(this, handle),
            };
        }
    }

    /// The state of the runtime. The guard must not be held while the profiler is called.
    pub(crate) fn model(&self) -> MutexGuard<'_, Model> {
        lock(&self.model)
    }

    pub(crate) fn refuse(&self, method: &str, code: HResult) {
        lock(&self.refusals).insert(method.to_owned(), code);
    }

    pub(crate) fn allow(&self, method: &str) {
        lock(&self.refusals).remove(method);
    }

    pub(crate) fn calls_of(&self, method: &str) -> usize {
        lock(&self.calls).get(method).copied().unwrap_or(0)
    }

    pub(crate) fn called(&self) -> Vec<&'static str> {
        lock(&self.calls).keys().copied().collect()
    }

    pub(crate) fn unscripted(&self) -> Vec<&'static str> {
        lock(&self.unscripted).clone()
    }

    pub(crate) fn misused(&self, what: String) {
        lock(&self.misuse).push(what);
    }

    pub(crate) fn misuse(&self) -> Vec<String> {
        lock(&self.misuse).clone()
    }

    /// The referenced objects with their reference counts.
    pub(crate) fn referenced(&self) -> Vec<(&'static str, u32)> {
        let counts = lock(&self.objects);
        let counts =
            counts.iter().map(|object| (object.kind.name(), object.references.load(Ordering::SeqCst)));
        counts.filter(|(_, count)| *count > 0).collect()
    }

    /// The object for `Initialize`. It carries no reference.
    pub(crate) fn info(&self) -> *mut sys::IUnknown {
        let objects = lock(&self.objects);
        objects.first().map_or(core::ptr::null_mut(), |info| info.as_raw().cast())
    }

    /// The object for `GetReJITParameters`.
    pub(crate) fn control(self: &Arc<Self>, control: Control) -> Lent {
        let object = self.object(Kind::Control(control));
        // SAFETY: an object of the fake runtime.
        unsafe { add_ref(object.cast()) };
        Lent(object)
    }

    /// Creates an object with no reference.
    fn object(self: &Arc<Self>, kind: Kind) -> *mut Object {
        let vtable = (self.vtable_of)(&kind);
        let object =
            Box::new(Object { vtable, references: AtomicU32::new(0), shared: Arc::as_ptr(self), kind });
        let raw = object.as_raw();
        lock(&self.objects).push(object);
        raw
    }
}

/// The parameters of a ReJIT, by the index of its request.
pub(crate) struct Control {
    pub(crate) rejit: usize,
}

/// An object that is passed to a callback: the reference of the runtime.
pub(crate) struct Lent(*mut Object);

impl Lent {
    pub(crate) fn as_raw(&self) -> *mut c_void {
        self.0.cast()
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        // SAFETY: the reference that it was made with.
        unsafe { release(self.0.cast()) };
    }
}

/// The kind of a COM object.
pub(crate) enum Kind {
    /// `ICorProfilerInfo` to the newest one.
    Info,
    /// `IMetaDataImport2` of a module.
    Import(usize),
    /// `IMetaDataAssemblyImport` of a module.
    Manifest(usize),
    /// A module's metadata, for writing.
    Emit(usize),
    /// An enumerator.
    List(List),
    /// `ICorProfilerFunctionControl`.
    Control(Control),
    /// `IMethodMalloc`.
    Malloc,
}

impl Kind {
    fn name(&self) -> &'static str {
        match self {
            Self::Info => "ICorProfilerInfo",
            Self::Import(_) => "IMetaDataImport2",
            Self::Manifest(_) => "IMetaDataAssemblyImport",
            Self::Emit(_) => "IMetaDataEmit2",
            Self::List(list) => list.name(),
            Self::Control(_) => "ICorProfilerFunctionControl",
            Self::Malloc => "IMethodMalloc",
        }
    }
}

/// The memory behind an interface pointer.
#[repr(C)]
pub(crate) struct Object {
    vtable: *const c_void,
    references: AtomicU32,
    shared: *const Shared,
    kind: Kind,
}

impl Object {
    fn as_raw(&self) -> *mut Self {
        core::ptr::from_ref(self).cast_mut()
    }

    pub(crate) fn kind(&self) -> &Kind {
        &self.kind
    }

    pub(crate) fn shared(&self) -> &Shared {
        // SAFETY: the caller of a method has a reference, which keeps it alive.
        unsafe { &*self.shared }
    }

    pub(crate) fn model(&self) -> MutexGuard<'_, Model> {
        self.shared().model()
    }

    /// Creates another object, with one reference.
    pub(super) fn sibling(&self, kind: Kind) -> *mut c_void {
        // SAFETY: it came from an `Arc`, and is alive as above; the count for the new owner is taken here.
        let shared = unsafe {
            Arc::increment_strong_count(self.shared);
            Arc::from_raw(self.shared)
        };
        let object = shared.object(kind);
        // SAFETY: an object of the fake runtime.
        unsafe { add_ref(object.cast()) };
        object.cast()
    }

    /// The result of `QueryInterface`: the object itself, or another one.
    fn interface(&self, iid: sys::GUID) -> Option<Option<Kind>> {
        let is = |known: sys::GUID| known == iid;
        let itself = |known: bool| known.then_some(None);
        if is(sys::IID_IUnknown) {
            return Some(None);
        }
        match self.kind {
            Kind::Info => {
                itself(INFOS.iter().take(self.shared().version.info().into()).any(|known| is(*known)))
            }
            Kind::Import(module) => {
                match itself(is(sys::IID_IMetaDataImport) || is(sys::IID_IMetaDataImport2)) {
                    None if is(sys::IID_IMetaDataAssemblyImport) => Some(Some(Kind::Manifest(module))),
                    None if is(sys::IID_IMetaDataEmit2) => Some(Some(Kind::Emit(module))),
                    known => known,
                }
            }
            Kind::Manifest(module) => match itself(is(sys::IID_IMetaDataAssemblyImport)) {
                None if is(sys::IID_IMetaDataImport) || is(sys::IID_IMetaDataImport2) => {
                    Some(Some(Kind::Import(module)))
                }
                known => known,
            },
            Kind::Emit(module) => match itself(is(sys::IID_IMetaDataEmit) || is(sys::IID_IMetaDataEmit2)) {
                None if is(sys::IID_IMetaDataImport) || is(sys::IID_IMetaDataImport2) => {
                    Some(Some(Kind::Import(module)))
                }
                known => known,
            },
            Kind::List(ref list) => itself(is(list.iid())),
            Kind::Control(_) => itself(is(sys::IID_ICorProfilerFunctionControl)),
            Kind::Malloc => itself(is(sys::IID_IMethodMalloc)),
        }
    }
}

/// The object behind an interface pointer.
///
/// # Safety
/// `this` is an object of the fake runtime that the caller has a reference to.
unsafe fn object<'a>(this: *mut c_void) -> &'a Object {
    // SAFETY: guaranteed by the caller.
    unsafe { &*this.cast_const().cast() }
}

/// The prologue of every method: counts the call, and returns the code of [`Runtime::refuse`](crate::Runtime::refuse).
///
/// # Safety
/// As for [`object`].
pub(super) unsafe fn answer(
    this: *mut c_void,
    name: &'static str,
    work: impl FnOnce(&Object) -> Answer,
) -> sys::HRESULT {
    // SAFETY: forwarded to the caller.
    let object = unsafe { object(this) };
    let shared = object.shared();
    *lock(&shared.calls).entry(name).or_default() += 1;
    // The profiler borrows the first object without a reference of its own.
    if object.references.load(Ordering::SeqCst) == 0 && !matches!(object.kind, Kind::Info) {
        shared.misused(format!("{name} was called on an object that nobody refers to any more"));
    }
    if let Some(what) = crate::site::misuse(name, shared.version.numbers()[0]) {
        shared.misused(format!("{name} was called {what}"));
    }
    let refusal = lock(&shared.refusals).get(name).copied();
    match refusal.map_or_else(|| work(object), Err) {
        Ok(()) => HResult::S_OK.0,
        Err(code) => code.0,
    }
}

/// The implementation of methods that are not implemented.
///
/// # Safety
/// As for [`object`].
pub(super) unsafe fn unscripted(this: *mut c_void, name: &'static str) -> sys::HRESULT {
    // SAFETY: forwarded to the caller.
    unsafe {
        answer(this, name, |object| {
            lock(&object.shared().unscripted).push(name);
            Err(HResult::E_NOTIMPL)
        })
    }
}

unsafe extern "system" fn query_interface(
    this: *mut sys::IUnknown,
    iid: *const sys::GUID,
    out: *mut *mut c_void,
) -> sys::HRESULT {
    // SAFETY: as the contract has it.
    unsafe {
        answer(this.cast(), "IUnknown::QueryInterface", |object| {
            let found = match object.interface(iid.read()) {
                Some(None) => {
                    add_ref(this);
                    this.cast()
                }
                Some(Some(other)) => object.sibling(other),
                None => core::ptr::null_mut(),
            };
            out.write(found);
            if found.is_null() { Err(HResult::E_NOINTERFACE) } else { Ok(()) }
        })
    }
}

unsafe extern "system" fn add_ref(this: *mut sys::IUnknown) -> sys::ULONG {
    // SAFETY: as the contract has it.
    let object = unsafe { object(this.cast()) };
    let before = object.references.fetch_add(1, Ordering::SeqCst);
    if before == 0 {
        // SAFETY: it came from an `Arc` that is alive; given back by the last release.
        unsafe { Arc::increment_strong_count(object.shared) };
    }
    before + 1
}

unsafe extern "system" fn release(this: *mut sys::IUnknown) -> sys::ULONG {
    // SAFETY: as the contract has it.
    let object = unsafe { object(this.cast()) };
    let left =
        object.references.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |count| count.checked_sub(1));
    match left {
        Ok(1) => {
            // SAFETY: taken by the first reference. The object may be freed by this and is not used afterwards.
            unsafe { Arc::decrement_strong_count(object.shared) };
            0
        }
        Ok(count) => count - 1,
        Err(_) => {
            object.shared().misused(format!("{} was released once too often", object.kind.name()));
            0
        }
    }
}

pub(super) const UNKNOWN: sys::IUnknownVtbl =
    sys::IUnknownVtbl { QueryInterface: query_interface, AddRef: add_ref, Release: release };
