//! The file format of speedscope: the beginnings and ends of the calls of each thread.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anyhow::Result;
use corprof_in_process::printable::Printable;
use corprof_profile::{Frame, SpeedscopeCalls};

use super::calls::{Begun, Calls, each};
use super::follow::Lane;
use super::names::{FunctionId, Functions};
use super::opened::Opened;
use super::spill::{Spill, Spilled};
use super::top::item;

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
    fn begin(&mut self, _: &Functions, lane: Lane, begun: Begun) -> io::Result<()> {
        self.put(lane, begun.time, Some(begun.function))
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

/// Writes the events of a thread, which are read again.
fn write_thread<W: Write>(thread: &Thread, spill: &Spill, out: &mut SpeedscopeCalls<W>) -> Result<()> {
    out.begin_thread(&format!("thread {}", thread.id), thread.begin, thread.end)?;
    let mut numbers = thread.events.numbers(spill);
    let (mut at, mut stack) = (thread.begin, Vec::new());
    while let Some(head) = numbers.next()? {
        at += head >> 1;
        if head & 1 == 1 {
            let frame = usize::try_from(numbers.next()?.unwrap_or_default())?;
            stack.push(frame);
            out.begin(frame, at)?;
        } else {
            out.end(stack.pop().unwrap_or_default(), at)?;
        }
    }
    Ok(out.end_thread()?)
}

/// Writes a recording for speedscope.
pub(super) fn write(opened: &mut Opened, name: &str, out: &mut dyn Write) -> Result<()> {
    let mut threads = Threads::default();
    each(opened, &mut threads)?;
    let Threads { spill, lanes, mut ended } = threads;
    ended.extend(lanes.into_iter().flatten().map(|thread| (thread.number, thread)));
    let functions = &opened.functions;
    let frames = functions.all().map(|id| Frame { name: functions.name(id), module: functions.module(id) });
    let mut out = SpeedscopeCalls::new("corprof trace", &Printable(name).to_string(), frames, out)?;
    for thread in ended.values() {
        write_thread(thread, &spill, &mut out)?;
    }
    Ok(out.finish()?)
}
