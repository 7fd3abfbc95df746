//! Follows the open calls of each thread while a recording is read, also where records are missing or were skipped.

use std::fs::File;
use std::io::BufReader;

use anyhow::Result;
use recording::{FunctionNumber, Reader, Step, StepKind, Thread, Timeline};

use super::names::{FunctionId, Functions};
use super::opened::{Opened, next};
use super::per_thread::PerThread;
use super::selection::Selection;

/// A reader of calls, which keeps a value for each open call that it follows.
pub(super) trait Follower {
    type Kept;

    /// Whether calls are selected themselves and followed to their ends, rather than what happens in the selected time and in
    /// selected calls.
    const WHOLE: bool;

    /// Whether a selected call is among these open ones: blocks without a selected method may have something of it.
    fn is_inside(&self, open: &[Open<Self::Kept>]) -> bool;

    /// Whether nothing more has to be read.
    fn is_done(&self) -> bool {
        false
    }

    /// Whether nothing more is wanted of a thread, except its end.
    fn is_over(&self, _lane: Lane) -> bool {
        false
    }

    /// A thread has reached a time, before what happens then.
    fn pass(&mut self, _at: &At<'_>, _open: &[Open<Self::Kept>]) -> Result<()> {
        Ok(())
    }

    /// A call begins inside the open ones. Returns what is kept of it; `None` if it is not followed.
    fn begin(
        &mut self,
        at: &mut At<'_>,
        open: &[Open<Self::Kept>],
        call: Call,
        beginning: Beginning,
    ) -> Result<Option<Self::Kept>>;

    /// A step, behind the beginning or before the end of its call, which is among the open ones if it is followed.
    fn step(&mut self, _at: &mut At<'_>, _step: &Step, _open: &[Open<Self::Kept>]) -> Result<()> {
        Ok(())
    }

    /// The innermost call that is followed ends.
    fn end(&mut self, at: &mut At<'_>, ended: Open<Self::Kept>, end: End) -> Result<()>;

    /// A thread has ended, without open calls. Its lane may be another thread's from now on.
    fn end_thread(&mut self, _lane: Lane) -> Result<()> {
        Ok(())
    }
}

/// A thread, with a number less than the number of threads that run at the same time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lane {
    pub(super) index: usize,
    pub(super) thread: Thread,
}

/// Where a thread is in a recording.
pub(super) struct At<'r> {
    pub(super) lane: Lane,
    /// Nanoseconds since the recording began.
    pub(super) time: u64,
    pub(super) reader: &'r mut Reader<BufReader<File>>,
    pub(super) functions: &'r mut Functions,
    pub(super) selection: &'r Selection,
}

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Call {
    /// The number of open calls below it.
    pub(super) depth: u32,
    pub(super) function: FunctionId,
    pub(super) begun: u64,
}

/// A call that is open, and what is kept of it.
pub(super) struct Open<K> {
    pub(super) call: Call,
    pub(super) kept: K,
}

/// How a call begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beginning {
    Enter,
    /// It was suspended before.
    Resume,
    /// In blocks that were skipped.
    Skipped,
    /// Where records are missing. One [lost](FunctionId::LOST) call stands for all levels up to the next call, so that a number
    /// in the file cannot create that many calls.
    Lost,
}

/// How a call ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Leave,
    Tailcall,
    Unwind,
    Suspend,
    /// Its end is missing.
    Lost,
    /// Not before its thread or the recording ends.
    Open,
}

impl At<'_> {
    pub(super) fn function(&mut self, number: FunctionNumber) -> FunctionId {
        self.functions.id(number, self.reader.functions())
    }
}

impl End {
    /// The end that a step is, and the function of the call.
    pub(super) const fn of(kind: StepKind) -> Option<(Self, FunctionNumber)> {
        Some(match kind {
            StepKind::Leave(function) => (Self::Leave, function),
            StepKind::Tailcall(function) => (Self::Tailcall, function),
            StepKind::Unwind(function) => (Self::Unwind, function),
            StepKind::Suspend(function) => (Self::Suspend, function),
            _ => return None,
        })
    }

