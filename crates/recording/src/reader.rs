//! A recording is read: one block at a time is in memory.

use std::collections::HashMap;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use argvalues::{Primitive, RecordNames};

use crate::bytes::{Cursor, Malformed};
use crate::clock::Timeline;
use crate::definition::{Function, Process, Thread};
use crate::error::ReadError;
use crate::event::{Event, EventKind, Source, Values};
use crate::format::{BLOCK_HEADER, FILE_HEADER, HEAD, KIND_BITS, MAGIC, MAJOR, block, check, kind};
use crate::limits::{MAX_BLOCK, MAX_FUNCTIONS};

type Result<T, E = ReadError> = core::result::Result<T, E>;

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
    threads: HashMap<u32, ThreadState>,
    block: Block,
    ending: Option<Ending>,
}

/// The block of records that is being read.
#[derive(Default)]
struct Block {
    content: Vec<u8>,
    at: usize,
    thread: u32,
    /// The offset of its content in the file.
    offset: u64,
    /// Whether it is incomplete.
    is_cut: bool,
}

/// The state that a thread's records continue from.
struct ThreadState {
    thread: Thread,
    names: RecordNames,
    ticks: u64,
    depth: u32,
}

/// A record, with places in the block instead of references.
struct Record {
    kind: u32,
    function: u32,
    ticks: u64,
    depth: u32,
    content: core::ops::Range<usize>,
    lost: u64,
}

impl<R: Read> Reader<R> {
    /// Reads the beginning of a recording.
    ///
    /// # Errors
    /// When it cannot be read, or is none, or one of a newer version.
    pub fn new(mut input: R) -> Result<Self> {
        let mut header = Vec::new();
        input.by_ref().take(FILE_HEADER as u64).read_to_end(&mut header)?;
        let Some((header, [])) = header.split_first_chunk::<FILE_HEADER>() else {
            return Err(ReadError::NotARecording { found: header });
        };
        if !header.starts_with(&MAGIC) {
            return Err(ReadError::NotARecording { found: header[..MAGIC.len()].to_vec() });
        }
        // The minor version stands behind the major one.
        let found = u16::from_le_bytes([header[MAGIC.len()], header[MAGIC.len() + 1]]);
        if found != MAJOR {
            return Err(ReadError::Version { found, known: MAJOR });
        }
        let mut reader = Self {
            input,
            offset: FILE_HEADER as u64,
            process: Process::default(),
            clock: String::new(),
            timeline: Timeline::default(),
            functions: Vec::new(),
            threads: HashMap::new(),
            block: Block::default(),
            ending: None,
        };
        reader.next_block()?;
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

    /// Returns the next event; `None` at the end, whose kind is [`ending`](Self::ending).
    ///
    /// # Errors
    /// If the file cannot be read or is damaged. Nothing can be read after that.
    #[allow(clippy::should_implement_trait, reason = "what it gives borrows from the reader")]
    pub fn next(&mut self) -> Result<Option<Event<'_>>> {
        let record = loop {
            if self.block.at >= self.block.content.len() {
                if self.ending.is_some() {
                    return Ok(None);
                }
                if let Some(ended) = self.next_block()? {
                    return Ok(Some(ended));
                }
                continue;
            }
            match self.record() {
                Ok(Some(record)) => break record,
                Ok(None) => {}
                Err(error) if error.is_cut && self.block.is_cut => {
                    self.block.at = self.block.content.len();
                }
                Err(error) => {
                    let offset = self.block.offset + error.at as u64;
                    // Nothing after this is to be trusted.
                    self.block.at = self.block.content.len();
                    self.ending = Some(Ending::Cut { offset });
                    return Err(ReadError::Damaged { offset, what: error.what });
                }
            }
        };
        self.event(record).map(Some)
    }

