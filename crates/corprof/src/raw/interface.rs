//! `IUnknown` from both sides: interface pointers of the runtime, counted by com-rs, and objects of the profiler.
//!
//! Contract of the unsafe code here: an interface pointer is non-null, its object's vtable begins with that of the interface,
//! and the object lives until its last reference is released. A wrapper is transparent over com-rs' `IUnknown`. It is made
//! from a pointer that carries a reference (ownership passes to it), or by `QueryInterface`, which adds one. A [`ComObject`]
//! is only ever read through shared references.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU32, Ordering, fence};

use com::Interface;
use com::interfaces::IUnknown;
use corprof_sys as sys;

use corprof_types::{Guid, HResult};

use crate::guard::Switch;

/// Declares a wrapper: its name, its interface and that interface's IID.
macro_rules! interfaces {
    ($($(#[$doc:meta])* $name:ident = $interface:ident, $vtable:ident, $iid:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone)]
        #[repr(transparent)]
        pub(crate) struct $name(IUnknown);

        // SAFETY: transparent over `IUnknown`, and only ever made from pointers to the interface; the vtable
        // type is `repr(C)` and made of `extern "system"` function pointers.
        unsafe impl Interface for $name {
            type VTable = sys::$vtable;
            type Super = IUnknown;
            const IID: com::IID = com_guid(sys::$iid);
        }

        // SAFETY: the runtime's profiling and metadata objects may be called from any thread, and count
        // their references atomically.
        unsafe impl Send for $name {}
        // SAFETY: as above.
        unsafe impl Sync for $name {}

        impl $name {
            /// The pointer to call through; valid as long as `self`.
            pub(crate) fn as_ptr(&self) -> *mut sys::$interface {
                self.as_raw().as_ptr().cast()
            }
        }
    )*};
}

interfaces! {
    /// Any version of `ICorProfilerInfo`; the first is the prefix of all.
    InfoPtr = ICorProfilerInfo, ICorProfilerInfoVtbl, IID_ICorProfilerInfo;
    /// A module's metadata, for reading.
    ImportPtr = IMetaDataImport2, IMetaDataImport2Vtbl, IID_IMetaDataImport2;
    /// A module's assembly manifest, for reading.
    AssemblyImportPtr = IMetaDataAssemblyImport, IMetaDataAssemblyImportVtbl, IID_IMetaDataAssemblyImport;
    /// Metadata, for writing.
    EmitPtr = IMetaDataEmit2, IMetaDataEmit2Vtbl, IID_IMetaDataEmit2;
    /// A module's assembly manifest, for writing.
    AssemblyEmitPtr = IMetaDataAssemblyEmit, IMetaDataAssemblyEmitVtbl, IID_IMetaDataAssemblyEmit;
    /// The tables and heaps of metadata.
    TablesPtr = IMetaDataTables2, IMetaDataTables2Vtbl, IID_IMetaDataTables2;
    /// Opens and creates metadata.
    DispenserPtr = IMetaDataDispenserEx, IMetaDataDispenserExVtbl, IID_IMetaDataDispenserEx;
    /// A list of modules.
    ModuleEnumPtr = ICorProfilerModuleEnum, ICorProfilerModuleEnumVtbl, IID_ICorProfilerModuleEnum;
    /// A list of threads.
    ThreadEnumPtr = ICorProfilerThreadEnum, ICorProfilerThreadEnumVtbl, IID_ICorProfilerThreadEnum;
    /// A list of objects.
    ObjectEnumPtr = ICorProfilerObjectEnum, ICorProfilerObjectEnumVtbl, IID_ICorProfilerObjectEnum;
    /// A list of versions of functions.
    FunctionEnumPtr = ICorProfilerFunctionEnum, ICorProfilerFunctionEnumVtbl, IID_ICorProfilerFunctionEnum;
    /// A list of methods.
    MethodEnumPtr = ICorProfilerMethodEnum, ICorProfilerMethodEnumVtbl, IID_ICorProfilerMethodEnum;
    /// Memory for the IL of methods.
    MallocPtr = IMethodMalloc, IMethodMallocVtbl, IID_IMethodMalloc;
}

/// The versions of `ICorProfilerInfo`, newest first.
const INFO_VERSIONS: [(u8, sys::GUID); 15] = [
    (15, sys::IID_ICorProfilerInfo15),
    (14, sys::IID_ICorProfilerInfo14),
    (13, sys::IID_ICorProfilerInfo13),
    (12, sys::IID_ICorProfilerInfo12),
    (11, sys::IID_ICorProfilerInfo11),
    (10, sys::IID_ICorProfilerInfo10),
    (9, sys::IID_ICorProfilerInfo9),
    (8, sys::IID_ICorProfilerInfo8),
    (7, sys::IID_ICorProfilerInfo7),
    (6, sys::IID_ICorProfilerInfo6),
    (5, sys::IID_ICorProfilerInfo5),
    (4, sys::IID_ICorProfilerInfo4),
    (3, sys::IID_ICorProfilerInfo3),
    (2, sys::IID_ICorProfilerInfo2),
    (1, sys::IID_ICorProfilerInfo),
];

/// The same GUID in com-rs' type.
const fn com_guid(guid: sys::GUID) -> com::sys::GUID {
    com::sys::GUID { data1: guid.data1, data2: guid.data2, data3: guid.data3, data4: guid.data4 }
}

/// Takes over a pointer that a call has returned with a reference; `None` for null.
///
/// # Safety
/// `raw` is null or points to an object with the interface `I`, and carries a reference that is given away.
pub(crate) unsafe fn from_raw<I: Interface>(raw: *mut c_void) -> Option<I> {
    NonNull::new(raw).map(|raw| {
        // SAFETY: `I` is transparent over a non-null interface pointer; the caller guarantees the interface
        // and gives the reference away.
        unsafe { core::mem::transmute_copy(&raw) }
    })
}

/// A COM object that is alive for `'a`.
#[derive(Clone, Copy)]
pub(crate) struct Unknown<'a> {
    object: NonNull<c_void>,
    alive: PhantomData<&'a ()>,
}

