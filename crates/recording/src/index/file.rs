//! An index as bytes, with a fingerprint of the recording that it belongs to.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::time::UNIX_EPOCH;

use super::{Entry, Index, NamesAt, OpenCall};
use crate::bytes::{Cursor, Malformed, put_count};
use crate::definition::FunctionNumber;
use crate::format::block;
use crate::step::Ending;

/// The first bytes of an index.
const MAGIC: [u8; 8] = *b"\x89CLRIDX\n";
const VERSION: u32 = 2;
/// How much of the beginning and of the end of a recording is compared.
const SAMPLE: u64 = 4096;

/// Distinguishes a recording from others, and from itself after a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint {
    length: u64,
    /// Nanoseconds since 1970.
    modified: u64,
    /// CRC-32 of the first and the last bytes.
    check: u32,
}

/// An index that is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The recording is another one, or was changed after the index had been made.
    #[error("the recording has changed since its index was made")]
    Stale,
    /// The bytes are no index, or one of another version.
    #[error("the file is no index of this version, or it is damaged")]
    Malformed,
}

impl Fingerprint {
    /// Returns the fingerprint of a file, and rewinds it.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn of(file: &mut File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        let (length, modified) = (metadata.len(), metadata.modified().ok());
        let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        let mut bytes = Vec::new();
        file.rewind()?;
        Read::by_ref(file).take(SAMPLE).read_to_end(&mut bytes)?;
        file.seek(SeekFrom::Start(length.saturating_sub(SAMPLE)))?;
        Read::by_ref(file).take(SAMPLE).read_to_end(&mut bytes)?;
        file.rewind()?;
        let modified = u64::try_from(modified.as_nanos()).unwrap_or(u64::MAX);
        Ok(Self { length, modified, check: crc32fast::hash(&bytes) })
    }
}

