//! Appends to an output what a killed process has left in its journal.

use std::fs::{self, File};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::Journal;
use super::layout::{CHUNK_HEADER, CHUNK_MAGIC, Kind, MAGIC, PAGE, VERSION};
use crate::bytes::put_count;
use crate::format::{block, block_header};
use crate::rows::put_blocks;

/// The error of [`complete`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompleteError {
    /// The process has not ended.
    #[error("{path:?} is being written by a process that is still running")]
    Running {
        /// The output.
        path: PathBuf,
    },
    /// The journal is from another version, or is no journal.
    #[error("{path:?} is not a journal of this version")]
    NoJournal {
        /// The journal.
        path: PathBuf,
    },
    /// A file cannot be read or written.
    #[error("{path:?}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

/// The result of [`complete`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Completed {
    /// The number of bytes that were appended to the output.
    pub appended: u64,
    /// The number of bytes of an unfinished write that were removed from its end before.
    pub removed: u64,
}

/// Appends to an output what the process that wrote it has left in its journal, and removes the journal. The process has been
/// killed, or has crashed. Returns `None` if there is no journal: the output is complete.
///
/// The result is the same if this is interrupted and repeated.
///
/// # Errors
/// If the process is still running, or a file cannot be read or written.
pub fn complete(output: &Path) -> Result<Option<Completed>, CompleteError> {
    let path = Journal::path_of(output);
    let at_journal = |source| CompleteError::File { path: path.clone(), source };
    let at_output = |source| CompleteError::File { path: output.to_owned(), source };
    match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        found => found.map_err(at_journal)?,
    };
    let mut file = File::options().read(true).write(true).open(output).map_err(at_output)?;
    if corprof_in_process::outlet::is_held(&file) {
        return Err(CompleteError::Running { path: output.to_owned() });
    }
    let mut journal = Contents(fs::read(&path).map_err(at_journal)?);
    let completed = match journal.word(0) {
        // Nothing was recorded before its header was written.
        None | Some(0) => Completed::default(),
        Some(MAGIC) if journal.word(8) == Some(VERSION) => {
            let length = file.metadata().map_err(at_output)?.len();
            let end = journal.resolve(length);
            // First, so that a repetition does not take its own bytes for those of the process.
            journal.store(&path).map_err(at_journal)?;
            let missing = journal.missing();
            append(&mut file, end, &missing).map_err(at_output)?;
            Completed { appended: missing.len() as u64, removed: length - end }
        }
        Some(_) => return Err(CompleteError::NoJournal { path }),
    };
    fs::remove_file(&path).map_err(at_journal)?;
    Ok(Some(completed))
}

fn append(file: &mut File, end: u64, bytes: &[u8]) -> io::Result<()> {
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    file.write_all(bytes)
}

/// The bytes of a journal.
struct Contents(Vec<u8>);

/// The positions of the header's words.
const COMMITTED: usize = 16;
const WRITING_CHUNK: usize = 24;
const WRITING_UNTIL: usize = 32;
const WRITING_LENGTH: usize = 40;
/// The positions of a chunk's words.
const CHUNK_WRITTEN: usize = 24;
const CHUNK_LENGTH: usize = 32;

/// A chunk with bytes that the output does not have.
struct Pending<'j> {
    kind: Kind,
    order: u64,
    thread: u32,
    bytes: &'j [u8],
}

impl Contents {
    fn word(&self, at: usize) -> Option<u64> {
        let bytes = self.0.get(at..)?.first_chunk()?;
        Some(u64::from_le_bytes(*bytes))
    }

    fn half(&self, at: usize) -> Option<u32> {
        let bytes = self.0.get(at..)?.first_chunk()?;
        Some(u32::from_le_bytes(*bytes))
    }

