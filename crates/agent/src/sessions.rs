//! The sessions of an agent: a tool each, which is a part of the profiler.
#![cfg_attr(not(unix), allow(dead_code, reason = "requests come at a socket, which is not there"))]

use core::sync::atomic::{AtomicBool, Ordering};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use corprof::{Error, PartEvent, PartHost, PartKey, ProfilerInfo, Result};
use corprof_in_process::spawn_quiet;
use corprof_link::{Running, TOOL};

use crate::events::{Event, Events};
use crate::hosted::HostedTool;
use crate::limits::LEAVING;

/// The sessions, and what they need.
pub(crate) struct Sessions {
    info: ProfilerInfo,
    host: PartHost,
    tools: Vec<(&'static str, HostedTool)>,
    pub(crate) events: Arc<Events>,
    running: Mutex<Table>,
    has_ended: AtomicBool,
    #[cfg(unix)]
    pub(crate) socket: Mutex<Option<Arc<corprof_link::AgentSocket>>>,
}

#[derive(Default)]
struct Table {
    sessions: Vec<Session>,
    /// The number of the last one.
    last: u64,
}

#[derive(Clone, Copy)]
struct Session {
    number: u64,
    tool: &'static str,
    key: PartKey,
    begun: Instant,
}

/// The name of a tool whose settings have this prefix. It lives as long as the process, since messages name it.
fn name_of(prefix: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let name = prefix.trim_end_matches('_').to_ascii_lowercase().replace('_', "-");
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(&*name) {
        return known;
    }
    let name: &'static str = name.leak();
    names.insert(name);
    name
}

/// Does something on a thread of its own, and waits for that.
///
/// Some calls, such as the start of an EventPipe session, make their thread one that the runtime knows, from which it refuses others: what a
/// tool calls at its start must not depend on the tools before.
fn apart<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> Result<R> {
    let (done, result) = std::sync::mpsc::sync_channel(1);
    let thread = spawn_quiet("corprof-agent", move || drop(done.send(work())));
    let thread = thread.map_err(|error| Error::other(format!("cannot start a thread: {error}")))?;
    let result = result.recv();
    // A panic has been printed.
    let _ = thread.join();
    result.map_err(|_| Error::other("the agent has panicked"))
}

/// Returns the tool that client data name, and the data without that line.
pub(crate) fn tool_of(data: &[u8]) -> (Option<String>, Cow<'_, [u8]>) {
    let is_tool =
        |line: &&[u8]| line.strip_prefix(TOOL.as_bytes()).is_some_and(|rest| rest.starts_with(b"="));
    let Some(line) = data.split(|byte| *byte == b'\n').find(is_tool) else { return (None, data.into()) };
    let tool = String::from_utf8_lossy(line.get(TOOL.len() + 1..).unwrap_or_default()).into_owned();
    let others = data.split_inclusive(|byte| *byte == b'\n').filter(|line| !is_tool(line));
    (Some(tool), others.flatten().copied().collect())
}

impl Sessions {
    pub(crate) fn new(info: &ProfilerInfo, tools: &[HostedTool]) -> Arc<Self> {
        let events = Arc::new(Events::new());
        let wakes = Arc::clone(&events);
        let notify = move |key: PartKey, event: PartEvent| wakes.add(Event::Part(key, event));
        Arc::new(Self {
            info: info.clone(),
            host: PartHost::new(info, notify),
            tools: tools.iter().map(|tool| (name_of(tool.prefix), *tool)).collect(),
            events,
            running: Mutex::default(),
            has_ended: AtomicBool::new(false),
            #[cfg(unix)]
            socket: Mutex::default(),
        })
    }

    pub(crate) fn host(&self) -> &PartHost {
        &self.host
    }

