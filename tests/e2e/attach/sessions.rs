//! EventPipe sessions of a running program: read while they stream, with as many events as the program states.

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::RuntimeVersion;
use diagport::{CollectTracing, Error, EventFilter, EventProvider, Port, Rundown, Session};
use nettrace::Reader;
use nettrace::runtime_events::{PROVIDER, RUNDOWN_PROVIDER, RuntimeEvent, ids, keywords};

use crate::subject::{PATIENCE, Subject, as_is};

/// What a session has yielded.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// The number of events of the runtime by their number.
    counts: BTreeMap<u32, u64>,
    thrown: BTreeMap<String, u64>,
    induced: u64,
    with_stack: u64,
    rundown: BTreeMap<String, u64>,
    dropped: u64,
    /// How often a read has found nothing for a while.
    quiet: u64,
}

/// Reads a session to its end on a thread, which sends the number of each event of the runtime at once.
fn reading(session: Session) -> (JoinHandle<Result<Seen>>, Receiver<u32>) {
    let (sender, receiver) = channel();
    let thread = std::thread::spawn(move || {
        let begin = Instant::now();
        let mut seen = Seen::default();
        let mut reader = Reader::new(session.with_patience(PATIENCE))?;
        loop {
            let event = match reader.next_event() {
                Ok(Some(event)) => event,
                Ok(None) => break,
                Err(nettrace::Error::Io { source, .. })
                    if source.kind() == io::ErrorKind::TimedOut && begin.elapsed() < PATIENCE =>
                {
                    seen.quiet += 1;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            if event.metadata.provider == RUNDOWN_PROVIDER {
                let kind = format!("{:?}", event.rundown_event()?);
                let kind = kind.split(['{', ' ']).next().unwrap_or_default().to_owned();
                *seen.rundown.entry(kind).or_default() += 1;
                continue;
            }
            if event.metadata.provider != PROVIDER {
                continue;
            }
            *seen.counts.entry(event.metadata.event_id).or_default() += 1;
            seen.with_stack += u64::from(event.stack.is_some_and(|stack| !stack.is_empty()));
            match event.runtime_event()? {
                Some(RuntimeEvent::ExceptionThrown(thrown)) => {
                    *seen.thrown.entry(thrown.type_name.to_string()).or_default() += 1;
                }
                Some(RuntimeEvent::GcStart(start)) => seen.induced += u64::from(start.reason.is_induced()),
                _ => {}
            }
            // The test has what it needs.
            let _ = sender.send(event.metadata.event_id);
        }
        seen.dropped = reader.dropped();
        Ok(seen)
    });
    (thread, receiver)
}

const RUNTIME: EventProvider<'_> = EventProvider {
    name: PROVIDER,
    keywords: keywords::GC | keywords::EXCEPTION | keywords::CONTENTION,
    level: 4,
    arguments: "",
    filter: None,
};

/// The time after which a session has the events of what is done in the program, and it is done once more if it has not.
const SOON: Duration = Duration::from_secs(1);

/// Waits for events with this number.
fn wait(events: &Receiver<u32>, id: u32, count: usize, patience: Duration) -> Result<()> {
    let deadline = Instant::now() + patience;
    let mut left = count;
    while left > 0 {
        let event = events.recv_timeout(deadline.saturating_duration_since(Instant::now()));
        left -=
            usize::from(event.with_context(|| format!("{left} of {count} events {id} are missing"))? == id);
    }
    Ok(())
}

fn joined(thread: JoinHandle<Result<Seen>>) -> Result<Seen> {
    thread.join().map_err(|_| anyhow::anyhow!("the reader has panicked"))?
}

/// Counts by kind equal those of the program, and those of the runtime's own listener in the process.
pub(crate) fn a_session_has_the_events_of_the_program(version: RuntimeVersion) -> Result<()> {
    let mut subject = Subject::new("session", version, as_is)?;
    let listening = subject.program.request("listen")?;
    ensure!(listening == "listening", "{}", subject.program.report());
    let port = subject.port()?;
    let rundown = Rundown::All;
    let session =
        port.collect_tracing(&CollectTracing { providers: &[RUNTIME], rundown, ..Default::default() })?;
    let stopper = session.stopper();
    let (thread, events) = reading(session);
    for _ in 0..3 {
        subject.program.request("throw System.InvalidOperationException")?;
        subject.program.request("throw System.FormatException")?;
    }
    // The events arrive while the program runs.
    wait(&events, ids::EXCEPTION_THROWN, 6, PATIENCE)?;
    for generation in [0, 2, 1, 2] {
        subject.program.request(&format!("collect {generation}"))?;
    }
    wait(&events, ids::GC_START, 4, PATIENCE)?;
    let contended = subject.program.request("contend 5")?;
    ensure!(contended == "contended 5 times", "{}", subject.program.report());
    wait(&events, ids::CONTENTION_STOP, 5, PATIENCE)?;
    stopper.stop()?;
    let seen = joined(thread).with_context(|| subject.program.report())?;

    let expected =
        [("System.FormatException".to_owned(), 3), ("System.InvalidOperationException".to_owned(), 3)];
    ensure!(seen.thrown == expected.into(), "{seen:?}");
    ensure!(seen.induced == 4 && seen.dropped == 0, "{seen:?}");
    ensure!(seen.counts.get(&ids::CONTENTION_START) == seen.counts.get(&ids::CONTENTION_STOP), "{seen:?}");
    ensure!(seen.counts.get(&ids::CONTENTION_START) == Some(&5), "{seen:?}");
    ensure!(seen.with_stack > 0, "{seen:?}");
    ensure!(seen.rundown.keys().any(|kind| kind.contains("VerboseMethod")), "{seen:?}");
    ensure!(seen.rundown.keys().any(|kind| kind.contains("Module")), "{seen:?}");
    // The same in the process. What happens on its own may fall between the two sessions.
    let listed = subject.program.request("listened")?;
    let listened: BTreeMap<u32, u64> = listed
        .split_whitespace()
        .filter_map(|pair| pair.split_once('='))
        .filter_map(|(id, count)| Some((id.parse().ok()?, count.parse().ok()?)))
        .collect();
    let same = [
        ids::EXCEPTION_THROWN,
        ids::EXCEPTION_CATCH_START,
        ids::GC_START,
        ids::GC_END,
        ids::GC_HEAP_STATS,
        ids::CONTENTION_START,
        ids::CONTENTION_STOP,
    ];
    for id in same {
        ensure!(listened.get(&id) == seen.counts.get(&id), "{id}: {seen:?}\n{listed}");
    }
    subject.quit()?;
    Ok(())
}

/// A choice that a runtime is too old for is refused by name; one that it knows is heeded.
pub(crate) fn sessions_have_what_the_runtime_can(version: RuntimeVersion) -> Result<()> {
    let mut subject = Subject::new("choices", version, as_is)?;
    let port = subject.port()?;
    let only = EventProvider { filter: Some(EventFilter::Only(&[ids::GC_START])), ..RUNTIME };
    let choices = [
        (
            RuntimeVersion::V9_0,
            "CollectTracing3",
            CollectTracing { stacks: false, providers: &[RUNTIME], ..Default::default() },
        ),
        (
            RuntimeVersion::V9_0,
            "CollectTracing4",
            CollectTracing { rundown: Rundown::Keywords(0x8), providers: &[RUNTIME], ..Default::default() },
        ),
        (
            RuntimeVersion::V10_0,
            "CollectTracing5",
            CollectTracing { providers: &[only], ..Default::default() },
        ),
    ];
    for (since, command, collect) in choices {
        let session = match port.collect_tracing(&collect) {
            Err(Error::NotSupported { command: named }) if version < since => {
                ensure!(named.to_string() == command, "{named}");
                continue;
            }
            session => session.with_context(|| command)?,
        };
        ensure!(version >= since, "{command} on {version:?}");
        let stopper = session.stopper();
        let (thread, events) = reading(session);
        // .NET 11 answers before the session has its events.
        let begin = Instant::now();
        loop {
            subject.program.request("throw System.InvalidOperationException")?;
            subject.program.request("collect 2")?;
            match wait(&events, ids::GC_START, 1, SOON) {
                Err(error) if begin.elapsed() > PATIENCE => return Err(error).context(command),
                Err(_) => {}
                Ok(()) => break,
            }
        }
        stopper.stop()?;
        let seen = joined(thread)?;
        // The beginning of a collection alone has no stack.
        let has_stacks = collect.stacks && since != RuntimeVersion::V10_0;
        ensure!((seen.with_stack > 0) == has_stacks, "{command}: {seen:?}");
        ensure!(seen.rundown.is_empty() == (collect.rundown == Rundown::None), "{command}: {seen:?}");
        let is_filtered = seen.counts.keys().eq([&ids::GC_START]);
        ensure!(is_filtered == (since == RuntimeVersion::V10_0), "{command}: {seen:?}");
        // It has ended, and may be stopped again.
        stopper.stop()?;
    }
    let blocking = CollectTracing { blocking: true, providers: &[RUNTIME], ..Default::default() };
    match port.collect_tracing(&blocking) {
        Err(error) if version < RuntimeVersion::V11_0 => {
            ensure!(error.to_string().contains("needs .NET 11"), "{error}");
        }
        session => {
            let session = session.context("a session that makes the program wait")?;
            let stopper = session.stopper();
            let (thread, _events) = reading(session);
            stopper.stop()?;
            joined(thread)?;
        }
    }
    subject.quit()?;
    Ok(())
}

/// Neither a quiet program nor one that is killed keeps the reader.
pub(crate) fn a_quiet_and_a_killed_program(version: RuntimeVersion) -> Result<()> {
    let subject = Subject::new("quiet", version, as_is)?;
    let port = Port::of(subject.program.pid())?.with_timeout(PATIENCE);
    let session = port.collect_tracing(&CollectTracing { providers: &[RUNTIME], ..Default::default() })?;
    let mut reader = Reader::new(session.with_patience(Duration::from_millis(200)))?;
    let begin = Instant::now();
    let is_quiet = loop {
        match reader.next_event() {
            Ok(Some(_)) if begin.elapsed() < PATIENCE => {}
            Err(nettrace::Error::Io { source, .. }) => break source.kind() == io::ErrorKind::TimedOut,
            other => anyhow::bail!("{other:?}"),
        }
    };
    ensure!(is_quiet && begin.elapsed() < PATIENCE, "{:?}", begin.elapsed());
    // Dropping the program kills it.
    drop(subject);
    let begin = Instant::now();
    let ending = loop {
        match reader.next_event() {
            Ok(Some(_)) | Err(nettrace::Error::Io { .. }) if begin.elapsed() < PATIENCE => {}
            other => break other.map(|event| event.is_some()),
        }
    };
    ensure!(matches!(ending, Err(nettrace::Error::Truncated { .. })), "{ending:?}");
    Ok(())
}