    /// Whether the end is a step of the recording.
    pub(super) const fn is_recorded(self) -> bool {
        !matches!(self, Self::Lost | Self::Open)
    }

    /// The word for it in the output.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Leave => "leave",
            Self::Tailcall => "tailcall",
            Self::Unwind => "unwind",
            Self::Suspend => "suspend",
            Self::Lost => "lost",
            Self::Open => "open",
        }
    }
}

/// The open calls of a thread.
struct Calls<K> {
    thread: Thread,
    /// Those that are followed.
    open: Vec<Open<K>>,
    /// The number of all.
    depth: u32,
}

impl<K> Default for Calls<K> {
    fn default() -> Self {
        Self { thread: Thread::default(), open: Vec::new(), depth: 0 }
    }
}

impl<K> Calls<K> {
    /// Ends calls until at most so many levels are open, or begins one lost call to reach that depth.
    #[inline]
    fn set_depth(
        &mut self,
        depth: u32,
        end: End,
        at: &mut At<'_>,
        to: &mut impl Follower<Kept = K>,
    ) -> Result<()> {
        while let Some(ended) = self.open.pop_if(|open| open.call.depth >= depth) {
            to.end(at, ended, end)?;
        }
        if self.depth < depth {
            self.begin(FunctionId::LOST, at.time, Beginning::Lost, at, to)?;
        }
        self.depth = depth;
        Ok(())
    }

    #[inline]
    fn begin(
        &mut self,
        function: FunctionId,
        begun: u64,
        beginning: Beginning,
        at: &mut At<'_>,
        to: &mut impl Follower<Kept = K>,
    ) -> Result<()> {
        let call = Call { depth: self.depth, function, begun };
        if let Some(kept) = to.begin(at, &self.open, call, beginning)? {
            self.open.push(Open { call, kept });
        }
        self.depth = self.depth.saturating_add(1);
        Ok(())
    }

    /// Takes over the calls that are open behind skipped blocks. Those that were open before stay.
    #[cold]
    fn resume(
        &mut self,
        timeline: Timeline,
        at: &mut At<'_>,
        to: &mut impl Follower<Kept = K>,
    ) -> Result<()> {
        let now = at.reader.open_calls().to_vec();
        let is_now = |open: &Open<K>, at: &mut At<'_>| {
            let same = now.binary_search_by_key(&open.call.depth, |call| call.depth);
            same.is_ok_and(|index| at.function(now[index].function) == open.call.function)
        };
        let same = self.open.iter().take_while(|open| is_now(open, at)).count();
        let depth = self.open[..same].last().map_or(0, |open| open.call.depth.saturating_add(1));
        self.depth = self.depth.max(depth);
        self.set_depth(depth, End::Lost, at, to)?;
        for call in now.iter().filter(|call| call.depth >= depth) {
            at.time = timeline.nanoseconds(call.ticks);
            self.set_depth(call.depth, End::Lost, at, to)?;
            self.begin(at.function(call.function), at.time, Beginning::Skipped, at, to)?;
        }
        Ok(())
    }

    #[inline]
    fn step(&mut self, step: &Step, at: &mut At<'_>, to: &mut impl Follower<Kept = K>) -> Result<()> {
        match step.kind {
            StepKind::Enter(function) | StepKind::Resume(function) => {
                self.set_depth(step.depth, End::Lost, at, to)?;
                let is_resumed = matches!(step.kind, StepKind::Resume(_));
                let beginning = if is_resumed { Beginning::Resume } else { Beginning::Enter };
                self.begin(at.function(function), at.time, beginning, at, to)?;
                to.step(at, step, &self.open)
            }
            StepKind::Lost(_) | StepKind::Resumed => {
                self.set_depth(step.depth, End::Lost, at, to)?;
                to.step(at, step, &self.open)
            }
            StepKind::ThreadEnd(_) => {
                self.set_depth(0, End::Open, at, to)?;
                to.end_thread(at.lane)
            }
            kind => {
                let Some((end, _)) = End::of(kind) else { return Ok(()) };
                self.set_depth(step.depth.saturating_add(1), End::Lost, at, to)?;
                to.step(at, step, &self.open)?;
                self.set_depth(step.depth, end, at, to)
            }
        }
    }
}

