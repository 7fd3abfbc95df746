//! The file format of speedscope: the beginnings and ends of the calls of each thread.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anyhow::Result;
use printable::Printable;
use serde::ser::{Error as _, SerializeSeq as _};
use serde::{Serialize, Serializer};
use stack_profile::{Frame, write_speedscope};

use super::calls::{Calls, Lane, each};
use super::names::{FunctionId, Functions};
use super::opened::Opened;
use super::spill::{Spill, Spilled};
use super::top::item;

/// The calls of a thread.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Profile<'s> {
    r#type: &'static str,
    name: String,
    unit: &'static str,
    start_value: u64,
    end_value: u64,
    events: Events<'s>,
}

/// A call begins (`O`) or ends (`C`).
#[derive(Serialize)]
struct Event {
    r#type: &'static str,
    at: u64,
    frame: usize,
}

/// The calls of a thread, as far as they have been visited. An event is the time since the one before, times two, and one more for
/// the beginning of a call, which the function follows.
#[derive(Default)]
struct Thread {
    number: u32,
    id: u64,
    begin: u64,
    end: u64,
    events: Spilled,
}

#[derive(Default)]
struct Threads {
    spill: Spill,
    lanes: Vec<Option<Thread>>,
    /// By number.
    ended: BTreeMap<u32, Thread>,
}

impl Threads {
    #[inline]
    fn put(&mut self, lane: Lane, time: u64, function: Option<FunctionId>) -> io::Result<()> {
        let thread = item(&mut self.lanes, lane.index).get_or_insert_with(|| {
            let (number, id) = (lane.thread.number, lane.thread.id);
            Thread { number, id, begin: time, end: time, events: Spilled::default() }
        });
        let since = time.saturating_sub(thread.end);
        thread.end = time;
        let head = since << 1 | u64::from(function.is_some());
        thread.events.put(head);
        if let Some(function) = function {
            thread.events.put(function.index() as u64);
        }
        thread.events.spill(&mut self.spill)
    }
}

impl Calls for Threads {
    #[inline]
    fn begin(&mut self, _: &Functions, lane: Lane, function: FunctionId, time: u64) -> io::Result<()> {
        self.put(lane, time, Some(function))
    }

    #[inline]
    fn end(&mut self, lane: Lane, _: FunctionId, time: u64) -> io::Result<()> {
        self.put(lane, time, None)
    }

    fn end_thread(&mut self, lane: Lane) -> io::Result<()> {
        if let Some(mut thread) = item(&mut self.lanes, lane.index).take() {
            thread.events.spill_all(&mut self.spill)?;
            self.ended.insert(thread.number, thread);
        }
        Ok(())
    }
}

/// The events of a thread, which are read again while they are written.
struct Events<'s> {
    thread: &'s Thread,
    spill: &'s Spill,
}

impl Serialize for Events<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut events = serializer.serialize_seq(None)?;
        let mut numbers = self.thread.events.numbers(self.spill);
        let (mut at, mut stack) = (self.thread.begin, Vec::new());
        while let Some(head) = numbers.next().map_err(S::Error::custom)? {
            at += head >> 1;
            let event = if head & 1 == 1 {
                let frame = numbers.next().map_err(S::Error::custom)?.unwrap_or_default();
                let frame = usize::try_from(frame).map_err(S::Error::custom)?;
                stack.push(frame);
                Event { r#type: "O", at, frame }
            } else {
                Event { r#type: "C", at, frame: stack.pop().unwrap_or_default() }
            };
            events.serialize_element(&event)?;
        }
        events.end()
    }
}

/// Writes a recording for speedscope.
pub(super) fn write(opened: &mut Opened, name: &str, out: &mut dyn Write) -> Result<()> {
    let mut threads = Threads::default();
    each(opened, &mut threads)?;
    let Threads { spill, lanes, mut ended } = threads;
    ended.extend(lanes.into_iter().flatten().map(|thread| (thread.number, thread)));
    let profiles: Vec<_> = ended
        .values()
        .map(|thread| Profile {
            r#type: "evented",
            name: format!("thread {}", thread.id),
            unit: "nanoseconds",
            start_value: thread.begin,
            end_value: thread.end,
            events: Events { thread, spill: &spill },
        })
        .collect();
    let functions = &opened.functions;
    let frames = functions.all().map(|id| Frame { name: functions.name(id), module: functions.module(id) });
    Ok(write_speedscope("corprof trace", &Printable(name).to_string(), frames, &profiles, out)?)
}
