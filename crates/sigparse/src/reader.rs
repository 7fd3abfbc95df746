//! The cursor that everything is read with, and the compressed integers of II.23.2.

use core::fmt;

use crate::{Error, ErrorKind, TypeDefOrRef};

/// A position in a blob: the bytes and how many of them have been read.
///
/// Positions count from the start of the blob, so the offset of an error is one that a hex dump shows. A failed
/// read leaves the position where it was. Two readers are equal if the bytes left in them are.
///
/// ```
/// use sigparse::Reader;
///
/// let mut reader = Reader::new(&[0x03, 0x80, 0x80, 0x7B]);
/// assert_eq!(reader.read_compressed_u32(), Ok(3));
/// assert_eq!(reader.read_compressed_u32(), Ok(0x80));
/// assert_eq!(reader.read_compressed_i32(), Ok(-3));
/// assert!(reader.is_empty());
/// assert_eq!(reader.read_u8().unwrap_err().offset, 4);
/// ```
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    data: &'a [u8],
    position: usize,
}

impl<'a> Reader<'a> {
    /// Starts at the first byte of a blob.
    #[inline]
    pub const fn new(blob: &'a [u8]) -> Self {
        Self { data: blob, position: 0 }
    }

    /// How many bytes of the blob come before the next one.
    #[inline]
    pub const fn position(&self) -> usize {
        self.position
    }

