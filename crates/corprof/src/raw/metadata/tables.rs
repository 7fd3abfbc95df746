//! The tables and heaps themselves: `IMetaDataTables2`.
//!
//! The metadata takes no lock for these calls. Whoever makes [`Tables`] guarantees that nobody edits the metadata as
//! long as they live: it is open for reading only and nobody else has it, or it is borrowed mutably. Sizes are
//! therefore read once, and every index is checked against them before a call.
#![forbid(unsafe_code)]

use core::marker::PhantomData;

use corprof_types::{Guid, HResult};

use super::Import;
use crate::error::{Error, Result};
use crate::raw::interface::TablesPtr;

/// The tables and heaps of metadata that nobody edits for `'m`.
pub(crate) struct Tables<'m> {
    pub(super) tables: TablesPtr,
    /// By number.
    shapes: Vec<RawTable<'m>>,
    heaps: RawHeaps,
    metadata: PhantomData<&'m Import>,
}

/// A table.
#[derive(Clone, Copy)]
pub(crate) struct RawTable<'m> {
    pub(crate) name: &'m str,
    pub(crate) row_size: u32,
    pub(crate) rows: u32,
    pub(crate) columns: u32,
    pub(crate) key: Option<u32>,
}

/// A column.
#[derive(Clone, Copy)]
pub(crate) struct RawColumn<'m> {
    pub(crate) name: &'m str,
    pub(crate) offset: u32,
    pub(crate) size: u32,
    pub(crate) kind: u32,
}

/// The sizes of the heaps in bytes.
#[derive(Clone, Copy, Default)]
pub(crate) struct RawHeaps {
    pub(crate) strings: u32,
    pub(crate) blobs: u32,
    pub(crate) guids: u32,
    pub(crate) user_strings: u32,
}

impl<'m> Tables<'m> {
    /// The tables of metadata that nobody edits for `'m`, as the file's documentation says.
    pub(crate) fn of(import: &'m Import) -> Result<Self> {
        let tables = import
            .unknown()
            .query()
            .map_err(|hresult| Error::Call { call: "IUnknown::QueryInterface(IMetaDataTables2)", hresult })?;
        let mut tables =
            Self { tables, shapes: Vec::new(), heaps: RawHeaps::default(), metadata: PhantomData };
        tables.shapes = (0..tables.table_count()?).map(|table| tables.shape(table)).collect::<Result<_>>()?;
        tables.heaps = RawHeaps {
            strings: tables.string_heap_size()?,
            blobs: tables.blob_heap_size()?,
            guids: tables.guid_heap_size()?,
            user_strings: tables.user_string_heap_size()?,
        };
        Ok(tables)
    }

    /// The sizes of the heaps.
    pub(crate) fn heaps(&self) -> RawHeaps {
        self.heaps
    }