impl<'a> Unknown<'a> {
    /// The object of an interface.
    pub(crate) fn of(interface: &'a impl Interface) -> Self {
        Self { object: interface.as_raw().cast(), alive: PhantomData }
    }

    /// # Safety
    /// `object` is a COM object that is alive for the lifetime.
    pub(crate) const unsafe fn new(object: NonNull<c_void>) -> Self {
        Self { object, alive: PhantomData }
    }

    /// The newest version of `ICorProfilerInfo` that the object has.
    pub(crate) fn newest_info(self) -> Option<(u8, InfoPtr)> {
        // SAFETY: each version begins with the first one.
        INFO_VERSIONS
            .into_iter()
            .find_map(|(version, iid)| Some((version, unsafe { self.query_by(iid) }.ok()?)))
    }

    /// The interface `I`.
    pub(crate) fn query<I: Interface>(self) -> Result<I, HResult> {
        // SAFETY: the IID is that of the interface.
        unsafe { self.query_by(iid_of::<I>()) }
    }

    /// # Safety
    /// The IID is that of an interface that begins with `I`.
    unsafe fn query_by<I: Interface>(self, iid: sys::GUID) -> Result<I, HResult> {
        // SAFETY: `IUnknown` is transparent over the pointer; it is not dropped, so the owner's reference stays.
        let unknown: ManuallyDrop<IUnknown> = unsafe { core::mem::transmute_copy(&self.object) };
        let (iid, mut out) = (com_guid(iid), core::ptr::null_mut());
        // SAFETY: a live object, a GUID and a place for a pointer, all for the duration of the call.
        let code = HResult(unsafe { unknown.QueryInterface(&raw const iid, &raw mut out) });
        code.ok()?;
        // SAFETY: QueryInterface has returned a pointer to that interface, with a reference.
        unsafe { from_raw(out) }.ok_or(HResult::E_NOINTERFACE)
    }
}

/// The IID of an interface.
pub(crate) fn iid_of<I: Interface>() -> sys::GUID {
    let iid = I::IID;
    sys::GUID { data1: iid.data1, data2: iid.data2, data3: iid.data3, data4: iid.data4 }
}

/// `IUnknown`'s IID.
pub(crate) const IID_IUNKNOWN: Guid = Guid::parse("00000000-0000-0000-C000-000000000046");

/// The values of [`ComObject`]s of one class.
///
/// # Safety
/// The vtable begins with `IUnknown`'s, whose functions are [`query_interface`], [`add_ref`] and [`release`] of this class. It
/// is that of each of the interfaces, whose other functions are for objects of this class.
pub(crate) unsafe trait ComClass: Send + Sync + Sized {
    type Vtable: 'static;
    const VTABLE: &'static Self::Vtable;
    /// The interfaces, in addition to `IUnknown`.
    const INTERFACES: &'static [sys::GUID];
}