    /// The names of the tools, and the prefixes of their settings.
    pub(crate) fn names(&self) -> impl ExactSizeIterator<Item = (&'static str, &'static str)> {
        self.tools.iter().map(|(name, tool)| (*name, tool.prefix))
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tool(&self, name: Option<&str>) -> Result<(&'static str, HostedTool)> {
        let found = match (name, self.tools.as_slice()) {
            (None, [only]) => Some(only),
            (name, tools) => tools.iter().find(|(known, _)| Some(*known) == name),
        };
        found.copied().ok_or_else(|| {
            let known = self.names().map(|(name, _)| name).collect::<Vec<_>>().join(", ");
            let what = name
                .map_or_else(|| "no tool is named".to_owned(), |name| format!("there is no tool {name:?}"));
            Error::NotFound(format!("{what}; this agent has: {known}"))
        })
    }

    /// Starts a tool whose settings are in the environment.
    pub(crate) fn start(&self, name: &str) -> Result<u64> {
        let (name, tool) = self.tool(Some(name))?;
        Ok(self.add(name, (tool.start)(&self.host, name)?))
    }

    /// Starts a tool with client data.
    pub(crate) fn attach(&self, name: Option<&str>, data: &[u8]) -> Result<u64> {
        let (name, tool) = self.tool(name)?;
        Ok(self.add(name, (tool.attach)(&self.host, name, data)?))
    }

    fn add(&self, tool: &'static str, key: PartKey) -> u64 {
        let mut table = self.table();
        table.last += 1;
        let number = table.last;
        table.sessions.push(Session { number, tool, key, begun: Instant::now() });
        number
    }

    /// The same, for the control thread.
    pub(crate) fn attach_apart(self: &Arc<Self>, name: String, data: Vec<u8>) -> Result<u64> {
        let this = Arc::clone(self);
        apart(move || this.attach(Some(&name), &data)).flatten()
    }

    /// Ends the session of a part; nothing if it has ended. On the control thread.
    pub(crate) fn remove(self: &Arc<Self>, key: PartKey) {
        let this = Arc::clone(self);
        // It fails if the program has ended meanwhile, and then the tool has been told.
        let _ = apart(move || this.host.remove(key));
        self.table().sessions.retain(|session| session.key != key);
    }

    /// Ends a session. Returns `false` if there is none of this number. On the control thread.
    pub(crate) fn stop(self: &Arc<Self>, number: u64) -> bool {
        let found = self.table().sessions.iter().find(|session| session.number == number).copied();
        found.is_some_and(|session| {
            self.remove(session.key);
            true
        })
    }

    pub(crate) fn list(&self) -> Vec<Running> {
        let running = |session: &Session| Running {
            number: session.number,
            tool: session.tool.to_owned(),
            seconds: session.begun.elapsed().as_secs(),
        };
        self.table().sessions.iter().map(running).collect()
    }

    pub(crate) fn count(&self) -> usize {
        self.table().sessions.len()
    }

    /// Handles an event of a part.
    pub(crate) fn handle(self: &Arc<Self>, key: PartKey, event: PartEvent) {
        match event {
            PartEvent::Panicked { .. } | PartEvent::RequestsDetach => self.remove(key),
            _ => {}
        }
    }

    /// Requests the detach of the agent, which has no sessions.
    pub(crate) fn leave(&self) -> Result<()> {
        self.info.request_detach(LEAVING)
    }

    /// The program ends, or the agent has been detached.
    pub(crate) fn end(&self) {
        self.has_ended.store(true, Ordering::Release);
        #[cfg(unix)]
        {
            let socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner).take();
            socket.iter().for_each(|socket| socket.remove());
        }
        self.events.add(Event::End);
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_data_name_a_tool() {
        let of = |data: &str| {
            let (tool, data) = tool_of(data.as_bytes());
            (tool, String::from_utf8(data.into_owned()).unwrap())
        };
        assert_eq!(of("GC_LAST=1\n"), (None, "GC_LAST=1\n".to_owned()));
        let expected = (Some("gc".to_owned()), "GC_LAST=1\nGC_OUT=a".to_owned());
        assert_eq!(of("GC_LAST=1\nCORPROF_TOOL=gc\nGC_OUT=a"), expected);
        assert_eq!(of("CORPROF_TOOL=gc\nGC_LAST=1\nGC_OUT=a"), expected);
        assert_eq!(of("CORPROF_TOOLS=gc"), (None, "CORPROF_TOOLS=gc".to_owned()));
    }

    #[test]
    fn names_are_those_of_the_settings() {
        assert_eq!((name_of("GC_"), name_of("MY_TOOL_")), ("gc", "my-tool"));
        assert!(core::ptr::eq(name_of("GC_"), name_of("GC_")));
    }
}
