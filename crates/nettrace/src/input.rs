//! The bytes of a trace, read ahead. A read that fails loses nothing.

use std::io::{self, Read};

use crate::error::{Error, Result};

/// The size of a read. Memory grows with the bytes that have arrived, not with an announced length.
const CHUNK: usize = 1 << 16;

pub(crate) struct Input<R> {
    from: R,
    buffer: Vec<u8>,
    /// The bytes of the buffer that are not consumed.
    start: usize,
    end: usize,
    consumed: u64,
}

impl<R: Read> Input<R> {
    pub(crate) const fn new(from: R) -> Self {
        Self { from, buffer: Vec::new(), start: 0, end: 0, consumed: 0 }
    }

    /// Returns the offset of the first byte that is not consumed.
    pub(crate) const fn offset(&self) -> u64 {
        self.consumed
    }

    /// Returns the offset behind the last byte that has arrived.
    pub(crate) const fn arrived(&self) -> u64 {
        self.consumed + (self.end - self.start) as u64
    }

    /// Returns the bytes that have arrived.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    pub(crate) fn consume(&mut self, length: usize) {
        let length = length.min(self.end - self.start);
        self.start += length;
        self.consumed += length as u64;
    }

    /// Reads until so many bytes have arrived; `false` if there are not so many.
    pub(crate) fn fill(&mut self, length: usize) -> Result<bool> {
        while self.end - self.start < length {
            if self.start > 0 && self.start + length > self.buffer.len() {
                self.buffer.copy_within(self.start..self.end, 0);
                self.end -= self.start;
                self.start = 0;
            }
            if self.end == self.buffer.len() {
                self.buffer.resize(self.end + CHUNK, 0);
            }
            let room = self.buffer.get_mut(self.end..).unwrap_or_default();
            match self.from.read(room) {
                Ok(0) => return Ok(false),
                Ok(count) => self.end += count.min(room.len()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Err(Error::Io { offset: self.arrived(), source }),
            }
        }
        Ok(true)
    }
}
