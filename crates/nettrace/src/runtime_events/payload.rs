//! Reading the fields of a payload: little-endian numbers, and texts of UTF-16 that end with a zero.

use core::fmt::{self, Write as _};
use core::marker::PhantomData;

use crate::runtime_events::layout::Layout;

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
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Utf16<'p>(&'p [u8]);

impl<'p> Utf16<'p> {
    /// Returns the text of these little-endian units.
    #[must_use]
    pub const fn from_units(bytes: &'p [u8]) -> Self {
        Self(bytes)
    }

    /// Returns the units.
    pub fn units(&self) -> impl Iterator<Item = u16> + use<'p> {
        self.0.as_chunks().0.iter().map(|unit| u16::from_le_bytes(*unit))
    }

    /// Returns whether the text is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
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
        f.write_char('"')?;
        let chars = char::decode_utf16(self.units()).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER));
        chars.flat_map(char::escape_debug).try_for_each(|char| f.write_char(char))?;
        f.write_char('"')
    }
}

impl PartialEq<str> for Utf16<'_> {
    fn eq(&self, other: &str) -> bool {
        self.units().eq(other.encode_utf16())
    }
}

impl PartialEq<&str> for Utf16<'_> {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

/// The elements of an event, decoded one after the other.
///
/// After an error the iterator ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Values<'p, T> {
    from: Reader<'p>,
    left: u32,
    of: PhantomData<fn() -> T>,
}

impl<T> Values<'_, T> {
    /// Returns the number of elements that are left, as the payload states it. It may have fewer bytes than that takes.
    #[must_use]
    pub const fn count(&self) -> u32 {
        self.left
    }
}

impl<T> fmt::Debug for Values<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Values({})", self.left)
    }
}

#[allow(private_bounds, reason = "the elements are those that this crate defines")]
impl<'p, T: Layout<'p>> Iterator for Values<'p, T> {
    type Item = Result<T, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let value = T::read(&mut self.from, 0);
        if value.is_err() {
            self.left = 0;
        }
        Some(value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, usize::try_from(self.left).ok())
    }
}

/// A position in a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

    fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let rest = self.payload.get(self.offset..).and_then(|rest| rest.first_chunk());
        let bytes = *rest.ok_or_else(|| self.error())?;
        self.offset += N;
        Ok(bytes)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, DecodeError> {
        self.array().map(u8::from_le_bytes)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, DecodeError> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, DecodeError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, DecodeError> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn f64(&mut self) -> Result<f64, DecodeError> {
        self.array().map(f64::from_le_bytes)
    }

    /// A boolean of four bytes.
    pub(crate) fn bool(&mut self) -> Result<bool, DecodeError> {
        self.u32().map(|value| value != 0)
    }

    /// The bytes of a GUID, in the order of the text.
    pub(crate) fn guid(&mut self) -> Result<[u8; 16], DecodeError> {
        let mut bytes: [u8; 16] = self.array()?;
        bytes[..4].reverse();
        bytes[4..6].reverse();
        bytes[6..8].reverse();
        Ok(bytes)
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

    /// Bytes after their number.
    pub(crate) fn bytes(&mut self) -> Result<&'p [u8], DecodeError> {
        let length = self.u32()?;
        self.take(length)
    }

    /// A part with a layout of its own, which is the same in every version.
    pub(crate) fn part<T: Layout<'p>>(&mut self) -> Result<T, DecodeError> {
        T::read(self, 0)
    }

    /// This number of bytes.
    pub(crate) fn take(&mut self, length: u32) -> Result<&'p [u8], DecodeError> {
        let rest = self.payload.get(self.offset..).unwrap_or_default();
        let bytes = usize::try_from(length).ok().and_then(|length| rest.get(..length));
        let bytes = bytes.ok_or_else(|| self.error())?;
        self.offset += bytes.len();
        Ok(bytes)
    }

    /// The elements up to the end of the payload.
    pub(crate) fn values<T>(&self, count: u32) -> Values<'p, T> {
        Values { from: *self, left: count, of: PhantomData }
    }

    /// Elements of this size, and goes on after them.
    pub(crate) fn sized<T>(&mut self, count: u32, size: usize) -> Result<Values<'p, T>, DecodeError> {
        let values = self.values(count);
        let end =
            usize::try_from(count).ok().and_then(|count| self.offset.checked_add(count.checked_mul(size)?));
        match end.filter(|end| *end <= self.payload.len()) {
            Some(end) => self.offset = end,
            None => return Err(self.error()),
        }
        Ok(values)
    }

    /// Returns the size of an address.
    pub(crate) const fn pointer_size(&self) -> usize {
        if self.pointer == 4 { 4 } else { 8 }
    }
}
