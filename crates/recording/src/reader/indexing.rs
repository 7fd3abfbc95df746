//! An index that is made by reading a whole recording.

use std::io::Read;

use super::{Reader, Result};
use crate::format::{FILE_HEADER, block};
use crate::index::Index;
use crate::index::builder::Builder;
use crate::step::Ending;

impl Index {
    /// Reads a recording to its end.
    ///
    /// # Errors
    /// If the recording cannot be read or is damaged.
    pub fn build(input: impl Read) -> Result<Self> {
        let mut reader = Reader::new(input)?;
        let mut builder = Builder::default();
        // The first block has been read.
        builder.other(FILE_HEADER as u64, block::START);
        reader.builder = Some(Box::new(builder));
        while reader.step()?.is_some() {}
        let builder = reader.builder.take().unwrap_or_default();
        let ending = reader.ending.unwrap_or(Ending::Cut { offset: reader.offset });
        Ok(builder.finish(ending, reader.timeline.known().unwrap_or_default()))
    }
}