    /// Reads the next block. The end of a thread is an event by itself.
    fn next_block(&mut self) -> Result<Option<Event<'static>>> {
        let begin = self.offset;
        let mut header = Vec::with_capacity(BLOCK_HEADER);
        self.input.by_ref().take(BLOCK_HEADER as u64).read_to_end(&mut header)?;
        let mut cursor = Cursor::new(&header);
        let (Ok(kind), Ok(length), Ok(crc)) = (cursor.u32(), cursor.u32(), cursor.u32()) else {
            self.ending = Some(Ending::Cut { offset: begin });
            return Ok(None);
        };
        let damaged = |what| ReadError::Damaged { offset: begin, what };
        if length > MAX_BLOCK {
            self.ending = Some(Ending::Cut { offset: begin });
            return Err(damaged("a block is longer than any that is written"));
        }
        let mut content = core::mem::take(&mut self.block.content);
        content.clear();
        self.input.by_ref().take(length.into()).read_to_end(&mut content)?;
        let is_cut = content.len() < length as usize;
        self.offset = begin + (BLOCK_HEADER + content.len()) as u64;
        if is_cut {
            self.ending = Some(Ending::Cut { offset: begin });
            if kind != block::RECORDS {
                return Ok(None);
            }
        } else if check(kind, &content) != crc {
            self.ending = Some(Ending::Cut { offset: begin });
            return Err(damaged("the block's check does not hold"));
        }
        let offset = begin + BLOCK_HEADER as u64;
        match self.take_block(kind, &content) {
            Ok(Taken::Records(thread, at)) => {
                self.block = Block { content, at, thread, offset, is_cut };
                Ok(None)
            }
            Ok(Taken::Event(event)) => Ok(Some(event)),
            Ok(Taken::Nothing) => Ok(None),
            Err(error) if error.is_cut && is_cut => Ok(None),
            Err(error) => {
                self.ending = Some(Ending::Cut { offset: begin });
                Err(ReadError::Damaged { offset: offset + error.at as u64, what: error.what })
            }
        }
    }

    fn take_block(&mut self, kind: u32, content: &[u8]) -> Result<Taken, Malformed> {
        let mut cursor = Cursor::new(content);
        match kind {
            block::START => (self.process, self.clock) = Process::read(&mut cursor)?,
            block::CLOCK => {
                let (ticks, nanoseconds) = (cursor.u64()?, cursor.u64()?);
                self.timeline.add(ticks, nanoseconds);
            }
            block::FUNCTIONS => {
                while !cursor.is_at_end() {
                    let (number, function) = Function::read(&mut cursor)?;
                    // They are numbered as they come.
                    if number as usize != self.functions.len() || number >= MAX_FUNCTIONS {
                        return cursor.error("a function has another number than the next one");
                    }
                    self.functions.push(Arc::new(function));
                }
            }
            block::THREAD => {
                let thread = Thread::read(&mut cursor)?;
                let state = ThreadState { thread, names: RecordNames::new(), ticks: 0, depth: 0 };
                self.threads.insert(thread.number, state);
            }
            block::RECORDS => {
                let thread = cursor.small()?;
                if !self.threads.contains_key(&thread) {
                    return cursor.error("a thread records that has not begun");
                }
                return Ok(Taken::Records(thread, cursor.at));
            }
            block::THREAD_END => {
                let (number, lost) = (cursor.small()?, cursor.count()?);
                let Some(ended) = self.threads.remove(&number) else {
                    return cursor.error("a thread ends that has not begun");
                };
                let ThreadState { thread, ticks, depth, .. } = ended;
                return Ok(Taken::Event(Event { thread, ticks, depth, kind: EventKind::ThreadEnd(lost) }));
            }
            block::END => self.ending = Some(Ending::Finished { lost: cursor.count()? }),
            // What a newer version has added.
            _ => {}
        }
        Ok(Taken::Nothing)
    }

    /// Reads the next record; `None` for one that is no event.
    fn record(&mut self) -> Result<Option<Record>, Malformed> {
        let mut cursor = Cursor { bytes: &self.block.content, at: self.block.at };
        let Some(state) = self.threads.get_mut(&self.block.thread) else {
            return cursor.error("a thread records that has ended");
        };
        let begin = cursor.at;
        let head = cursor.u64()?;
        let [low, delta] = [head & u64::from(u32::MAX), head >> 32];
        let low = u32::try_from(low).unwrap_or_default();
        let (kind, function) = (low & ((1 << KIND_BITS) - 1), low >> KIND_BITS);
        let ticks = state.ticks.wrapping_add(delta);
        let mut lost = 0;
        let known = |function: u32| {
            let found = self.functions.get(function as usize);
            found.ok_or(Malformed {
                at: begin,
                what: "a function is called that is not defined",
                is_cut: false,
            })
        };
        let mut content = cursor.at..cursor.at;
        match kind {
            kind::ENTER | kind::LEAVE => {
                let function = known(function)?;
                let length = match kind {
                    kind::ENTER => function.argument_bytes(),
                    _ => Some(function.result.map_or(0, Primitive::size)),
                };
                let Some(length) = length else {
                    return cursor.error("a call is recorded in another way than its function says");
                };
                content.end = cursor.at + length;
                cursor.take(length)?;
            }
            kind::TAILCALL => {
                known(function)?;
            }
            kind::ENTER_VALUES
            | kind::ENTER_FAILED
            | kind::LEAVE_VALUES
            | kind::LEAVE_FAILED
            | kind::UNWIND => {
                known(function)?;
                let length = cursor.u32()? as usize;
                content = cursor.at..cursor.at.saturating_add(length);
                cursor.take(length)?;
            }
            kind::TIME => {
                state.ticks = cursor.u64()?;
                self.block.at = cursor.at;
                return Ok(None);
            }
            kind::NAMES => {
                let length = cursor.u32()? as usize;
                let at = cursor.at;
                let added = state.names.add_from(cursor.take(length)?);
                if let Err(error) = added {
                    return Err(Malformed { at: at + error.offset, what: error.what, is_cut: false });
                }
                self.block.at = cursor.at;
                return Ok(None);
            }
            kind::LOST => {
                lost = cursor.u64()?;
                state.depth = cursor.u32()?;
            }
            _ => return cursor.error("there is no such kind of record"),
        }
        state.ticks = ticks;
        let depth = match kind {
            kind::ENTER | kind::ENTER_VALUES | kind::ENTER_FAILED => {
                state.depth = state.depth.saturating_add(1);
                state.depth - 1
            }
            kind::LOST => state.depth,
            _ => {
                state.depth = state.depth.saturating_sub(1);
                state.depth
            }
        };
        self.block.at = cursor.at;
        Ok(Some(Record { kind, function, ticks, depth, content, lost }))
    }

    /// Resolves the numbers of a record to an event.
    fn event(&self, record: Record) -> Result<Event<'_>> {
        let Record { kind, function, ticks, depth, content, lost } = record;
        let offset = self.block.offset + content.start as u64;
        let damaged = |what| ReadError::Damaged { offset, what };
        let Some(state) = self.threads.get(&self.block.thread) else {
            return Err(damaged("a thread records that has ended"));
        };
        let bytes = self.block.content.get(content).unwrap_or_default();
        let text = || core::str::from_utf8(bytes).map_err(|_| damaged("the text is not UTF-8"));
        let function = || {
            let found = self.functions.get(function as usize);
            found.ok_or_else(|| damaged("a function is called that is not defined"))
        };
        let values = || Values::record(bytes, &state.names);
        let kind = match kind {
            kind::ENTER => {
                let function = function()?;
                let types = function.arguments.as_deref().unwrap_or_default();
                EventKind::Enter(function, Values(Source::Primitives(types, bytes)))
            }
            kind::LEAVE => {
                let function = function()?;
                EventKind::Leave(function, Values(Source::Primitives(function.result.as_slice(), bytes)))
            }
            kind::ENTER_VALUES => EventKind::Enter(function()?, values()),
            kind::LEAVE_VALUES => EventKind::Leave(function()?, values()),
            kind::ENTER_FAILED => EventKind::Enter(function()?, Values(Source::Failed(text()?))),
            kind::LEAVE_FAILED => EventKind::Leave(function()?, Values(Source::Failed(text()?))),
            kind::TAILCALL => EventKind::Tailcall(function()?),
            kind::UNWIND => EventKind::Unwind(function()?, text()?),
            _ => EventKind::Lost(lost),
        };
        Ok(Event { thread: state.thread, ticks, depth, kind })
    }
}

