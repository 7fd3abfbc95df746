//! The COM objects that a profiler is handed: their head, their references, and what every method of theirs does before
//! it answers.
//!
//! Contract of the unsafe code in this folder: the profiler calls these functions with `this` an object that the double
//! has handed out, and with arguments as the interface declares them: each pointer is null, or points to a place of its
//! type, or to as many of them as the count beside it says; texts end with a zero. The memory of an object lives as long
//! as [`Shared`], which each reference that the profiler holds keeps alive; so does what is lent from the metadata.
#![allow(unsafe_code)]

mod control;
mod enumerators;
mod ids;
mod import;
mod import_rows;
mod info;
mod info_calls;
mod info_code;
mod info_objects;
mod manifest;
mod places;
mod stub;
mod vtables;

use core::ffi::c_void;
use core::sync::atomic::{AtomicU32, Ordering};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use corprof::HResult;
use corprof_sys as sys;

pub(crate) use control::Control;
pub(crate) use enumerators::List;
pub(crate) use info_calls::{AREA, RECORD, is_whole, pattern};

use places::{lend, length_of, put, put_list, put_text, text_of};

use crate::Version;
use crate::model::Model;

/// What a method answers: `S_OK`, or another code, which may be one of success as well.
pub(crate) type Answer = Result<(), HResult>;

/// Everything that outlives a session: the runtime and all objects that the profiler may hold.
pub(crate) struct Shared {
    pub(crate) version: Version,
    model: Mutex<Model>,
    /// How often each method was called.
    calls: Mutex<BTreeMap<&'static str, usize>>,
    /// Methods that answer with a code, without doing anything.
    refusals: Mutex<HashMap<String, HResult>>,
    /// What was asked that the double does not know.
    unscripted: Mutex<Vec<&'static str>>,
    /// What a profiler must not do, and this one has done.
    misuse: Mutex<Vec<String>>,
    /// All objects, those included that nobody refers to any more: a call of one of these is a mistake to be told, not
    /// the end of the process.
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
    pub(crate) fn new(version: Version) -> Arc<Self> {
        let shared = Arc::new(Self {
            version,
            model: Mutex::default(),
            calls: Mutex::default(),
            refusals: Mutex::default(),
            unscripted: Mutex::default(),
            misuse: Mutex::default(),
            objects: Mutex::default(),
        });
        shared.object(Kind::Info);
        shared
    }

    /// What the runtime has. Not to be kept while the profiler is called.
    pub(crate) fn model(&self) -> MutexGuard<'_, Model> {
        lock(&self.model)
    }

    pub(crate) fn refuse(&self, method: &str, code: HResult) {
        lock(&self.refusals).insert(method.to_owned(), code);
    }

    pub(crate) fn answer_again(&self, method: &str) {
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

    /// The objects that somebody refers to, with the number of references.
    pub(crate) fn referenced(&self) -> Vec<(&'static str, u32)> {
        let counts = lock(&self.objects);
        let counts =
            counts.iter().map(|object| (object.kind.name(), object.references.load(Ordering::SeqCst)));
        counts.filter(|(_, count)| *count > 0).collect()
    }

    /// The object that a profiler is initialised with. No reference comes with it.
    pub(crate) fn info(&self) -> *mut sys::IUnknown {
        let objects = lock(&self.objects);
        objects.first().map_or(core::ptr::null_mut(), |info| info.as_raw().cast())
    }

    /// What a profiler says with how a method is compiled again.
    pub(crate) fn control(self: &Arc<Self>, control: Control) -> Lent {
        let object = self.object(Kind::Control(control));
        // SAFETY: an object of the double.
        unsafe { add_ref(object.cast()) };
        Lent(object)
    }

    /// Makes an object that nobody refers to yet.
    fn object(self: &Arc<Self>, kind: Kind) -> *mut Object {
        let vtable = vtables::of(&kind);
        let object =
            Box::new(Object { vtable, references: AtomicU32::new(0), shared: Arc::as_ptr(self), kind });
        let raw = object.as_raw();
        lock(&self.objects).push(object);
        raw
    }
}

/// An object that the profiler is lent for a callback: the runtime's reference to it.
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

