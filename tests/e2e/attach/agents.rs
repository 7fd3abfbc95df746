//! One agent, any number of tools: sessions that start and stop while a program runs.

use std::collections::HashMap;
use std::fs;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use corprof_cli::workspace::Package;
use corprof_link::{
    Documents, Expected, Invitation, Listener, Message, Receiver, Reply, Request, Sender, ask_agent, clock,
    connect_agent,
};
use corprof_report::{Kind, Options, Report};
use corprof_testkit::dotnet::RuntimeVersion;
use corprof_testkit::{Profiler, paths};

use crate::subject::{PATIENCE, Subject, as_is};

/// The agent of `tests/profilers/composed`.
const CLSID: &str = "{6E8A1D52-0B7C-4F39-9D14-5C2E7A60B3FA}";

/// The numbers of sessions: a few, and those of the acceptance in a long run.
const FEW: usize = 16;
const MANY: usize = 100;
/// The sessions at a time, beside the control.
const AT_ONCE: usize = 3;

/// The exception that the program throws.
const THROW: &str = "throw System.FormatException";

fn library() -> Result<Profiler> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        // A workspace of its own, with the dependencies of this one.
        let folder = paths::workspace().join("tests/profilers/composed");
        let package = Package { name: "composed".to_owned(), folder };
        let target = paths::workspace().join("target").to_string_lossy().into_owned();
        package
            .build_among(&["--locked".to_owned(), "--target-dir".to_owned(), target], false)
            .map_err(|error| format!("{error:#}"))
    });
    Ok(Profiler::new(built.as_ref().map_err(|error| anyhow!("{error}"))?, CLSID.parse()?))
}

/// A client with its session.
struct Session {
    tool: &'static str,
    sender: Sender,
    receiver: Receiver,
    /// How many exceptions the program had thrown when it began.
    before: u64,
}

/// Starts a tool in the process, with or without an agent in there.
fn start(subject: &Subject, agent: &Profiler, tool: &'static str, before: u64) -> Result<Session> {
    let expected = Expected { process: subject.program.pid(), user: None };
    let listener = Listener::bind(None, &subject.folder, expected)?;
    let (sender, mut receiver) = thread::scope(|scope| {
        let accepting = scope.spawn(|| listener.accept(Instant::now() + PATIENCE));
        let invitation = Invitation {
            path: subject.folder.join(listener.name()).display().to_string(),
            nonce: listener.nonce().to_owned(),
            deadline: clock() + u64::try_from(PATIENCE.as_nanos())?,
        };
        let line = invitation.line();
        let data = line.clone().into_bytes();
        match ask(subject, &Request::Start { tool: tool.to_owned(), data })? {
            Some(Reply::Started(_)) => {}
            Some(other) => bail!("{tool}: {other:?}\n{}", subject.program.report()),
            None => subject.attach_when_free(agent, &format!("{line}\nCORPROF_TOOL={tool}\n"))?,
        }
        accepting.join().map_err(|_| anyhow!("it panicked"))?.context("it has not connected")
    })?;
    let first = receiver.receive(Some(Instant::now() + PATIENCE))?;
    ensure!(first == Some(Message::Accepted), "{tool}: {first:?}");
    Ok(Session { tool, sender, receiver, before })
}

/// Connects to the agent, whose socket is where the port of the process is.
fn connect(subject: &Subject) -> Result<Option<UnixStream>> {
    let port = subject.port()?;
    Ok(connect_agent(None, port.path().parent().context("no folder")?, subject.program.pid())?)
}

/// Asks the agent, if there is one that is not about to leave.
fn ask(subject: &Subject, request: &Request) -> Result<Option<Reply>> {
    let Some(stream) = connect(subject)? else { return Ok(None) };
    match ask_agent(stream, request, PATIENCE) {
        Ok(reply) => Ok(Some(reply)),
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => Ok(None),
        Err(error) => Err(error.into()),
    }
}

impl Session {
    /// Stops it, and returns its last report.
    fn stop(mut self) -> Result<String> {
        self.sender.send(&Message::Stop, PATIENCE)?;
        self.end()
    }

    /// Reads to its end, and returns its last report.
    fn end(&mut self) -> Result<String> {
        let (mut documents, mut last, mut has_ended) = (Documents::default(), String::new(), false);
        let mut recording = Vec::new();
        while let Some(message) = self.receiver.receive(Some(Instant::now() + PATIENCE))? {
            match message {
                Message::Document(part) => {
                    if let Some((_, bytes)) = documents.add(part) {
                        last = String::from_utf8(bytes)?;
                    }
                }
                Message::Recording { bytes } => recording.extend(bytes),
                Message::End { why, stays, lost } => {
                    let is_whole = why == "detached" && stays.is_none() && lost == 0;
                    ensure!(is_whole, "{}: {why}, {stays:?}, {lost} lost", self.tool);
                    has_ended = true;
                }
                _ => {}
            }
        }
        ensure!(has_ended, "{} has not said that it ends", self.tool);
        if !recording.is_empty() {
            let report = Report::read(&*recording, Options::default())?;
            last = String::from_utf8(report.write(Kind::Text)?)?;
        }
        Ok(last)
    }
}

