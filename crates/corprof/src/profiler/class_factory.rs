//! The exported entry point, and the class factory that it returns.
//!
//! Contract of the unsafe code here: the runtime calls the exported functions as COM prescribes; their names are exported
//! once, by a library that has no others. The factory is a static without state, so its pointer is always valid
//! and its reference count means nothing; every pointer argument is checked for null and used as COM
//! prescribes.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::marker::PhantomData;
use core::ptr::null_mut;
use std::sync::Once;

use corprof_sys as sys;

use super::object::CallbackObject;
use super::vtable;
use crate::guard::quiet::limit_waiting;
use crate::profiler::Profiler;
use crate::raw::interface::{ComClass, IID_IUNKNOWN, new_object, query_interface, release, value_of};
use crate::raw::library::keep_mapped;
use crate::report;
use corprof_types::{Guid, HResult};

/// Exports a profiler under its class id.
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
/// corprof::export_profiler!(Loads, "{3C5E0A5C-4E0B-4F0E-8B0B-6C2F6D1B7A10}");
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
///     Loads, "{3C5E0A5C-4E0B-4F0E-8B0B-6C2F6D1B7A10}";
///     Calls, "{3C5E0A5C-4E0B-4F0E-8B0B-6C2F6D1B7A11}"
/// );
/// ```
///
/// A malformed class id does not compile:
///
/// ```compile_fail,E0080
/// # struct Loads;
/// # impl corprof::Profiler for Loads {
/// #     fn initialize(_: &corprof::ProfilerInfo) -> corprof::Result<Self> { Ok(Loads) }
/// # }
/// corprof::export_profiler!(Loads, "{3C5E0A5C}");
/// ```
#[macro_export]
macro_rules! export_profiler {
    ($($profiler:ty, $clsid:expr);+ $(;)?) => {
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
                let classes =
                    const { &[$($crate::__export::Class::of::<$profiler>($crate::Guid::parse($clsid))),+] };
                // SAFETY: the runtime passes what COM prescribes.
                unsafe { $crate::__export::get_class_object(classes, requested, iid, out) }
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

/// A profiler of a library, and the class id that requests it.
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

// SAFETY: `vtable` has these functions of `IUnknown`, and thunks for objects of this class; each version of the callback begins
// with the one before.
unsafe impl<P: Profiler> ComClass for CallbackObject<P> {
    type Vtable = sys::ICorProfilerCallback11Vtbl;
    const VTABLE: &'static sys::ICorProfilerCallback11Vtbl = vtable::of::<P>();
    const INTERFACES: &'static [sys::GUID] = &sys::CALLBACK_INTERFACES;
}

/// Returns the profiler behind a callback object, once it has been initialised.
///
/// # Safety
/// `this` is an object that `P`'s class factory has made, and has a reference for as long as `'a`.
#[must_use]
pub unsafe fn profiler<'a, P: Profiler>(this: *mut c_void) -> Option<&'a P> {
    // SAFETY: the contract of this function.
    unsafe { value_of::<CallbackObject<P>>(this) }.running().map(|running| &running.profiler)
}

/// Returns whether the profiler behind a callback object has panicked in a callback or hook.
///
/// # Safety
/// As for [`profiler`].
#[must_use]
pub unsafe fn has_panicked<P: Profiler>(this: *mut c_void) -> bool {
    // SAFETY: the contract of this function.
    let running = unsafe { value_of::<CallbackObject<P>>(this) }.running();
    running.is_some_and(|running| running.switch.has_panicked())
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
    unsafe { factory_query_interface((class.factory)(), iid, out) }
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
    let object = new_object(CallbackObject::<P>::new()).as_ptr().cast();
    // SAFETY: a live object with one reference. QueryInterface adds the caller's, and the first one is given
    // up again, which destroys the object where it does not have the interface.
    unsafe {
        let code = query_interface::<CallbackObject<P>>(object, iid.cast(), out);
        release::<CallbackObject<P>>(object);
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
        let (iid, other) = (Guid::from_sys(sys::IID_ICorProfilerCallback8), CLSID);
        // SAFETY: the factory is a static of the type that is named here; the object is released.
        unsafe {
            let factory = &*factory.cast::<Factory<Nothing>>();
            let create = factory.vtable.create_instance;
            let this = core::ptr::from_ref(factory).cast_mut().cast();
            assert_eq!(create(this, null_mut(), &raw const other, &raw mut made), HResult::E_NOINTERFACE.0);
            assert!(made.is_null());
            assert_eq!(create(this, null_mut(), &raw const iid, &raw mut made), 0);
            assert_eq!(release::<CallbackObject<Nothing>>(made.cast()), 0);
        }
    }
}