/// What an object is.
pub(crate) enum Kind {
    /// `ICorProfilerInfo` to the newest one.
    Info,
    /// `IMetaDataImport2` of a module.
    Import(usize),
    /// `IMetaDataAssemblyImport` of a module.
    Manifest(usize),
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
            Self::List(list) => list.name(),
            Self::Control(_) => "ICorProfilerFunctionControl",
            Self::Malloc => "IMethodMalloc",
        }
    }
}

/// What a profiler has a pointer to.
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
        // SAFETY: whoever calls a method has a reference, and that keeps it alive.
        unsafe { &*self.shared }
    }

    pub(crate) fn model(&self) -> MutexGuard<'_, Model> {
        self.shared().model()
    }

    /// A new object beside this one, with one reference.
    fn sibling(&self, kind: Kind) -> *mut c_void {
        // SAFETY: it came from an `Arc`, and is alive as above; the count for the new owner is taken here.
        let shared = unsafe {
            Arc::increment_strong_count(self.shared);
            Arc::from_raw(self.shared)
        };
        let object = shared.object(kind);
        // SAFETY: an object of the double.
        unsafe { add_ref(object.cast()) };
        object.cast()
    }

    /// Whether `QueryInterface` knows this interface of the object: as itself, or as another one.
    fn interface(&self, iid: sys::GUID) -> Option<Option<Kind>> {
        let is = |known: sys::GUID| known == iid;
        let itself = |known: bool| known.then_some(None);
        if is(sys::IID_IUnknown) {
            return Some(None);
        }
        match self.kind {
            Kind::Info => itself(
                vtables::INFOS.iter().take(self.shared().version.info().into()).any(|known| is(*known)),
            ),
            Kind::Import(module) => {
                match itself(is(sys::IID_IMetaDataImport) || is(sys::IID_IMetaDataImport2)) {
                    None if is(sys::IID_IMetaDataAssemblyImport) => Some(Some(Kind::Manifest(module))),
                    known => known,
                }
            }
            Kind::Manifest(module) => match itself(is(sys::IID_IMetaDataAssemblyImport)) {
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
/// `this` is an object of the double that the caller has a reference to.
unsafe fn object<'a>(this: *mut c_void) -> &'a Object {
    // SAFETY: says the caller.
    unsafe { &*this.cast_const().cast() }
}

/// What every method does before it answers: it is counted, and may have been told to refuse.
///
/// # Safety
/// As for [`object`].
unsafe fn answer(
    this: *mut c_void,
    name: &'static str,
    work: impl FnOnce(&Object) -> Answer,
) -> sys::HRESULT {
    // SAFETY: forwarded to the caller.
    let object = unsafe { object(this) };
    let shared = object.shared();
    *lock(&shared.calls).entry(name).or_default() += 1;
    // The profiler is lent the first object without a reference of its own.
    if object.references.load(Ordering::SeqCst) == 0 && !matches!(object.kind, Kind::Info) {
        shared.misused(format!("{name} was called on an object that nobody refers to any more"));
    }
    let refusal = lock(&shared.refusals).get(name).copied();
    match refusal.map_or_else(|| work(object), Err) {
        Ok(()) => HResult::S_OK.0,
        Err(code) => code.0,
    }
}

/// What a method does that the double does not know.
///
/// # Safety
/// As for [`object`].
unsafe fn unscripted(this: *mut c_void, name: &'static str) -> sys::HRESULT {
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
            // SAFETY: taken by the first reference. The object may be gone afterwards and is not used.
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

const UNKNOWN: sys::IUnknownVtbl =
    sys::IUnknownVtbl { QueryInterface: query_interface, AddRef: add_ref, Release: release };

/// Declares methods: the interface, the COM name, the arguments, and what is answered. The body may use the helpers
/// above: pointers are as the interface declares them.
macro_rules! methods {
    ($($interface:ident: $method:ident($($arg:ident: $ty:ty),* $(,)?) => |$object:pat_param| $body:expr;)*) => {$(
        pub(super) unsafe extern "system" fn $method(
            this: *mut corprof_sys::$interface,
            $($arg: $ty),*
        ) -> corprof_sys::HRESULT {
            // SAFETY: as the contract of the folder has it.
            unsafe {
                $crate::com::answer(
                    this.cast(),
                    concat!(stringify!($interface), "::", stringify!($method)),
                    |$object| $body,
                )
            }
        }
    )*};
}
use methods;
