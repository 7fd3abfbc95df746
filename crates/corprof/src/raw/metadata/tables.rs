//! The tables and heaps themselves: `IMetaDataTables2`.
//!
//! The metadata takes no lock for these calls. Whoever makes [`Tables`] guarantees that nobody edits the metadata as
//! long as they live: it is open for reading only and nobody else has it, or it is borrowed mutably. Sizes are
//! therefore read once, and every index is checked against them before a call.
//!
//! Contract of the unsafe code here: that of the folder, which `mod.rs` states.
#![allow(unsafe_code)]

use core::ffi::{CStr, c_char, c_void};
use core::marker::PhantomData;
use core::ptr::{null, null_mut};

use corprof_sys as sys;
use corprof_types::{Guid, HResult};
use sigparse::Token;

use super::methods::methods;
use super::{Com, Import};
use crate::error::{Error, Result};
use crate::raw::abi::lent;
use crate::raw::call::checked;
use crate::raw::interface::TablesPtr;

/// The tables and heaps of metadata that nobody edits for `'m`.
pub(crate) struct Tables<'m> {
    tables: TablesPtr,
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

impl Com<sys::IMetaDataTables> for Tables<'_> {
    fn com(&self) -> Result<*mut sys::IMetaDataTables> {
        Ok(self.tables.as_ptr().cast())
    }
}

impl Com<sys::IMetaDataTables2> for Tables<'_> {
    fn com(&self) -> Result<*mut sys::IMetaDataTables2> {
        Ok(self.tables.as_ptr())
    }
}

methods! { Tables<'_>:
    fn table_count() = IMetaDataTables::GetNumTables(out u32);
    fn table_index(token: Token) = IMetaDataTables::GetTableIndex(token, out u32);
    fn string_heap_size() = IMetaDataTables::GetStringHeapSize(out u32);
    fn blob_heap_size() = IMetaDataTables::GetBlobHeapSize(out u32);
    fn guid_heap_size() = IMetaDataTables::GetGuidHeapSize(out u32);
    fn user_string_heap_size() = IMetaDataTables::GetUserStringHeapSize(out u32);
    fn checked_value(table: u32, column: u32, rid: u32) = IMetaDataTables::GetColumn(table, column, rid, out u32);
}

