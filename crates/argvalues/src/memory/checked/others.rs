//! Systems without a way to read memory through them.

use std::io;

pub(super) const BAD_ADDRESS: [i32; 0] = [];

/// There is none.
#[derive(Clone, Debug)]
pub(super) enum Reader {}

impl Reader {
    pub(super) fn choose(_: impl Fn(&Self) -> io::Result<()>) -> io::Result<Self> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "no system call is known here that reads it safely"))
    }

    pub(super) fn read(&self, _: usize, _: &mut [u8]) -> Result<usize, i32> {
        match *self {}
    }

    pub(super) fn readable_at_once(&self, _: &[usize]) -> Option<usize> {
        match *self {}
    }
}
