//! The rows that method bodies need: their offsets, and the signatures that they refer to.

use std::io::{Read, Seek};

use sigparse::token::{MethodDef, MethodSpec, Table, Token};
use sigparse::{MethodDefOrRef, Reader};

use super::image_error::{ImageError, ImageErrorKind, Result, fail};
use super::{Image, pe};

// Bits of a method's implementation flags (II.23.1.11).
const CODE_TYPE_MASK: u32 = 0x3;
const CODE_TYPE_IL: u32 = 0x0;

/// The section table of an assembly file, which maps addresses to file offsets.
#[derive(Debug)]
pub struct Sections(pe::Headers);

impl Sections {
    /// Reads the headers of an assembly file.
    ///
    /// # Errors
    /// If the file cannot be read or is not a PE file.
    pub fn read(mut file: impl Read + Seek) -> core::result::Result<Self, ImageError> {
        pe::Headers::of(&mut file).map(Self)
    }

    /// The file offset of a relative virtual address.
    ///
    /// # Errors
    /// If the address lies in no section.
    pub fn file_offset(&self, rva: u32) -> core::result::Result<u64, ImageError> {
        self.0.file_offset(rva)
    }
}

impl<D: AsRef<[u8]>> Image<D> {
    /// The relative virtual address of a method's body in IL (II.22.26).
    ///
    /// `None` for an abstract method and for one that is implemented by native code or by the runtime.
    ///
    /// # Errors
    /// If the image has no such method.
    pub fn method_rva(&self, method: MethodDef) -> Result<Option<u32>> {
        let row = self.row(method.into())?;
        let is_il = row.cell(1)? & CODE_TYPE_MASK == CODE_TYPE_IL;
        Ok(Some(row.cell(0)?).filter(|rva| *rva != 0 && is_il))
    }

    /// The implementation flags of a method (`MethodImplAttributes`, II.23.1.11).
    ///
    /// # Errors
    /// If the image has no such method.
    pub fn method_impl_flags(&self, method: MethodDef) -> Result<u32> {
        self.row(method.into())?.cell(1)
    }

    /// The signature of a Field, MethodDef, MemberRef, StandAloneSig, Property, TypeSpec or MethodSpec.
    ///
    /// # Errors
    /// If the image has no such row, or rows of that table have no signature.
    pub fn signature(&self, token: Token) -> Result<&[u8]> {
        let column = match token.table() {
            Table::STAND_ALONE_SIG | Table::TYPE_SPEC => 0,
            Table::METHOD_SPEC => 1,
            Table::FIELD | Table::MEMBER_REF | Table::PROPERTY => 2,
            Table::METHOD_DEF => 4,
            _ => return fail(0, ImageErrorKind::NoRow(token)),
        };
        self.row(token)?.blob(column)
    }

    /// The method that a MethodSpec instantiates (II.22.29).
    ///
    /// # Errors
    /// If the image has no such row, or the row refers to no method.
    pub fn method_spec_method(&self, token: MethodSpec) -> Result<MethodDefOrRef> {
        let row = self.row(token.into())?;
        match row.index(0, MethodDefOrRef::from_coded)? {
            Some(method) => Ok(method),
            None => Err(row.error(ImageErrorKind::BadIndex(0))),
        }
    }

    /// The number of rows of a table; for [`Table::USER_STRING`] the size of the heap in bytes.
    #[must_use]
    pub fn row_count(&self, table: Table) -> u32 {
        match table {
            Table::USER_STRING => u32::try_from(self.streams.user_strings.len()).unwrap_or(u32::MAX),
            _ => self.count(table),
        }
    }

    /// The string literal at an offset of the user string heap (II.24.2.4), in UTF-16.
    ///
    /// # Errors
    /// If there is none.
    pub fn user_string(&self, offset: u32) -> Result<Vec<u16>> {
        let heap = self.metadata.as_ref().get(self.streams.user_strings.clone()).unwrap_or_default();
        let outside =
            || fail(self.base + self.streams.user_strings.start as u64, ImageErrorKind::OutsideHeap(offset));
        let Some(rest) = heap.get(offset as usize..) else { return outside() };
        let mut reader = Reader::new(rest);
        let Ok(length) = reader.read_compressed_u32() else { return outside() };
        let Some(bytes) = reader.rest().get(..length as usize) else { return outside() };
        // The last byte is a flag for units beyond ASCII and not a part of the string.
        let (units, _) = bytes.as_chunks();
        Ok(units.iter().map(|unit| u16::from_le_bytes(*unit)).collect())
    }
}
