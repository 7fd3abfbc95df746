//! Values as COM methods take them, and values that COM methods write.
//!
//! Contract of the unsafe code here: [`Written`] says which types a method may write. Borrowed bytes are read no further
//! than the length beside it. A pointer that [`Pass`] makes is good as long as the borrow that it was made of.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::ptr::{NonNull, null};

use corprof_sys as sys;
use corprof_types::{
    AnyId, AppDomainId, AssemblyId, ClassId, EventPipeEventId, EventPipeProviderId, FunctionId, Guid,
    ModuleId, ObjectId, ReJitId, ThreadId,
};
use sigparse::token::TypeDef;
use sigparse::{FieldDef, MethodDef};
use widestring::{U16CStr, U16CString};

use super::data::{
    CodeRegion, GcGeneration, GenerationRange, IlToNativeMapEntry, NativeCodeStart, NonGcHeapRange,
};
use super::evidence::FrameInfo;
use super::interface::{
    FunctionEnumPtr, ImportPtr, MallocPtr, MethodEnumPtr, ModuleEnumPtr, ObjectEnumPtr, ThreadEnumPtr,
};

/// The subject of a call.
pub(super) trait About {
    /// The id that must be alive during the call.
    fn id(&self) -> Option<AnyId> {
        None
    }
}

/// A value for a parameter of the type `C`.
pub(super) trait Pass<C>: About {
    /// For lists the pointer; their length is another parameter.
    fn pass(&mut self) -> C;
}

/// A value that methods write through a pointer to `C`.
///
/// # Safety
/// It has the layout of `C`, and each value that a method of the API writes as a `C` of this meaning is one of the type. An
/// interface that is written carries a reference.
pub(super) unsafe trait Written: Sized {
    type C;
    /// The value before.
    const EMPTY: Self;
}

impl<T> About for &mut T {}
impl<T> About for &mut [T] {}
impl<T> About for &[T] {}

impl<T: Written> Pass<*mut T::C> for &mut T {
    fn pass(&mut self) -> *mut T::C {
        const { assert!(size_of::<T>() == size_of::<T::C>() && align_of::<T>() == align_of::<T::C>()) };
        core::ptr::from_mut(*self).cast()
    }
}

impl<T: Written> Pass<*mut T::C> for &mut [T] {
    fn pass(&mut self) -> *mut T::C {
        const { assert!(size_of::<T>() == size_of::<T::C>() && align_of::<T>() == align_of::<T::C>()) };
        self.as_mut_ptr().cast()
    }
}

/// A list that the method reads, which it is not declared to.
impl<T: Copy> Pass<*mut T> for &[T] {
    fn pass(&mut self) -> *mut T {
        self.as_ptr().cast_mut()
    }
}

/// A text with a terminating zero, which the method reads during the call.
impl Pass<*const u16> for &U16CStr {
    fn pass(&mut self) -> *const u16 {
        self.as_ptr()
    }
}

/// The same, or null.
impl Pass<*const u16> for Option<&U16CString> {
    fn pass(&mut self) -> *const u16 {
        self.map_or(null(), |text| text.as_ptr())
    }
}

impl Pass<*const sys::GUID> for &Guid {
    fn pass(&mut self) -> *const sys::GUID {
        self.as_sys()
    }
}

impl Pass<*const sys::GUID> for Option<&Guid> {
    fn pass(&mut self) -> *const sys::GUID {
        self.map_or(null(), |guid| core::ptr::from_ref(guid.as_sys()))
    }
}

impl About for &U16CStr {}
impl About for Option<&U16CString> {}
impl About for &Guid {}
impl About for Option<&Guid> {}

/// A handle that the runtime has created and nobody has destroyed. Destroying takes it by value.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct Handle(NonNull<*mut c_void>);

// SAFETY: the handle is a number to the runtime, which may be called about it from any thread.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Pass<sys::ObjectHandleID> for Handle {
    fn pass(&mut self) -> sys::ObjectHandleID {
        self.0.as_ptr()
    }
}

impl Pass<sys::ObjectHandleID> for &Handle {
    fn pass(&mut self) -> sys::ObjectHandleID {
        self.0.as_ptr()
    }
}

impl About for Handle {}
impl About for &Handle {}

// SAFETY: a handle or null.
unsafe impl Written for Option<Handle> {
    type C = sys::ObjectHandleID;
    const EMPTY: Self = None;
}

/// An address in the program: a number.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct Address(pub(crate) usize);

impl About for Address {}

impl Pass<*const u8> for Address {
    fn pass(&mut self) -> *const u8 {
        core::ptr::without_provenance(self.0)
    }
}

