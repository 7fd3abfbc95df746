//! Parts that a profiler adds and removes while the program runs.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use corprof::{
    ClassId, Error, EventMask, Forget, HResult, ModuleId, ObjectId, PartEvent, PartHost, PartKey, Profiler,
    ProfilerInfo, Result, Unload,
};
use corprof_double::{Runtime, Session, Version};

use crate::Log;

/// The profiler that hosts.
struct Agent {
    host: PartHost,
    events: Arc<Mutex<Vec<(PartKey, PartEvent)>>>,
}

impl Profiler for Agent {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        let events = Arc::<Mutex<Vec<_>>>::default();
        let noted = Arc::clone(&events);
        let host = PartHost::new(info, move |key, event| noted.lock().unwrap().push((key, event)));
        Ok(Self { host, events })
    }
    fn initialize_for_attach(info: &ProfilerInfo, data: &[u8]) -> Result<Self> {
        let agent = Self::initialize(info)?;
        let log = Arc::<Log>::default();
        if data == b"gc" {
            agent.host.add("collections", Part::with(EventMask::GC, &log))?;
        }
        Ok(agent)
    }
    fn host(&self) -> Option<&PartHost> {
        Some(&self.host)
    }
}

/// A part that logs. It is alive as long as its log is shared.
struct Part {
    log: Arc<Log>,
}

impl Part {
    fn with(mask: EventMask, log: &Arc<Log>) -> impl FnOnce(&ProfilerInfo) -> Result<Self> + Send {
        let log = Arc::clone(log);
        move |info| {
            info.set_event_mask(mask)?;
            assert_eq!(info.event_mask()?, mask);
            Ok(Self { log })
        }
    }
}

impl Profiler for Part {
    fn initialize(_: &ProfilerInfo) -> Result<Self> {
        unreachable!("it is made by a function");
    }
    fn profiler_attach_complete(&self) {
        self.log.line("attached");
    }
    fn module_load_finished(&self, _: ModuleId, _: Result<(), HResult>) {
        self.log.line("module");
    }
    fn class_load_finished(&self, _: ClassId, _: Result<(), HResult>) {
        self.log.line("class");
    }
    fn exception_thrown(&self, _: ObjectId<'_>) {
        self.log.line("thrown");
    }
    fn profiler_detach_succeeded(&self) {
        self.log.line("removed");
    }
    fn shutdown(&self) {
        self.log.line("shutdown");
    }
}

/// Runs on a thread of the profiler's own.
fn own<R: Send>(session: &Session<'_, Agent>, work: impl FnOnce(&PartHost) -> R + Send) -> R {
    session.native_thread(|| work(&session.profiler().host))
}

#[test]
fn a_part_gets_callbacks_from_its_addition_to_its_removal() {
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.start::<Agent>().unwrap();
    let [first, second] = [Arc::<Log>::default(), Arc::default()];
    session.load(runtime.module("A"));
    let modules =
        own(&session, |host| host.add("modules", Part::with(EventMask::MODULE_LOADS, &first))).unwrap();
    assert_eq!(first.take(), ["attached"]);
    session.load(runtime.module("B"));
    let classes =
        own(&session, |host| host.add("classes", Part::with(EventMask::CLASS_LOADS, &second))).unwrap();
    assert!(runtime.event_mask().contains(EventMask::CLASS_LOADS));
    let app = runtime.module("C");
    let method = app.class("C").method("M").is_static().define();
    session.load(app);
    session.compile(&method);
    // `object` and `C`.
    assert_eq!(
        (first.take(), second.take()),
        (vec!["module".to_owned(); 2], ["attached", "class", "class"].map(str::to_owned).to_vec())
    );
    assert_eq!(own(&session, PartHost::parts), [modules, classes]);
    let removed = own(&session, |host| host.remove(classes)).unwrap().unwrap();
    assert!(!removed.has_panicked && !removed.is_in_use);
    assert_eq!(second.take(), ["removed"]);
    // It was dropped, and its flag is gone.
    assert_eq!(Arc::strong_count(&second), 1);
    assert!(!runtime.event_mask().contains(EventMask::CLASS_LOADS));
    assert_eq!(own(&session, |host| host.remove(classes)).unwrap(), None);
    session.load(runtime.module("D"));
    assert_eq!((first.take(), second.take()), (vec!["module".to_owned()], vec![]));
    session.shutdown();
    assert_eq!(first.take(), ["shutdown"]);
    assert_eq!(Arc::strong_count(&first), 1);
    runtime.assert_released();
}

