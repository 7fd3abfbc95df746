//! What is kept for a thread: its shadow stack, and buffers that are used again and again.

use std::cell::RefCell;
use std::sync::Arc;

use argvalues::{ArgumentRange, SavedRefs, Scratch};
use corprof::{FunctionId, PerThread};
use recording::lines::Place;
use recording::{FunctionNumber, ThreadRecorder};

use crate::function::Call;
use crate::moves::Open;
use crate::stack;

/// How many exceptions of a thread are remembered at once: one inside of the handling of another is rare, many
/// are not worth keeping.
const MAX_EXCEPTIONS: usize = 16;

static CURRENT: PerThread<RefCell<Thread>> = PerThread::new(|| RefCell::new(Thread::new()));

/// A call that has begun and not ended.
pub(crate) struct Frame {
    pub(crate) function: FunctionId,
    /// Where on the stack the enter hook ran: those of calls from this one run below.
    place: usize,
    /// What the end of the call needs. Absent for a call that is recorded and has only primitives.
    pub(crate) kept: Option<Box<Kept>>,
    /// With a recording, the function's number in it.
    pub(crate) number: Option<FunctionNumber>,
}

/// What is kept from the beginning of a call to its end.
pub(crate) struct Kept {
    pub(crate) call: Arc<Call>,
    /// Where `ref` and `out` parameters refer to.
    pub(crate) saved: SavedRefs,
    /// Has collections recorded for as long as they may matter.
    pub(crate) _open: Option<Open>,
}

/// A frame that an exception is about to leave.
struct Unwinding {
    function: FunctionId,
    /// How many calls were open.
    depth: usize,
    /// Whether its `finally` block is running, so that it has not been left yet.
    in_finally: bool,
}

/// The state of the running thread.
pub(crate) struct Thread {
    id: u64,
    frames: Vec<Frame>,
    /// The frames that exceptions are leaving, innermost last.
    unwinding: Vec<Unwinding>,
    /// The exceptions that have been thrown and not caught, innermost last.
    exceptions: Vec<Arc<str>>,
    /// The one that was caught last: frames that it has left may be found later.
    caught: Option<Arc<str>>,
    line: String,
    pub(crate) ranges: Vec<ArgumentRange>,
    pub(crate) scratch: Scratch,
    stack_top: usize,
    /// With a recording, what the thread records with.
    pub(crate) recorder: Option<ThreadRecorder>,
}

impl Thread {
    fn new() -> Self {
        Self {
            id: stack::thread_id(),
            frames: Vec::new(),
            unwinding: Vec::new(),
            exceptions: Vec::new(),
            caught: None,
            line: String::new(),
            ranges: Vec::new(),
            scratch: Scratch::new(),
            stack_top: stack::top().unwrap_or(0),
            recorder: None,
        }
    }

    /// Hands out the running thread's state. `None`, and `work` is not called, when the thread is ending and its state is
    /// gone, and when it is handed out already.
    #[inline(always)]
    pub(crate) fn with<R>(work: impl FnOnce(&mut Self) -> R) -> Option<R> {
        CURRENT.with(|current| Self::lend(current, work)).flatten()
    }

    /// The same if the thread has a state.
    #[inline(always)]
    pub(crate) fn with_made<R>(work: impl FnOnce(&mut Self) -> R) -> Option<R> {
        CURRENT.with_made(|current| Self::lend(current, work)).flatten()
    }

    #[inline(always)]
    fn lend<R>(current: &RefCell<Self>, work: impl FnOnce(&mut Self) -> R) -> Option<R> {
        let mut thread = current.try_borrow_mut().ok()?;
        Some(work(&mut thread))
    }

    /// Where a call is that begins or ends now.
    pub(crate) fn place(&self) -> Place {
        Place { thread: self.id, depth: self.depth() as u64 }
    }

    /// The operating system's id of the thread.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// How many calls are open.
    pub(crate) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// The line that is being written.
    pub(crate) fn line(&mut self) -> &mut String {
        &mut self.line
    }

    /// The line, the ranges and the scratch, to be used at once.
    pub(crate) fn buffers(&mut self) -> (&mut String, &[ArgumentRange], &mut Scratch) {
        (&mut self.line, &self.ranges, &mut self.scratch)
    }

    /// Takes over the ranges of a call's arguments.
    pub(crate) fn set_ranges(&mut self, ranges: impl Iterator<Item = ArgumentRange>) {
        self.ranges.clear();
        self.ranges.extend(ranges);
    }

    /// The part of the stack from here upwards, where the callers' variables are.
    pub(crate) fn stack(&self) -> core::ops::Range<usize> {
        stack::here()..self.stack_top
    }

