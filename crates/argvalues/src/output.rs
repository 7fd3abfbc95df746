//! The output of a writer of values, with its first error.

use core::fmt::{self, Write};

/// An output that is not written to after its first error.
#[derive(Debug)]
pub(crate) struct Output<'w, W: ?Sized> {
    out: &'w mut W,
    result: fmt::Result,
}

impl<'w, W: Write + ?Sized> Output<'w, W> {
    pub(crate) const fn new(out: &'w mut W) -> Self {
        Self { out, result: Ok(()) }
    }

    /// Returns the first error.
    pub(crate) fn finish(self) -> fmt::Result {
        self.result
    }

    /// Runs `write` with the output, unless an earlier write failed.
    #[inline]
    pub(crate) fn put(&mut self, write: impl FnOnce(&mut W) -> fmt::Result) {
        if self.result.is_ok() {
            self.result = write(self.out);
        }
    }

    #[inline]
    pub(crate) fn raw(&mut self, text: &str) {
        self.put(|out| out.write_str(text));
    }
}
