//! An agent in the fake runtime: sessions start with the attach and by requests, and the agent leaves after the last one.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "of what the test itself has set up")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use corprof::{EventMask, HResult, ModuleId, Profiler, ProfilerInfo, Result};
use corprof_agent::{Agent, HostedTool, Tools};
use corprof_double::{Runtime, Version};
use corprof_link::{Reply, Request, Running, ask_agent, connect_agent};
use corprof_tools::{Reporter, Settings, Tool};

const SOON: Duration = Duration::from_secs(30);

/// Counts the modules that are loaded.
struct Modules {
    count: Arc<AtomicUsize>,
    reporter: Reporter,
}

impl Tool for Modules {
    const PREFIX: &'static str = "MODULES_";
    const SETTINGS: &'static [&'static str] = &["GC"];

    fn start(info: &ProfilerInfo, settings: &Settings) -> Result<Self> {
        let mask = if settings.is_on("GC")? { EventMask::GC } else { EventMask::MODULE_LOADS };
        info.set_event_mask(mask)?;
        let count = Arc::<AtomicUsize>::default();
        let copy = Arc::clone(&count);
        let write = move |_| format!("{} modules", copy.load(Ordering::SeqCst)).into_bytes();
        Ok(Self { count, reporter: Reporter::start("modules", info, settings, write)? })
    }

    fn reporter(&self) -> &Reporter {
        &self.reporter
    }
}

impl Profiler for Modules {
    corprof_tools::tool_callbacks!();

    fn module_load_finished(&self, _: ModuleId, _: Result<(), HResult>) {
        self.count.fetch_add(1, Ordering::SeqCst);
    }
}

struct Hosted;

impl Tools for Hosted {
    const TOOLS: &'static [HostedTool] = &[HostedTool::of::<Modules>()];
}

fn ask(request: &Request) -> Reply {
    let process = std::process::id();
    let begin = Instant::now();
    loop {
        // The agent listens soon after it was attached.
        if let Some(stream) = connect_agent(None, &std::env::temp_dir(), process).unwrap() {
            return ask_agent(stream, request, SOON).unwrap();
        }
        assert!(begin.elapsed() < SOON, "there is no agent");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn start(tool: &str, settings: &str) -> Request {
    Request::Start { tool: tool.to_owned(), data: settings.as_bytes().to_vec() }
}

fn numbers(reply: &Reply) -> Vec<u64> {
    let Reply::Sessions(sessions) = reply else { panic!("{reply:?}") };
    assert!(sessions.iter().all(|Running { tool, .. }| tool == "modules"));
    sessions.iter().map(|session| session.number).collect()
}

fn out(folder: &Path, name: &str) -> String {
    format!("MODULES_OUT={}\n", folder.join(name).display())
}

#[test]
fn sessions_start_and_stop_and_the_agent_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let runtime = Runtime::new(Version::NET_9);
    let first = format!("CORPROF_TOOL=modules\n{}", out(folder.path(), "first"));
    let session = runtime.attach::<Agent<Hosted>>(first.as_bytes()).unwrap();
    assert_eq!(numbers(&ask(&Request::List)), [1]);
    session.load(runtime.module("A"));
    assert_eq!(ask(&start("modules", &out(folder.path(), "second"))), Reply::Started(2));
    session.load(runtime.module("B"));
    for (request, expected) in [
        (start("other", ""), "there is no tool \"other\"; this agent has: modules"),
        (start("modules", "MODULES_NO=1\n"), "there is no setting MODULES_NO"),
        (start("modules", "MODULES_GC=1\n"), "GC cannot be set in a program that runs"),
        (Request::Stop(3), "there is no session 3"),
        (Request::Leave, "the agent has 2 sessions"),
    ] {
        let reply = ask(&request);
        assert!(matches!(&reply, Reply::Refused(why) if why.contains(expected)), "{reply:?}");
    }
    assert_eq!(ask(&Request::Stop(1)), Reply::Done);
    assert_eq!(read("first"), "2 modules");
    session.load(runtime.module("C"));
    assert_eq!(numbers(&ask(&Request::List)), [2]);
    assert!(!runtime.wants_detach());
    assert_eq!(ask(&Request::Stop(2)), Reply::Done);
    assert_eq!(read("second"), "2 modules");
    let begin = Instant::now();
    while !runtime.wants_detach() {
        assert!(begin.elapsed() < SOON, "the agent does not leave");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(connect_agent(None, &std::env::temp_dir(), std::process::id()).unwrap().is_none());
    session.finish_detach();
    runtime.assert_released();
}
