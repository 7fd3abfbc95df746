//! Reading the fields of a payload: little-endian numbers, and texts of UTF-16 that end with a zero.

use core::fmt::{self, Write as _};

/// The error of a payload that ends within a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the payload ends after {length} bytes, within the field at {offset}")]
pub struct DecodeError {
    /// Where the field begins.
    pub offset: usize,
    /// The length of the payload.
    pub length: usize,
}

/// A text of UTF-16, without its zero.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Utf16<'p>(&'p [u8]);

impl Utf16<'_> {
    /// Returns the units.
    pub fn units(&self) -> impl Iterator<Item = u16> {
        self.0.chunks_exact(2).filter_map(|unit| Some(u16::from_le_bytes(unit.try_into().ok()?)))
    }
}

impl fmt::Display for Utf16<'_> {
    /// Writes the text; lone surrogates become U+FFFD.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut chars = char::decode_utf16(self.units());
        chars.try_for_each(|unit| f.write_char(unit.unwrap_or(char::REPLACEMENT_CHARACTER)))
    }
}

impl fmt::Debug for Utf16<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", alloc::string::ToString::to_string(self))
    }
}

/// A position in a payload.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'p> {
    payload: &'p [u8],
    offset: usize,
    pointer: usize,
}

impl<'p> Reader<'p> {
    pub(crate) const fn new(payload: &'p [u8], pointer: usize) -> Self {
        Self { payload, offset: 0, pointer }
    }

    fn error(&self) -> DecodeError {
        DecodeError { offset: self.offset, length: self.payload.len() }
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let rest = self.payload.get(self.offset..).and_then(|rest| rest.first_chunk());
        let bytes = *rest.ok_or_else(|| self.error())?;
        self.offset += N;
        Ok(bytes)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, DecodeError> {
        self.bytes().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, DecodeError> {
        self.bytes().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, DecodeError> {
        self.bytes().map(u64::from_le_bytes)
    }

    /// An address of the process.
    pub(crate) fn pointer(&mut self) -> Result<u64, DecodeError> {
        if self.pointer == 4 { self.u32().map(Into::into) } else { self.u64() }
    }

    pub(crate) fn text(&mut self) -> Result<Utf16<'p>, DecodeError> {
        let rest = self.payload.get(self.offset..).unwrap_or_default();
        let length = rest.chunks_exact(2).position(|unit| unit == [0, 0]).ok_or_else(|| self.error())?;
        self.offset += 2 * length + 2;
        Ok(Utf16(rest.get(..2 * length).unwrap_or_default()))
    }
}
