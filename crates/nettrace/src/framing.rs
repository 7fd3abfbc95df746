//! Blocks: objects of `FastSerialization` up to version 5, and blocks with a header of four bytes since version 6.

use std::io::Read;

use crate::bytes::Bytes;
use crate::error::{Error, Result};
use crate::input::Input;
use crate::limits::{BLOCK, NAME};

/// The kind of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Trace,
    Events,
    Metadata,
    Stacks,
    SequencePoint,
    Threads,
    RemovedThreads,
    Labels,
    /// One of a later version.
    Other,
}

/// A block at the beginning of the input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) kind: Kind,
    /// The bytes before the content.
    pub(crate) head: usize,
    /// The length of the content, or of that part of it that has arrived.
    pub(crate) length: usize,
    /// The bytes behind the content.
    pub(crate) tail: usize,
    /// Whether the trace ends within the block.
    pub(crate) is_cut: bool,
}

const MAGIC: &[u8] = b"Nettrace";
const SERIALIZATION: &[u8] = b"!FastSerialization.1";

const NULL: u8 = 1;
const BEGIN: u8 = 5;
const END: u8 = 6;

/// The bytes of a trace object of version 4 or 5.
const TRACE: usize = 48;

/// How blocks are framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Version 4 or 5.
    Objects,
    /// Version 6.
    Blocks,
}

fn truncated<R: Read>(input: &Input<R>) -> Error {
    Error::Truncated { offset: input.arrived() }
}

fn malformed(offset: u64, what: &'static str) -> Error {
    Error::Malformed { offset, what }
}

impl Framing {
    /// Reads the beginning of a trace.
    pub(crate) fn read<R: Read>(input: &mut Input<R>) -> Result<Self> {
        const NOT_A_TRACE: &str = "it does not begin with Nettrace";
        let is_whole = input.fill(MAGIC.len() + 12)?;
        let bytes = input.bytes();
        if !MAGIC.starts_with(bytes.get(..MAGIC.len()).unwrap_or(bytes)) {
            return Err(malformed(0, NOT_A_TRACE));
        }
        if !is_whole {
            return Err(truncated(input));
        }
        let mut head = Bytes::at(bytes, 0, MAGIC.len());
        let (reserved, major) = (head.u32()?, head.u32()?);
        if reserved == 0 {
            return match major {
                6 => {
                    input.consume(MAGIC.len() + 12);
                    Ok(Self::Blocks)
                }
                version => Err(Error::Version { version }),
            };
        }
        let length = MAGIC.len() + 4 + SERIALIZATION.len();
        if !input.fill(length)? {
            return Err(truncated(input));
        }
        if reserved != 20 || input.bytes().get(MAGIC.len() + 4..length) != Some(SERIALIZATION) {
            return Err(malformed(8, "it is no stream of FastSerialization"));
        }
        input.consume(length);
        Ok(Self::Objects)
    }

    /// Waits for the next block; `None` at the end of the trace. Nothing is consumed.
    pub(crate) fn next<R: Read>(self, input: &mut Input<R>, version: &mut u32) -> Result<Option<Block>> {
        match self {
            Self::Objects => object(input, version),
            Self::Blocks => block(input),
        }
    }
}

/// Waits for the content of a block.
fn content<R: Read>(
    input: &mut Input<R>,
    kind: Kind,
    head: usize,
    length: usize,
    tail: usize,
) -> Result<Block> {
    let is_cut = !input.fill(head + length + tail)?;
    let arrived = input.bytes().len().saturating_sub(head).min(length);
    Ok(Block { kind, head, length: arrived, tail, is_cut })
}

fn block<R: Read>(input: &mut Input<R>) -> Result<Option<Block>> {
    if !input.fill(4)? {
        return Err(truncated(input));
    }
    let head = Bytes::new(input.bytes(), input.offset()).u32()?;
    let length = usize::try_from(head & 0xFF_FFFF).unwrap_or(0);
    let kind = match head >> 24 {
        0 => return Ok(None),
        1 => Kind::Trace,
        2 => Kind::Events,
        3 => Kind::Metadata,
        4 => Kind::SequencePoint,
        5 => Kind::Stacks,
        6 => Kind::Threads,
        7 => Kind::RemovedThreads,
        8 => Kind::Labels,
        _ => Kind::Other,
    };
    content(input, kind, 4, length, 0).map(Some)
}

fn object<R: Read>(input: &mut Input<R>, version: &mut u32) -> Result<Option<Block>> {
    let begin = input.offset();
    if !input.fill(1)? {
        return Err(truncated(input));
    }
    match input.bytes().first() {
        Some(&NULL) => return Ok(None),
        Some(&BEGIN) => {}
        _ => return Err(malformed(begin, "no object begins here")),
    }
    // The tags of the object, of its type, and of the type's type; two versions; the length of the name.
    const NAMED: usize = 3 + 8 + 4;
    if !input.fill(NAMED)? {
        return Err(truncated(input));
    }
    let mut head = Bytes::new(input.bytes(), begin);
    if head.array()? != [BEGIN, BEGIN, NULL] {
        return Err(malformed(begin, "no type begins here"));
    }
    let (of, least, length) = (head.u32()?, head.u32()?, head.length()?);
    if length > NAME {
        let size = length as u64;
        return Err(Error::Limit { offset: begin + 11, what: "a name", size, limit: NAME as u64 });
    }
    if !input.fill(NAMED + length + 1)? {
        return Err(truncated(input));
    }
    let mut head = Bytes::at(input.bytes(), begin, NAMED);
    let name = head.take(length)?;
    let kind = match name {
        b"Trace" => Kind::Trace,
        b"EventBlock" => Kind::Events,
        b"MetadataBlock" => Kind::Metadata,
        b"StackBlock" => Kind::Stacks,
        b"SPBlock" => Kind::SequencePoint,
        _ => Kind::Other,
    };
    if head.u8()? != END {
        return Err(malformed(head.offset() - 1, "the type has no end"));
    }
    let at = head.position();
    if kind == Kind::Trace {
        if least > 5 {
            return Err(Error::Version { version: least });
        }
        *version = of;
        return content(input, kind, at, TRACE, 1).map(Some);
    }
    // The content is aligned in the trace.
    let padding = usize::try_from((begin + at as u64 + 4).wrapping_neg() & 3).unwrap_or(0);
    if !input.fill(at + 4 + padding)? {
        return Err(truncated(input));
    }
    let length = Bytes::at(input.bytes(), begin, at).length()?;
    if length > BLOCK {
        let size = length as u64;
        return Err(Error::Limit { offset: begin + at as u64, what: "a block", size, limit: BLOCK as u64 });
    }
    content(input, kind, at + 4 + padding, length, 1).map(Some)
}

/// Checks what is behind the content of a block.
pub(crate) fn check_end<R: Read>(framing: Framing, input: &Input<R>, block: &Block) -> Result<()> {
    let at = block.head + block.length;
    match input.bytes().get(at) {
        Some(&tag) if framing == Framing::Objects && !block.is_cut && tag != END => {
            Err(malformed(input.offset() + at as u64, "the object has no end"))
        }
        _ => Ok(()),
    }
}
