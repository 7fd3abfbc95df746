//! The exported entry point, and the class factory that it returns.
//!
//! Contract of the unsafe code here: the runtime calls the exported functions as COM prescribes; their names are exported
//! once, by a library that has no others. The factory is a static without state, so its pointer is always valid
//! and its reference count means nothing; every pointer argument is checked for null and used as COM
//! prescribes.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::ptr::null_mut;
use std::sync::Once;

use corprof_sys as sys;

use super::object::CallbackObject;
use super::parts::{Part, Parts};
use super::vtable;
use crate::guard::quiet::limit_waiting;
use crate::profiler::Profiler;
use crate::raw::interface::{ComClass, IID_IUNKNOWN, new_object, query_interface, release, value_of};
use crate::raw::library::keep_mapped;
use crate::report;
use corprof_types::{Guid, HResult};

/// Exports profilers under their class ids.
///
/// Defines `DllGetClassObject`, the entry point that the runtime calls with the class id in `CORECLR_PROFILER`. Use it
/// once, in a library with `crate-type = ["cdylib"]`. The class id is a GUID of your own choice.
///
/// The data symbol `CORPROF_CLASS_IDS` has the class ids, followed by a nil id. The command `corprof` reads them from the
/// file, so that its user need not repeat them.
///
/// ```
/// use corprof::{EventMask, Profiler, ProfilerInfo, Result};
///
/// struct Loads;
///
/// impl Profiler for Loads {
///     fn initialize(info: &ProfilerInfo) -> Result<Self> {
///         info.set_event_mask(EventMask::MODULE_LOADS)?;
///         Ok(Loads)
///     }
/// }
///
/// corprof::export_profiler!("{3C5E0A5C-4E0B-4F0E-8B0B-6C2F6D1B7A10}", [Loads]);
/// ```
///
/// A library may export several profilers under different class ids:
///
/// ```
/// # use corprof::{Profiler, ProfilerInfo, Result};
/// # struct Loads;
/// # struct Calls;
/// # impl Profiler for Loads {
/// #     fn initialize(_: &ProfilerInfo) -> Result<Self> { Ok(Loads) }
/// # }
/// # impl Profiler for Calls {
/// #     fn initialize(_: &ProfilerInfo) -> Result<Self> { Ok(Calls) }
/// # }
/// corprof::export_profiler!(
///     "{3C5E0A5C-4E0B-4F0E-8B0B-6C2F6D1B7A10}", [Loads];
///     "{3C5E0A5C-4E0B-4F0E-8B0B-6C2F6D1B7A11}", [Calls]
/// );
/// ```
///
/// Several profilers under one class id run together, up to sixteen:
///
/// ```
/// # use corprof::{Profiler, ProfilerInfo, Result};
/// # struct Loads;
/// # struct Exceptions;
/// # impl Profiler for Loads {
/// #     fn initialize(_: &ProfilerInfo) -> Result<Self> { Ok(Loads) }
/// # }
/// # impl Profiler for Exceptions {
/// #     fn initialize(_: &ProfilerInfo) -> Result<Self> { Ok(Exceptions) }
/// # }
/// corprof::export_profiler!("{3C5E0A5C-4E0B-4F0E-8B0B-6C2F6D1B7A12}", [Loads, Exceptions]);
/// ```
///
/// They are written as if each were alone. Each has an [event mask](crate::ProfilerInfo::set_event_mask) of its own and gets the
/// callbacks of that mask, one after the other in the order of the list. The runtime gets the union of the masks, so that a
/// flag that changes how the program runs changes it for all. Where a callback returns a value:
///
/// | | |
/// |---|---|
/// | `jit_inlining`, `jit_cached_function_search_started`, `load_as_notification_only` | `false` if one returns `false` |
/// | `object_references` | who returns `false` gets no more objects of this collection; the enumeration ends with the last |
/// | `assembly_references` | each adds to the references; the first error is returned |
/// | `rejit_parameters`, `hooks` | one profiler of the list may change IL, and one may have hooks |
///
/// Who fails is reported with the name of its type, and the others go on: in `initialize`, by panics in callbacks, or with an
/// error of a callback. If two have [hooks](crate::Profiler::hooks), or two change IL, none is started: the report names both
/// ([`Error::Conflict`](crate::Error::Conflict)).
///
/// A malformed class id does not compile:
///
/// ```compile_fail,E0080
/// # struct Loads;
/// # impl corprof::Profiler for Loads {
/// #     fn initialize(_: &corprof::ProfilerInfo) -> corprof::Result<Self> { Ok(Loads) }
/// # }
/// corprof::export_profiler!("{3C5E0A5C}", [Loads]);
/// ```
#[macro_export]
macro_rules! export_profiler {
    ($($clsid:expr, [$($profiler:ty),+ $(,)?]);+ $(;)?) => {
        // Evaluated by `cargo check` too, which skips constants in functions.
        $(const _: $crate::Guid = $crate::Guid::parse($clsid);)+
        const _: () = {
            /// The entry point that the runtime looks for.
            ///
            /// # Safety
            /// As COM has it.
            #[allow(unsafe_code, non_snake_case)]
            #[unsafe(no_mangle)]
            unsafe extern "system" fn DllGetClassObject(
                requested: *const $crate::Guid,
                iid: *const $crate::Guid,
                out: *mut *mut ::core::ffi::c_void,
            ) -> i32 {
                // No name that the caller's own types and class ids may have.
                static __CORPROF_CLASSES: &[$crate::__export::Class] = const {
                    &[$($crate::__export::Class::new(
                        $crate::Guid::parse($clsid),
                        const { &[$($crate::__export::Part::of::<$profiler>()),+] },
                    )),+]
                };
                // SAFETY: the runtime passes what COM prescribes.
                unsafe { $crate::__export::get_class_object(__CORPROF_CLASSES, requested, iid, out) }
            }

            /// Refuses to unload the library, which `DllGetClassObject` has pinned.
            #[allow(unsafe_code, non_snake_case)]
            #[unsafe(no_mangle)]
            extern "system" fn DllCanUnloadNow() -> i32 {
                $crate::HResult::S_FALSE.0
            }

            /// The class ids of the library, up to a nil id, for programs that start the profiler.
            #[allow(unsafe_code)]
            #[unsafe(no_mangle)]
            static CORPROF_CLASS_IDS: [$crate::Guid; [$(::core::stringify!($clsid)),+].len() + 1] =
                [$($crate::Guid::parse($clsid),)+ $crate::Guid::NIL];
        };
    };
}

