//! Numbers of many threads, kept in a temporary file until they are needed again, thread by thread.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

/// How many bytes of a thread are in memory.
const PIECE: usize = 32 << 10;

/// The temporary file, which is made when there is something to write.
#[derive(Default)]
pub(super) struct Spill {
    file: Option<RefCell<File>>,
    length: u64,
}

/// The numbers of a thread.
#[derive(Default)]
pub(super) struct Spilled {
    /// The offsets and lengths of what is in the file.
    pieces: Vec<(u64, usize)>,
    /// The rest.
    bytes: Vec<u8>,
}

impl Spill {
    fn append(&mut self, bytes: &[u8]) -> io::Result<u64> {
        if self.file.is_none() {
            self.file = Some(RefCell::new(tempfile::tempfile()?));
        }
        if let Some(file) = &mut self.file {
            file.get_mut().write_all(bytes)?;
        }
        let at = self.length;
        self.length += bytes.len() as u64;
        Ok(at)
    }

    fn read(&self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        let Some(file) = &self.file else { return Err(io::ErrorKind::UnexpectedEof.into()) };
        let mut file = file.borrow_mut();
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(bytes)
    }
}

impl Spilled {
    /// Appends a number.
    #[inline]
    pub(super) fn put(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.bytes.push(number.to_le_bytes()[0]);
    }

    /// Writes the numbers if they are many. To be called between those that belong together.
    #[inline]
    pub(super) fn spill(&mut self, to: &mut Spill) -> io::Result<()> {
        if self.bytes.len() < PIECE { Ok(()) } else { self.spill_all(to) }
    }

    #[cold]
    pub(super) fn spill_all(&mut self, to: &mut Spill) -> io::Result<()> {
        self.pieces.push((to.append(&self.bytes)?, self.bytes.len()));
        self.bytes.clear();
        Ok(())
    }

    /// Returns the numbers, from the first on.
    pub(super) fn numbers<'s>(&'s self, from: &'s Spill) -> Numbers<'s> {
        Numbers { spilled: self, from, piece: 0, bytes: Vec::new(), at: 0 }
    }
}

/// The numbers of a thread that are read again.
pub(super) struct Numbers<'s> {
    spilled: &'s Spilled,
    from: &'s Spill,
    piece: usize,
    bytes: Vec<u8>,
    at: usize,
}

impl Numbers<'_> {
    pub(super) fn next(&mut self) -> io::Result<Option<u64>> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let Some(byte) = self.bytes.get(self.at).copied() else {
                if !self.next_piece()? {
                    return Ok(None);
                }
                continue;
            };
            self.at += 1;
            number |= u64::from(byte & 0x7F) << shift;
            shift += 7;
            if byte < 0x80 {
                return Ok(Some(number));
            }
        }
    }

    fn next_piece(&mut self) -> io::Result<bool> {
        self.at = 0;
        self.piece += 1;
        match self.spilled.pieces.get(self.piece - 1) {
            Some((at, length)) => {
                self.bytes.resize(*length, 0);
                self.from.read(*at, &mut self.bytes)?;
                Ok(true)
            }
            None if self.piece == self.spilled.pieces.len() + 1 => {
                self.bytes.clone_from(&self.spilled.bytes);
                Ok(!self.bytes.is_empty())
            }
            None => Ok(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_several_threads_are_read_again_in_order() {
        const COUNT: u64 = 100_000;
        let mut spill = Spill::default();
        let mut threads = [Spilled::default(), Spilled::default()];
        for number in 0..COUNT {
            for (index, thread) in (0..).zip(&mut threads) {
                thread.put(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (number % 64) ^ index);
                thread.spill(&mut spill).unwrap();
            }
        }
        assert!(spill.length > 0);
        for (index, thread) in (0..).zip(&threads) {
            let mut numbers = thread.numbers(&spill);
            for number in 0..COUNT {
                let expected = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (number % 64) ^ index;
                assert_eq!(numbers.next().unwrap(), Some(expected));
            }
            assert_eq!(numbers.next().unwrap(), None);
        }
    }
}