/// A number is used again by a later part, which has nothing of the one before.
#[test]
fn many_parts_follow_one_another() {
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.start::<Agent>().unwrap();
    let log = Arc::<Log>::default();
    let mut keys: Vec<PartKey> = Vec::new();
    for round in 0..200 {
        let mask = if round % 2 == 0 { EventMask::MODULE_LOADS } else { EventMask::CLASS_LOADS };
        let key = own(&session, |host| host.add("part", Part::with(mask, &log))).unwrap();
        assert!(!keys.contains(&key));
        keys.push(key);
        // Four at a time, and the one before those is gone.
        let oldest = |ago: usize| own(&session, |host| host.remove(keys[round - ago])).unwrap();
        if round >= 4 {
            assert!(oldest(4).is_some());
        }
        if round >= 5 {
            assert!(oldest(5).is_none());
        }
    }
    session.shutdown();
    runtime.assert_released();
}

#[test]
fn there_are_fifteen_at_most() {
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.start::<Agent>().unwrap();
    let log = Arc::<Log>::default();
    let add = || own(&session, |host| host.add("part", Part::with(EventMask::MODULE_LOADS, &log)));
    let keys: Vec<_> = (0..15).map(|_| add().unwrap()).collect();
    log.take();
    session.load(runtime.module("A"));
    assert_eq!(log.take(), ["module"; 15]);
    assert!(add().unwrap_err().to_string().contains("at most 15 parts"));
    own(&session, |host| host.remove(keys[7])).unwrap();
    assert!(add().is_ok());
    session.shutdown();
    runtime.assert_released();
}

struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn parts_come_and_go_while_callbacks_run_on_other_threads() {
    let runtime = Runtime::new(Version::NET_8);
    let session = runtime.start::<Agent>().unwrap();
    let control = Arc::<Log>::default();
    own(&session, |host| host.add("control", Part::with(EventMask::EXCEPTIONS, &control))).unwrap();
    control.take();
    let (is_over, thrown) = (AtomicBool::new(false), AtomicUsize::new(0));
    let exception = session.object(&runtime.exception(), &[]);
    std::thread::scope(|threads| {
        for name in ["one", "two"] {
            let (session, is_over, thrown) = (&session, &is_over, &thrown);
            threads.spawn(move || {
                session.thread(name, || {
                    while !is_over.load(Ordering::Relaxed) {
                        let _ = session.throw(exception);
                        thrown.fetch_add(1, Ordering::Relaxed);
                    }
                });
            });
        }
        // A failure ends the other threads too.
        let _end = SetOnDrop(&is_over);
        for _ in 0..300 {
            let log = Arc::<Log>::default();
            let make = Part::with(EventMask::EXCEPTIONS, &log);
            let key = own(&session, |host| host.add("part", make)).unwrap();
            std::thread::yield_now();
            let removed = own(&session, |host| host.remove(key)).unwrap().unwrap();
            assert!(!removed.is_in_use);
            // Nothing reaches it any more: it is dropped.
            assert_eq!(Arc::strong_count(&log), 1);
            let log = log.take();
            assert_eq!(log.iter().filter(|line| *line == "attached").count(), 1);
            assert_eq!(log.last().map(String::as_str), Some("removed"));
        }
    });
    assert_eq!(control.take().len(), thrown.load(Ordering::Relaxed));
    session.shutdown();
    runtime.assert_released();
}

/// A part that panics in a callback, and calls what a part may not.
struct Panics(ProfilerInfo);

impl Profiler for Panics {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::MODULE_LOADS)?;
        Ok(Self(info.clone()))
    }
    fn module_load_finished(&self, _: ModuleId, _: Result<(), HResult>) {
        panic!("the test panics");
    }
    fn profiler_detach_succeeded(&self) {
        let error = self.0.set_event_mask(EventMask::SUSPENDS).unwrap_err();
        assert!(matches!(error, Error::Ended { .. }), "{error}");
    }
}

#[test]
fn a_panic_ends_one_part_and_names_it() {
    crate::composed::listen();
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.start::<Agent>().unwrap();
    let log = Arc::<Log>::default();
    own(&session, |host| host.add("modules", Part::with(EventMask::MODULE_LOADS, &log))).unwrap();
    let key = own(&session, |host| host.add("the one that panics", Panics::initialize)).unwrap();
    log.take();
    session.load(runtime.module("A"));
    session.load(runtime.module("B"));
    assert_eq!(log.take(), ["module"; 2]);
    let panicked = PartEvent::Panicked { callback: "ModuleLoadFinished" };
    assert_eq!(*session.profiler().events.lock().unwrap(), [(key, panicked)]);
    crate::composed::message(&[
        "the one that panics panicked in ModuleLoadFinished: the test panics; it is ended",
    ]);
    let removed = own(&session, |host| host.remove(key)).unwrap().unwrap();
    assert!(removed.has_panicked);
    assert!(!runtime.event_mask().contains(EventMask::SUSPENDS));
    session.shutdown();
    runtime.assert_released();
}

