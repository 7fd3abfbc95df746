//! The tables of metadata as they are: rows and columns (ECMA-335 II.22).
#![allow(unsafe_code)]

use core::ffi::{CStr, c_char, c_void};
use core::marker::PhantomData;
use core::ptr::{NonNull, null, null_mut};

use com::Interface;
use sigparse::Token;
use sigparse::token::Table;

use super::Metadata;
use crate::com::interface::{self, TablesPtr};
use crate::info::lent;
use crate::{Error, HResult, Result};

/// The tables and heaps of metadata (`IMetaDataTables2`), from [`Metadata::tables`]. The heaps are in this type too.
///
/// What is lent lives as long as the [`Metadata`]. The runtime takes no lock for these calls: do not make them while
/// another thread may be adding to the same metadata through [`MetadataEmit`](crate::MetadataEmit).
///
/// ```
/// use corprof::token::Table;
/// use corprof::{Metadata, Result};
///
/// /// The names of all types that a module defines, without their namespaces.
/// fn type_names(metadata: &Metadata) -> Result<Vec<&str>> {
///     let tables = metadata.tables()?;
///     let names = 1..=tables.table(Table::TYPE_DEF)?.rows;
///     names.map(|rid| tables.string(tables.value(Table::TYPE_DEF, 1, rid)?)).collect()
/// }
/// ```
pub struct MetadataTables<'m> {
    pub(super) tables: TablesPtr,
    pub(super) has_storage: bool,
    metadata: PhantomData<&'m Metadata>,
}

/// A table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableInfo<'m> {
    /// Its name: `TypeDef`. The names are the runtime's, which sometimes differ from ECMA-335's: `Method`.
    pub name: &'m str,
    /// The size of a row in bytes.
    pub row_size: u32,
    /// How many rows there are; the first has the number 1.
    pub rows: u32,
    /// How many columns there are.
    pub columns: u32,
    /// The column by which the rows are sorted.
    pub key: Option<u32>,
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnInfo<'m> {
    /// Its name: `Flags`. The names are the runtime's.
    pub name: &'m str,
    /// Where it begins in a row, in bytes.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
    /// What it contains.
    pub kind: ColumnKind,
}

/// What a column contains, and so what [`MetadataTables::value`] gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ColumnKind {
    /// A row of a table: its token.
    Row(Table),
    /// A row of one of several tables, of which [`MetadataTables::coded_token`] knows: its token.
    Coded(u32),
    /// A number of 1, 2 or 4 bytes.
    Number,
    /// A text: for [`MetadataTables::string`].
    String,
    /// A GUID: for [`MetadataTables::guid`].
    Guid,
    /// A blob: for [`MetadataTables::blob`].
    Blob,
    /// What this version does not know: `pType` of `GetColumnInfo`.
    Other(u32),
}

impl ColumnKind {
    /// The kinds are numbers in the runtime: tables first, then coded indexes, then what is no token.
    fn of(number: u32) -> Self {
        match number {
            0..=63 => u8::try_from(number).map_or(Self::Other(number), |table| Self::Row(Table(table))),
            64..=95 => Self::Coded(number - 64),
            96..=100 => Self::Number,
            101 => Self::String,
            102 => Self::Guid,
            103 => Self::Blob,
            other => Self::Other(other),
        }
    }
}

/// A kind of coded index (ECMA-335 II.24.2.6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodedTokenInfo<'m> {
    /// Its name: `TypeDefOrRef`.
    pub name: &'m str,
    /// The tables that it may point into, in the order of their tags. A tag without a table has one that metadata
    /// does not have.
    pub tables: Vec<Table>,
}

/// Calls a method of `IMetaDataTables` or `IMetaDataTables2`; `Ok` with the success code. To be used in an `unsafe`
/// block that argues for the arguments.
macro_rules! tables {
    ($tables:expr, $interface:ident::$method:ident($($arg:expr),* $(,)?)) => {{
        let this = $tables.tables.as_ptr().cast::<corprof_sys::$interface>();
        let code = ((*(*this).lpVtbl).$method)(this, $($arg),*);
        $crate::info::checked(concat!(stringify!($interface), "::", stringify!($method)), code)
    }};
}
pub(super) use tables;

impl Metadata {
    /// The tables and heaps as they are (`IMetaDataTables2`).
    ///
    /// # Errors
    /// What the metadata reports.
    pub fn tables(&self) -> Result<MetadataTables<'_>> {
        let unknown: NonNull<c_void> = self.import.as_raw().cast();
        // SAFETY: the metadata's object is alive.
        let tables = unsafe { interface::query(unknown) }
            .map_err(|hresult| Error::Call { call: "IUnknown::QueryInterface(IMetaDataTables2)", hresult })?;
        Ok(MetadataTables { tables, has_storage: self.has_storage, metadata: PhantomData })
    }
}

impl<'m> MetadataTables<'m> {
    /// How many tables there are, empty ones included (`IMetaDataTables::GetNumTables`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetNumTables")]
    pub fn table_count(&self) -> Result<u32> {
        let mut count = 0;
        // SAFETY: a local.
        unsafe { tables!(self, IMetaDataTables::GetNumTables(&raw mut count)) }?;
        Ok(count)
    }

    /// The table that a token points into; `None` for one that has none, a string literal's for instance
    /// (`IMetaDataTables::GetTableIndex`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetTableIndex")]
    pub fn table_of(&self, token: Token) -> Result<Option<Table>> {
        let mut index = 0;
        // SAFETY: a local.
        unsafe { tables!(self, IMetaDataTables::GetTableIndex(token.0, &raw mut index)) }?;
        let known = index < self.table_count()?;
        Ok(u8::try_from(index).ok().filter(|_| known).map(Table))
    }