/// The kind of a block that was read.
enum Taken {
    /// Records of this thread, from this place on.
    Records(u32, usize),
    Event(Event<'static>),
    Nothing,
}

impl Timeline {
    /// Collects the times of a file, and rewinds it. Reads only the headers of blocks and checks nothing; a damaged
    /// file is detected by reading it.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn of(file: &mut (impl Read + Seek)) -> io::Result<Self> {
        let mut timeline = Self::default();
        let mut input = io::BufReader::new(&mut *file);
        input.seek(SeekFrom::Start(FILE_HEADER as u64))?;
        loop {
            let mut header = [0; BLOCK_HEADER];
            match input.read_exact(&mut header) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
                Err(error) => return Err(error),
            }
            let mut cursor = Cursor::new(&header);
            let (Ok(kind), Ok(length)) = (cursor.u32(), cursor.u32()) else { break };
            if length > MAX_BLOCK {
                break;
            }
            if kind != block::CLOCK {
                input.seek_relative(length.into())?;
                continue;
            }
            let mut content = Vec::new();
            input.by_ref().take(length.into()).read_to_end(&mut content)?;
            let mut cursor = Cursor::new(&content);
            let (Ok(ticks), Ok(nanoseconds)) = (cursor.u64(), cursor.u64()) else { break };
            timeline.add(ticks, nanoseconds);
        }
        file.rewind()?;
        Ok(timeline)
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
