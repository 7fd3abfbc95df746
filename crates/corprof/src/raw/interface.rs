//! Interface pointers of the runtime, counted by com-rs.
//!
//! Contract of the unsafe code here: an interface wrapper is transparent over com-rs' `IUnknown`, a non-null
//! pointer to an object whose vtable begins with that of the wrapper's interface. A wrapper is made from a
//! pointer that carries a reference (ownership passes to it), or by `QueryInterface`, which adds one.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

use com::Interface;
use com::interfaces::IUnknown;
use corprof_sys as sys;

use corprof_types::HResult;

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

            /// The object.
            #[allow(dead_code, reason = "not every interface is asked for another")]
            pub(crate) fn unknown(&self) -> Unknown<'_> {
                Unknown { object: self.as_raw().cast(), alive: PhantomData }
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
    /// What opens and makes metadata.
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
        // SAFETY: `I` is transparent over a non-null interface pointer; the caller vouches for the interface
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

impl Unknown<'_> {
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