/// The number of exceptions in a report of `exceptions`.
fn thrown(report: &str) -> Result<u64> {
    let found = report.split_once(": ").and_then(|(_, rest)| rest.split_once(" exceptions in "));
    Ok(found.with_context(|| format!("no number: {report}"))?.0.parse()?)
}

/// The threads of the process that are the agent's or a tool's, and the number of its descriptors.
fn held(subject: &Subject) -> Result<(Vec<String>, usize)> {
    let process = Path::new("/proc").join(subject.program.pid().to_string());
    let mut threads = Vec::new();
    for task in fs::read_dir(process.join("task"))? {
        // It may end meanwhile.
        let name = fs::read_to_string(task?.path().join("comm")).unwrap_or_default();
        if ["corprof", "cpu", "gc", "exceptions", "panics"].iter().any(|own| name.starts_with(own)) {
            threads.push(name.trim_end().to_owned());
        }
    }
    Ok((threads, fs::read_dir(process.join("fd"))?.count()))
}

/// Waits until the agent has left the process.
fn has_left(subject: &Subject) -> Result<()> {
    let begin = Instant::now();
    loop {
        let (threads, _) = held(subject)?;
        if threads.is_empty() && ask(subject, &Request::List)?.is_none() {
            return Ok(());
        }
        ensure!(begin.elapsed() < PATIENCE, "{threads:?} are still there\n{}", subject.program.report());
        thread::sleep(Duration::from_millis(10));
    }
}

/// Numbers that are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or_default() % limit
    }
}

pub(crate) fn sessions_come_and_go(version: RuntimeVersion) -> Result<()> {
    let agent = library()?;
    let mut subject = Subject::new("agents", version, as_is)?;
    // The first tool of each kind leaves what the runtime keeps: that of a whole round, then the agent is gone.
    for tool in ["cpu", "gc", "exceptions"] {
        start(&subject, &agent, tool, 0)?.stop()?;
    }
    has_left(&subject)?;
    let (_, descriptors) = held(&subject)?;

    let mut count = 0;
    let control = start(&subject, &agent, "exceptions", count)?;
    let mut running: Vec<Session> = Vec::new();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut reported: HashMap<&str, usize> = HashMap::new();
    for number in 0..if e2e::is_long() { MANY } else { FEW } {
        if running.len() == AT_ONCE {
            let ended = running.swap_remove(random.below(AT_ONCE));
            check(ended, count, &mut reported)?;
        }
        // There is one sampler in a process.
        let tools = ["exceptions", "gc", "cpu"];
        let has_cpu = running.iter().any(|session| session.tool == "cpu");
        let tool = tools[random.below(if has_cpu { 2 } else { 3 })];
        let session = start(&subject, &agent, tool, count).with_context(|| format!("session {number}"))?;
        running.push(session);
        let caught = subject.program.request(THROW)?;
        ensure!(caught.starts_with("caught System.FormatException"), "{caught}");
        count += 1;
        if number % 4 == 0 {
            subject.program.request("collect 0")?;
        }
    }
    let Some(Reply::Sessions(listed)) = ask(&subject, &Request::List)? else { bail!("no list") };
    let mut tools: Vec<&str> = running.iter().map(|session| session.tool).chain(["exceptions"]).collect();
    let mut known: Vec<&str> = listed.iter().map(|session| session.tool.as_str()).collect();
    tools.sort_unstable();
    known.sort_unstable();
    ensure!(tools == known, "{listed:?}, not {tools:?}");
    for session in running {
        check(session, count, &mut reported)?;
    }
    ensure!(thrown(&control.stop()?)? == count, "the control has not counted {count}");
    ensure!(reported.len() == 3, "{reported:?}");
    has_left(&subject)?;
    // The runtime closes its ends of our connections when it comes to that.
    let begin = Instant::now();
    while held(&subject)?.1 > descriptors {
        ensure!(begin.elapsed() < PATIENCE, "{} descriptors, before {descriptors}", held(&subject)?.1);
        thread::sleep(Duration::from_millis(10));
    }

    let subject = subject.quit()?;
    ensure!(subject.program.stderr().is_empty(), "{}", subject.program.report());
    // The same without an agent.
    let mut alone = Subject::new("agents-alone", version, as_is)?;
    for said in subject.program.said().iter().skip(1) {
        if said.starts_with("caught") {
            alone.program.request(THROW)?;
        } else if said.starts_with("collected") {
            alone.program.request("collect 0")?;
        }
    }
    let alone = alone.quit()?;
    ensure!(alone.program.said()[1..] == subject.program.said()[1..], "{}", subject.program.report());
    Ok(())
}