/// A COM object of the profiler. The pointer to it is its interface pointer, the same one for all interfaces.
#[repr(C)]
struct ComObject<T: ComClass> {
    vtable: &'static T::Vtable,
    references: AtomicU32,
    value: T,
}

/// A new object with one reference, as an interface pointer.
pub(crate) fn new_object<T: ComClass>(value: T) -> NonNull<c_void> {
    let object = ComObject { vtable: T::VTABLE, references: AtomicU32::new(1), value };
    NonNull::from(Box::leak(Box::new(object))).cast()
}

/// A reference to an object of the profiler.
pub(crate) struct Owned<T: ComClass> {
    object: NonNull<c_void>,
    class: PhantomData<T>,
}

impl<T: ComClass> Owned<T> {
    /// A new object.
    pub(crate) fn new(value: T) -> Self {
        Self { object: new_object(value), class: PhantomData }
    }

    /// The interface pointer, without a reference of its own.
    pub(crate) fn as_unknown(&self) -> *mut sys::IUnknown {
        self.object.as_ptr().cast()
    }

    /// The value of the object.
    pub(crate) fn value(&self) -> &T {
        // SAFETY: this reference keeps the object alive.
        unsafe { value_of::<T>(self.object.as_ptr()) }
    }
}

impl<T: ComClass> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: the object is alive, and this reference is given up once.
        unsafe { release::<T>(self.as_unknown()) };
    }
}

/// The object behind an interface pointer.
///
/// # Safety
/// `this` came from [`new_object::<T>`](new_object) and has a reference for as long as `'a`.
unsafe fn object_of<'a, T: ComClass>(this: *mut c_void) -> &'a ComObject<T> {
    // SAFETY: the contract of this function; the object is never borrowed mutably.
    unsafe { &*this.cast::<ComObject<T>>() }
}

/// The value of the object behind an interface pointer.
///
/// # Safety
/// `this` came from [`new_object::<T>`](new_object) and has a reference for as long as `'a`.
pub(crate) unsafe fn value_of<'a, T: ComClass>(this: *mut c_void) -> &'a T {
    // SAFETY: the contract of this function.
    unsafe { &object_of::<T>(this).value }
}

/// `IUnknown::QueryInterface`: the same pointer for `IUnknown` and each interface of the class.
///
/// # Safety
/// As COM has it: `this` is a live object of the class, `iid` points to a GUID or is null, `out` to a location for a pointer
/// or is null.
pub(crate) unsafe extern "system" fn query_interface<T: ComClass>(
    this: *mut sys::IUnknown,
    iid: *const sys::GUID,
    out: *mut *mut c_void,
) -> sys::HRESULT {
    if out.is_null() || iid.is_null() {
        return HResult::E_POINTER.0;
    }
    // SAFETY: `iid` points to a GUID.
    let iid = Guid::from_sys(unsafe { iid.read() });
    let known = iid == IID_IUNKNOWN || T::INTERFACES.iter().any(|known| Guid::from_sys(*known) == iid);
    // SAFETY: `out` points to a location for a pointer; an interface that is not there leaves null in it.
    unsafe { out.write(if known { this.cast() } else { core::ptr::null_mut() }) };
    if !known {
        return HResult::E_NOINTERFACE.0;
    }
    // SAFETY: the object is alive.
    unsafe { add_ref::<T>(this) };
    HResult::S_OK.0
}

/// `IUnknown::AddRef`.
///
/// # Safety
/// `this` is a live object of the class.
pub(crate) unsafe extern "system" fn add_ref<T: ComClass>(this: *mut sys::IUnknown) -> sys::ULONG {
    // SAFETY: the contract of this function.
    let object = unsafe { object_of::<T>(this.cast()) };
    // Relaxed: a new reference is made from one that is held, which keeps the object alive.
    object.references.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
}

/// `IUnknown::Release`; the last reference destroys the object.
///
/// # Safety
/// `this` is a live object of the class, and the caller gives up one of its references.
pub(crate) unsafe extern "system" fn release<T: ComClass>(this: *mut sys::IUnknown) -> sys::ULONG {
    // SAFETY: the contract of this function.
    let object = unsafe { object_of::<T>(this.cast()) };
    let left = object.references.fetch_sub(1, Ordering::Release).wrapping_sub(1);
    if left == 0 {
        // Everything that other threads did with the object happens before it is destroyed.
        fence(Ordering::Acquire);
        // SAFETY: `new_object` made it of a box, and this was the last reference to it.
        let object = unsafe { Box::from_raw(this.cast::<ComObject<T>>()) };
        Switch::new().guard("Release", || drop(object));
    }
    left
}
