//! A profiler is loaded, called and let go, as the runtime does it, by a double of the runtime that counts.
//!
//! Contract of the unsafe code here: the double's vtable has a function in each slot. Those that the tests reach
//! have the type that the interface declares; the others end the process when they are called, which would be a
//! failure of the test. Everything is called with live objects, and each reference is given up once.
#![allow(unsafe_code)]
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "the profiler under test panics on purpose, or to fail"
)]

use core::ffi::c_void;
use core::mem::offset_of;
use core::ptr::null_mut;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use corprof::{
    ClassId, Error, EventMask, Guid, HResult, ModuleId, Profiler, ProfilerInfo, Result, export_profiler,
};
use corprof_sys as sys;

static CLSID: Guid = Guid::parse("{5D9F6A0E-0F5B-4D7C-8B36-0E3A6F2B9C01}");

/// How many profilers of this test binary are alive.
static ALIVE: AtomicUsize = AtomicUsize::new(0);
/// How many class loads were delivered.
static CLASS_LOADS: AtomicUsize = AtomicUsize::new(0);

/// A profiler that does what the double's newest interface version tells it, so that one export serves all tests.
struct Probe {
    _info: ProfilerInfo,
}

/// The versions that stand for a way to fail.
const REFUSES: u8 = 6;
const PANICS: u8 = 7;

