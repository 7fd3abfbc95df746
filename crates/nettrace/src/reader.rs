//! Reading a trace, event by event.

use std::io::Read;

use crate::bytes::{Bytes, Fault, Parsed};
use crate::dropped::Dropped;
use crate::error::{Error, Result};
use crate::event::{Event, Stack};
use crate::framing::{Block, Framing, Kind, check_end};
use crate::header::{Header, is_compressed, skip_padding};
use crate::input::Input;
use crate::labels::Tables;
use crate::limits::{METADATA, METADATA_BYTES};
use crate::metadata::Metadata;
use crate::stacks::Stacks;
use crate::trace::Trace;

/// What the reader does next.
#[derive(Debug)]
enum State {
    /// It waits for a block.
    Between,
    /// It is at an event of the block at the beginning of the input.
    Events { block: Block, at: usize, is_compressed: bool, previous: Header },
    /// The trace has ended, or has an error.
    Over,
}

/// A reader of a trace.
///
/// A trace of a running program is read while it is written. A failed read of the source, such as one that takes too long, is
/// an error after which the reader may be called again.
pub struct Reader<R> {
    input: Input<R>,
    framing: Framing,
    trace: Trace,
    metadata: Vec<Option<Box<Metadata>>>,
    metadata_bytes: usize,
    stacks: Stacks,
    tables: Tables,
    dropped: Dropped,
    state: State,
}

impl<R> core::fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Reader").field("trace", &self.trace).finish_non_exhaustive()
    }
}

impl<R: Read> Reader<R> {
    /// Reads the description of a trace.
    ///
    /// # Errors
    /// [`Error::Malformed`]: it is no trace. [`Error::Version`]: one of a later version. Any failure of the source.
    pub fn new(source: R) -> Result<Self> {
        let mut input = Input::new(source);
        let framing = Framing::read(&mut input)?;
        let mut version = 6;
        let at = input.offset();
        let block = framing.next(&mut input, &mut version)?;
        let Some(block) = block.filter(|block| block.kind == Kind::Trace) else {
            return Err(Error::Malformed { offset: at, what: "the first block does not describe the trace" });
        };
        if block.is_cut {
            return Err(Error::Truncated { offset: input.arrived() });
        }
        let trace = Trace::parse(&mut content(&input, &block, 0), version)?;
        check_end(framing, &input, &block)?;
        input.consume(block.head + block.length + block.tail);
        Ok(Self {
            input,
            framing,
            trace,
            metadata: Vec::new(),
            metadata_bytes: 0,
            stacks: Stacks::default(),
            tables: Tables::default(),
            dropped: Dropped::default(),
            state: State::Between,
        })
    }