impl Index {
    /// Returns the index as bytes, for [`from_bytes`](Self::from_bytes).
    #[must_use]
    pub fn to_bytes(&self, recording: &Fingerprint) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&recording.length.to_le_bytes());
        out.extend_from_slice(&recording.modified.to_le_bytes());
        out.extend_from_slice(&recording.check.to_le_bytes());
        let (kind, number) = match self.ending {
            Ending::Finished { lost } => (0, lost),
            Ending::Cut { offset } => (1, offset),
        };
        put_count(&mut out, kind);
        put_count(&mut out, number);
        for (ticks, nanoseconds) in self.times {
            put_count(&mut out, ticks);
            put_count(&mut out, nanoseconds);
        }
        put_count(&mut out, self.entries.len() as u64);
        let mut offset = 0;
        for (at, entry) in self.entries.iter().enumerate() {
            put_count(&mut out, entry.offset - offset);
            offset = entry.offset;
            put_count(&mut out, entry.kind.into());
            if entry.kind != block::RECORDS {
                continue;
            }
            put_count(&mut out, entry.thread.into());
            put_count(&mut out, entry.ticks);
            put_count(&mut out, entry.depth.into());
            put_count(&mut out, entry.floor);
            put_count(&mut out, entry.top.wrapping_sub(entry.floor));
            put_count(&mut out, entry.kept.into());
            let open = self.open.get(self.part(at, 0)).unwrap_or_default();
            put_count(&mut out, open.len() as u64);
            for call in open {
                put_count(&mut out, call.function.index() as u64);
                put_count(&mut out, call.depth.into());
                put_count(&mut out, call.ticks);
            }
            let functions = self.functions.get(self.part(at, 1)).unwrap_or_default();
            put_count(&mut out, functions.len() as u64);
            let mut last = 0;
            for function in functions {
                put_count(&mut out, (function.index() - last) as u64);
                last = function.index();
            }
            let names = self.names_of(at);
            put_count(&mut out, names.len() as u64);
            for names in names {
                put_count(&mut out, names.offset);
                put_count(&mut out, names.at.into());
                put_count(&mut out, names.length.into());
                put_count(&mut out, names.check.into());
            }
        }
        out.extend_from_slice(&crc32fast::hash(&out).to_le_bytes());
        out
    }

    /// Returns an index from its bytes, if it belongs to this recording.
    ///
    /// # Errors
    /// If it belongs to another recording, or the bytes are not an index.
    pub fn from_bytes(bytes: &[u8], recording: &Fingerprint) -> Result<Self, IndexError> {
        let Some((content, check)) = bytes.split_last_chunk::<4>() else { return Err(IndexError::Malformed) };
        if !content.starts_with(&MAGIC) || crc32fast::hash(content) != u32::from_le_bytes(*check) {
            return Err(IndexError::Malformed);
        }
        let malformed = |_: Malformed| IndexError::Malformed;
        let mut cursor = Cursor { bytes: content, at: MAGIC.len() };
        if cursor.u32().map_err(malformed)? != VERSION {
            return Err(IndexError::Malformed);
        }
        let mut of =
            || Ok(Fingerprint { length: cursor.u64()?, modified: cursor.u64()?, check: cursor.u32()? });
        if of().map_err(malformed)? != *recording {
            return Err(IndexError::Stale);
        }
        Self::read(&mut cursor).map_err(malformed)
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Malformed> {
        let ending = match (cursor.count()?, cursor.count()?) {
            (0, lost) => Ending::Finished { lost },
            (_, offset) => Ending::Cut { offset },
        };
        let mut times = [(0, 0); 2];
        for (ticks, nanoseconds) in &mut times {
            (*ticks, *nanoseconds) = (cursor.count()?, cursor.count()?);
        }
        let mut index = Self {
            entries: Vec::new(),
            ending,
            times,
            open: Vec::new(),
            functions: Vec::new(),
            names: Vec::new(),
        };
        let mut offset = 0_u64;
        for _ in 0..cursor.count()? {
            offset = offset.wrapping_add(cursor.count()?);
            let mut entry = Entry { offset, kind: cursor.small()?, ..Entry::default() };
            if entry.kind == block::RECORDS {
                index.read_records(&mut entry, cursor)?;
            }
            let ends = [index.open.len(), index.functions.len(), index.names.len()];
            entry.ends = ends.map(|end| u32::try_from(end).unwrap_or(u32::MAX));
            index.entries.push(entry);
        }
        Ok(index)
    }

    fn read_records(&mut self, entry: &mut Entry, cursor: &mut Cursor<'_>) -> Result<(), Malformed> {
        (entry.thread, entry.ticks, entry.depth) = (cursor.small()?, cursor.count()?, cursor.small()?);
        entry.floor = cursor.count()?;
        entry.top = entry.floor.wrapping_add(cursor.count()?);
        entry.kept = cursor.small()?;
        for _ in 0..cursor.count()? {
            let function = FunctionNumber(cursor.small()?);
            self.open.push(OpenCall { function, depth: cursor.small()?, ticks: cursor.count()? });
        }
        let mut function = 0_u32;
        for _ in 0..cursor.count()? {
            function = function.wrapping_add(cursor.small()?);
            self.functions.push(FunctionNumber(function));
        }
        for _ in 0..cursor.count()? {
            let (offset, at) = (cursor.count()?, cursor.small()?);
            // Each block is read once for its names, however many there are.
            if offset != entry.offset {
                return cursor.error("names are in another block than their own");
            }
            self.names.push(NamesAt { offset, at, length: cursor.small()?, check: cursor.small()? });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of 13 bytes a name would otherwise have a block of 16 MiB read for each.
    #[test]
    fn names_are_in_their_own_block() {
        let of = |offset| {
            let names = NamesAt { offset, at: 3, length: 4, check: 5 };
            let entry = Entry { offset: 100, kind: block::RECORDS, ends: [0, 0, 1], ..Entry::default() };
            let index = Index {
                entries: vec![entry],
                ending: Ending::Finished { lost: 0 },
                times: [(0, 0); 2],
                open: Vec::new(),
                functions: Vec::new(),
                names: vec![names],
            };
            let recording = Fingerprint { length: 1, modified: 2, check: 3 };
            Index::from_bytes(&index.to_bytes(&recording), &recording).map(|read| read == index)
        };
        assert!(matches!(of(100), Ok(true)));
        assert!(matches!(of(99), Err(IndexError::Malformed)));
    }
}