    /// A call has begun whose enter hook runs at this place of the stack.
    pub(crate) fn push(
        &mut self,
        function: FunctionId,
        place: usize,
        kept: Option<Box<Kept>>,
        number: Option<FunctionNumber>,
    ) {
        self.frames.push(Frame { function, place, kept, number });
    }

    pub(crate) fn pop(&mut self) -> Option<Frame> {
        self.frames.pop()
    }

    /// Whether a call of a function is open.
    pub(crate) fn has_frame_of(&self, function: FunctionId) -> bool {
        self.frames.iter().rev().any(|frame| frame.function == function)
    }

    /// Ends the innermost call, if it is one of this function.
    #[inline]
    pub(crate) fn pop_if(&mut self, function: FunctionId) -> Option<Frame> {
        self.frames.pop_if(|frame| frame.function == function)
    }

    /// A call has begun, of which nothing is kept: what to record it with. `None`, and it has not, if the thread has not
    /// recorded yet, if its list of frames has to grow, or if the innermost call is gone: if it cannot have made one
    /// whose enter hook runs at this place, see [`overtaken`](Self::overtaken).
    #[inline(always)]
    pub(crate) fn push_at_once(
        &mut self,
        function: FunctionId,
        place: usize,
        number: FunctionNumber,
    ) -> Option<&mut ThreadRecorder> {
        let is_overtaken = self.frames.last().is_some_and(|frame| frame.place <= place);
        let recorder = self.recorder.as_mut().filter(|_| !is_overtaken)?;
        if self.frames.len() == self.frames.capacity() {
            return None;
        }
        self.frames.push(Frame { function, place, kept: None, number: Some(number) });
        Some(recorder)
    }

    /// Removes a call of which nothing is kept.
    #[inline(always)]
    pub(crate) fn take_back(&mut self) {
        // There is nothing to drop.
        core::mem::forget(self.frames.pop());
    }

    /// What the thread records with, if the innermost call is one of this function, and nothing is kept of it.
    #[inline]
    pub(crate) fn recorder_of_innermost(&mut self, function: FunctionId) -> Option<&mut ThreadRecorder> {
        let innermost = self.frames.last()?;
        if innermost.function != function || innermost.kept.is_some() {
            return None;
        }
        self.recorder.as_mut()
    }

    /// An exception of this type has been thrown.
    pub(crate) fn exception_thrown(&mut self, name: Arc<str>) {
        if self.exceptions.len() == MAX_EXCEPTIONS {
            self.exceptions.remove(0);
        }
        self.exceptions.push(name);
    }

    /// The type of the exception that is leaving frames.
    pub(crate) fn exception(&self) -> Arc<str> {
        let known = self.exceptions.last().or(self.caught.as_ref());
        known.cloned().unwrap_or_else(|| "System.Exception".into())
    }

    /// An exception is about to leave a frame of this function, or to be caught there.
    pub(crate) fn unwinding(&mut self, function: FunctionId) {
        self.unwinding.push(Unwinding { function, depth: self.depth(), in_finally: false });
    }

    /// The `finally` block of the frame that is about to be left begins or ends.
    pub(crate) fn in_finally(&mut self, in_finally: bool) {
        if let Some(unwinding) = self.unwinding.last_mut() {
            unwinding.in_finally = in_finally;
        }
    }

    /// The frame that was about to be left has been left: the call, if it is traced.
    pub(crate) fn unwound(&mut self) -> Option<Frame> {
        let unwinding = self.unwinding.pop()?;
        self.pop_if(unwinding.function)
    }

    /// Ends the call that an exception was about to leave, if it must be gone although nobody said so: another
    /// exception has been thrown, and not in its `finally` block. The runtime of .NET 9 does not tell of the last
    /// frame that an exception leaves on its way into native code.
    pub(crate) fn left_silently(&mut self) -> Option<Frame> {
        let gone = self.unwinding.pop_if(|unwinding| !unwinding.in_finally)?;
        self.pop_if(gone.function)
    }

    /// Ends the innermost call, if it must be gone although nobody said so: the hook of a call that begins runs at
    /// this place, so that the frame of the innermost one is not above it.
    #[inline]
    pub(crate) fn overtaken(&mut self, place: usize) -> Option<Frame> {
        self.frames.pop_if(|frame| frame.place <= place)
    }

    /// The same for a call that ends there: frames below are gone.
    #[inline]
    pub(crate) fn left_below(&mut self, place: usize) -> Option<Frame> {
        self.frames.pop_if(|frame| frame.place < place)
    }

    /// The frame that was about to be left catches the exception instead.
    pub(crate) fn caught(&mut self, function: FunctionId) {
        self.unwinding.pop_if(|unwinding| unwinding.function == function);
        self.caught = self.exceptions.pop();
        // A `finally` block that this exception has left did not end.
        let depth = self.depth();
        while self.unwinding.pop_if(|unwinding| unwinding.depth > depth).is_some() {}
    }
}
