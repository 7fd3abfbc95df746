//! The events of a recording without their values, and its end.

use crate::definition::{FunctionNumber, Thread};

/// The end of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The recording was finished. `lost` is the total number of lost records.
    Finished {
        /// Records that there was no room for.
        lost: u64,
    },
    /// The recording is cut: the process was killed, or the file is incomplete. Everything before the cut has been
    /// read.
    Cut {
        /// The offset of the first incomplete block.
        offset: u64,
    },
}

/// An event without its values, which [`Reader::values`](crate::Reader::values) returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The thread.
    pub thread: Thread,
    /// When, in ticks; [`Timeline`](crate::Timeline) converts them.
    pub ticks: u64,
    /// The number of recorded calls that were open below this one: the same for the beginning and the end of a call.
    pub depth: u32,
    /// The kind of the event.
    pub kind: StepKind,
}

/// The kind of a [`Step`], with the function, which [`Reader::function`](crate::Reader::function) returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StepKind {
    /// A call has begun.
    Enter(FunctionNumber),
    /// The end of a call.
    Leave(FunctionNumber),
    /// A call has ended with a tail call.
    Tailcall(FunctionNumber),
    /// A call has been left by an exception.
    Unwind(FunctionNumber),
    /// A call has been suspended: it has left the thread.
    Suspend(FunctionNumber),
    /// A call that was suspended goes on, often on another thread.
    Resume(FunctionNumber),
    /// So many records of the thread are missing here.
    Lost(u64),
    /// The end of the thread, with the total number of its lost records.
    ThreadEnd(u64),
    /// Blocks of the thread have been [skipped](crate::Reader::step_where). [`Reader::open_calls`](crate::Reader::open_calls) returns the calls that are
    /// open now. The step's time is the latest of the records before.
    Resumed,
}