/// Reads the wanted blocks of a recording. Calls that are open at its end, or at the end of their thread, end there.
pub(super) fn follow<F: Follower>(opened: &mut Opened, to: &mut F) -> Result<()> {
    let Opened { reader, timeline, functions, selection, damage } = opened;
    let mut threads = PerThread::<Calls<F::Kept>>::default();
    while !to.is_done()
        && let Some(step) = next(reader, damage, |block| {
            let open = threads.peek(block.thread.number);
            let is_inside = || open.is_some_and(|calls| to.is_inside(&calls.open));
            selection.may_have(block, *timeline, functions, F::WHOLE, is_inside)
        })?
    {
        let thread = step.thread;
        let (index, calls) = threads.get(thread.number);
        calls.thread = thread;
        let lane = Lane { index, thread };
        let mut at = At { lane, time: 0, reader, functions, selection };
        let is_end = matches!(step.kind, StepKind::ThreadEnd(_));
        if to.is_over(lane) && !is_end {
            continue;
        }
        if step.kind == StepKind::Resumed {
            calls.resume(*timeline, &mut at, to)?;
        }
        at.time = timeline.nanoseconds(step.ticks);
        to.pass(&at, &calls.open)?;
        if !to.is_over(lane) || is_end {
            calls.step(&step, &mut at, to)?;
        }
        if is_end {
            threads.take(thread.number);
        }
    }
    for (index, mut calls) in threads.into_all() {
        let lane = Lane { index, thread: calls.thread };
        let mut at = At { lane, time: 0, reader, functions, selection };
        calls.set_depth(0, End::Open, &mut at, to)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Recording;
    use crate::trace::selection::Select;
    use crate::trace::tests::record;

    /// The beginnings of calls, and the depths of their ends.
    #[derive(Default)]
    struct Log {
        begun: Vec<(usize, FunctionId, Beginning)>,
        ended: Vec<u32>,
    }

    impl Follower for Log {
        type Kept = ();

        const WHOLE: bool = false;

        fn is_inside(&self, _: &[Open<()>]) -> bool {
            true
        }

        fn begin(
            &mut self,
            _: &mut At<'_>,
            open: &[Open<()>],
            call: Call,
            how: Beginning,
        ) -> Result<Option<()>> {
            self.begun.push((open.len(), call.function, how));
            Ok(Some(()))
        }

        fn end(&mut self, _: &mut At<'_>, ended: Open<()>, _: End) -> Result<()> {
            self.ended.push(ended.call.depth);
            Ok(())
        }
    }

    #[test]
    fn a_forged_depth_is_one_call() {
        // The depth of `LOST` is a number from the file.
        let folder = tempfile::tempdir().unwrap();
        let file = record(folder.path());
        let mut opened =
            Recording { file, assemblies: Vec::new(), select: Select::default() }.open().unwrap();
        let Opened { reader, functions, selection, .. } = &mut opened;
        let mut at = At { lane: Lane::default(), time: 0, reader, functions, selection };
        let (mut log, mut calls) = (Log::default(), Calls::default());
        let [one, two] = [1, 2].map(FunctionId::of_test);
        calls.set_depth(u32::MAX, End::Lost, &mut at, &mut log).unwrap();
        calls.begin(one, 0, Beginning::Enter, &mut at, &mut log).unwrap();
        calls.set_depth(7, End::Lost, &mut at, &mut log).unwrap();
        calls.begin(two, 0, Beginning::Enter, &mut at, &mut log).unwrap();
        calls.set_depth(0, End::Lost, &mut at, &mut log).unwrap();
        let lost = (0, FunctionId::LOST, Beginning::Lost);
        assert_eq!(log.begun, [lost, (1, one, Beginning::Enter), (1, two, Beginning::Enter)]);
        assert_eq!(log.ended, [u32::MAX, 7, 0]);
        assert!(calls.open.is_empty());
    }
}
