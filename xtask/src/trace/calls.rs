//! From events to calls: each with a beginning and an end, whatever is missing in between.

use std::collections::HashMap;

use anyhow::Result;
use recording::{Event, Thread, What};

use super::Opened;
use super::names::FunctionId;

/// Who wants to know of calls. For each thread the calls are nested, and the times do not go back.
pub(super) trait Calls {
    /// A call begins, at this time in nanoseconds.
    fn begin(&mut self, thread: Thread, function: FunctionId, time: u64);

    /// The innermost call of the thread ends.
    fn end(&mut self, thread: Thread, function: FunctionId, time: u64);
}

/// What is open on a thread.
struct Open {
    thread: Thread,
    stack: Vec<FunctionId>,
    time: u64,
}

impl Open {
    /// Ends or begins calls until there are so many. What begins here was lost.
    fn set_depth(&mut self, depth: usize, calls: &mut impl Calls) {
        while self.stack.len() > depth {
            self.end(calls);
        }
        while self.stack.len() < depth {
            self.begin(FunctionId::LOST, calls);
        }
    }

    fn begin(&mut self, function: FunctionId, calls: &mut impl Calls) {
        self.stack.push(function);
        calls.begin(self.thread, function, self.time);
    }

    fn end(&mut self, calls: &mut impl Calls) {
        if let Some(function) = self.stack.pop() {
            calls.end(self.thread, function, self.time);
        }
    }
}

/// Tells of all calls of a recording. Those that are open at its end, or at the end of their thread, end there.
pub(super) fn each(opened: &mut Opened, calls: &mut impl Calls) -> Result<()> {
    let Opened { reader, timeline, functions } = opened;
    let mut threads: HashMap<u32, Open> = HashMap::new();
    while let Some(Event { thread, ticks, depth, what }) = reader.next()? {
        let open =
            threads.entry(thread.number).or_insert_with(|| Open { thread, stack: Vec::new(), time: 0 });
        open.time = open.time.max(timeline.nanoseconds(ticks));
        let depth = usize::try_from(depth)?;
        match what {
            What::Enter(function, _) => {
                let function = functions.id(function);
                open.set_depth(depth, calls);
                open.begin(function, calls);
            }
            What::Leave(..) | What::Tailcall(_) | What::Unwind(..) => {
                open.set_depth(depth + 1, calls);
                open.end(calls);
            }
            What::ThreadEnd(_) => {
                open.set_depth(0, calls);
                threads.remove(&thread.number);
            }
            What::Lost(_) => open.set_depth(depth, calls),
            _ => {}
        }
    }
    let mut left: Vec<_> = threads.into_values().collect();
    left.sort_by_key(|open| open.thread.number);
    left.iter_mut().for_each(|open| open.set_depth(0, calls));
    Ok(())
}