/// `IClassFactory`'s IID.
const IID_ICLASSFACTORY: Guid = Guid::parse("00000001-0000-0000-C000-000000000046");
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

/// A class of callback objects: the class id that requests it, and the parts that its objects have. It is its own class factory,
/// which is a pointer to a vtable for the runtime.
#[repr(C)]
pub struct Class {
    vtable: &'static FactoryVtable,
    clsid: Guid,
    parts: &'static [Part],
}

impl Class {
    /// The profiler of these parts under a class id.
    #[must_use]
    pub const fn new(clsid: Guid, parts: &'static [Part]) -> Self {
        const VTABLE: &FactoryVtable = &FactoryVtable {
            query_interface: factory_query_interface,
            add_ref: factory_count,
            release: factory_count,
            create_instance: factory_create_instance,
            lock_server: factory_lock_server,
        };
        Self { vtable: VTABLE, clsid, parts }
    }

    fn as_interface(&'static self) -> *mut c_void {
        core::ptr::from_ref(self).cast_mut().cast()
    }
}

// SAFETY: `vtable` has these functions of `IUnknown`, and thunks for objects of this class; each version of the callback begins
// with the one before.
unsafe impl ComClass for CallbackObject {
    type Vtable = sys::ICorProfilerCallback11Vtbl;
    const VTABLE: &'static sys::ICorProfilerCallback11Vtbl = &vtable::TABLE;
    const INTERFACES: &'static [sys::GUID] = &sys::CALLBACK_INTERFACES;
}