    /// Returns the description of the trace.
    #[must_use]
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Returns the number of events that the program has dropped so far, because the reader was too slow or the buffer too
    /// small. It is complete at the end of the trace.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped.count
    }

    /// Returns the number of bytes of the trace before the current block.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.input.offset()
    }

    /// Returns the next event; `None` at the end of the trace. Events of different threads may be out of order by time.
    ///
    /// # Errors
    /// [`Error::Truncated`]: the trace ends here, before its end. [`Error::Malformed`], [`Error::Limit`]: the rest cannot be read.
    /// [`Error::Io`]: the source cannot be read now. After any other error the reader is at the end.
    pub fn next_event(&mut self) -> Result<Option<Event<'_>>> {
        let header = loop {
            match self.step() {
                Ok(Step::Event(start, header)) => break (start, header),
                Ok(Step::Again) => {}
                Ok(Step::End) => return Ok(None),
                Err(error @ Error::Io { .. }) => return Err(error),
                Err(error) => {
                    self.state = State::Over;
                    return Err(error);
                }
            }
        };
        let (start, header) = header;
        self.event(start, header).map(Some)
    }

    fn step(&mut self) -> Result<Step> {
        match &mut self.state {
            State::Over => Ok(Step::End),
            State::Between => self.next_block(),
            State::Events { block, at, is_compressed, previous } => {
                let mut bytes = content(&self.input, block, *at);
                if bytes.is_empty() && !block.is_cut {
                    let block = *block;
                    self.finish(&block)?;
                    return Ok(Step::Again);
                }
                let offset = bytes.offset();
                let read = previous.read(&mut bytes, self.framing, *is_compressed);
                let start = bytes.position();
                let read = read.and_then(|()| bytes.take(previous.payload));
                match read {
                    Ok(_) => {}
                    Err(Fault::End(_)) if block.is_cut => {
                        return Err(Error::Truncated { offset: self.input.arrived() });
                    }
                    Err(fault) => return Err(fault.into()),
                }
                skip_padding(&mut bytes, self.framing, *is_compressed);
                *at = bytes.position();
                let header = *previous;
                if self.metadata.get(header.metadata as usize).is_none_or(Option::is_none) {
                    return Err(Error::Malformed { offset, what: "an event without metadata" });
                }
                self.dropped.event(header.capture_thread, header.sequence);
                Ok(Step::Event(start, header))
            }
        }
    }

    /// Returns the event with a header, whose payload is at this position of the block.
    fn event(&self, start: usize, header: Header) -> Result<Event<'_>> {
        const LOST: &str = "an event without metadata";
        let lost = || Error::Malformed { offset: self.input.offset(), what: LOST };
        let metadata =
            self.metadata.get(header.metadata as usize).and_then(Option::as_deref).ok_or_else(lost)?;
        let State::Events { block, .. } = &self.state else { return Err(lost()) };
        let payload = content(&self.input, block, start).take(header.payload)?;
        let pointer_size = self.trace.pointer_size;
        let stack = self.stacks.get(header.stack).filter(|_| header.stack != 0);
        let mut event = Event {
            metadata,
            time: header.time,
            thread: header.thread,
            process: 0,
            thread_name: None,
            capture_thread: header.capture_thread,
            processor: header.processor,
            sequence: header.sequence,
            is_sorted: header.is_sorted,
            activity: header.activity,
            related_activity: header.related_activity,
            labels: None,
            stack: stack.map(|bytes| Stack { bytes, pointer_size }),
            payload,
            pointer_size,
        };
        if self.framing == Framing::Blocks {
            let of = self.tables.thread(header.thread);
            (event.thread, event.process) = of.map_or((0, 0), |of| (of.thread, of.process));
            event.thread_name = of.and_then(|of| of.name.as_deref());
            event.capture_thread = self.tables.thread(header.capture_thread).map_or(0, |by| by.thread);
            event.labels = self.tables.labels(header.labels).filter(|_| header.labels != 0);
            if let Some(labels) = event.labels {
                (event.activity, event.related_activity) = (labels.activity, labels.related_activity);
            }
        }
        Ok(event)
    }

    /// Consumes a block.
    fn finish(&mut self, block: &Block) -> Result<()> {
        check_end(self.framing, &self.input, block)?;
        self.input.consume(block.head + block.length + block.tail);
        self.state = State::Between;
        Ok(())
    }

    fn next_block(&mut self) -> Result<Step> {
        let mut version = self.trace.version;
        let Some(block) = self.framing.next(&mut self.input, &mut version)? else {
            self.state = State::Over;
            return Ok(Step::End);
        };
        let mut bytes = content(&self.input, &block, 0);
        let read = match block.kind {
            Kind::Events => match is_compressed(&mut bytes) {
                Ok(is_compressed) => {
                    let (at, previous) = (bytes.position(), Header::default());
                    self.state = State::Events { block, at, is_compressed, previous };
                    return Ok(Step::Again);
                }
                Err(fault) => Err(fault),
            },
            Kind::Metadata => {
                let mut read = Definitions { all: &mut self.metadata, bytes: &mut self.metadata_bytes };
                match self.framing {
                    Framing::Objects => read.blobs(&mut bytes),
                    Framing::Blocks => read.rows(&mut bytes),
                }
            }
            Kind::Stacks => self.stacks.add(&mut bytes),
            Kind::Threads => self.tables.add_threads(&mut bytes, &mut self.dropped),
            Kind::Labels => self.tables.add_labels(&mut bytes),
            Kind::RemovedThreads => removed(&mut self.tables, &mut self.dropped, &mut bytes),
            Kind::SequencePoint => {
                let flags = sequence_point(&mut self.dropped, self.framing, &mut bytes);
                self.stacks.clear();
                self.tables.clear_labels();
                flags.map(|flags| {
                    if flags & 1 != 0 {
                        self.tables.clear_threads();
                        self.dropped.forget();
                    }
                    if flags & 2 != 0 {
                        self.metadata.clear();
                        self.metadata_bytes = 0;
                    }
                })
            }
            Kind::Trace | Kind::Other => Ok(()),
        };
        match read {
            _ if block.is_cut => Err(Error::Truncated { offset: self.input.arrived() }),
            Ok(()) => {
                self.finish(&block)?;
                Ok(Step::Again)
            }
            Err(fault) => Err(fault.into()),
        }
    }
}