    /// What a table is like (`IMetaDataTables::GetTableInfo`).
    ///
    /// # Errors
    /// `E_INVALIDARG` for a table that there is not; what else the metadata reports.
    #[doc(alias = "GetTableInfo")]
    pub fn table(&self, table: Table) -> Result<TableInfo<'m>> {
        let (mut row_size, mut rows, mut columns, mut key, mut name) = (0, 0, 0, 0, null());
        // SAFETY: locals.
        unsafe {
            tables!(
                self,
                IMetaDataTables::GetTableInfo(
                    table.0.into(),
                    &raw mut row_size,
                    &raw mut rows,
                    &raw mut columns,
                    &raw mut key,
                    &raw mut name,
                )
            )
        }?;
        let key = (key < columns).then_some(key);
        // SAFETY: the metadata has lent a text with a terminating zero.
        Ok(TableInfo { name: unsafe { text(name) }?, row_size, rows, columns, key })
    }

    /// What a column of a table is like; the first has the number 0 (`IMetaDataTables::GetColumnInfo`).
    ///
    /// # Errors
    /// `E_INVALIDARG` for a table or column that there is not; what else the metadata reports.
    #[doc(alias = "GetColumnInfo")]
    pub fn column(&self, table: Table, column: u32) -> Result<ColumnInfo<'m>> {
        let (mut offset, mut size, mut kind, mut name) = (0, 0, 0, null());
        // SAFETY: locals.
        unsafe {
            tables!(
                self,
                IMetaDataTables::GetColumnInfo(
                    table.0.into(),
                    column,
                    &raw mut offset,
                    &raw mut size,
                    &raw mut kind,
                    &raw mut name,
                )
            )
        }?;
        // SAFETY: the metadata has lent a text with a terminating zero.
        Ok(ColumnInfo { name: unsafe { text(name) }?, offset, size, kind: ColumnKind::of(kind) })
    }

    /// Which tables a coded index may point into (`IMetaDataTables::GetCodedTokenInfo`).
    ///
    /// # Errors
    /// `E_INVALIDARG` for a kind that there is not; what else the metadata reports.
    #[doc(alias = "GetCodedTokenInfo")]
    pub fn coded_token(&self, kind: u32) -> Result<CodedTokenInfo<'m>> {
        let (mut count, mut tokens, mut name) = (0u32, null_mut(), null());
        // SAFETY: locals.
        unsafe {
            tables!(
                self,
                IMetaDataTables::GetCodedTokenInfo(kind, &raw mut count, &raw mut tokens, &raw mut name)
            )
        }?;
        let mut tables = Vec::new();
        if !tokens.is_null() {
            // SAFETY: the metadata has lent a list of that length, which is constant.
            let tokens = unsafe { core::slice::from_raw_parts(tokens.cast_const(), count as usize) };
            tables.extend(tokens.iter().map(|token| Token(*token).table()));
        }
        // SAFETY: the metadata has lent a text with a terminating zero.
        Ok(CodedTokenInfo { name: unsafe { text(name) }?, tables })
    }

    /// The bytes of a row, which [`ColumnInfo`] tells how to read (`IMetaDataTables::GetRow`).
    ///
    /// # Errors
    /// `E_INVALIDARG` for a table or row that there is not; what else the metadata reports.
    #[doc(alias = "GetRow")]
    pub fn row(&self, table: Table, rid: u32) -> Result<Vec<u8>> {
        let size = self.table(table)?.row_size;
        let mut row = null_mut();
        // SAFETY: a local.
        unsafe { tables!(self, IMetaDataTables::GetRow(table.0.into(), rid, &raw mut row)) }?;
        // SAFETY: the metadata has lent a row of the table's size; it is copied, as rows may be changed.
        Ok(unsafe { lent(row.cast_const().cast(), size) }.to_vec())
    }

    /// What a column of a row contains: a token, a number, or an index into a heap
    /// (`IMetaDataTables::GetColumn`).
    ///
    /// # Errors
    /// `E_INVALIDARG` for a table, column or row that there is not; what else the metadata reports.
    #[doc(alias = "GetColumn")]
    pub fn value(&self, table: Table, column: u32, rid: u32) -> Result<u32> {
        let mut value = 0;
        // SAFETY: a local.
        unsafe { tables!(self, IMetaDataTables::GetColumn(table.0.into(), column, rid, &raw mut value)) }?;
        Ok(value)
    }
}

impl core::fmt::Debug for MetadataTables<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("MetadataTables")
    }
}

/// A text that the metadata lends.
///
/// # Safety
/// `name` is null, or points to a text with a terminating zero that stays as it is for `'m`.
pub(super) unsafe fn text<'m>(name: *const c_char) -> Result<&'m str> {
    if name.is_null() {
        return Ok("");
    }
    // SAFETY: says the caller.
    let name = unsafe { CStr::from_ptr(name) };
    name.to_str().map_err(|error| Error::other(format!("a text of the metadata is not UTF-8: {error}")))
}

/// `None` for an index that there is not.
pub(super) fn next(answer: Result<HResult>, index: u32) -> Result<Option<u32>> {
    Ok((answer? == HResult::S_OK).then_some(index))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_columns_are_the_runtimes_numbers() {
        assert_eq!(ColumnKind::of(2), ColumnKind::Row(Table::TYPE_DEF));
        assert_eq!(ColumnKind::of(64), ColumnKind::Coded(0));
        assert_eq!(ColumnKind::of(99), ColumnKind::Number);
        assert_eq!(ColumnKind::of(101), ColumnKind::String);
        assert_eq!(ColumnKind::of(200), ColumnKind::Other(200));
    }
}