impl Profiler for Probe {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        match info.version() {
            REFUSES => return Err(Error::other("the test refuses")),
            PANICS => panic!("the test panics"),
            4 => {
                let error = info.set_event_mask(EventMask::BASIC_GC).unwrap_err();
                assert!(matches!(error, Error::RuntimeTooOld { needed: 5, present: 4, .. }), "{error}");
                info.set_event_mask(EventMask::CLASS_LOADS)?;
            }
            _ => info.set_event_mask(EventMask::CLASS_LOADS | EventMask::BASIC_GC)?,
        }
        ALIVE.fetch_add(1, Ordering::SeqCst);
        Ok(Self { _info: info.clone() })
    }

    fn class_load_started(&self, _: ClassId) {
        CLASS_LOADS.fetch_add(1, Ordering::SeqCst);
    }

    fn module_load_started(&self, _: ModuleId) {
        panic!("in a callback");
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

mod exported {
    use super::{Probe, export_profiler};
    export_profiler!(Probe, "{5D9F6A0E-0F5B-4D7C-8B36-0E3A6F2B9C01}");
}

unsafe extern "system" {
    /// What [`export_profiler!`] has put into this binary.
    fn DllGetClassObject(requested: *const Guid, iid: *const Guid, out: *mut *mut c_void) -> i32;
}

/// The runtime's object.
#[repr(C)]
struct Double {
    vtable: *const [usize; SLOTS],
    newest: u8,
    references: AtomicU32,
    mask: [AtomicU32; 2],
}

/// The number of slots of the newest interface.
const SLOTS: usize = size_of::<sys::ICorProfilerInfo15Vtbl>() / size_of::<usize>();

const VERSIONS: [sys::GUID; 15] = [
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

unsafe extern "system" fn unexpected() -> i32 {
    eprintln!("the profiler has called a method that the double does not have");
    std::process::abort();
}

unsafe extern "system" fn query_interface(
    this: *mut sys::IUnknown,
    iid: *const sys::GUID,
    out: *mut *mut c_void,
) -> sys::HRESULT {
    // SAFETY: the double, a GUID, and a place for a pointer.
    unsafe {
        let (double, iid) = (&*this.cast::<Double>(), *iid);
        let known = VERSIONS.iter().take(double.newest.into()).any(|version| *version == iid);
        out.write(if known { this.cast() } else { null_mut() });
        if !known {
            return HResult::E_NOINTERFACE.0;
        }
        double.references.fetch_add(1, Ordering::SeqCst);
    }
    0
}

unsafe extern "system" fn add_ref(this: *mut sys::IUnknown) -> sys::ULONG {
    // SAFETY: the double.
    unsafe { &*this.cast::<Double>() }.references.fetch_add(1, Ordering::SeqCst) + 1
}

unsafe extern "system" fn release(this: *mut sys::IUnknown) -> sys::ULONG {
    // SAFETY: the double.
    unsafe { &*this.cast::<Double>() }.references.fetch_sub(1, Ordering::SeqCst) - 1
}

unsafe extern "system" fn set_event_mask(this: *mut sys::ICorProfilerInfo, low: sys::DWORD) -> sys::HRESULT {
    // SAFETY: the double.
    unsafe { &*this.cast::<Double>() }.mask[0].store(low, Ordering::SeqCst);
    0
}

unsafe extern "system" fn set_event_mask2(
    this: *mut sys::ICorProfilerInfo5,
    low: sys::DWORD,
    high: sys::DWORD,
) -> sys::HRESULT {
    // SAFETY: the double.
    let double = unsafe { &*this.cast::<Double>() };
    double.mask[0].store(low, Ordering::SeqCst);
    double.mask[1].store(high, Ordering::SeqCst);
    0
}

impl Double {
    /// A runtime whose newest interface is `newest`; it holds one reference to its own object.
    fn new(newest: u8) -> Box<Self> {
        let mut slots = [(unexpected as *const ()).expose_provenance(); SLOTS];
        let mut put = |offset: usize, function: *const ()| {
            slots[offset / size_of::<usize>()] = function.expose_provenance();
        };
        put(offset_of!(sys::IUnknownVtbl, QueryInterface), query_interface as *const ());
        put(offset_of!(sys::IUnknownVtbl, AddRef), add_ref as *const ());
        put(offset_of!(sys::IUnknownVtbl, Release), release as *const ());
        put(offset_of!(sys::ICorProfilerInfoVtbl, SetEventMask), set_event_mask as *const ());
        put(offset_of!(sys::ICorProfilerInfo5Vtbl, SetEventMask2), set_event_mask2 as *const ());
        Box::new(Self {
            vtable: Box::leak(Box::new(slots)),
            newest,
            references: AtomicU32::new(1),
            mask: [AtomicU32::new(0), AtomicU32::new(0)],
        })
    }

    fn as_unknown(&self) -> *mut sys::IUnknown {
        core::ptr::from_ref(self).cast_mut().cast()
    }

    fn mask(&self) -> EventMask {
        EventMask::from_halves(self.mask[0].load(Ordering::SeqCst), self.mask[1].load(Ordering::SeqCst))
    }
}

/// The profiler's callback object, released on drop.
struct Loaded(*mut sys::ICorProfilerCallback);

// SAFETY: the runtime calls from any thread.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}

impl Loaded {
    /// Does what the runtime does to get the callback object.
    fn create() -> Self {
        static FACTORY: Guid = Guid::parse("00000001-0000-0000-C000-000000000046");
        type Create =
            unsafe extern "system" fn(*mut c_void, *mut c_void, *const sys::GUID, *mut *mut c_void) -> i32;
        let (mut factory, mut object) = (null_mut(), null_mut());
        // SAFETY: pointers to locals; slot 3 of the class factory is CreateInstance.
        unsafe {
            assert_eq!(DllGetClassObject(&raw const CLSID, &raw const FACTORY, &raw mut factory), 0);
            let create = factory.cast::<*const Create>().read().add(3).read();
            let iid = sys::IID_ICorProfilerCallback8;
            assert_eq!(create(factory, null_mut(), &raw const iid, &raw mut object), 0);
        }
        Self(object.cast())
    }

    fn vtable(&self) -> &sys::ICorProfilerCallbackVtbl {
        // SAFETY: a live object.
        unsafe { &*(*self.0).lpVtbl }
    }

    fn initialize(&self, double: &Double) -> HResult {
        // SAFETY: two live objects.
        HResult(unsafe { (self.vtable().Initialize)(self.0, double.as_unknown()) })
    }

    fn class_load_started(&self) -> HResult {
        // SAFETY: a live object.
        HResult(unsafe { (self.vtable().ClassLoadStarted)(self.0, 8) })
    }

    fn module_load_started(&self) -> HResult {
        // SAFETY: a live object.
        HResult(unsafe { (self.vtable().ModuleLoadStarted)(self.0, 8) })
    }

    fn shutdown(&self) -> HResult {
        // SAFETY: a live object.
        HResult(unsafe { (self.vtable().Shutdown)(self.0) })
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        // SAFETY: the reference that `create` was given.
        let left = unsafe { (self.vtable().base.Release)(self.0.cast()) };
        assert_eq!(left, 0, "somebody else holds the callback object");
    }
}

/// One test, since they count in the same statics.
#[test]
fn a_profiler_is_loaded_called_and_let_go() {
    for newest in [4, 11, 15] {
        let (double, loaded) = (Double::new(newest), Loaded::create());
        assert_eq!(loaded.initialize(&double), HResult::S_OK);
        assert_eq!(ALIVE.load(Ordering::SeqCst), 1);
        let high = if newest == 4 { EventMask::empty() } else { EventMask::BASIC_GC };
        assert_eq!(double.mask(), EventMask::CLASS_LOADS | high);

        calls_come_from_many_threads(&loaded);
        assert_eq!(loaded.module_load_started(), HResult::E_FAIL, "a panic is a failure code");
        assert_eq!(loaded.class_load_started(), HResult::S_OK, "and the end of nothing");

        assert_eq!(loaded.shutdown(), HResult::S_OK);
        let before = CLASS_LOADS.load(Ordering::SeqCst);
        assert_eq!(loaded.class_load_started(), HResult::S_OK);
        assert_eq!(CLASS_LOADS.load(Ordering::SeqCst), before, "nothing is delivered after the shutdown");

        drop(loaded);
        assert_eq!(ALIVE.load(Ordering::SeqCst), 0, "the profiler is dropped with its object");
        assert_eq!(double.references.load(Ordering::SeqCst), 1, "every reference was given back");
    }
    a_profiler_that_does_not_start_leaves_nothing();
}

fn calls_come_from_many_threads(loaded: &Loaded) {
    let before = CLASS_LOADS.load(Ordering::SeqCst);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..1000).for_each(|_| assert_eq!(loaded.class_load_started(), HResult::S_OK)));
        }
    });
    assert_eq!(CLASS_LOADS.load(Ordering::SeqCst), before + 8000);
}

fn a_profiler_that_does_not_start_leaves_nothing() {
    for newest in [REFUSES, PANICS] {
        let (double, loaded) = (Double::new(newest), Loaded::create());
        assert_eq!(loaded.initialize(&double), HResult::E_FAIL);
        assert_eq!(loaded.class_load_started(), HResult::S_OK, "nobody is there to be told");
        drop(loaded);
        assert_eq!(ALIVE.load(Ordering::SeqCst), 0);
        assert_eq!(double.references.load(Ordering::SeqCst), 1);
    }
}