enum Step {
    /// Where the payload begins, and the header.
    Event(usize, Header),
    Again,
    End,
}

/// Returns the content of a block, from a position.
fn content<'i, R: Read>(input: &'i Input<R>, block: &Block, at: usize) -> Bytes<'i> {
    let all = input.bytes().get(block.head..block.head + block.length).unwrap_or_default();
    Bytes::at(all, input.offset() + block.head as u64, at)
}

/// Adds metadata.
struct Definitions<'a> {
    all: &'a mut Vec<Option<Box<Metadata>>>,
    bytes: &'a mut usize,
}

impl Definitions<'_> {
    fn add(&mut self, at: u64, length: usize, metadata: Metadata) -> Parsed<()> {
        let id = metadata.id;
        if id > METADATA {
            return Err(Fault::Limit {
                at,
                what: "an id of metadata",
                size: id.into(),
                limit: METADATA.into(),
            });
        }
        *self.bytes += length;
        if *self.bytes > METADATA_BYTES {
            let (size, limit) = (*self.bytes as u64, METADATA_BYTES as u64);
            return Err(Fault::Limit { at, what: "metadata", size, limit });
        }
        let index = id as usize;
        if self.all.len() <= index {
            self.all.resize_with(index + 1, || None);
        }
        if let Some(place) = self.all.get_mut(index) {
            *place = Some(Box::new(metadata));
        }
        Ok(())
    }

    /// Metadata as the payloads of events.
    fn blobs(&mut self, bytes: &mut Bytes<'_>) -> Parsed<()> {
        let is_compressed = is_compressed(bytes)?;
        let mut header = Header::default();
        while !bytes.is_empty() {
            header.read(bytes, Framing::Objects, is_compressed)?;
            let at = bytes.offset();
            let mut blob = bytes.part(header.payload)?;
            self.add(at, header.payload, Metadata::parse(&mut blob)?)?;
            skip_padding(bytes, Framing::Objects, is_compressed);
        }
        Ok(())
    }

    fn rows(&mut self, bytes: &mut Bytes<'_>) -> Parsed<()> {
        let header = usize::from(bytes.u16()?);
        bytes.take(header)?;
        while !bytes.is_empty() {
            let length = usize::from(bytes.u16()?);
            let at = bytes.offset();
            let mut row = bytes.part(length)?;
            self.add(at, length, Metadata::parse_row(&mut row)?)?;
        }
        Ok(())
    }
}

/// Reads a sequence point. Returns its flags.
fn sequence_point(dropped: &mut Dropped, framing: Framing, bytes: &mut Bytes<'_>) -> Parsed<u32> {
    // The time.
    bytes.u64()?;
    let flags = if framing == Framing::Blocks { bytes.u32()? } else { 0 };
    for _ in 0..bytes.u32()? {
        let (thread, number) = match framing {
            Framing::Objects => (bytes.u64()?, bytes.u32()?),
            Framing::Blocks => (bytes.varuint()?, bytes.varuint32()?),
        };
        dropped.reached(thread, number);
    }
    Ok(flags)
}

fn removed(tables: &mut Tables, dropped: &mut Dropped, bytes: &mut Bytes<'_>) -> Parsed<()> {
    while !bytes.is_empty() {
        let (thread, number) = (bytes.varuint()?, bytes.varuint32()?);
        dropped.reached(thread, number);
        dropped.remove(thread);
        tables.remove_thread(thread);
    }
    Ok(())
}
