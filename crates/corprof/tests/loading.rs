//! A profiler is loaded, called and let go, as the runtime does it: through the entry point that
//! [`export_profiler!`] makes, by the double of the runtime.
//!
//! Contract of the unsafe code here: the entry point is the one that is exported below.
#![allow(unsafe_code)]
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "the profiler under test panics on purpose, or to fail"
)]

use core::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex, OnceLock};

use corprof::values::Generations;
use corprof::{
    ClassId, Error, EventMask, Guid, HResult, ModuleId, Profiler, ProfilerInfo, Result, WatchCollections,
    export_profiler,
};
use corprof_double::{Class, Entry, Runtime, Session, Version};

static CLSID: Guid = Guid::parse("{5D9F6A0E-0F5B-4D7C-8B36-0E3A6F2B9C01}");

/// How many profilers of this test binary are alive.
static ALIVE: AtomicUsize = AtomicUsize::new(0);
/// How many class loads were delivered.
static CLASS_LOADS: AtomicUsize = AtomicUsize::new(0);

/// What a profiler that has not started has left with a thread of its own.
static LEFT: Mutex<Option<ProfilerInfo>> = Mutex::new(None);

/// A profiler that does what the double's newest interface version tells it, so that one export serves all tests.
struct Probe {
    info: ProfilerInfo,
    unloaded: OnceLock<ModuleId>,
}

/// The versions that stand for a way to fail.
const REFUSES: u8 = 6;
const PANICS: u8 = 7;

impl Profiler for Probe {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        if matches!(info.version(), REFUSES | PANICS) {
            // As a thread of the profiler's own would.
            *LEFT.lock().unwrap() = Some(info.clone());
        }
        match info.version() {
            REFUSES => return Err(Error::other("the test refuses")),
            PANICS => panic!("the test panics"),
            4 => {
                let error = info.set_event_mask(EventMask::BASIC_GC).unwrap_err();
                assert!(matches!(error, Error::RuntimeTooOld { needed: 5, present: 4, .. }), "{error}");
                info.set_event_mask(EventMask::CLASS_LOADS)?;
            }
            _ => {
                info.set_event_mask(EventMask::CLASS_LOADS | EventMask::MODULE_LOADS | EventMask::BASIC_GC)?
            }
        }
        ALIVE.fetch_add(1, Ordering::SeqCst);
        Ok(Self { info: info.clone(), unloaded: OnceLock::new() })
    }

    fn class_load_started(&self, _: ClassId) {
        CLASS_LOADS.fetch_add(1, Ordering::SeqCst);
    }

    fn module_unload_started(&self, module: ModuleId) {
        let _ = self.unloaded.set(module);
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
    export_profiler!("{5D9F6A0E-0F5B-4D7C-8B36-0E3A6F2B9C01}", [Probe]);
}

unsafe extern "system" {
    /// What [`export_profiler!`] has put into this binary.
    fn DllGetClassObject(requested: *const Guid, iid: *const Guid, out: *mut *mut c_void) -> i32;
}

fn start(runtime: &Runtime) -> Result<Session<'_, Probe>, HResult> {
    // SAFETY: the entry point of `Probe`.
    runtime.start_library(unsafe { Entry::<Probe>::exported(CLSID, DllGetClassObject) })
}

