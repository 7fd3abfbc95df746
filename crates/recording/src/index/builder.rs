//! The index is made while a recording is read.

use std::collections::HashMap;

use super::{Entry, Index, NamesAt, OpenCall};
use crate::definition::FunctionNumber;
use crate::format::block;
use crate::step::{Ending, Step, StepKind};

/// An index up to where the recording has been read.
#[derive(Default)]
pub(crate) struct Builder {
    entries: Vec<Entry>,
    open: Vec<OpenCall>,
    functions: Vec<FunctionNumber>,
    names: Vec<NamesAt>,
    threads: HashMap<u32, Passed>,
    /// The state of the thread whose block is read, taken out of the map.
    current: Passed,
    /// The entry of the block that is read, if it has records.
    is_in_records: bool,
    /// The block in which a function was found last.
    seen: Vec<usize>,
}

/// A thread up to where it has been read.
#[derive(Default)]
struct Passed {
    open: Vec<OpenCall>,
    /// The least number of open calls in the block.
    kept: usize,
    top: u64,
}

impl Builder {
    /// A block of records begins.
    pub(crate) fn records(&mut self, offset: u64, thread: u32, ticks: u64, depth: u32) {
        self.end_block();
        self.current = self.threads.remove(&thread).unwrap_or_default();
        self.current.kept = self.current.open.len();
        let floor = self.current.top;
        self.entries.push(Entry {
            offset,
            kind: block::RECORDS,
            thread,
            ticks,
            depth,
            floor,
            ..Entry::default()
        });
        self.is_in_records = true;
    }

    /// A block without records has been read.
    pub(crate) fn other(&mut self, offset: u64, kind: u32) {
        self.end_block();
        self.entries.push(Entry { offset, kind, ..Entry::default() });
        self.set_ends();
    }

    /// Names are in the content of the block that is read.
    pub(crate) fn names(&mut self, at: usize, bytes: &[u8]) {
        let offset = self.entries.last().map_or(0, |entry| entry.offset);
        let [at, length] = [at, bytes.len()].map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        self.names.push(NamesAt { offset, at, length, check: crc32fast::hash(bytes) });
    }

    pub(crate) fn forget(&mut self, thread: u32) {
        self.end_block();
        self.threads.remove(&thread);
    }

    pub(crate) fn step(&mut self, step: &Step) {
        let Passed { open, kept, top } = &mut self.current;
        *top = (*top).max(step.ticks);
        let (function, depth) = match step.kind {
            StepKind::Enter(function)
            | StepKind::Resume(function)
            | StepKind::Leave(function)
            | StepKind::Tailcall(function)
            | StepKind::Unwind(function)
            | StepKind::Suspend(function) => (Some(function), step.depth),
            _ => (None, step.depth),
        };
        while open.pop_if(|call| call.depth >= depth).is_some() {}
        *kept = (*kept).min(open.len());
        if let StepKind::Enter(function) | StepKind::Resume(function) = step.kind {
            open.push(OpenCall { function, depth, ticks: *top });
        }
        if let Some(function) = function {
            let block = self.entries.len();
            if self.seen.len() <= function.index() {
                self.seen.resize(function.index() + 1, 0);
            }
            if let Some(seen) = self.seen.get_mut(function.index()).filter(|seen| **seen != block) {
                *seen = block;
                self.functions.push(function);
            }
        }
    }

    fn end_block(&mut self) {
        if !core::mem::take(&mut self.is_in_records) {
            return;
        }
        let begin = self.entries.len().checked_sub(2).and_then(|at| self.entries.get(at));
        let begin = begin.map_or(0, |entry| entry.ends[1] as usize);
        let passed = core::mem::take(&mut self.current);
        self.open.extend_from_slice(passed.open.get(passed.kept..).unwrap_or_default());
        self.functions.get_mut(begin..).unwrap_or_default().sort_unstable_by_key(|function| function.index());
        self.set_ends();
        if let Some(entry) = self.entries.last_mut() {
            entry.top = passed.top;
            entry.kept = u32::try_from(passed.kept).unwrap_or(u32::MAX);
            self.threads.insert(entry.thread, passed);
        }
    }

    fn set_ends(&mut self) {
        let ends = [self.open.len(), self.functions.len(), self.names.len()];
        if let Some(entry) = self.entries.last_mut() {
            entry.ends = ends.map(|end| u32::try_from(end).unwrap_or(u32::MAX));
        }
    }
}

impl Builder {
    /// Returns the index of what has been read.
    pub(crate) fn finish(mut self, ending: Ending, times: [(u64, u64); 2]) -> Index {
        self.end_block();
        let Self { entries, open, functions, names, .. } = self;
        Index { entries, ending, times, open, functions, names }
    }
}
