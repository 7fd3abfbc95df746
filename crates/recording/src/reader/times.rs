//! The times of a whole file.

use std::io::{self, Read, Seek, SeekFrom};

use crate::bytes::Cursor;
use crate::clock::Timeline;
use crate::format::{BLOCK_HEADER, FILE_HEADER, block};
use crate::limits::MAX_BLOCK;

impl Timeline {
    /// Collects the times of a file, and rewinds it. Reads only the headers of blocks and checks nothing; a damaged
    /// file is detected by reading it.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn of(file: &mut (impl Read + Seek)) -> io::Result<Self> {
        let mut timeline = Self::default();
        let mut input = io::BufReader::with_capacity(256, &mut *file);
        input.seek(SeekFrom::Start(FILE_HEADER as u64))?;
        loop {
            let mut header = [0; BLOCK_HEADER];
            match input.read_exact(&mut header) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
                Err(error) => return Err(error),
            }
            let mut cursor = Cursor::new(&header);
            let (Ok(kind), Ok(length)) = (cursor.u32(), cursor.u32()) else { break };
            if length > MAX_BLOCK {
                break;
            }
            if kind != block::CLOCK {
                input.seek_relative(length.into())?;
                continue;
            }
            let mut content = Vec::new();
            input.by_ref().take(length.into()).read_to_end(&mut content)?;
            let mut cursor = Cursor::new(&content);
            let (Ok(ticks), Ok(nanoseconds)) = (cursor.u64(), cursor.u64()) else { break };
            timeline.add(ticks, nanoseconds);
        }
        file.rewind()?;
        Ok(timeline)
    }
}
