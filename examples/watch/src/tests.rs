//! An attached watch, in the fake runtime.
#![allow(clippy::unwrap_used, reason = "of what the tests themselves have set up")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use corprof_double::{Collection, Runtime, Version};

use crate::Watch;

/// A temporary file for the lines, removed on drop.
struct Lines(PathBuf);

impl Lines {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("watch-{}-{name}", std::process::id())))
    }

    fn settings(&self, more: &str) -> Vec<u8> {
        format!("WATCH_OUT={}\n{more}", self.0.display()).into_bytes()
    }

    /// Returns the written lines, without times and the lines about the session itself.
    fn events(&self) -> Vec<String> {
        let text = fs::read_to_string(&self.0).unwrap();
        let lines = text.lines().map(|line| line.trim().split_once("  ").unwrap().1.to_owned());
        lines.filter(|line| !line.starts_with("watching") && !line.starts_with("settings")).collect()
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let _ = fs::remove_file(Path::new(&self.0));
    }
}

#[test]
fn what_happens_is_written() {
    let lines = Lines::new("events");
    let runtime = Runtime::new(Version::NET_9);
    let app = runtime.module("App").with_path("/app/App.dll");
    let error = app.class_extending("App.Error", runtime.exception());
    let class = app.class("App.Program");
    let (main, fail) = (class.method("Main").is_static().define(), class.method("Fail").is_static().define());

    let session = runtime.attach::<Watch>(&lines.settings("")).unwrap();
    session.load(app);
    let exception = session.object(&error, &[]);
    let caught = session.call_catching(
        &main,
        &[],
        || session.call(&fail, &[], || Err(session.throw(exception))),
        |_| Ok(().into()),
    );
    caught.unwrap();
    session.collect(&Collection::of(1).induced());
    session.thread("worker", || ());
    assert_eq!(session.failures(), []);
    session.shutdown();
    runtime.assert_released();

    let mut events = lines.events();
    // The duration varies.
    let collection = events.iter_mut().find(|event| event.starts_with("gc")).unwrap();
    collection.truncate(collection.rfind(',').unwrap());
    let expected = [
        "already there: 1 modules, 1 threads",
        "module     /app/App.dll",
        "exception  App.Error",
        "caught     in App.Program.Main",
        "gc         collection of generation 1, induced",
        "thread     1001 begins",
        "thread     is called \"worker\"",
        "thread     ends",
        "the program ends",
    ];
    assert_eq!(events, expected);
}

#[test]
fn it_leaves_when_its_time_is_over() {
    let lines = Lines::new("leaves");
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.attach::<Watch>(&lines.settings("WATCH_SECONDS=0")).unwrap();
    let begin = Instant::now();
    while !runtime.wants_detach() {
        assert!(begin.elapsed() < Duration::from_secs(60), "it does not ask to be detached");
        std::thread::sleep(Duration::from_millis(5));
    }
    session.finish_detach();
    runtime.assert_released();
    assert_eq!(lines.events()[1..], ["detaching", "detached"]);
}

#[test]
fn what_the_runtime_refuses_is_written() {
    let lines = Lines::new("refused");
    let runtime = Runtime::new(Version::NET_9);
    runtime.refuse("ICorProfilerInfo3::EnumModules", corprof::HResult::E_OUTOFMEMORY);
    let session = runtime.attach::<Watch>(&lines.settings("")).unwrap();
    session.shutdown();
    runtime.assert_released();
    assert!(lines.events()[0].contains("EnumModules failed with E_OUTOFMEMORY"), "{:?}", lines.events());
}
