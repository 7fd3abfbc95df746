//! The headers of events.

use crate::bytes::{Bytes, Fault, Parsed};
use crate::framing::Framing;

/// What precedes the payload of an event.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Header {
    pub(crate) metadata: u32,
    pub(crate) is_sorted: bool,
    pub(crate) sequence: u32,
    pub(crate) thread: u64,
    pub(crate) capture_thread: u64,
    pub(crate) processor: u32,
    pub(crate) stack: u32,
    pub(crate) time: u64,
    pub(crate) activity: Option<[u8; 16]>,
    pub(crate) related_activity: Option<[u8; 16]>,
    /// The list of labels, since version 6.
    pub(crate) labels: u32,
    pub(crate) payload: usize,
}

/// Reads the header of a block: whether the headers of its events are compressed.
pub(crate) fn is_compressed(bytes: &mut Bytes<'_>) -> Parsed<bool> {
    let begin = bytes.offset();
    let size = usize::from(bytes.u16()?);
    let flags = bytes.u16()?;
    // Two numbers, and the times of the block.
    let rest = size.checked_sub(4).ok_or(Fault::Malformed(begin, "the header of a block is too short"))?;
    bytes.take(rest)?;
    Ok(flags & 1 != 0)
}

impl Header {
    /// Reads the next header, which may leave out what is the same as in this one. Returns the end of the event.
    pub(crate) fn read(
        &mut self,
        bytes: &mut Bytes<'_>,
        framing: Framing,
        is_compressed: bool,
    ) -> Parsed<()> {
        if is_compressed { self.compressed(bytes, framing) } else { self.plain(bytes, framing) }
    }

    fn compressed(&mut self, bytes: &mut Bytes<'_>, framing: Framing) -> Parsed<()> {
        let mut next = *self;
        let flags = bytes.u8()?;
        let has = |bit: u8| flags & bit != 0;
        if has(1) {
            next.metadata = bytes.varuint32()?;
        }
        if has(2) {
            next.sequence = next.sequence.wrapping_add(bytes.varuint32()?);
            next.capture_thread = bytes.varuint()?;
            next.processor = bytes.varuint32()?;
        }
        if framing == Framing::Blocks || next.metadata != 0 {
            next.sequence = next.sequence.wrapping_add(1);
        }
        if has(4) {
            next.thread = bytes.varuint()?;
        }
        if has(8) {
            next.stack = bytes.varuint32()?;
        }
        next.time = next.time.wrapping_add(bytes.varuint()?);
        if framing == Framing::Blocks {
            if has(16) {
                next.labels = bytes.varuint32()?;
            }
        } else {
            if has(16) {
                next.activity = bytes.guid()?;
            }
            if has(32) {
                next.related_activity = bytes.guid()?;
            }
        }
        next.is_sorted = has(64);
        if has(128) {
            next.payload = usize::try_from(bytes.varuint32()?).unwrap_or(usize::MAX);
        }
        *self = next;
        Ok(())
    }

    fn plain(&mut self, bytes: &mut Bytes<'_>, framing: Framing) -> Parsed<()> {
        // The size of the event.
        bytes.u32()?;
        let metadata = bytes.u32()?;
        let mut next =
            Self { metadata: metadata & 0x7FFF_FFFF, is_sorted: metadata >> 31 == 1, ..Self::default() };
        next.sequence = bytes.u32()?;
        (next.thread, next.capture_thread) = (bytes.u64()?, bytes.u64()?);
        (next.processor, next.stack, next.time) = (bytes.u32()?, bytes.u32()?, bytes.u64()?);
        if framing == Framing::Blocks {
            next.labels = bytes.u32()?;
        } else {
            (next.activity, next.related_activity) = (bytes.guid()?, bytes.guid()?);
        }
        next.payload = bytes.length()?;
        *self = next;
        Ok(())
    }
}

/// Skips the padding behind the payload of an event whose header is not compressed.
pub(crate) fn skip_padding(bytes: &mut Bytes<'_>, framing: Framing, is_compressed: bool) {
    if framing == Framing::Objects && !is_compressed {
        let padding = usize::try_from(bytes.offset().wrapping_neg() & 3).unwrap_or(0);
        // The last event may have none.
        let _ = bytes.take(padding.min(bytes.left()));
    }
}