// SAFETY: a number, of a pointer's size.
unsafe impl Written for Address {
    type C = *mut c_void;
    const EMPTY: Self = Self(0);
}

/// The runtime knows the function; its code stays as long as the function is alive.
impl About for NativeCodeStart {
    fn id(&self) -> Option<AnyId> {
        Some(self.function.into())
    }
}

impl Pass<usize> for NativeCodeStart {
    fn pass(&mut self) -> usize {
        self.address
    }
}

/// An address of bytes that are not to be written.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(super) struct BytesAddress(pub(super) usize);

// SAFETY: as above.
unsafe impl Written for BytesAddress {
    type C = *const u8;
    const EMPTY: Self = Self(0);
}

macro_rules! interfaces {
    ($($pointer:ident = $interface:ident;)*) => {$(
        // SAFETY: transparent over a pointer that is not null; the method writes one of this interface with a reference, or
        // null.
        unsafe impl Written for Option<$pointer> {
            type C = *mut sys::$interface;
            const EMPTY: Self = None;
        }
    )*};
}

interfaces! {
    ModuleEnumPtr = ICorProfilerModuleEnum;
    ThreadEnumPtr = ICorProfilerThreadEnum;
    ObjectEnumPtr = ICorProfilerObjectEnum;
    FunctionEnumPtr = ICorProfilerFunctionEnum;
    MethodEnumPtr = ICorProfilerMethodEnum;
    MallocPtr = IMethodMalloc;
    // Where the parameters before name the interface.
    ImportPtr = IUnknown;
}

macro_rules! ids {
    ($($id:ident $(is $about:ident)?;)*) => {$(
        impl About for $id {
            $(fn id(&self) -> Option<AnyId> {
                Some(AnyId::$about(*self))
            })?
        }

        impl About for Option<$id> {
            fn id(&self) -> Option<AnyId> {
                self.as_ref().and_then(About::id)
            }
        }

        impl Pass<usize> for $id {
            fn pass(&mut self) -> usize {
                self.as_raw()
            }
        }

        impl Pass<usize> for Option<$id> {
            fn pass(&mut self) -> usize {
                self.map_or(0, $id::as_raw)
            }
        }

        // SAFETY: transparent over a number that is not zero; the method writes an id or zero.
        unsafe impl Written for Option<$id> {
            type C = usize;
            const EMPTY: Self = None;
        }
    )*};
}

ids! {
    AppDomainId is AppDomain;
    AssemblyId is Assembly;
    ModuleId is Module;
    ClassId is Class;
    FunctionId is Function;
    ThreadId is Thread;
    // The runtime looks these up among the versions of the function.
    ReJitId;
    // A provider of the profiler's own and its events live until the process ends; others are checked by the caller.
    EventPipeProviderId;
    EventPipeEventId;
}

impl About for ObjectId<'_> {}

impl Pass<usize> for ObjectId<'_> {
    fn pass(&mut self) -> usize {
        self.as_raw()
    }
}

impl About for Option<FrameInfo<'_>> {}

/// The runtime refuses a frame of another function.
impl Pass<usize> for Option<FrameInfo<'_>> {
    fn pass(&mut self) -> usize {
        self.map_or(0, FrameInfo::as_raw)
    }
}

impl About for bool {}

impl Pass<sys::BOOL> for bool {
    fn pass(&mut self) -> sys::BOOL {
        (*self).into()
    }
}

macro_rules! tokens {
    ($($token:ident)*) => {$(
        impl About for $token {}

        impl Pass<u32> for $token {
            fn pass(&mut self) -> u32 {
                self.token()
            }
        }
    )*};
}

tokens! { FieldDef MethodDef TypeDef }

macro_rules! plain {
    ($($plain:ty $(as $c:ty)? = $empty:expr;)*) => {$(
        impl About for $plain {}

        impl Pass<$plain> for $plain {
            fn pass(&mut self) -> Self {
                *self
            }
        }

        // SAFETY: numbers, for which every bit pattern is a value.
        unsafe impl Written for $plain {
            type C = plain!(@ $plain $(, $c)?);
            const EMPTY: Self = $empty;
        }
    )*};
    (@ $plain:ty) => { $plain };
    (@ $plain:ty, $c:ty) => { $c };
}

