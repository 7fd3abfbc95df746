//! Little-endian numbers out of a slice.

use crate::error::{Error, ErrorKind, Location};

/// A slice, a position in it, and how positions are reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
    location: fn(u32) -> Location,
}

impl<'a> Reader<'a> {
    #[inline]
    pub(crate) const fn new(bytes: &'a [u8], position: usize, location: fn(u32) -> Location) -> Self {
        Self { bytes, position, location }
    }

    #[inline]
    pub(crate) const fn position(&self) -> usize {
        self.position
    }

    /// Makes an error at a position.
    #[cold]
    #[inline(never)]
    pub(crate) fn error(&self, position: usize, kind: ErrorKind) -> Error {
        Error { location: (self.location)(u32::try_from(position).unwrap_or(u32::MAX)), kind }
    }

    #[inline]
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let taken = self.position.checked_add(count).and_then(|end| self.bytes.get(self.position..end));
        match taken {
            Some(taken) => {
                self.position += count;
                Ok(taken)
            }
            None => Err(self.error(self.position, ErrorKind::UnexpectedEnd)),
        }
    }

    #[inline]
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        match self.bytes.get(self.position..).and_then(|rest| rest.first_chunk()) {
            Some(array) => {
                self.position += N;
                Ok(*array)
            }
            None => Err(self.error(self.position, ErrorKind::UnexpectedEnd)),
        }
    }

    #[inline]
    pub(crate) fn u8(&mut self) -> Result<u8, Error> {
        self.array::<1>().map(|[byte]| byte)
    }

    #[inline]
    pub(crate) fn u16(&mut self) -> Result<u16, Error> {
        self.array().map(u16::from_le_bytes)
    }

    #[inline]
    pub(crate) fn u32(&mut self) -> Result<u32, Error> {
        self.array().map(u32::from_le_bytes)
    }

    /// Skips to a multiple of four; may go beyond the end.
    pub(crate) fn align4(&mut self) {
        self.position = self.position.next_multiple_of(4);
    }
}
