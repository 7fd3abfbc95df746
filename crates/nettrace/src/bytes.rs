//! Reading numbers and texts from a slice.

use crate::runtime_events::Utf16;

use crate::error::{Error, FieldError};

/// Why a value cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The bytes end within it.
    End(u64),
    Malformed(u64, &'static str),
    Limit {
        at: u64,
        what: &'static str,
        size: u64,
        limit: u64,
    },
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::End(offset) => Self::Malformed { offset, what: "a block ends within a value" },
            Fault::Malformed(offset, what) => Self::Malformed { offset, what },
            Fault::Limit { at, what, size, limit } => Self::Limit { offset: at, what, size, limit },
        }
    }
}

impl From<Fault> for FieldError {
    fn from(fault: Fault) -> Self {
        let (offset, what) = match fault {
            Fault::End(at) => (at, "the bytes end within a field"),
            Fault::Malformed(at, what) | Fault::Limit { at, what, .. } => (at, what),
        };
        Self { offset: usize::try_from(offset).unwrap_or(usize::MAX), what }
    }
}

pub(crate) type Parsed<T> = Result<T, Fault>;

/// A position in a slice, which begins at an offset of the trace.
#[derive(Clone, Debug)]
pub(crate) struct Bytes<'b> {
    bytes: &'b [u8],
    at: usize,
    base: u64,
}

impl<'b> Bytes<'b> {
    pub(crate) const fn new(bytes: &'b [u8], base: u64) -> Self {
        Self { bytes, at: 0, base }
    }

    /// Goes on at a position.
    pub(crate) const fn at(bytes: &'b [u8], base: u64, at: usize) -> Self {
        Self { bytes, at, base }
    }

    /// Returns the position.
    pub(crate) const fn position(&self) -> usize {
        self.at
    }

    /// Returns the offset in the trace.
    pub(crate) const fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.at >= self.bytes.len()
    }

    pub(crate) const fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    pub(crate) const fn malformed(&self, what: &'static str) -> Fault {
        Fault::Malformed(self.offset(), what)
    }

    pub(crate) fn take(&mut self, length: usize) -> Parsed<&'b [u8]> {
        let end = self.at.checked_add(length);
        let taken = end.and_then(|end| self.bytes.get(self.at..end)).ok_or(Fault::End(self.offset()))?;
        self.at += length;
        Ok(taken)
    }

    /// A part of known length, which is skipped.
    pub(crate) fn part(&mut self, length: usize) -> Parsed<Self> {
        let base = self.offset();
        Ok(Self::new(self.take(length)?, base))
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Parsed<[u8; N]> {
        let rest = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk());
        let array = *rest.ok_or(Fault::End(self.offset()))?;
        self.at += N;
        Ok(array)
    }

    pub(crate) fn u8(&mut self) -> Parsed<u8> {
        self.array().map(u8::from_le_bytes)
    }

    pub(crate) fn u16(&mut self) -> Parsed<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Parsed<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Parsed<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// A length of 32 bits.
    pub(crate) fn length(&mut self) -> Parsed<usize> {
        self.u32().map(|length| usize::try_from(length).unwrap_or(usize::MAX))
    }

    /// The bytes of a GUID, in the order of the text; `None` for zeros.
    pub(crate) fn guid(&mut self) -> Parsed<Option<[u8; 16]>> {
        let mut guid: [u8; 16] = self.array()?;
        guid[..4].reverse();
        guid[4..6].reverse();
        guid[6..8].reverse();
        Ok(Some(guid).filter(|guid| *guid != [0; 16]))
    }

    /// Seven bits a byte, the least significant first.
    pub(crate) fn varuint(&mut self) -> Parsed<u64> {
        let begin = self.offset();
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            let bits = u64::from(byte & 0x7F);
            if shift == 63 && bits > 1 {
                break;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Fault::Malformed(begin, "a number of more than 64 bits"))
    }

    /// A signed number: the lowest bit is its sign.
    pub(crate) fn varint(&mut self) -> Parsed<i64> {
        let value = self.varuint()?;
        Ok((value >> 1).cast_signed() ^ -((value & 1).cast_signed()))
    }

    pub(crate) fn varuint32(&mut self) -> Parsed<u32> {
        let begin = self.offset();
        let value = self.varuint()?;
        u32::try_from(value).map_err(|_| Fault::Malformed(begin, "a number of more than 32 bits"))
    }

    /// UTF-16 that ends with a zero.
    pub(crate) fn utf16(&mut self) -> Parsed<Utf16<'b>> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest.chunks_exact(2).position(|unit| unit == [0, 0]).ok_or(Fault::End(self.offset()))?;
        let text = Utf16::from_units(rest.get(..2 * length).unwrap_or_default());
        self.at += 2 * length + 2;
        Ok(text)
    }

    /// UTF-8 after its length.
    pub(crate) fn utf8(&mut self) -> Parsed<String> {
        let length = usize::try_from(self.varuint32()?).unwrap_or(usize::MAX);
        Ok(String::from_utf8_lossy(self.take(length)?).into_owned())
    }
}