    /// `IMetaDataTables::GetTableInfo`, as it was when the tables were opened.
    pub(crate) fn table(&self, table: u32) -> Result<RawTable<'m>> {
        let found = usize::try_from(table).ok().and_then(|table| self.shapes.get(table));
        found.copied().ok_or(OutOfRange("IMetaDataTables::GetTableInfo").into())
    }

    fn shape(&self, table: u32) -> Result<RawTable<'m>> {
        let (row_size, rows, columns, key, name) = self.table_info(table)?;
        let name = name.unwrap_or_default();
        Ok(RawTable { name, row_size, rows, columns, key: (key < columns).then_some(key) })
    }

    /// `IMetaDataTables::GetColumnInfo`.
    pub(crate) fn column(&self, table: u32, column: u32) -> Result<RawColumn<'m>> {
        const CALL: &str = "IMetaDataTables::GetColumnInfo";
        if column >= self.table(table)?.columns {
            return Err(OutOfRange(CALL).into());
        }
        let (offset, size, kind, name) = self.column_info(table, column)?;
        Ok(RawColumn { name: name.unwrap_or_default(), offset, size, kind })
    }

    /// `IMetaDataTables::GetCodedTokenInfo`: the name, and a token of each table.
    pub(crate) fn coded_token(&self, kind: u32) -> Result<(&'m str, &'m [u32])> {
        const CALL: &str = "IMetaDataTables::GetCodedTokenInfo";
        if kind >= CODED_TOKENS {
            return Err(OutOfRange(CALL).into());
        }
        let (tokens, name) = self.coded_token_info(kind)?;
        Ok((name.unwrap_or_default(), tokens))
    }

    /// `IMetaDataTables::GetRow`.
    pub(crate) fn row(&self, table: u32, rid: u32) -> Result<&'m [u8]> {
        const CALL: &str = "IMetaDataTables::GetRow";
        let size = self.shape_of_row(CALL, table, rid)?.row_size;
        self.row_at(table, rid, size)
    }

    /// `IMetaDataTables::GetColumn`.
    pub(crate) fn value(&self, table: u32, column: u32, rid: u32) -> Result<u32> {
        const CALL: &str = "IMetaDataTables::GetColumn";
        if column >= self.shape_of_row(CALL, table, rid)?.columns {
            return Err(OutOfRange(CALL).into());
        }
        self.value_at(table, column, rid)
    }

    /// The table of a row, which it has.
    fn shape_of_row(&self, call: &'static str, table: u32, rid: u32) -> Result<RawTable<'m>> {
        let shape = self.table(table)?;
        if rid == 0 || rid > shape.rows { Err(OutOfRange(call).into()) } else { Ok(shape) }
    }

    /// `IMetaDataTables::GetString`.
    pub(crate) fn string(&self, index: u32) -> Result<&'m str> {
        const CALL: &str = "IMetaDataTables::GetString";
        within(CALL, index, self.heaps.strings)?;
        Ok(self.string_at(index)?.unwrap_or_default())
    }

    /// `IMetaDataTables::GetBlob`.
    pub(crate) fn blob(&self, index: u32) -> Result<&'m [u8]> {
        within("IMetaDataTables::GetBlob", index, self.heaps.blobs)?;
        self.blob_at(index)
    }

    /// `IMetaDataTables::GetUserString`.
    pub(crate) fn user_string(&self, index: u32) -> Result<&'m [u8]> {
        within("IMetaDataTables::GetUserString", index, self.heaps.user_strings)?;
        self.user_string_at(index)
    }

    /// `IMetaDataTables::GetGuid`; `None` for 0.
    pub(crate) fn guid(&self, index: u32) -> Result<Option<Guid>> {
        const CALL: &str = "IMetaDataTables::GetGuid";
        if index == 0 {
            return Ok(None);
        }
        within(CALL, index, (self.heaps.guids / GUID_SIZE).saturating_add(1))?;
        self.guid_number(index)?.map(Some).ok_or(Error::Null { call: CALL, what: "GUID" })
    }

    /// `IMetaDataTables::GetNextString`.
    pub(crate) fn next_string(&self, index: u32) -> Result<Option<u32>> {
        following(index, self.heaps.strings, |index| self.string_after(index))
    }

    /// `IMetaDataTables::GetNextBlob`.
    pub(crate) fn next_blob(&self, index: u32) -> Result<Option<u32>> {
        following(index, self.heaps.blobs, |index| self.blob_after(index))
    }

    /// `IMetaDataTables::GetNextGuid`.
    pub(crate) fn next_guid(&self, index: u32) -> Result<Option<u32>> {
        let guids = (self.heaps.guids / GUID_SIZE).saturating_add(1);
        following(index, guids, |index| self.guid_after(index))
    }

    /// `IMetaDataTables::GetNextUserString`.
    pub(crate) fn next_user_string(&self, index: u32) -> Result<Option<u32>> {
        following(index, self.heaps.user_strings, |index| self.user_string_after(index))
    }

    /// `IMetaDataTables2::GetMetaDataStreamInfo`, of metadata that was opened from bytes: name and contents. The metadata
    /// reports success and no name after the last one.
    ///
    /// The offset and the length come from the headers, which were checked before the metadata was opened.
    pub(crate) fn stream(&self, number: u32) -> Result<Option<(&'m str, &'m [u8])>> {
        let (name, contents) = self.stream_info(number)?;
        Ok(name.map(|name| (name, contents)))
    }
}

/// Returns the index after an index of a heap of this size; `None` after the last.
fn following(index: u32, size: u32, next: impl FnOnce(u32) -> Result<(u32, bool)>) -> Result<Option<u32>> {
    if index >= size {
        return Ok(None);
    }
    let (following, is_found) = next(index)?;
    Ok(is_found.then_some(following))
}

/// How many kinds of coded tokens there are (ECMA-335 II.24.2.6).
const CODED_TOKENS: u32 = 13;
/// The bytes of a GUID.
const GUID_SIZE: u32 = 16;

/// A table, row, column or kind that the metadata does not have.
struct OutOfRange(&'static str);

impl From<OutOfRange> for Error {
    fn from(OutOfRange(call): OutOfRange) -> Self {
        Self::Call { call, hresult: HResult::E_INVALIDARG }
    }
}

/// Fails for an index that is not in a heap of this size. Each heap has an empty entry with the index 0.
fn within(call: &'static str, index: u32, size: u32) -> Result<()> {
    if index == 0 || index < size {
        return Ok(());
    }
    Err(Error::Call { call, hresult: HResult::CLDB_E_INDEX_NOTFOUND })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_behind_a_heap_are_refused() {
        assert!(within("test", 0, 0).is_ok());
        assert!(within("test", 3, 4).is_ok());
        assert_eq!(within("test", 4, 4).unwrap_err().hresult(), HResult::CLDB_E_INDEX_NOTFOUND);
        assert_eq!(within("test", u32::MAX, 4).unwrap_err().hresult(), HResult::CLDB_E_INDEX_NOTFOUND);
    }
}