#[test]
fn a_part_that_is_not_made_leaves_nothing() {
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.start::<Agent>().unwrap();
    let refused = own(&session, |host| {
        host.add("refuses", |info| {
            info.set_event_mask(EventMask::SUSPENDS)?;
            Err::<Panics, _>(Error::other("the test refuses"))
        })
    });
    assert_eq!(refused.unwrap_err().to_string(), "the test refuses");
    let panicked = own(&session, |host| {
        host.add("panics", |info| -> Result<Panics> {
            info.set_event_mask(EventMask::SUSPENDS).unwrap();
            panic!("the test panics");
        })
    });
    assert_eq!(panicked.unwrap_err().to_string(), "panics has panicked");
    let nested = own(&session, |host| {
        host.add("nested", |info| {
            let error = host.add("one", Panics::initialize).unwrap_err().to_string();
            assert!(error.starts_with("PartHost::add is not called while it makes"), "{error}");
            Panics::initialize(info)
        })
    });
    assert!(nested.is_ok());
    assert!(!runtime.event_mask().contains(EventMask::SUSPENDS));
    session.shutdown();
    runtime.assert_released();
}

#[test]
fn flags_that_cannot_be_set_late_are_refused_by_their_names() {
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.start::<Agent>().unwrap();
    let log = Arc::<Log>::default();
    let add = |mask| own(&session, |host| host.add("part", Part::with(mask, &log)));
    add(EventMask::ENTER_LEAVE | EventMask::EXCEPTIONS).unwrap();
    for (mask, name) in [
        (EventMask::GC, "GC cannot be set in a program that runs"),
        (
            EventMask::ENABLE_OBJECT_ALLOCATED | EventMask::GC,
            "ENABLE_OBJECT_ALLOCATED cannot be set in a program that runs",
        ),
    ] {
        let error = add(mask).unwrap_err();
        assert!(matches!(error, Error::Flags { .. }) && error.to_string().starts_with(name), "{error}");
        assert!(!runtime.event_mask().intersects(mask));
    }
    session.shutdown();
    let attached = Runtime::new(Version::NET_9);
    let session = attached.attach::<Agent>(b"").unwrap();
    let error = own(&session, |host| host.add("part", Part::with(EventMask::ENTER_LEAVE, &log))).unwrap_err();
    assert!(
        error.to_string().starts_with("ENTER_LEAVE cannot be set by a profiler that was attached"),
        "{error}"
    );
    session.shutdown();
}

/// The first part of a profiler that is attached has the flag in time.
#[test]
fn a_part_may_be_added_while_the_profiler_is_attached() {
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.attach::<Agent>(b"gc").unwrap();
    assert!(runtime.event_mask().contains(EventMask::GC));
    let log = Arc::<Log>::default();
    // Another one has the flag then.
    let second = own(&session, |host| host.add("second", Part::with(EventMask::GC, &log))).unwrap();
    let first = own(&session, PartHost::parts)[0];
    own(&session, |host| host.remove(first)).unwrap();
    assert!(runtime.event_mask().contains(EventMask::GC));
    own(&session, |host| host.remove(second)).unwrap();
    assert!(!runtime.event_mask().contains(EventMask::GC));
    session.shutdown();
    runtime.assert_released();
}

#[test]
fn a_part_that_requests_a_detach_is_to_be_removed_and_nothing_is_detached() {
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.start::<Agent>().unwrap();
    let (log, infos) = (Arc::<Log>::default(), Mutex::new(Vec::new()));
    let make = |info: &ProfilerInfo| {
        infos.lock().unwrap().push(info.clone());
        Part::with(EventMask::MODULE_LOADS, &log)(info)
    };
    let key = own(&session, |host| host.add("part", make)).unwrap();
    let info = infos.lock().unwrap().pop().unwrap();
    session.native_thread(|| info.request_detach(Duration::ZERO)).unwrap();
    assert_eq!(*session.profiler().events.lock().unwrap(), [(key, PartEvent::RequestsDetach)]);
    assert!(!runtime.wants_detach());
    own(&session, |host| host.remove(key)).unwrap();
    let ended = session.native_thread(|| info.request_detach(Duration::ZERO));
    assert!(matches!(ended, Err(Error::Ended { .. })));
    assert!(matches!(info.set_event_mask(EventMask::SUSPENDS), Err(Error::Ended { .. })));
    drop(info);
    session.shutdown();
    runtime.assert_released();
}