/// Stops a session, whose report has what the program did meanwhile.
fn check(session: Session, count: u64, reported: &mut HashMap<&'static str, usize>) -> Result<()> {
    let (tool, meanwhile) = (session.tool, count - session.before);
    let report = session.stop()?;
    *reported.entry(tool).or_default() += 1;
    match tool {
        "exceptions" => ensure!(thrown(&report)? == meanwhile, "not {meanwhile}: {report}"),
        "gc" => ensure!(report.contains("collections"), "{report}"),
        _ => ensure!(report.contains("samples"), "{report}"),
    }
    Ok(())
}

pub(crate) fn a_panic_ends_one_session(version: RuntimeVersion) -> Result<()> {
    let agent = library()?;
    let mut subject = Subject::new("agents-panic", version, as_is)?;
    let mut panics = start(&subject, &agent, "panics", 0)?;
    let other = start(&subject, &agent, "exceptions", 0)?;
    subject.program.request(THROW)?;
    panics.end()?;
    subject.program.request(THROW)?;
    ensure!(thrown(&other.stop()?)? == 2, "the other session has not gone on");
    has_left(&subject)?;
    // The agent is attached again.
    let again = start(&subject, &agent, "exceptions", 0)?;
    subject.program.request(THROW)?;
    ensure!(thrown(&again.stop()?)? == 1, "the next session has not counted");
    let subject = subject.quit()?;
    let stderr = subject.program.stderr();
    let named = stderr.lines().filter(|line| line.contains("panics panicked in ExceptionThrown")).count();
    ensure!(named == 1, "{}", subject.program.report());
    Ok(())
}

/// Requests that cannot be met are refused, and hostile ones are answered or cut off.
pub(crate) fn an_agent_refuses(version: RuntimeVersion) -> Result<()> {
    use std::io::{Read as _, Write as _};

    let agent = library()?;
    let subject = Subject::new("agents-refuse", version, as_is)?;
    let session = start(&subject, &agent, "gc", 0)?;
    let refusals = [
        (
            Request::Start { tool: "nothing".to_owned(), data: Vec::new() },
            "there is no tool \"nothing\"; this agent has: exceptions, gc, cpu, panics",
        ),
        (
            Request::Start { tool: "gc".to_owned(), data: b"GC_NOTHING=1\n".to_vec() },
            "there is no setting GC_NOTHING",
        ),
        (Request::Stop(1000), "there is no session 1000"),
        (Request::Leave, "the agent has 1 sessions"),
    ];
    for (request, expected) in refusals {
        let reply = ask(&subject, &request)?;
        let is_refused = matches!(&reply, Some(Reply::Refused(why)) if why.contains(expected));
        ensure!(is_refused, "{request:?}: {reply:?}");
    }
    let connect = || connect(&subject)?.context("there is no agent");
    // More connections than are served at a time, which say nothing, keep others waiting for a while only.
    let silent = (0..12).map(|_| connect()).collect::<Result<Vec<_>>>()?;
    ensure!(matches!(ask(&subject, &Request::List)?, Some(Reply::Sessions(_))), "no list");
    drop(silent);
    // One says too much, and one says nonsense.
    let mut long = connect()?;
    // The agent closes the connection, or has closed it.
    let _ = long.write_all(&vec![b'x'; 1 << 20]);
    let mut nonsense = connect()?;
    nonsense.write_all(b"\0\xFF\n\n\n")?;
    nonsense.shutdown(std::net::Shutdown::Write)?;
    let mut answer = Vec::new();
    nonsense.set_read_timeout(Some(PATIENCE))?;
    nonsense.read_to_end(&mut answer)?;
    ensure!(answer.starts_with(b"error "), "{answer:?}");
    let Some(Reply::Sessions(listed)) = ask(&subject, &Request::List)? else { bail!("no list") };
    let [listed] = &listed[..] else { bail!("{listed:?}") };
    // Stopped by another client, it reports to its own.
    let mut session = session;
    ensure!(ask(&subject, &Request::Stop(listed.number))? == Some(Reply::Done), "it is not stopped");
    ensure!(session.end()?.contains("collections"), "no report");
    has_left(&subject)?;
    let subject = subject.quit()?;
    ensure!(subject.program.stderr().is_empty(), "{}", subject.program.report());
    Ok(())
}
