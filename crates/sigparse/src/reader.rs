//! A position in a blob, and reads from it.

use core::fmt;

use crate::bytes::{self, Bytes, FromEnd};
use crate::error::{Error, ErrorKind};
use crate::header::{SigHeader, SigKind};
use crate::token::TypeDefOrRef;

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
    rest: &'a [u8],
    /// The position behind `rest`. Positions count down to it, so that a walk needs to keep no count.
    end: usize,
}

impl<'a> Reader<'a> {
    /// Starts at the first byte of a blob.
    #[inline]
    pub const fn new(blob: &'a [u8]) -> Self {
        Self { rest: blob, end: blob.len() }
    }

    /// Returns the offset of the next byte in the blob.
    #[inline]
    pub const fn position(&self) -> usize {
        self.end.wrapping_sub(self.rest.len())
    }

    /// The bytes that are left.
    #[inline]
    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Returns the number of remaining bytes.
    #[inline]
    pub const fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Returns whether no bytes are left.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next byte, which stays unread.
    #[inline]
    pub const fn peek_u8(&self) -> Option<u8> {
        match self.rest {
            [byte, ..] => Some(*byte),
            [] => None,
        }
    }

    /// Reads one byte.
    ///
    /// # Errors
    /// If none is left.
    #[inline]
    pub fn read_u8(&mut self) -> Result<u8, Error> {
        self.take(bytes::first)
    }

    /// Reads so many bytes.
    ///
    /// # Errors
    /// If fewer are left.
    #[inline]
    pub fn read_bytes(&mut self, count: usize) -> Result<&'a [u8], Error> {
        match self.rest.split_at_checked(count) {
            Some((bytes, rest)) => {
                self.rest = rest;
                Ok(bytes)
            }
            None => Err(self.too_short()),
        }
    }

    /// Reads so many bytes into an array.
    ///
    /// # Errors
    /// If fewer are left.
    #[inline]
    pub fn read_array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        match self.rest.split_first_chunk::<N>() {
            Some((bytes, rest)) => {
                self.rest = rest;
                Ok(*bytes)
            }
            None => Err(self.too_short()),
        }
    }

    /// Reads a compressed unsigned integer of one, two or four bytes (II.23.2).
    ///
    /// An encoding longer than it need be is accepted, as the CLR accepts it.
    ///
    /// # Errors
    /// If the blob ends, or the first byte begins no compressed integer.
    #[inline]
    pub fn read_compressed_u32(&mut self) -> Result<u32, Error> {
        self.take(bytes::unsigned)
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
        self.take(bytes::signed)
    }

    /// Reads a TypeDefOrRefOrSpecEncoded (II.23.2.8).
    ///
    /// # Errors
    /// If the blob ends, or the value is none: tag 3, row 0, or a row beyond three bytes.
    #[inline]
    pub fn read_type_def_or_ref(&mut self) -> Result<TypeDefOrRef, Error> {
        self.take(bytes::type_def_or_ref)
    }

    /// Reads a count of items that take at least one byte each.
    ///
    /// # Errors
    /// If the blob ends, or has fewer bytes left than the count.
    #[inline]
    pub fn read_count(&mut self) -> Result<u32, Error> {
        self.take(bytes::count)
    }

    /// Reads the header of a signature, and checks its kind.
    #[inline]
    pub(crate) fn read_header(&mut self, expected: SigKind) -> Result<SigHeader, Error> {
        self.take(|bytes| bytes::header(bytes, expected))
    }

    /// Reads a pointer of the running process: INTERNAL and CMOD_INTERNAL carry one, in its own byte order.
    #[inline]
    pub(crate) fn read_pointer(&mut self) -> Result<usize, Error> {
        self.take(bytes::pointer)
    }

    /// Reads one thing.
    #[inline(always)]
    pub(crate) fn take<T>(
        &mut self,
        read: impl FnOnce(&mut Bytes<'a>) -> Result<T, FromEnd>,
    ) -> Result<T, Error> {
        let mut bytes = self.bytes();
        match read(&mut bytes) {
            Ok(value) => {
                self.rest = bytes.as_slice();
                Ok(value)
            }
            Err(error) => Err(self.error(error)),
        }
    }

    /// The bytes that are left.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> Bytes<'a> {
        self.rest.iter()
    }

    /// An error in the bytes that are left here.
    #[cold]
    pub(crate) fn error(&self, FromEnd { left, kind }: FromEnd) -> Error {
        Error::new(self.end.wrapping_sub(left), kind)
    }

    #[cold]
    #[inline(never)]
    fn too_short(&self) -> Error {
        Error::new(self.end, ErrorKind::UnexpectedEnd)
    }

    /// Skips the next byte, which [`Self::peek_u8`] has returned.
    #[inline]
    pub(crate) fn advance(&mut self) {
        self.rest = self.rest.split_first().map_or(self.rest, |(_, rest)| rest);
    }

    /// Skips the bytes before `rest`, and returns a reader of them.
    #[inline(always)]
    pub(crate) fn split_before(&mut self, rest: &'a [u8]) -> Reader<'a> {
        // `rest` is the end of the bytes that are left.
        let before = self.rest.get(..self.rest.len().wrapping_sub(rest.len())).unwrap_or(self.rest);
        let reader = Reader { rest: before, end: self.end.wrapping_sub(rest.len()) };
        self.rest = rest;
        reader
    }

    /// The bytes from here up to a later reader of the same blob.
    #[inline]
    pub(crate) fn up_to(mut self, end: &Reader<'a>) -> Reader<'a> {
        self.split_before(end.rest)
    }
}

impl PartialEq for Reader<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.rest == other.rest
    }
}

impl Eq for Reader<'_> {}

impl core::hash::Hash for Reader<'_> {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.rest.hash(state);
    }
}

impl fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reader({:02X?} at {})", self.rest, self.position())
    }
}