/// Returns the part `P` of the profiler behind a callback object, once it has been initialised.
///
/// # Safety
/// `this` is an object that a class factory of this file has made, and has a reference for as long as `'a`.
#[must_use]
pub unsafe fn part<'a, P: Profiler>(this: *mut c_void) -> Option<&'a P> {
    // SAFETY: the contract of this function.
    unsafe { value_of::<CallbackObject>(this) }.parts()?.part()
}

/// Returns whether a part of the profiler behind a callback object has panicked in a callback or hook.
///
/// # Safety
/// As for [`part`].
#[must_use]
pub unsafe fn has_panicked(this: *mut c_void) -> bool {
    // SAFETY: the contract of this function.
    unsafe { value_of::<CallbackObject>(this) }.parts().is_some_and(Parts::have_panicked)
}

/// The entry point (`DllGetClassObject`) of a library with these profilers.
///
/// # Safety
/// As COM has it: `requested` and `iid` point to GUIDs or are null, `out` points to a place for a pointer or
/// is null.
pub unsafe fn get_class_object(
    classes: &'static [Class],
    requested: *const Guid,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> sys::HRESULT {
    if requested.is_null() || iid.is_null() || out.is_null() {
        return HResult::E_POINTER.0;
    }
    // SAFETY: a place for a pointer; null in case of failure.
    unsafe { out.write(null_mut()) };
    stay_mapped();
    limit_waiting();
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
    unsafe { factory_query_interface(class.as_interface(), iid, out) }
}

/// The library stays in memory when the runtime closes it, after a profiler has been detached or has not started.
fn stay_mapped() {
    static KEPT: Once = Once::new();
    KEPT.call_once(|| {
        let own: fn() = stay_mapped;
        if !keep_mapped(own as *const c_void) {
            tracing::debug!("the profiler is in no library of its own, and is not kept in memory");
        }
    });
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

unsafe extern "system" fn factory_create_instance(
    this: *mut c_void,
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
    // SAFETY: the runtime passes the factory, which is a class.
    let class: &'static Class = unsafe { &*this.cast_const().cast() };
    let object = new_object(CallbackObject::new(class.parts)).as_ptr().cast();
    // SAFETY: a live object with one reference. QueryInterface adds the caller's, and the first one is given
    // up again, which destroys the object where it does not have the interface.
    unsafe {
        let code = query_interface::<CallbackObject>(object, iid.cast(), out);
        release::<CallbackObject>(object);
        code
    }
}

unsafe extern "system" fn factory_lock_server(_: *mut c_void, _: i32) -> sys::HRESULT {
    HResult::S_OK.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Result;
    use crate::runtime::ProfilerInfo;

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
        static CLASSES: &[Class] =
            &[Class::new(OTHER, &[Part::of::<Other>()]), Class::new(CLSID, &[Part::of::<Nothing>()])];
        // SAFETY: all pointers are to locals.
        let code = unsafe { get_class_object(CLASSES, &raw const requested, &raw const iid, &raw mut out) };
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
        let (iid, other) = (Guid::from_sys(sys::IID_ICorProfilerCallback8), CLSID);
        // SAFETY: the factory is a class; the object is released.
        unsafe {
            let factory = &*factory.cast::<Class>();
            let create = factory.vtable.create_instance;
            let this = core::ptr::from_ref(factory).cast_mut().cast();
            assert_eq!(create(this, null_mut(), &raw const other, &raw mut made), HResult::E_NOINTERFACE.0);
            assert!(made.is_null());
            assert_eq!(create(this, null_mut(), &raw const iid, &raw mut made), 0);
            assert_eq!(release::<CallbackObject>(made.cast()), 0);
        }
    }
}
