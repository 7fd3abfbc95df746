//! A recording is read: one block at a time is in memory.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | the reader, its events |
//! | `blocks` | blocks, and the definitions in them |
//! | `records` | the records of a block |
//! | `referring` | values that are referred to |
//! | `walk` | blocks that are skipped by an index |
//! | `indexing` | an index that is made by reading |
//! | `times` | the times of a whole file |

mod blocks;
mod indexing;
mod records;
mod referring;
mod times;
mod walk;

use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

use argvalues::RecordNames;

use crate::clock::Timeline;
use crate::content;
use crate::definition::{Function, FunctionNumber, Process, Thread};
use crate::error::ReadError;
use crate::event::{Event, EventKind, KeptValues, Source, Values};
use crate::format::{FILE_HEADER, HEAD, kind};
use crate::index::BlockInfo;
use crate::index::builder::Builder;
use crate::omitted::Omitted;
use crate::step::{Ending, Step, StepKind};

use self::records::Sizes;
use self::walk::Walk;

type Result<T, E = ReadError> = core::result::Result<T, E>;

/// Reads a recording, event by event.
///
/// It holds one block and all definitions in memory. Events of one thread come in order; those of several threads in
/// the order of the blocks.
pub struct Reader<R> {
    input: R,
    /// The offset of the next block.
    offset: u64,
    process: Process,
    clock: String,
    timeline: Timeline,
    functions: Vec<Arc<Function>>,
    sizes: Vec<Sizes>,
    /// The omitted calls, by the number of the function.
    omitted: Vec<Omitted>,
    /// Where the state of a thread is, by its number.
    slots: HashMap<u32, usize>,
    threads: Vec<ThreadState>,
    /// The indexes of states that are not in use.
    free: Vec<usize>,
    block: Block,
    /// The content of a compressed block, to be used again.
    packed: Vec<u8>,
    /// The values of a record that refers to others, to be used again.
    expanded: Vec<u8>,
    ending: Option<Ending>,
    builder: Option<Box<Builder>>,
    walk: Option<Box<Walk<R>>>,
}

/// The block of records that is being read.
#[derive(Default)]
struct Block {
    content: Vec<u8>,
    at: usize,
    /// The index of the thread's state.
    slot: usize,
    /// The offset of its content in the file.
    offset: u64,
    /// Whether the content was compressed.
    was_packed: bool,
    /// Whether it is incomplete.
    is_cut: bool,
    /// The kind and the function of the last record, and the range of its content.
    kind: u32,
    function: u32,
    values: core::ops::Range<usize>,
    /// The position of the last record that refers to others.
    referring: usize,
}

impl Block {
    /// Returns the offset in the file of a place in the content; of a compressed block, where it begins.
    fn place(&self, at: usize) -> u64 {
        self.offset + if self.was_packed { 0 } else { at as u64 }
    }
}

/// The state that a thread's records continue from.
#[derive(Default)]
struct ThreadState {
    thread: Thread,
    names: RecordNames,
    ticks: u64,
    depth: u32,
}

impl<R: Read> Reader<R> {
    /// Reads the beginning of a recording.
    ///
    /// # Errors
    /// When it cannot be read, or is none, or one of a newer version.
    pub fn new(mut input: R) -> Result<Self> {
        content::header(&mut input)?;
        let mut reader = Self {
            input,
            offset: FILE_HEADER as u64,
            process: Process::default(),
            clock: String::new(),
            timeline: Timeline::default(),
            functions: Vec::new(),
            sizes: Vec::new(),
            omitted: Vec::new(),
            slots: HashMap::new(),
            threads: Vec::new(),
            free: Vec::new(),
            block: Block::default(),
            packed: Vec::new(),
            expanded: Vec::new(),
            ending: None,
            builder: None,
            walk: None,
        };
        reader.next_block(&mut |_| true)?;
        Ok(reader)
    }

    /// The process that was recorded.
    pub const fn process(&self) -> &Process {
        &self.process
    }

    /// Returns the kind of clock: `tsc` or `monotonic`.
    pub fn clock(&self) -> &str {
        &self.clock
    }

