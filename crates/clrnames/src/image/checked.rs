//! Metadata that another reader may take at its word: every length, offset and row number in it is checked.
//!
//! The CLR's own reader trusts some of them. It builds lists of owners by the row numbers in the tables of pointers
//! (`FieldPtr` and the like), and writes where they say; it adds the sizes of streams without looking for an overflow.

use std::io::Cursor;

use sigparse::Reader;
use sigparse::token::{Table, Token};

use super::bytes::array_at;
use super::image_error::{ImageError, ImageErrorKind, Result, fail};
use super::root::{self, Streams};
use super::schema::{
    COLUMNS, CUSTOM_ATTRIBUTE_TYPE_TAGS, Column, LOCAL_CONSTANT, LOCAL_SCOPE, LOCAL_VARIABLE, NESTED_CLASS,
    SCHEMA, TABLES,
};
use super::tables::{self, Tables};
use super::{guid, pe};
use crate::limits::MAX_NESTING;

/// Returns the metadata in the bytes of an assembly file, or in bytes that are metadata already, if everything in it refers
/// to what is there: streams lie in the metadata, tables in their stream, texts and blobs in their heaps, and rows exist.
///
/// Stricter than [`Image`](super::Image), which checks what is read: no streams beside those of ECMA-335 and portable PDBs.
/// It accepts uncompressed tables. Blobs are not parsed. The time is proportional to the bytes.
///
/// # Errors
/// The bytes are neither, or malformed.
pub fn checked_metadata(bytes: &[u8]) -> core::result::Result<&[u8], ImageError> {
    let range = match bytes.starts_with(b"BSJB") {
        true => 0..bytes.len(),
        false => {
            let place = pe::locate(&mut Cursor::new(bytes))?;
            let begin = usize::try_from(place.offset).unwrap_or(usize::MAX);
            begin..begin.saturating_add(place.size as usize)
        }
    };
    let base = range.start as u64;
    let Some(metadata) = bytes.get(range) else {
        return fail(base, ImageErrorKind::UnexpectedEnd("the metadata"));
    };
    let streams = Streams::parse(metadata, metadata.len(), base)?;
    let header = |what| fail(base, ImageErrorKind::Header(what));
    if let Some(what) = root::irregular(metadata) {
        return header(what);
    }
    let part = |range: &core::ops::Range<usize>| metadata.get(range.clone()).unwrap_or_default();
    let pdb = part(&streams.pdb);
    let referenced = array_at(pdb, 24).map_or(0, u64::from_le_bytes);
    if !pdb.is_empty() && pdb.len() < 32 + 4 * referenced.count_ones() as usize {
        return header("the stream #Pdb is too short");
    }
    let external = root::external_rows(pdb);
    let stream = part(&streams.tables);
    let at = base + streams.tables.start as u64;
    if let Some(what) = tables::irregular(stream) {
        return header(what);
    }
    let checked = Checked {
        stream,
        at,
        tables: Tables::parse(stream, stream.len(), at, &external)?,
        external,
        strings: part(&streams.strings),
        blobs: part(&streams.blobs),
        guids: part(&streams.guids),
    };
    if checked.strings.last().is_some_and(|last| *last != 0) {
        return header("the last text has no end");
    }
    for table in 0..TABLES {
        checked.table(Table(u8::try_from(table).unwrap_or(u8::MAX)))?;
    }
    checked.nesting()?;
    Ok(metadata)
}

struct Checked<'m> {
    stream: &'m [u8],
    /// The offset of the stream in the file.
    at: u64,
    tables: Tables,
    external: [u32; 64],
    strings: &'m [u8],
    blobs: &'m [u8],
    guids: &'m [u8],
}