/// A method that gives the index after an index of a heap.
type Next = unsafe extern "system" fn(*mut sys::IMetaDataTables, u32, *mut u32) -> sys::HRESULT;
/// A method that gives a blob of a heap.
type Bytes =
    unsafe extern "system" fn(*mut sys::IMetaDataTables, u32, *mut u32, *mut *const c_void) -> sys::HRESULT;

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
        let this: *mut sys::IMetaDataTables = self.com()?;
        let (mut row_size, mut rows, mut columns, mut key, mut name) = (0, 0, 0, 0, null());
        // SAFETY: a live interface, the number of a table, locals.
        let code = unsafe {
            ((*(*this).lpVtbl).GetTableInfo)(
                this,
                table,
                &raw mut row_size,
                &raw mut rows,
                &raw mut columns,
                &raw mut key,
                &raw mut name,
            )
        };
        checked("IMetaDataTables::GetTableInfo", code)?;
        // SAFETY: the call succeeded and returned a constant text.
        let name = unsafe { text(name) }?;
        Ok(RawTable { name, row_size, rows, columns, key: (key < columns).then_some(key) })
    }

    /// `IMetaDataTables::GetColumnInfo`.
    pub(crate) fn column(&self, table: u32, column: u32) -> Result<RawColumn<'m>> {
        const CALL: &str = "IMetaDataTables::GetColumnInfo";
        if column >= self.table(table)?.columns {
            return Err(OutOfRange(CALL).into());
        }
        let this: *mut sys::IMetaDataTables = self.com()?;
        let (mut offset, mut size, mut kind, mut name) = (0, 0, 0, null());
        // SAFETY: a live interface, numbers of a table and of one of its columns, locals.
        let code = unsafe {
            ((*(*this).lpVtbl).GetColumnInfo)(
                this,
                table,
                column,
                &raw mut offset,
                &raw mut size,
                &raw mut kind,
                &raw mut name,
            )
        };
        checked(CALL, code)?;
        // SAFETY: the call succeeded and returned a constant text.
        Ok(RawColumn { name: unsafe { text(name) }?, offset, size, kind })
    }

    /// `IMetaDataTables::GetCodedTokenInfo`: the name, and a token of each table.
    pub(crate) fn coded_token(&self, kind: u32) -> Result<(&'m str, &'m [u32])> {
        const CALL: &str = "IMetaDataTables::GetCodedTokenInfo";
        if kind >= CODED_TOKENS {
            return Err(OutOfRange(CALL).into());
        }
        let this: *mut sys::IMetaDataTables = self.com()?;
        let (mut count, mut tokens, mut name) = (0u32, null_mut(), null());
        // SAFETY: a live interface, one of the kinds that every runtime has, locals.
        let code = unsafe {
            ((*(*this).lpVtbl).GetCodedTokenInfo)(this, kind, &raw mut count, &raw mut tokens, &raw mut name)
        };
        checked(CALL, code)?;
        let tokens = if tokens.is_null() {
            &[]
        } else {
            // SAFETY: the call succeeded and returned a constant list of that length.
            unsafe { core::slice::from_raw_parts(tokens.cast_const(), count as usize) }
        };
        // SAFETY: the call succeeded and returned a constant text.
        Ok((unsafe { text(name) }?, tokens))
    }

    /// `IMetaDataTables::GetRow`.
    pub(crate) fn row(&self, table: u32, rid: u32) -> Result<&'m [u8]> {
        const CALL: &str = "IMetaDataTables::GetRow";
        let size = self.shape_of_row(CALL, table, rid)?.row_size;
        let this: *mut sys::IMetaDataTables = self.com()?;
        let mut row = null_mut();
        // SAFETY: a live interface, a row that the table has, a local.
        let code = unsafe { ((*(*this).lpVtbl).GetRow)(this, table, rid, &raw mut row) };
        checked(CALL, code)?;
        // SAFETY: the call succeeded and returned a row of the table's size, which nobody edits for `'m`.
        Ok(unsafe { lent(row.cast_const().cast(), size) })
    }

    /// `IMetaDataTables::GetColumn`.
    pub(crate) fn value(&self, table: u32, column: u32, rid: u32) -> Result<u32> {
        const CALL: &str = "IMetaDataTables::GetColumn";
        if column >= self.shape_of_row(CALL, table, rid)?.columns {
            return Err(OutOfRange(CALL).into());
        }
        self.checked_value(table, column, rid)
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
        let this: *mut sys::IMetaDataTables = self.com()?;
        let mut string = null();
        // SAFETY: a live interface, an index of the heap, a local.
        let code = unsafe { ((*(*this).lpVtbl).GetString)(this, index, &raw mut string) };
        checked(CALL, code)?;
        // SAFETY: the call succeeded and returned a text of the heap, which ends with a zero.
        unsafe { text(string) }
    }

    /// `IMetaDataTables::GetBlob`.
    pub(crate) fn blob(&self, index: u32) -> Result<&'m [u8]> {
        self.bytes("IMetaDataTables::GetBlob", |vtable| vtable.GetBlob, index, self.heaps.blobs)
    }

    /// `IMetaDataTables::GetUserString`.
    pub(crate) fn user_string(&self, index: u32) -> Result<&'m [u8]> {
        self.bytes(
            "IMetaDataTables::GetUserString",
            |vtable| vtable.GetUserString,
            index,
            self.heaps.user_strings,
        )
    }

    /// `IMetaDataTables::GetGuid`; `None` for 0.
    pub(crate) fn guid(&self, index: u32) -> Result<Option<Guid>> {
        const CALL: &str = "IMetaDataTables::GetGuid";
        if index == 0 {
            return Ok(None);
        }
        within(CALL, index, (self.heaps.guids / GUID_SIZE).saturating_add(1))?;
        let this: *mut sys::IMetaDataTables = self.com()?;
        let mut guid = null();
        // SAFETY: a live interface, the number of a GUID of the heap, a local.
        let code = unsafe { ((*(*this).lpVtbl).GetGuid)(this, index, &raw mut guid) };
        checked(CALL, code)?;
        if guid.is_null() {
            return Err(Error::Null { call: CALL, what: "GUID" });
        }
        // SAFETY: the call succeeded and returned a GUID of the heap, which may lie anywhere.
        Ok(Some(Guid::from_sys(unsafe { guid.read_unaligned() })))
    }

    /// `IMetaDataTables::GetNextString`.
    pub(crate) fn next_string(&self, index: u32) -> Result<Option<u32>> {
        self.next("IMetaDataTables::GetNextString", |vtable| vtable.GetNextString, index, self.heaps.strings)
    }

    /// `IMetaDataTables::GetNextBlob`.
    pub(crate) fn next_blob(&self, index: u32) -> Result<Option<u32>> {
        self.next("IMetaDataTables::GetNextBlob", |vtable| vtable.GetNextBlob, index, self.heaps.blobs)
    }

    /// `IMetaDataTables::GetNextGuid`.
    pub(crate) fn next_guid(&self, index: u32) -> Result<Option<u32>> {
        let guids = self.heaps.guids / GUID_SIZE;
        self.next("IMetaDataTables::GetNextGuid", |vtable| vtable.GetNextGuid, index, guids.saturating_add(1))
    }

    /// `IMetaDataTables::GetNextUserString`.
    pub(crate) fn next_user_string(&self, index: u32) -> Result<Option<u32>> {
        let size = self.heaps.user_strings;
        self.next("IMetaDataTables::GetNextUserString", |vtable| vtable.GetNextUserString, index, size)
    }

    /// A blob of a heap of this size.
    fn bytes(
        &self,
        call: &'static str,
        method: fn(&sys::IMetaDataTablesVtbl) -> Bytes,
        index: u32,
        size: u32,
    ) -> Result<&'m [u8]> {
        within(call, index, size)?;
        let this: *mut sys::IMetaDataTables = self.com()?;
        let (mut length, mut data) = (0, null());
        // SAFETY: a live interface, an index of the heap, locals.
        let code = unsafe { method(&*(*this).lpVtbl)(this, index, &raw mut length, &raw mut data) };
        checked(call, code)?;
        // SAFETY: the call succeeded and returned a blob of that length.
        Ok(unsafe { lent(data.cast(), length) })
    }

    /// The index after an index of a heap of this size; `None` after the last.
    fn next(
        &self,
        call: &'static str,
        method: fn(&sys::IMetaDataTablesVtbl) -> Next,
        index: u32,
        size: u32,
    ) -> Result<Option<u32>> {
        if index >= size {
            return Ok(None);
        }
        let this: *mut sys::IMetaDataTables = self.com()?;
        let mut following = 0;
        // SAFETY: a live interface, an index of the heap, a local.
        let code = unsafe { method(&*(*this).lpVtbl)(this, index, &raw mut following) };
        Ok((checked(call, code)? == HResult::S_OK).then_some(following))
    }

    /// `IMetaDataTables2::GetMetaDataStorage`, of metadata that was opened from bytes.
    pub(crate) fn storage(&self) -> Result<&'m [u8]> {
        let this: *mut sys::IMetaDataTables2 = self.com()?;
        let (mut data, mut length) = (null(), 0);
        // SAFETY: a live interface, locals.
        let code = unsafe { ((*(*this).lpVtbl).GetMetaDataStorage)(this, &raw mut data, &raw mut length) };
        checked("IMetaDataTables2::GetMetaDataStorage", code)?;
        // SAFETY: the call succeeded and returned as many bytes.
        Ok(unsafe { lent(data.cast(), length) })
    }

    /// `IMetaDataTables2::GetMetaDataStreamInfo`, of metadata that was opened from bytes: name and contents.
    pub(crate) fn stream(&self, number: u32) -> Result<Option<(&'m str, &'m [u8])>> {
        let this: *mut sys::IMetaDataTables2 = self.com()?;
        let (mut name, mut data, mut length) = (null(), null(), 0);
        // SAFETY: a live interface, locals.
        let code = unsafe {
            ((*(*this).lpVtbl).GetMetaDataStreamInfo)(
                this,
                number,
                &raw mut name,
                &raw mut data,
                &raw mut length,
            )
        };
        checked("IMetaDataTables2::GetMetaDataStreamInfo", code)?;
        // After the last one the metadata reports success and gives nothing.
        if name.is_null() {
            return Ok(None);
        }
        // SAFETY: the call succeeded and returned a text that ends with a zero, and a stream of that length.
        Ok(Some(unsafe { (text(name)?, lent(data.cast(), length)) }))
    }
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

/// A text that is borrowed from the metadata.
///
/// # Safety
/// `name` is null, or points to a text that ends with a zero and stays as it is for `'m`.
unsafe fn text<'m>(name: *const c_char) -> Result<&'m str> {
    if name.is_null() {
        return Ok("");
    }
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(name) };
    name.to_str().map_err(|error| Error::other(format!("a text of the metadata is not UTF-8: {error}")))
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