    /// From ticks to nanoseconds, as far as the recording has been read. [`Timeline::of`] looks at all of a file.
    pub const fn timeline(&self) -> Timeline {
        self.timeline
    }

    /// Returns how the recording ends, once all of it has been read.
    pub const fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// Returns the functions that have been defined so far, by their numbers.
    pub fn functions(&self) -> &[Arc<Function>] {
        &self.functions
    }

    /// Returns a function of a step that this reader has returned.
    pub fn function(&self, number: FunctionNumber) -> Option<&Arc<Function>> {
        self.functions.get(number.index())
    }

    /// Returns the functions with calls that the program has made and the recording leaves out ([`Recorder::omit`](crate::Recorder::omit)), and
    /// how many these are, as far as the recording has been read.
    pub fn omitted(&self) -> impl Iterator<Item = (FunctionNumber, Omitted)> {
        (0..)
            .zip(&self.omitted)
            .filter(|(_, omitted)| **omitted != Omitted::default())
            .map(|(number, omitted)| (FunctionNumber(number), *omitted))
    }

    /// Returns the next event; `None` at the end, whose kind is [`ending`](Self::ending).
    ///
    /// # Errors
    /// If the file cannot be read or is damaged. Nothing can be read after that.
    #[allow(clippy::should_implement_trait, reason = "what it gives borrows from the reader")]
    pub fn next(&mut self) -> Result<Option<Event<'_>>> {
        match self.step()? {
            Some(step) => self.event(step).map(Some),
            None => Ok(None),
        }
    }

    /// Returns the next event without its values, which are neither read nor checked.
    ///
    /// # Errors
    /// See [`next`](Self::next).
    #[inline]
    pub fn step(&mut self) -> Result<Option<Step>> {
        self.step_where(|_| true)
    }

    /// Returns the next event of the blocks that are wanted. Only the blocks of a reader with an
    /// [index](Self::with_index) can be skipped.
    ///
    /// # Errors
    /// See [`next`](Self::next).
    #[inline]
    pub fn step_where(&mut self, mut wanted: impl FnMut(&BlockInfo<'_>) -> bool) -> Result<Option<Step>> {
        loop {
            if self.block.at >= self.block.content.len() {
                if self.ending.is_some() {
                    return Ok(None);
                }
                if let Some(step) = self.next_block(&mut wanted)? {
                    return Ok(Some(step));
                }
                continue;
            }
            match self.record() {
                Ok(Some(step)) => return Ok(Some(step)),
                Ok(None) => {}
                Err(error) if error.is_cut && self.block.is_cut => {
                    self.block.at = self.block.content.len();
                }
                Err(error) => {
                    let offset = self.block.place(error.at);
                    // Nothing after this is to be trusted.
                    self.block.at = self.block.content.len();
                    self.ending = Some(Ending::Cut { offset });
                    return Err(ReadError::Damaged { offset, what: error.what });
                }
            }
        }
    }

    /// Returns the values of the last step: none if it is not the beginning or the end of a call.
    ///
    /// # Errors
    /// If they are damaged.
    pub fn values(&mut self) -> Result<Values<'_>> {
        self.expand()?;
        self.last_values()
    }

    fn last_values(&self) -> Result<Values<'_>> {
        self.values_of(self.block.slot, self.block.kind, self.block.function, self.value_bytes())
    }

    /// Returns the values of the last record, which have been [expanded](Self::expand).
    fn value_bytes(&self) -> &[u8] {
        if self.refers() { &self.expanded } else { self.bytes() }
    }

    fn refers(&self) -> bool {
        kind::with_values(self.block.kind) != self.block.kind
    }

    /// Makes the values of the last record if it refers to others.
    fn expand(&mut self) -> Result<()> {
        if !self.refers() {
            return Ok(());
        }
        let mut values = core::mem::take(&mut self.expanded);
        let before = self.block.content.get(..self.block.referring).unwrap_or_default();
        let done = referring::expand(self.bytes(), before, &mut values);
        self.expanded = values;
        done.map_err(|error| {
            let offset = self.block.place(self.block.values.start + error.at);
            ReadError::Damaged { offset, what: error.what }
        })
    }

    /// Keeps the values of the last step, in memory that is used again.
    ///
    /// # Errors
    /// If they are damaged.
    pub fn keep_values(&mut self, kept: &mut KeptValues) -> Result<()> {
        self.expand()?;
        (kept.kind, kept.function) = (self.block.kind, self.block.function);
        kept.bytes.clear();
        kept.bytes.extend_from_slice(self.value_bytes());
        Ok(())
    }

    /// Returns values that were kept. Those of a thread that has ended have lost their names: they are malformed, or none.
    ///
    /// # Errors
    /// If they are damaged.
    pub fn kept_values<'r>(&'r self, thread: Thread, kept: &'r KeptValues) -> Result<Values<'r>> {
        let slot = self.slots.get(&thread.number).copied().unwrap_or(usize::MAX);
        self.values_of(slot, kept.kind, kept.function, &kept.bytes)
    }

    fn values_of<'r>(&'r self, slot: usize, kind: u32, function: u32, bytes: &'r [u8]) -> Result<Values<'r>> {
        let Some(state) = self.threads.get(slot) else { return Ok(Values(Source::Failed(""))) };
        let function = || self.functions.get(function as usize);
        Ok(Values(match kind::with_values(kind) {
            kind::ENTER => {
                let types = function().and_then(|function| function.arguments.as_deref());
                Source::Primitives(types.unwrap_or_default(), bytes)
            }
            kind::LEAVE => {
                let result = function().map(|function| function.result.as_slice());
                Source::Primitives(result.unwrap_or_default(), bytes)
            }
            kind::ENTER_FAILED | kind::LEAVE_FAILED => Source::Failed(self.text(bytes)?),
            kind::ENTER_VALUES | kind::LEAVE_VALUES => return Ok(Values::record(bytes, &state.names)),
            _ => Source::Primitives(&[], &[]),
        }))
    }

    /// Returns the exception's type, if the last step is [`StepKind::Unwind`].
    ///
    /// # Errors
    /// If it is not UTF-8.
    pub fn exception(&self) -> Result<&str> {
        if self.block.kind == kind::UNWIND { self.text(self.bytes()) } else { Ok("") }
    }

    fn bytes(&self) -> &[u8] {
        self.block.content.get(self.block.values.clone()).unwrap_or_default()
    }

    fn text<'b>(&self, bytes: &'b [u8]) -> Result<&'b str> {
        let offset = self.block.place(self.block.values.start);
        let damaged = |_| ReadError::Damaged { offset, what: "the text is not UTF-8" };
        core::str::from_utf8(bytes).map_err(damaged)
    }

    /// Resolves the numbers of a step to an event.
    fn event(&mut self, step: Step) -> Result<Event<'_>> {
        self.expand()?;
        let Step { thread, ticks, depth, kind } = step;
        let function = |number| {
            let offset = self.block.place(self.block.values.start);
            let damaged = ReadError::Damaged { offset, what: "a function is called that is not defined" };
            self.function(number).ok_or(damaged)
        };
        let kind = match kind {
            StepKind::Enter(number) => EventKind::Enter(function(number)?, self.last_values()?),
            StepKind::Leave(number) => EventKind::Leave(function(number)?, self.last_values()?),
            StepKind::Tailcall(number) => EventKind::Tailcall(function(number)?),
            StepKind::Suspend(number) => EventKind::Suspend(function(number)?),
            StepKind::Resume(number) => EventKind::Resume(function(number)?),
            StepKind::Unwind(number) => EventKind::Unwind(function(number)?, self.exception()?),
            StepKind::ThreadEnd(lost) => EventKind::ThreadEnd(lost),
            StepKind::Lost(lost) => EventKind::Lost(lost),
            // Nothing was skipped.
            StepKind::Resumed => EventKind::Lost(0),
        };
        Ok(Event { thread, ticks, depth, kind })
    }
}

impl<R> core::fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Reader")
            .field("process", &self.process)
            .field("offset", &self.offset)
            .finish_non_exhaustive()
    }
}

const _: () = assert!(HEAD == 8);