/// One test, since they count in the same statics.
#[test]
fn a_profiler_is_loaded_called_and_let_go() {
    for newest in [4, 11, 15] {
        let runtime = Runtime::new(Version::NET_9.with_info(newest));
        let module = runtime.module("App").collectible();
        let class = |index: usize| module.class(&format!("App.C{index}"));
        let classes: Vec<Vec<Class<'_>>> =
            (0..8).map(|thread| (0..100).map(|index| class(thread * 100 + index)).collect()).collect();
        let session = start(&runtime).unwrap();
        assert_eq!(ALIVE.load(Ordering::SeqCst), 1);
        // What the library itself has to see is in every mask.
        let ends = EventMask::MODULE_LOADS | EventMask::ASSEMBLY_LOADS | EventMask::THREADS;
        let newer = EventMask::BASIC_GC | EventMask::DYNAMIC_FUNCTION_UNLOADS;
        let newer = if newest == 4 { EventMask::empty() } else { newer };
        assert_eq!(runtime.event_mask(), EventMask::CLASS_LOADS | ends | newer);

        session.load(module);
        calls_come_from_many_threads(&session, &classes);
        if newest > 4 {
            session.unload(module);
            assert_eq!(
                session.failures(),
                [("ModuleUnloadStarted", HResult::E_FAIL)],
                "a panic is a failure code"
            );
            let probe = session.profiler();
            let unloaded = probe.info.module_info(*probe.unloaded.get().unwrap());
            assert!(
                matches!(unloaded, Err(Error::Unloaded { .. })),
                "the library sees the unload all the same: {unloaded:?}"
            );
            session.load_class(&runtime.core_lib().class("System.Late"));
            assert_eq!(session.failures().len(), 1, "and the end of nothing");
        }

        session.shutdown_while_running();
        let before = CLASS_LOADS.load(Ordering::SeqCst);
        session.load_class(&runtime.core_lib().class("System.Later"));
        assert_eq!(CLASS_LOADS.load(Ordering::SeqCst), before, "nothing is delivered after the shutdown");

        drop(session);
        assert_eq!(ALIVE.load(Ordering::SeqCst), 0, "the profiler is dropped with its object");
        assert_eq!(runtime.held(), [""; 0], "every reference was given back");
        let panics = if newest == 4 { vec![] } else { vec!["the profiler has panicked".to_owned()] };
        assert_eq!(runtime.misuse(), panics);
    }
    a_profiler_that_does_not_start_leaves_nothing();
}

fn calls_come_from_many_threads(session: &Session<'_, Probe>, classes: &[Vec<Class<'_>>]) {
    // What they extend is loaded before them.
    session.load_class(&classes[0][0]);
    let before = CLASS_LOADS.load(Ordering::SeqCst);
    std::thread::scope(|scope| {
        for classes in classes {
            scope.spawn(|| classes.iter().for_each(|class| session.load_class(class)));
        }
    });
    assert_eq!(CLASS_LOADS.load(Ordering::SeqCst), before + 799);
}

fn a_profiler_that_does_not_start_leaves_nothing() {
    for newest in [REFUSES, PANICS] {
        let runtime = Runtime::new(Version::NET_9.with_info(newest));
        assert_eq!(start(&runtime).unwrap_err(), HResult::E_FAIL);
        assert_eq!(ALIVE.load(Ordering::SeqCst), 0);
        let left = LEFT.lock().unwrap().take().unwrap();
        assert!(
            matches!(left.event_mask(), Err(Error::Ended { .. })),
            "the runtime does not know of it any more"
        );
        drop(left);
        runtime.assert_released();
    }
}

/// The class factory answers for its own class id only.
#[test]
fn another_class_id_is_refused() {
    let runtime = Runtime::new(Version::NET_9);
    // SAFETY: the entry point of `Probe`; the class id may be any.
    let entry = unsafe { Entry::<Probe>::exported(Guid::NIL, DllGetClassObject) };
    assert_eq!(runtime.start_library(entry).unwrap_err(), HResult::CLASS_E_CLASSNOTAVAILABLE);
}

/// Sets its mask while collections are watched.
struct Racing(ProfilerInfo);

impl Profiler for Racing {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        Ok(Self(info.clone()))
    }
}

struct Watcher;

impl WatchCollections for Watcher {
    fn started(&self, _: &ProfilerInfo, _: Generations<'_>) {}
    fn finished(&self, _: &ProfilerInfo) {}
}

/// Two threads that change the event mask at the same time lose no flag of each other.
#[test]
fn the_event_mask_has_one_writer() {
    for turn in 0..2000 {
        let runtime = Runtime::new(Version::NET_9);
        let session = runtime.start::<Racing>().unwrap();
        let (info, watcher) = (&session.profiler().0, Arc::new(Watcher));
        let begin = Barrier::new(2);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                begin.wait();
                info.watch_collections(&watcher).unwrap();
            });
            begin.wait();
            info.set_event_mask(EventMask::EXCEPTIONS).unwrap();
        });
        let both = EventMask::EXCEPTIONS | EventMask::BASIC_GC;
        assert!(runtime.event_mask().contains(both), "turn {turn}: {:?}", runtime.event_mask());
        assert_eq!(info.event_mask().unwrap(), EventMask::EXCEPTIONS);
        info.add_to_event_mask(EventMask::SUSPENDS).unwrap();
        info.remove_from_event_mask(EventMask::EXCEPTIONS).unwrap();
        assert_eq!(info.event_mask().unwrap(), EventMask::SUSPENDS);
        session.shutdown();
    }
}
