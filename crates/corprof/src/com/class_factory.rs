//! What the runtime finds first: the exported entry point and the class factory that it returns.
//!
//! Contract of the unsafe code here: the factory is a static without state, so its pointer is always valid
//! and its reference count means nothing; every pointer argument is checked for null and used as COM
//! prescribes.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::marker::PhantomData;
use core::ptr::null_mut;

use corprof_sys as sys;

use super::object::{self, CallbackObject};
use crate::{Guid, HResult, Profiler, report};

/// `IClassFactory`'s IID.
const IID_ICLASSFACTORY: Guid = Guid::parse("00000001-0000-0000-C000-000000000046");
/// `IUnknown`'s IID.
pub(crate) const IID_IUNKNOWN: Guid = Guid::parse("00000000-0000-0000-C000-000000000046");
/// The class cannot be part of an aggregate.
const CLASS_E_NOAGGREGATION: HResult = HResult(0x8004_0110_u32.cast_signed());

/// `IClassFactory`'s vtable.
#[repr(C)]
struct FactoryVtable {
    query_interface: unsafe extern "system" fn(*mut c_void, *const Guid, *mut *mut c_void) -> sys::HRESULT,
    add_ref: unsafe extern "system" fn(*mut c_void) -> u32,
    release: unsafe extern "system" fn(*mut c_void) -> u32,
    create_instance:
        unsafe extern "system" fn(*mut c_void, *mut c_void, *const Guid, *mut *mut c_void) -> sys::HRESULT,
    lock_server: unsafe extern "system" fn(*mut c_void, i32) -> sys::HRESULT,
}

/// The factory of `P`'s callback objects: a pointer to its vtable, and nothing else.
#[repr(C)]
struct Factory<P: 'static> {
    vtable: &'static FactoryVtable,
    profiler: PhantomData<fn() -> P>,
}

impl<P: Profiler> Factory<P> {
    const INSTANCE: &'static Self = &Self {
        vtable: &FactoryVtable {
            query_interface: factory_query_interface,
            add_ref: factory_count,
            release: factory_count,
            create_instance: factory_create_instance::<P>,
            lock_server: factory_lock_server,
        },
        profiler: PhantomData,
    };

    fn as_interface() -> *mut c_void {
        core::ptr::from_ref(Self::INSTANCE).cast_mut().cast()
    }
}

/// A profiler of a library, and the class id that it is asked for.
pub struct Class {
    clsid: Guid,
    factory: fn() -> *mut c_void,
}

impl Class {
    /// The profiler `P` under this class id.
    #[must_use]
    pub const fn of<P: Profiler>(clsid: Guid) -> Self {
        Self { clsid, factory: Factory::<P>::as_interface }
    }
}