    fn set(&mut self, at: usize, word: u64) {
        if let Some(bytes) = self.0.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
            *bytes = word.to_le_bytes();
        }
    }

    /// Decides whether the last write was finished. Returns the length up to which the output is complete.
    fn resolve(&mut self, length: u64) -> u64 {
        let field = |at| self.word(at).unwrap_or(0);
        let (committed, writing) = (field(COMMITTED), field(WRITING_LENGTH));
        let (chunk, until) = (field(WRITING_CHUNK), field(WRITING_UNTIL));
        let mut end = committed.min(length);
        if writing > committed && writing <= length {
            end = writing;
            if let Ok(chunk @ 1..) = usize::try_from(chunk) {
                self.set(chunk.saturating_add(CHUNK_WRITTEN), until);
            }
        }
        self.set(COMMITTED, end);
        self.set(WRITING_LENGTH, 0);
        end
    }

    fn store(&self, path: &Path) -> io::Result<()> {
        let mut file = File::options().write(true).open(path)?;
        file.write_all(&self.0)?;
        file.sync_data()
    }

    /// The bytes to append, in order.
    fn missing(&self) -> Vec<u8> {
        let mut pending = self.pending();
        pending.sort_by_key(|chunk| (chunk.kind, chunk.order));
        let mut all = Vec::new();
        for Pending { kind, thread, bytes, .. } in pending {
            match kind {
                Kind::Records => {
                    let mut content = Vec::new();
                    put_count(&mut content, thread.into());
                    content.extend_from_slice(bytes);
                    all.extend_from_slice(&block_header(block::RECORDS, &content));
                    all.append(&mut content);
                }
                Kind::Rows => put_blocks(thread, bytes, None, &mut all),
                Kind::Blocks | Kind::Lines => all.extend_from_slice(bytes),
            }
        }
        all
    }

    fn pending(&self) -> Vec<Pending<'_>> {
        let mut found = Vec::new();
        let mut at = PAGE;
        while let Some(magic) = self.half(at) {
            let begin = at;
            let pages = self.half(at + 4).unwrap_or(1).max(1) as usize;
            at += if magic == CHUNK_MAGIC { pages.saturating_mul(PAGE) } else { PAGE };
            if magic != CHUNK_MAGIC {
                continue;
            }
            let position =
                |field: usize| self.word(begin + field).and_then(|word| usize::try_from(word).ok());
            let (Some(written), Some(length)) = (position(CHUNK_WRITTEN), position(CHUNK_LENGTH)) else {
                continue;
            };
            let (Some(kind), Some(thread), Some(order)) = (
                self.half(begin + 8).and_then(Kind::from_number),
                self.half(begin + 12),
                self.word(begin + 16),
            ) else {
                continue;
            };
            // Within its own pages: a length beyond them would be that of the chunks behind it.
            let contents = self.0.get(begin + CHUNK_HEADER..at.min(self.0.len())).unwrap_or_default();
            if let Some(bytes @ [_, ..]) = contents.get(written..length) {
                found.push(Pending { kind, order, thread, bytes });
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A damaged journal must not make more of its bytes than there are.
    #[test]
    fn chunks_have_no_bytes_of_those_behind_them() {
        const CHUNKS: usize = 16;
        let mut bytes = vec![0; PAGE * (1 + CHUNKS)];
        for chunk in 1..=CHUNKS {
            let chunk = &mut bytes[chunk * PAGE..];
            chunk[..4].copy_from_slice(&CHUNK_MAGIC.to_le_bytes());
            chunk[4..8].copy_from_slice(&1_u32.to_le_bytes());
            chunk[8..12].copy_from_slice(&(Kind::Blocks as u32).to_le_bytes());
        }
        let mut contents = Contents(bytes);
        let whole = contents.0.len() as u64;
        for chunk in 1..=CHUNKS {
            contents.set(chunk * PAGE + CHUNK_LENGTH, whole - (chunk * PAGE + CHUNK_HEADER) as u64);
        }
        assert_eq!(contents.missing().len(), PAGE - CHUNK_HEADER, "the last one's own");
        for chunk in 1..=CHUNKS {
            contents.set(chunk * PAGE + CHUNK_LENGTH, (PAGE - CHUNK_HEADER) as u64);
        }
        assert_eq!(contents.missing().len(), CHUNKS * (PAGE - CHUNK_HEADER));
    }
}
