//! Numbers and texts as bytes.

/// Appends an unsigned LEB128 number.
pub fn put_count(out: &mut Vec<u8>, mut count: u64) {
    loop {
        let low = count.to_le_bytes()[0] & 0x7F;
        count >>= 7;
        if count == 0 {
            return out.push(low);
        }
        out.push(low | 0x80);
    }
}

/// Returns the bytes of a count of at most 28 bits, the first in the lowest ones, and how many they are.
#[inline(always)]
pub(crate) const fn small_count(count: u32) -> (u32, u32) {
    let bytes = (u32::BITS - (count | 1).leading_zeros()).div_ceil(7);
    let groups = count & 0x7F | (count & 0x3F80) << 1 | (count & 0x1F_C000) << 2 | (count & 0xFE0_0000) << 3;
    // All bytes have a bit for those that follow them, and the last has none.
    (groups | 0x0080_8080 & (1_u32 << (8 * (bytes - 1))).wrapping_sub(1), bytes)
}

/// Appends a count of bytes and the text.
pub fn put_text(out: &mut Vec<u8>, text: &str) {
    put_count(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Malformed bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The offset of the error.
    pub at: usize,
    /// What is wrong there.
    pub what: &'static str,
    /// Whether more bytes could make it right.
    pub is_cut: bool,
}

type Result<T> = core::result::Result<T, Malformed>;

/// Bytes and how far they have been read.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) at: usize,
}

impl<'b> Cursor<'b> {
    /// Begins at the first byte.
    #[must_use]
    pub const fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Returns whether all bytes have been read.
    #[must_use]
    pub const fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    #[inline]
    pub(crate) const fn error<T>(&self, what: &'static str) -> Result<T> {
        Err(Malformed { at: self.at, what, is_cut: false })
    }

    /// Reads so many bytes.
    ///
    /// # Errors
    /// If there are fewer.
    #[inline]
    pub fn take(&mut self, length: usize) -> Result<&'b [u8]> {
        let end = self.at.checked_add(length);
        match end.and_then(|end| self.bytes.get(self.at..end)) {
            Some(taken) => {
                self.at += length;
                Ok(taken)
            }
            None => Err(Malformed { at: self.at, what: "it is longer than what it is in", is_cut: true }),
        }
    }

    #[inline]
    pub(crate) fn byte(&mut self) -> Result<u8> {
        self.take(1).map(|bytes| bytes.first().copied().unwrap_or_default())
    }

    /// Reads four bytes as a number, the lowest first.
    ///
    /// # Errors
    /// If there are fewer.
    #[inline]
    pub fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    #[inline]
    pub(crate) fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let begin = self.at;
        let taken = self.take(N)?;
        taken.try_into().or(Err(Malformed { at: begin, what: "it has another size", is_cut: false }))
    }

    /// Reads an unsigned LEB128 number.
    ///
    /// # Errors
    /// If it ends too early, or has more than 64 bits.
    pub fn count(&mut self) -> Result<u64> {
        let begin = self.at;
        let mut count = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            if bits.leading_zeros() < shift {
                break;
            }
            count |= bits << shift;
            if byte < 0x80 {
                return Ok(count);
            }
        }
        Err(Malformed { at: begin, what: "the number is too large", is_cut: false })
    }

    pub(crate) fn small(&mut self) -> Result<u32> {
        let begin = self.at;
        let large = Malformed { at: begin, what: "the number is too large", is_cut: false };
        u32::try_from(self.count()?).or(Err(large))
    }

    /// Reads a count of bytes, and that many bytes.
    ///
    /// # Errors
    /// If there are fewer.
    pub fn counted(&mut self) -> Result<&'b [u8]> {
        let length = self.count()?;
        self.take(usize::try_from(length).unwrap_or(usize::MAX))
    }

    /// Reads a count of bytes, and a text of that many bytes.
    ///
    /// # Errors
    /// If there are fewer, or they are not UTF-8.
    pub fn text(&mut self) -> Result<&'b str> {
        let begin = self.at;
        let what = "the text is not UTF-8";
        core::str::from_utf8(self.counted()?).or(Err(Malformed { at: begin, what, is_cut: false }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_counts_are_counts() {
        let edges = (0..28).flat_map(|bits| [(1 << bits) - 1, 1 << bits]).chain([(1 << 28) - 1]);
        for count in edges {
            let mut expected = Vec::new();
            put_count(&mut expected, u64::from(count));
            let (bytes, length) = small_count(count);
            assert_eq!(bytes.to_le_bytes()[..length as usize], expected, "{count}");
        }
    }

    #[test]
    fn numbers_and_texts_come_back() {
        let mut bytes = Vec::new();
        let counts = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        for count in counts {
            put_count(&mut bytes, count);
        }
        put_text(&mut bytes, "é");
        let mut cursor = Cursor::new(&bytes);
        for count in counts {
            assert_eq!(cursor.count(), Ok(count));
        }
        assert_eq!(cursor.text(), Ok("é"));
        assert!(cursor.is_at_end());
        assert!(cursor.byte().unwrap_err().is_cut);
    }

    #[test]
    fn what_is_too_large_or_no_text_is_refused() {
        assert!(!Cursor::new(&[0xFF; 10]).count().unwrap_err().is_cut);
        assert!(Cursor::new(&[0xFF; 5]).count().unwrap_err().is_cut);
        assert!(!Cursor::new(&[0x80, 0x80, 0x80, 0x80, 0x10]).small().unwrap_err().is_cut);
        assert!(!Cursor::new(&[1, 0xFF]).text().unwrap_err().is_cut);
        assert!(Cursor::new(&[0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0]).counted().unwrap_err().is_cut);
    }
}