impl Checked<'_> {
    /// Checks every row of a table.
    fn table(&self, table: Table) -> Result<()> {
        let columns = SCHEMA.get(usize::from(table.0)).copied().unwrap_or_default();
        for rid in 1..=self.tables.rows(table) {
            let token = Token::new(table, rid);
            let Some(place) = self.tables.row(token) else {
                return fail(self.at, ImageErrorKind::NoRow(token));
            };
            let row = self.stream.get(place.clone()).unwrap_or_default();
            for (index, column) in columns.iter().enumerate().take(COLUMNS) {
                let value = self.tables.cell(table, row, index).unwrap_or(u32::MAX);
                if let Some(kind) = self.wrong(table, index, *column, value) {
                    return fail(self.at + place.start as u64, kind);
                }
            }
        }
        Ok(())
    }

    /// Checks that types nest in a bounded number of others: a reader may follow them recursively.
    fn nesting(&self) -> Result<()> {
        let cell = |table, rid, column| {
            let place = self.tables.row(Token::new(table, rid))?;
            self.tables.cell(table, self.stream.get(place)?, column)
        };
        let coded = |value: u32, table: u32| (value & 3 == table).then_some(value >> 2);
        let mut enclosing = vec![0; self.tables.rows(Table::TYPE_DEF) as usize + 1];
        for rid in 1..=self.tables.rows(NESTED_CLASS) {
            let nested = cell(NESTED_CLASS, rid, 0).unwrap_or(0);
            if let (Some(slot), Some(outer)) =
                (enclosing.get_mut(nested as usize), cell(NESTED_CLASS, rid, 1))
            {
                *slot = outer;
            }
        }
        self.nest(Table::TYPE_DEF, |rid| enclosing.get(rid as usize).copied())?;
        self.nest(Table::TYPE_REF, |rid| coded(cell(Table::TYPE_REF, rid, 0)?, 3))?;
        self.nest(Table::EXPORTED_TYPE, |rid| coded(cell(Table::EXPORTED_TYPE, rid, 4)?, 2))
    }

    fn nest(&self, table: Table, outer: impl Fn(u32) -> Option<u32>) -> Result<()> {
        for rid in 1..=self.tables.rows(table) {
            let next = |rid: &u32| outer(*rid).filter(|outer| *outer != 0);
            if core::iter::successors(Some(rid), next).nth(MAX_NESTING).is_some() {
                return fail(self.at, ImageErrorKind::NestedTooDeep(Token::new(table, rid)));
            }
        }
        Ok(())
    }

    /// Returns what is wrong with the value of a column.
    fn wrong(&self, table: Table, index: usize, column: Column, value: u32) -> Option<ImageErrorKind> {
        let outside = ImageErrorKind::OutsideHeap(value);
        let bad = ImageErrorKind::BadIndex(value);
        match column {
            Column::U16 | Column::U32 => None,
            Column::String => (value != 0 && value as usize >= self.strings.len()).then_some(outside),
            Column::Blob => (value != 0 && !self.has_blob(value)).then_some(outside),
            Column::Guid => {
                (value != 0 && guid::offset(value, self.guids.len()).is_none()).then_some(outside)
            }
            Column::Row(target) => (value > self.last(table, index, target)).then_some(bad),
            Column::Coded(bits, tables) => {
                let tag = (value & ((1 << bits) - 1)) as usize;
                let tag = match table {
                    Table::CUSTOM_ATTRIBUTE if index == 1 => tag.checked_sub(CUSTOM_ATTRIBUTE_TYPE_TAGS),
                    _ => Some(tag),
                };
                let rid = value >> bits;
                let exists =
                    tag.and_then(|tag| tables.get(tag)).is_some_and(|target| rid <= self.rows(*target));
                (rid != 0 && !exists).then_some(bad)
            }
        }
    }

    /// The last row that a column may name. A list that is empty may begin behind the last one.
    fn last(&self, table: Table, index: usize, target: Table) -> u32 {
        let pointers = match (table, index) {
            (Table::TYPE_DEF, 4) => Some(FIELD_PTR),
            (Table::TYPE_DEF, 5) => Some(METHOD_PTR),
            (Table::METHOD_DEF, 5) => Some(PARAM_PTR),
            (EVENT_MAP, 1) => Some(EVENT_PTR),
            (PROPERTY_MAP, 1) => Some(PROPERTY_PTR),
            (LOCAL_SCOPE, _) if matches!(target, LOCAL_VARIABLE | LOCAL_CONSTANT) => None,
            _ => return self.rows(target),
        };
        let through = pointers.map_or(0, |pointers| self.tables.rows(pointers));
        if through > 0 { through + 1 } else { self.rows(target) + 1 }
    }

    /// The number of rows, of those in another file for a PDB.
    fn rows(&self, table: Table) -> u32 {
        self.tables.rows(table).max(self.external.get(usize::from(table.0)).copied().unwrap_or(0))
    }

    fn has_blob(&self, offset: u32) -> bool {
        let Some(rest) = self.blobs.get(offset as usize..) else { return false };
        let mut reader = Reader::new(rest);
        reader.read_compressed_u32().is_ok_and(|length| length as usize <= reader.rest().len())
    }
}