/// The entry point (`DllGetClassObject`) of a library with these profilers.
///
/// # Safety
/// As COM has it: `requested` and `iid` point to GUIDs or are null, `out` points to a place for a pointer or
/// is null.
pub unsafe fn get_class_object(
    classes: &[Class],
    requested: *const Guid,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> sys::HRESULT {
    if requested.is_null() || iid.is_null() || out.is_null() {
        return HResult::E_POINTER.0;
    }
    // SAFETY: a place for a pointer; null in case of failure.
    unsafe { out.write(null_mut()) };
    // SAFETY: points to a GUID.
    let requested = unsafe { requested.read() };
    let Some(class) = classes.iter().find(|class| class.clsid == requested) else {
        let known: Vec<String> = classes.iter().map(|class| class.clsid.to_string()).collect();
        let known = known.join(" or ");
        report::failure(&format!(
            "this library holds the profiler {known}, and the runtime asked it for {requested}; \
             set CORECLR_PROFILER={known}, or attach that one"
        ));
        return HResult::CLASS_E_CLASSNOTAVAILABLE.0;
    };
    // SAFETY: the factory is a static; the other pointers are the caller's.
    unsafe { factory_query_interface((class.factory)(), iid, out) }
}

unsafe extern "system" fn factory_query_interface(
    this: *mut c_void,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> sys::HRESULT {
    if iid.is_null() || out.is_null() {
        return HResult::E_POINTER.0;
    }
    // SAFETY: points to a GUID.
    let iid = unsafe { iid.read() };
    let known = iid == IID_IUNKNOWN || iid == IID_ICLASSFACTORY;
    // SAFETY: points to a place for a pointer.
    unsafe { out.write(if known { this } else { null_mut() }) };
    if known { HResult::S_OK.0 } else { HResult::E_NOINTERFACE.0 }
}

/// The count of a static's references: never zero.
unsafe extern "system" fn factory_count(_: *mut c_void) -> u32 {
    1
}

unsafe extern "system" fn factory_create_instance<P: Profiler>(
    _: *mut c_void,
    outer: *mut c_void,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> sys::HRESULT {
    if iid.is_null() || out.is_null() {
        return HResult::E_POINTER.0;
    }
    // SAFETY: points to a place for a pointer.
    unsafe { out.write(null_mut()) };
    if !outer.is_null() {
        return CLASS_E_NOAGGREGATION.0;
    }
    let object = CallbackObject::<P>::create().cast();
    // SAFETY: a live object with one reference. QueryInterface adds the caller's, and the first one is given
    // up again, which destroys the object where it does not have the interface.
    unsafe {
        let code = object::query_interface::<P>(object, iid.cast(), out);
        object::release::<P>(object);
        code
    }
}

unsafe extern "system" fn factory_lock_server(_: *mut c_void, _: i32) -> sys::HRESULT {
    HResult::S_OK.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ProfilerInfo, Result};

    struct Nothing;

    impl Profiler for Nothing {
        fn initialize(_: &ProfilerInfo) -> Result<Self> {
            Ok(Self)
        }
    }

    struct Other;

    impl Profiler for Other {
        fn initialize(_: &ProfilerInfo) -> Result<Self> {
            Ok(Self)
        }
    }

    const CLSID: Guid = Guid::parse("11111111-2222-3333-4444-555555555555");
    const OTHER: Guid = Guid::parse("11111111-2222-3333-4444-666666666666");

    fn class_object(requested: Guid, iid: Guid) -> (HResult, *mut c_void) {
        let mut out = null_mut();
        let classes = [Class::of::<Other>(OTHER), Class::of::<Nothing>(CLSID)];
        // SAFETY: all pointers are to locals.
        let code = unsafe { get_class_object(&classes, &raw const requested, &raw const iid, &raw mut out) };
        (HResult(code), out)
    }

    #[test]
    fn another_clsid_is_refused() {
        assert_eq!(
            class_object(Guid::NIL, IID_ICLASSFACTORY),
            (HResult::CLASS_E_CLASSNOTAVAILABLE, null_mut())
        );
    }

    #[test]
    fn each_profiler_of_a_library_has_its_own_factory() {
        let [first, second] = [OTHER, CLSID].map(|clsid| class_object(clsid, IID_ICLASSFACTORY));
        assert_eq!((first.0, second.0), (HResult::S_OK, HResult::S_OK));
        assert_ne!(first.1, second.1);
    }

    #[test]
    fn another_interface_is_refused() {
        assert_eq!(class_object(CLSID, CLSID), (HResult::E_NOINTERFACE, null_mut()));
    }

    #[test]
    fn the_factory_makes_callback_objects() {
        let (code, factory) = class_object(CLSID, IID_ICLASSFACTORY);
        assert_eq!(code, HResult::S_OK);
        let mut made = null_mut();
        let (iid, other) = (Guid(sys::IID_ICorProfilerCallback8), CLSID);
        // SAFETY: the factory is a static of the type that is named here; the object is released.
        unsafe {
            let factory = &*factory.cast::<Factory<Nothing>>();
            let create = factory.vtable.create_instance;
            let this = core::ptr::from_ref(factory).cast_mut().cast();
            assert_eq!(create(this, null_mut(), &raw const other, &raw mut made), HResult::E_NOINTERFACE.0);
            assert!(made.is_null());
            assert_eq!(create(this, null_mut(), &raw const iid, &raw mut made), 0);
            assert_eq!(object::release::<Nothing>(made.cast()), 0);
        }
    }
}
