//! A recording that is read.

use std::fs::File;
use std::io::BufReader;

use recording::{Reader, Timeline};

use super::names::Functions;

/// A recording that is read, and the names of its functions.
pub(crate) struct Opened {
    pub(super) reader: Reader<BufReader<File>>,
    pub(super) timeline: Timeline,
    pub(super) functions: Functions,
}
