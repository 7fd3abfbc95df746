//! A little text on the stack.

use core::fmt;

/// Text of at most `N` bytes. A longer write fails and leaves the part that fitted.
pub(crate) struct TextBuffer<const N: usize> {
    bytes: [u8; N],
    length: usize,
}

impl<const N: usize> TextBuffer<N> {
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; N], length: 0 }
    }

    pub(crate) fn as_str(&self) -> &str {
        // Only whole strings are ever appended.
        self.bytes.get(..self.length).and_then(|bytes| str::from_utf8(bytes).ok()).unwrap_or_default()
    }
}

impl<const N: usize> fmt::Write for TextBuffer<N> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.length + text.len();
        let room = self.bytes.get_mut(self.length..end).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::fmt::Write as _;

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut text = TextBuffer::<4>::new();
        text.write_str("abc").unwrap();
        assert!(text.write_str("de").is_err());
        text.write_str("d").unwrap();
        assert_eq!(text.as_str(), "abcd");
    }
}
