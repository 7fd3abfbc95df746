//! An index of a recording: the blocks with their threads, times and functions, so that most of them need not be read.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | the index in memory |
//! | `builder` | made while a recording is read |
//! | `file` | as bytes, with the recording that it belongs to |

pub(crate) mod builder;
pub(crate) mod file;

use std::sync::Arc;

use crate::clock::Timeline;
use crate::definition::{Function, FunctionNumber, Thread};
use crate::step::Ending;

/// The blocks of a recording, with what is in them.
///
/// [`Reader::with_index`](crate::Reader::with_index) reads only the blocks that are wanted. [`Index::build`] reads the whole recording once;
/// [`to_bytes`](Self::to_bytes) and [`from_bytes`](Self::from_bytes) keep the index for the next time.
#[derive(Debug, PartialEq)]
pub struct Index {
    pub(crate) entries: Vec<Entry>,
    pub(crate) ending: Ending,
    /// The first and the last pair of ticks and nanoseconds.
    pub(crate) times: [(u64, u64); 2],
    /// The calls that a block has left open, entry by entry.
    open: Vec<OpenCall>,
    /// The functions of the blocks, entry by entry.
    functions: Vec<FunctionNumber>,
    names: Vec<NamesAt>,
}

/// A block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) offset: u64,
    pub(crate) kind: u32,
    /// For a block of records: its thread, and the state of the thread before it.
    pub(crate) thread: u32,
    pub(crate) ticks: u64,
    pub(crate) depth: u32,
    /// The latest time of the thread's events before the block, and that with the block.
    pub(crate) floor: u64,
    top: u64,
    /// How many of the calls that were open before are open throughout.
    kept: u32,
    /// Where in the lists of the index the parts of the next entry begin.
    ends: [u32; 3],
}

/// A call that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenCall {
    /// The function.
    pub function: FunctionNumber,
    /// The number of open calls below it.
    pub depth: u32,
    /// When it began.
    pub ticks: u64,
}

/// Where names of a thread are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NamesAt {
    /// The offset of the block in the file.
    pub(crate) offset: u64,
    /// The place in the content of the block, which may be compressed.
    pub(crate) at: u32,
    pub(crate) length: u32,
    /// CRC-32 of the bytes.
    pub(crate) check: u32,
}

/// A block of records, to decide whether it is read.
#[derive(Clone, Copy, Debug)]
pub struct BlockInfo<'i> {
    /// The thread.
    pub thread: Thread,
    /// The latest time of the thread's events before the block, in ticks.
    pub floor: u64,
    /// The latest time of the thread's events with the block, in ticks.
    pub top: u64,
    /// The functions that events of the block are about, in ascending order.
    pub functions: &'i [FunctionNumber],
    /// The functions that are defined before the block, by their numbers.
    pub defined: &'i [Arc<Function>],
}

impl Index {
    /// From ticks to nanoseconds.
    #[must_use]
    pub fn timeline(&self) -> Timeline {
        let mut timeline = Timeline::default();
        if self.times != [(0, 0); 2] {
            self.times.iter().for_each(|(ticks, nanoseconds)| timeline.add(*ticks, *nanoseconds));
        }
        timeline
    }

    /// Returns the number of blocks of records.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.entries.iter().filter(|entry| entry.kind == crate::format::block::RECORDS).count()
    }

    pub(crate) fn info<'i>(
        &'i self,
        at: usize,
        thread: Thread,
        defined: &'i [Arc<Function>],
    ) -> BlockInfo<'i> {
        let (floor, top) = self.entries.get(at).map_or((0, 0), |entry| (entry.floor, entry.top));
        let functions = self.functions.get(self.part(at, 1)).unwrap_or_default();
        BlockInfo { thread, floor, top, functions, defined }
    }

    pub(crate) fn names_of(&self, at: usize) -> &[NamesAt] {
        self.names.get(self.part(at, 2)).unwrap_or_default()
    }

    /// Changes the open calls of a thread from those before a block to those after it.
    pub(crate) fn pass(&self, at: usize, open: &mut Vec<OpenCall>) {
        let kept = self.entries.get(at).map_or(0, |entry| entry.kept as usize);
        open.truncate(kept);
        open.extend_from_slice(self.open.get(self.part(at, 0)).unwrap_or_default());
    }

    /// The range of a block in one of the lists.
    fn part(&self, at: usize, list: usize) -> core::ops::Range<usize> {
        let end = |at: usize| self.entries.get(at).map_or(0, |entry| entry.ends[list] as usize);
        at.checked_sub(1).map_or(0, end)..end(at)
    }
}