const FIELD_PTR: Table = Table(0x03);
const METHOD_PTR: Table = Table(0x05);
const PARAM_PTR: Table = Table(0x07);
const EVENT_MAP: Table = Table(0x12);
const EVENT_PTR: Table = Table(0x13);
const PROPERTY_MAP: Table = Table(0x15);
const PROPERTY_PTR: Table = Table(0x16);

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Metadata with a module, a type reference, and the tables that `more` adds: a number, and the rows.
    pub(in super::super) fn metadata(more: &[(u8, &[&[u16]])], streams: &[(&str, &[u8])]) -> Vec<u8> {
        let own: [(u8, &[&[u16]]); 2] = [(0, &[&[0, 1, 1, 0, 0]]), (1, &[&[0, 1, 0]])];
        let mut all: Vec<(u8, &[&[u16]])> =
            own.into_iter().filter(|(own, _)| more.iter().all(|(table, _)| table != own)).collect();
        all.extend(more);
        all.sort_by_key(|(table, _)| *table);
        let valid = all.iter().fold(0u64, |valid, (table, _)| valid | 1 << table);
        let mut tables = vec![0, 0, 0, 0, 2, 0, 0, 1];
        tables.extend(valid.to_le_bytes());
        tables.extend([0; 8]);
        all.iter().for_each(|(_, rows)| tables.extend(u32::try_from(rows.len()).unwrap().to_le_bytes()));
        let words = all.iter().flat_map(|(_, rows)| rows.iter()).flat_map(|row| row.iter());
        tables.extend(words.flat_map(|word| word.to_le_bytes()));
        let mut parts: Vec<(&str, &[u8])> =
            vec![("#~", &tables), ("#Strings", b"\0M\0\0"), ("#GUID", &[7; 16])];
        parts.retain(|(own, _)| streams.iter().all(|(name, _)| own != name || *name == "#GUID"));
        parts.extend(streams);
        let headers: usize = parts.iter().map(|(name, _)| 8 + (name.len() + 1).next_multiple_of(4)).sum();
        let mut root = b"BSJB\x01\0\x01\0\0\0\0\0\x04\0\0\0v4\0\0\0\0".to_vec();
        root.extend(u16::try_from(parts.len()).unwrap().to_le_bytes());
        let mut at = root.len() + headers;
        for (name, bytes) in &parts {
            root.extend(u32::try_from(at).unwrap().to_le_bytes());
            root.extend(u32::try_from(bytes.len()).unwrap().to_le_bytes());
            root.extend(name.bytes());
            root.resize(root.len() + 4 - name.len() % 4, 0);
            at += bytes.len();
        }
        parts.iter().for_each(|(_, bytes)| root.extend(*bytes));
        root
    }

    fn cause(bytes: &[u8]) -> Option<String> {
        checked_metadata(bytes).err().map(|error| error.kind.to_string())
    }

    #[test]
    fn what_refers_to_what_is_there_is_accepted() {
        assert_eq!(cause(&metadata(&[], &[])), None);
        // A type of no members, whose lists begin behind the last ones.
        assert_eq!(cause(&metadata(&[(2, &[&[0, 0, 1, 0, 5, 1, 1]])], &[])), None);
        // A pointer to the one method.
        let methods: [(u8, &[&[u16]]); 3] =
            [(2, &[&[0, 0, 1, 0, 5, 1, 1]]), (5, &[&[1]]), (6, &[&[0, 0, 0, 0, 1, 0, 1]])];
        assert_eq!(cause(&metadata(&methods, &[])), None);
    }

    #[test]
    fn rows_and_offsets_that_are_not_there_are_refused() {
        let refused = |more: &[(u8, &[&[u16]])]| cause(&metadata(more, &[])).expect("it is malformed");
        // A name beyond the heap, a GUID, a scope that is no row.
        assert_eq!(refused(&[(1, &[&[0, 4, 0]])]), "offset 0x4 in a heap that is shorter");
        assert_eq!(refused(&[(0, &[&[0, 1, 2, 0, 0]])]), "offset 0x2 in a heap that is shorter");
        assert_eq!(refused(&[(1, &[&[5 << 2 | 2, 1, 0]])]), "0x16 refers to no row of the right table");
        // The second method: the CLR would write behind its list of owners.
        let methods: [(u8, &[&[u16]]); 3] =
            [(2, &[&[0, 0, 1, 0, 5, 1, 1]]), (5, &[&[2]]), (6, &[&[0, 0, 0, 0, 1, 0, 1]])];
        assert_eq!(refused(&methods), "0x2 refers to no row of the right table");
        // A type in itself.
        assert_eq!(
            refused(&[(1, &[&[1 << 2 | 3, 1, 0]])]),
            "0x01000001 is nested in itself, or in too many types"
        );
        assert_eq!(refused(&[(0x2F, &[&[]])]), "the headers of the metadata: there are unknown tables");
    }

    #[test]
    fn streams_that_are_not_there_or_mean_nothing_are_refused() {
        let other = metadata(&[], &[("#!", &[])]);
        assert_eq!(cause(&other).unwrap(), "the headers of the metadata: a stream has an unknown name");
        let twice = metadata(&[], &[("#GUID", &[])]);
        assert_eq!(cause(&twice).unwrap(), "the headers of the metadata: a stream occurs twice");
        let endless = metadata(&[], &[("#US", &[0]), ("#Blob", &[0])]);
        assert_eq!(cause(&endless), None);
        // A stream of as many bytes as there are numbers, wherever it begins.
        let mut large = metadata(&[], &[]);
        let size = large.windows(5).position(|name| name == b"#GUID").unwrap() - 4;
        large[size..size + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(cause(&large).unwrap().starts_with("a stream of 4294967295 bytes"));
        let cut = metadata(&[], &[]);
        for length in 0..cut.len() - 1 {
            assert!(cause(&cut[..length]).is_some(), "{length}");
        }
    }
}