    /// The bytes that are left.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.data.get(self.position..).unwrap_or_default()
    }

    /// How many bytes are left.
    #[inline]
    pub const fn remaining(&self) -> usize {
        self.data.len().saturating_sub(self.position)
    }

    /// Whether no bytes are left.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.position >= self.data.len()
    }

    /// The next byte, which stays unread.
    #[inline]
    pub fn peek_u8(&self) -> Option<u8> {
        self.data.get(self.position).copied()
    }

    /// Reads one byte.
    ///
    /// # Errors
    /// If none is left.
    #[inline]
    pub fn read_u8(&mut self) -> Result<u8, Error> {
        match self.data.get(self.position) {
            Some(&byte) => {
                self.position += 1;
                Ok(byte)
            }
            None => Err(self.end()),
        }
    }

    /// Reads so many bytes.
    ///
    /// # Errors
    /// If fewer are left.
    #[inline]
    pub fn read_bytes(&mut self, count: usize) -> Result<&'a [u8], Error> {
        match self.rest().get(..count) {
            Some(bytes) => {
                self.position += count;
                Ok(bytes)
            }
            None => Err(self.end()),
        }
    }

    /// Reads so many bytes into an array.
    ///
    /// # Errors
    /// If fewer are left.
    #[inline]
    pub fn read_array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        match self.rest().first_chunk::<N>() {
            Some(bytes) => {
                self.position += N;
                Ok(*bytes)
            }
            None => Err(self.end()),
        }
    }

    /// Reads a compressed unsigned integer of one, two or four bytes (II.23.2).
    ///
    /// An encoding longer than it need be is accepted, as the CLR accepts it.
    ///
    /// # Errors
    /// If the blob ends, or the first byte begins no compressed integer.
    #[inline(always)]
    pub fn read_compressed_u32(&mut self) -> Result<u32, Error> {
        match self.peek_u8() {
            Some(byte) if byte < 0x80 => {
                self.position += 1;
                Ok(u32::from(byte))
            }
            Some(byte) if byte < 0xC0 => match self.data.get(self.position + 1) {
                Some(&low) => {
                    self.position += 2;
                    Ok(u32::from(byte & 0x3F) << 8 | u32::from(low))
                }
                None => Err(self.end()),
            },
            _ => Ok(self.read_compressed_long()?.0),
        }
    }

    /// Reads a compressed signed integer of one, two or four bytes (II.23.2).
    ///
    /// The sign is the lowest bit, and the bits above it are those of the number in two's complement with 6, 13
    /// or 28 bits.
    ///
    /// # Errors
    /// If the blob ends, or the first byte begins no compressed integer.
    #[inline]
    pub fn read_compressed_i32(&mut self) -> Result<i32, Error> {
        let (value, bits) = match self.peek_u8() {
            Some(byte) if byte < 0x80 => {
                self.position += 1;
                (u32::from(byte), 6)
            }
            _ => self.read_compressed_long()?,
        };
        let magnitude = (value >> 1).cast_signed();
        Ok(if value & 1 == 0 { magnitude } else { magnitude - (1 << bits) })
    }

    /// The value of a compressed integer of two or four bytes, and the bits of it when it is signed.
    #[cold]
    #[inline(never)]
    fn read_compressed_long(&mut self) -> Result<(u32, u32), Error> {
        let rest = self.rest();
        let (length, value, bits) = match *rest {
            [a, b, ..] if a & 0xC0 == 0x80 => (2, u32::from(a & 0x3F) << 8 | u32::from(b), 13),
            [a, b, c, d, ..] if a & 0xE0 == 0xC0 => (4, u32::from_be_bytes([a & 0x1F, b, c, d]), 28),
            [a, ..] if a & 0xE0 == 0xE0 => {
                return Err(Error::new(self.position, ErrorKind::InvalidCompressedInteger(a)));
            }
            _ => return Err(self.end()),
        };
        self.position += length;
        Ok((value, bits))
    }

    /// Reads a TypeDefOrRefOrSpecEncoded (II.23.2.8).
    ///
    /// # Errors
    /// If the blob ends, or the value is none: tag 3, row 0, or a row beyond three bytes.
    #[inline(always)]
    pub fn read_type_def_or_ref(&mut self) -> Result<TypeDefOrRef, Error> {
        let at = self.position;
        let value = self.read_compressed_u32()?;
        match TypeDefOrRef::from_coded(value) {
            Some(ty) => Ok(ty),
            None => {
                self.position = at;
                Err(Error::new(at, ErrorKind::InvalidTypeDefOrRef(value)))
            }
        }
    }

    /// Reads a count of items that take at least one byte each.
    ///
    /// # Errors
    /// If the blob ends, or has fewer bytes left than the count.
    #[inline(always)]
    pub fn read_count(&mut self) -> Result<u32, Error> {
        let at = self.position;
        let count = self.read_compressed_u32()?;
        let remaining = self.remaining();
        if count as usize > remaining {
            self.position = at;
            return Err(Error::new(at, ErrorKind::CountExceedsData { count, remaining }));
        }
        Ok(count)
    }

    /// Reads a pointer of the running process: INTERNAL and CMOD_INTERNAL carry one, in its own byte order.
    #[inline]
    pub(crate) fn read_pointer(&mut self) -> Result<usize, Error> {
        Ok(usize::from_ne_bytes(self.read_array()?))
    }

    /// Goes on to the next byte, which [`Self::peek_u8`] has shown.
    #[inline]
    pub(crate) fn advance(&mut self) {
        self.position += 1;
    }

    /// The reader so many bytes on.
    #[inline]
    pub(crate) const fn ahead(&self, count: usize) -> Reader<'a> {
        Reader { data: self.data, position: self.position.saturating_add(count) }
    }

    /// The bytes from here up to a later reader of the same blob.
    #[inline]
    pub(crate) fn up_to(&self, end: &Reader<'a>) -> Reader<'a> {
        Reader { data: self.data.get(..end.position).unwrap_or(self.data), position: self.position }
    }

    /// The error of a blob that ends too early.
    #[cold]
    #[inline(never)]
    fn end(&self) -> Error {
        Error::new(self.data.len(), ErrorKind::UnexpectedEnd)
    }
}

impl PartialEq for Reader<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.rest() == other.rest()
    }
}

impl Eq for Reader<'_> {}

impl core::hash::Hash for Reader<'_> {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.rest().hash(state);
    }
}

impl fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reader({:02X?} at {})", self.rest(), self.position)
    }
}
