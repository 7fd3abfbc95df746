//! The tables themselves: rows and columns (ECMA-335 II.22).
#![forbid(unsafe_code)]

use sigparse::Token;
use sigparse::token::Table;

use super::{MetadataScope, OpenedMetadata};
use crate::error::Result;
use crate::raw::metadata::Tables;

/// The tables and heaps of metadata: `IMetaDataTables2`.
///
/// Returned by [`OpenedMetadata::tables`] and [`MetadataScope::tables`], and not for the metadata of a loaded module:
/// the runtime takes no lock for these calls, and the program, a debugger or another profiler may edit that metadata at
/// any time. [`MetadataDispenser::open`](crate::MetadataDispenser::open) opens the module's file.
///
/// ```
/// use corprof::token::Table;
/// use corprof::{OpenedMetadata, Result};
///
/// /// The names of all types that an assembly defines, without their namespaces.
/// fn type_names(metadata: &OpenedMetadata) -> Result<Vec<&str>> {
///     let tables = metadata.tables()?;
///     let names = 1..=tables.table(Table::TYPE_DEF)?.rows;
///     names.map(|rid| tables.string(tables.value(Table::TYPE_DEF, 1, rid)?)).collect()
/// }
/// ```
pub struct MetadataTables<'m> {
    pub(super) raw: Tables<'m>,
}

/// A table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableInfo<'m> {
    /// The runtime's name: `TypeDef`. Some differ from ECMA-335's: `Method`.
    pub name: &'m str,
    /// The size of a row in bytes.
    pub row_size: u32,
    /// The number of rows; the first row has the number 1.
    pub rows: u32,
    /// The number of columns.
    pub columns: u32,
    /// The column by which the rows are sorted.
    pub key: Option<u32>,
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnInfo<'m> {
    /// The runtime's name: `Flags`.
    pub name: &'m str,
    /// The offset in a row, in bytes.
    pub offset: u32,
    /// The size in bytes.
    pub size: u32,
    /// The kind of the column's values.
    pub kind: ColumnKind,
}

/// The kind of a column's values, and of the result of [`MetadataTables::value`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ColumnKind {
    /// A row of a table: its token.
    Row(Table),
    /// A row of one of several tables: its token. [`MetadataTables::coded_token`] returns the tables.
    Coded(u32),
    /// A number of 1, 2 or 4 bytes.
    Number,
    /// A text: for [`MetadataTables::string`].
    String,
    /// A GUID: for [`MetadataTables::guid`].
    Guid,
    /// A blob: for [`MetadataTables::blob`].
    Blob,
    /// A kind that this crate does not have (`pType` of `GetColumnInfo`).
    Other(u32),
}

impl ColumnKind {
    /// The kinds are numbers in the runtime: tables, coded indexes, then the others.
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
    /// The name: `TypeDefOrRef`.
    pub name: &'m str,
    /// The tables, in the order of their tags. A tag without a table has one that metadata does not have.
    pub tables: Vec<Table>,
}

impl OpenedMetadata {
    /// Returns the tables and heaps. `IMetaDataTables2`.
    ///
    /// # Errors
    /// Any failure to query their sizes.
    pub fn tables(&self) -> Result<MetadataTables<'_>> {
        Ok(MetadataTables { raw: Tables::of(&self.metadata.raw)? })
    }
}

impl MetadataScope {
    /// Returns the tables and heaps. `IMetaDataTables2`.
    ///
    /// The scope cannot be edited while they are borrowed.
    ///
    /// # Errors
    /// Any failure to query their sizes.
    pub fn tables(&mut self) -> Result<MetadataTables<'_>> {
        Ok(MetadataTables { raw: Tables::of(&self.metadata().raw)? })
    }
}

impl<'m> MetadataTables<'m> {
    /// Returns the number of tables, empty ones included. `IMetaDataTables::GetNumTables`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetNumTables")]
    pub fn table_count(&self) -> Result<u32> {
        self.raw.table_count()
    }

    /// Returns the table of a token. `IMetaDataTables::GetTableIndex`.
    ///
    /// `None` for a token without a table, for instance of a string literal.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetTableIndex")]
    pub fn table_of(&self, token: Token) -> Result<Option<Table>> {
        let index = self.raw.table_index(token)?;
        Ok(u8::try_from(index).ok().map(Table).filter(|table| self.table(*table).is_ok()))
    }

    /// Returns the shape of a table. `IMetaDataTables::GetTableInfo`.
    ///
    /// # Errors
    /// `E_INVALIDARG`: there is no such table.
    #[doc(alias = "GetTableInfo")]
    pub fn table(&self, table: Table) -> Result<TableInfo<'m>> {
        let shape = self.raw.table(table.0.into())?;
        let (row_size, rows, columns) = (shape.row_size, shape.rows, shape.columns);
        Ok(TableInfo { name: shape.name, row_size, rows, columns, key: shape.key })
    }

    /// Returns the shape of a column, counted from 0. `IMetaDataTables::GetColumnInfo`.
    ///
    /// # Errors
    /// `E_INVALIDARG`: there is no such table or column.
    #[doc(alias = "GetColumnInfo")]
    pub fn column(&self, table: Table, column: u32) -> Result<ColumnInfo<'m>> {
        let shape = self.raw.column(table.0.into(), column)?;
        let (name, offset, size) = (shape.name, shape.offset, shape.size);
        Ok(ColumnInfo { name, offset, size, kind: ColumnKind::of(shape.kind) })
    }

    /// Returns the tables of a kind of coded index. `IMetaDataTables::GetCodedTokenInfo`.
    ///
    /// # Errors
    /// `E_INVALIDARG`: there is no such kind.
    #[doc(alias = "GetCodedTokenInfo")]
    pub fn coded_token(&self, kind: u32) -> Result<CodedTokenInfo<'m>> {
        let (name, tokens) = self.raw.coded_token(kind)?;
        Ok(CodedTokenInfo { name, tables: tokens.iter().map(|token| Token(*token).table()).collect() })
    }

    /// Returns the bytes of a row. `IMetaDataTables::GetRow`.
    ///
    /// [`column`](Self::column) returns how to read them.
    ///
    /// # Errors
    /// `E_INVALIDARG`: there is no such table or row.
    #[doc(alias = "GetRow")]
    pub fn row(&self, table: Table, rid: u32) -> Result<&'m [u8]> {
        self.raw.row(table.0.into(), rid)
    }

    /// Returns a column of a row: a token, number or index. `IMetaDataTables::GetColumn`.
    ///
    /// # Errors
    /// `E_INVALIDARG`: there is no such table, column or row.
    #[doc(alias = "GetColumn")]
    pub fn value(&self, table: Table, column: u32, rid: u32) -> Result<u32> {
        self.raw.value(table.0.into(), column, rid)
    }
}

impl core::fmt::Debug for MetadataTables<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("MetadataTables")
    }
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
