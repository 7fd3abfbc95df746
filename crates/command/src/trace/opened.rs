//! A recording that is read.

use std::fs::File;
use std::io::BufReader;

use recording::{Reader, Timeline};

use super::names::Functions;
use super::selection::Selection;

/// A recording that is read, the names of its functions, and the selected part.
pub(crate) struct Opened {
    pub(super) reader: Reader<BufReader<File>>,
    pub(super) timeline: Timeline,
    pub(super) functions: Functions,
    pub(super) selection: Selection,
}