plain! {
    u8 = 0;
    u16 = 0;
    i32 = 0;
    u32 = 0;
    u64 = 0;
    usize = 0;
    sys::COR_PRF_STATIC_TYPE = sys::COR_PRF_STATIC_TYPE(0);
    sys::CorElementType = sys::CorElementType(0);
    sys::COR_PRF_HANDLE_TYPE = sys::COR_PRF_HANDLE_TYPE(0);
    sys::COR_PRF_RUNTIME_TYPE = sys::COR_PRF_RUNTIME_TYPE(0);
    sys::COR_FIELD_OFFSET = sys::COR_FIELD_OFFSET { ridOfField: 0, ulOffset: 0 };
    sys::COR_PRF_FUNCTION = sys::COR_PRF_FUNCTION { functionId: 0, reJitId: 0 };
    sys::COR_PRF_METHOD = sys::COR_PRF_METHOD { moduleId: 0, methodId: 0 };
    sys::COR_PRF_EX_CLAUSE_INFO = sys::COR_PRF_EX_CLAUSE_INFO {
        clauseType: sys::COR_PRF_CLAUSE_NONE,
        programCounter: 0,
        framePointer: 0,
        shadowStackPointer: 0,
    };
    GenerationRange as sys::COR_PRF_GC_GENERATION_RANGE =
        GenerationRange { generation: GcGeneration::GEN_0, start: 0, length: 0, reserved: 0 };
    NonGcHeapRange as sys::COR_PRF_NONGC_HEAP_RANGE = NonGcHeapRange { start: 0, length: 0, reserved: 0 };
    CodeRegion as sys::COR_PRF_CODE_INFO = CodeRegion { start: 0, size: 0 };
    IlToNativeMapEntry as sys::COR_DEBUG_IL_TO_NATIVE_MAP = IlToNativeMapEntry {
        il_offset: super::data::IlOffset(0), native_start: 0, native_end: 0,
    };
}

/// A result of a method: what it writes, converted.
pub(super) trait Returned: Sized {
    type Written: Written;

    fn of(written: Self::Written) -> Self;
}

impl<T: Written> Returned for T {
    type Written = T;

    fn of(written: T) -> T {
        written
    }
}

impl Returned for bool {
    type Written = sys::BOOL;

    fn of(written: sys::BOOL) -> Self {
        written != 0
    }
}

/// Structures with pointers: each borrows what it points to.
macro_rules! structures {
    ($($(#[$doc:meta])* $name:ident = $structure:ident($($field:ident: $ty:ty),*) => $value:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(super) struct $name<'a> {
            raw: sys::$structure,
            borrowed: core::marker::PhantomData<&'a ()>,
        }

        impl<'a> $name<'a> {
            pub(super) fn new($($field: $ty),*) -> Self {
                Self { raw: $value, borrowed: core::marker::PhantomData }
            }
        }

        impl About for $name<'_> {}

        impl Pass<sys::$structure> for $name<'_> {
            fn pass(&mut self) -> sys::$structure {
                self.raw
            }
        }

        impl Pass<*mut sys::$structure> for &[$name<'_>] {
            fn pass(&mut self) -> *mut sys::$structure {
                self.as_ptr().cast_mut().cast()
            }
        }
    )*};
}

structures! {
    /// Which events of a provider a session delivers.
    RawProviderConfig = COR_PRF_EVENTPIPE_PROVIDER_CONFIG(
        name: &'a U16CString, filter: Option<&'a U16CString>, keywords: u64, level: u32
    ) => sys::COR_PRF_EVENTPIPE_PROVIDER_CONFIG {
        providerName: name.as_ptr(),
        keywords,
        loggingLevel: level,
        filterData: filter.map_or(null(), |filter| filter.as_ptr()),
    };
    /// A field of an event.
    RawParameter = COR_PRF_EVENTPIPE_PARAM_DESC(ty: u32, element: u32, name: &'a U16CString)
        => sys::COR_PRF_EVENTPIPE_PARAM_DESC { type_: ty, elementType: element, name: name.as_ptr() };
    /// A value of an event, as its bytes.
    RawEventData = COR_PRF_EVENT_DATA(bytes: &'a [u8], size: u32) => sys::COR_PRF_EVENT_DATA {
        ptr: u64::try_from(bytes.as_ptr().expose_provenance()).unwrap_or(0),
        // No more than there is, whatever is said.
        size: size.min(u32::try_from(bytes.len()).unwrap_or(u32::MAX)),
        reserved: 0,
    };
}

/// Bytes that are borrowed from the runtime, for instance a signature.
///
/// # Safety
/// `data` points to `length` bytes that stay as they are for `'a`, or is null.
pub(super) unsafe fn borrowed<'a>(data: *const u8, length: u32) -> &'a [u8] {
    if data.is_null() {
        return &[];
    }
    // SAFETY: the contract of this function.
    unsafe { core::slice::from_raw_parts(data, length as usize) }
}