#[test]
fn parts_are_added_and_removed_on_threads_of_the_profilers_own() {
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.start::<Agent>().unwrap();
    let (log, host) = (Arc::<Log>::default(), &session.profiler().host);
    // This thread is managed.
    let error = host.add("part", Part::with(EventMask::MODULE_LOADS, &log)).unwrap_err();
    assert!(matches!(error, Error::Misplaced { .. }), "{error}");
    let key = own(&session, |host| host.add("part", Part::with(EventMask::MODULE_LOADS, &log))).unwrap();
    assert!(matches!(host.remove(key), Err(Error::Misplaced { .. })));
    session.shutdown();
    runtime.assert_released();
}

/// A part whose callback waits.
struct Waits {
    end: Mutex<mpsc::Receiver<()>>,
    begun: mpsc::Sender<()>,
    _memory: Arc<()>,
}

impl Profiler for Waits {
    fn initialize(_: &ProfilerInfo) -> Result<Self> {
        unreachable!("it is made by a function");
    }
    fn module_load_finished(&self, _: ModuleId, _: Result<(), HResult>) {
        self.begun.send(()).unwrap();
        let _ = self.end.lock().unwrap().recv();
    }
}

#[test]
fn a_part_that_a_thread_is_in_is_put_aside_and_released_later() {
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.start::<Agent>().unwrap();
    let (end, may_end) = mpsc::channel();
    let (begun, has_begun) = mpsc::channel();
    let (memory, log) = (Arc::new(()), Arc::<Log>::default());
    let copy = Arc::clone(&memory);
    let key = own(&session, |host| {
        host.add("part", move |info| {
            info.set_event_mask(EventMask::MODULE_LOADS)?;
            Ok(Waits { end: Mutex::new(may_end), begun, _memory: copy })
        })
    });
    let key = key.unwrap();
    std::thread::scope(|threads| {
        let (session, runtime) = (&session, &runtime);
        threads.spawn(move || session.thread("loads", || session.load(runtime.module("A"))));
        has_begun.recv().unwrap();
        let before = Instant::now();
        let removed = own(session, |host| host.remove(key)).unwrap().unwrap();
        // The wait has an end.
        assert!(removed.is_in_use && before.elapsed() < Duration::from_secs(30));
        assert_eq!(Arc::strong_count(&memory), 2);
        assert_eq!(own(session, PartHost::parts), []);
        end.send(()).unwrap();
    });
    // The next addition releases it.
    own(&session, |host| host.add("part", Part::with(EventMask::MODULE_LOADS, &log))).unwrap();
    assert_eq!(Arc::strong_count(&memory), 1);
    session.shutdown();
    runtime.assert_released();
}

/// Counts the unloads that its cache is notified of.
#[derive(Default)]
struct Unloads(AtomicUsize);

impl Forget for Unloads {
    fn forget(&self, unload: &Unload) {
        self.0.fetch_add(usize::from(unload.module().is_some()), Ordering::SeqCst);
    }
}

#[test]
fn caches_are_notified_of_unloads_whatever_parts_come_and_go() {
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.start::<Agent>().unwrap();
    let (unloads, log) = (Arc::<Unloads>::default(), Arc::<Log>::default());
    let copy = Arc::clone(&unloads);
    let make = move |info: &ProfilerInfo| {
        info.forget_with(&copy);
        Part::with(EventMask::MODULE_LOADS, &log)(info)
    };
    let key = own(&session, |host| host.add("part", make)).unwrap();
    let unload = |name| {
        let module = runtime.module(name).collectible();
        session.load(module);
        session.unload(module);
    };
    unload("A");
    own(&session, |host| host.remove(key)).unwrap();
    unload("B");
    assert_eq!(unloads.0.load(Ordering::SeqCst), 2);
    session.shutdown();
    runtime.assert_released();
}

/// A part that changes IL.
struct Rewrites;

impl Profiler for Rewrites {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::ENABLE_REJIT)?;
        Ok(Self)
    }
}

#[test]
fn il_has_one_owner_at_a_time() {
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.start::<Agent>().unwrap();
    let first = own(&session, |host| host.add("first", Rewrites::initialize)).unwrap();
    let error = own(&session, |host| host.add("second", Rewrites::initialize)).unwrap_err();
    assert!(matches!(error, Error::Conflict { parts: ["first", "second"], .. }), "{error}");
    own(&session, |host| host.remove(first)).unwrap();
    assert!(own(&session, |host| host.add("second", Rewrites::initialize)).is_ok());
    session.shutdown();
    runtime.assert_released();
}
