//! Writing: `IMetaDataEmit2` and `IMetaDataAssemblyEmit`.
#![forbid(unsafe_code)]

use std::sync::{Arc, OnceLock};

use corprof_sys as sys;
use corprof_types::HResult;
use sigparse::token::{FieldDef, GenericParam};
use sigparse::{Token, TypeDefOrRef};
use widestring::U16CStr;

use super::Import;
use super::edits::{Editing, Edits};
use super::token_map::TokenMap;
use crate::error::{Error, Result};
use crate::raw::interface::{AssemblyEmitPtr, EmitPtr, ImportPtr, Owned, Unknown};

/// The bytes of saved metadata, and the tokens that have changed, old and new.
pub(crate) type Saved = (Vec<u8>, Vec<(Token, Token)>);

/// Metadata, for writing.
pub(crate) struct Emit {
    pub(super) emit: EmitPtr,
    manifest: OnceLock<Option<AssemblyEmitPtr>>,
    import: ImportPtr,
    edits: Arc<Edits>,
}

impl Emit {
    /// `edits` is that of the module, for metadata of one.
    pub(crate) fn new(emit: EmitPtr, edits: Arc<Edits>) -> Result<Self> {
        let import = Unknown::of(&emit)
            .query::<ImportPtr>()
            .map_err(|hresult| Error::Call { call: "IUnknown::QueryInterface(IMetaDataImport2)", hresult })?;
        Ok(Self { emit, manifest: OnceLock::new(), import, edits })
    }

    /// Begins a call.
    pub(super) fn edit(&self, call: &'static str) -> Result<Editing<'_>> {
        self.edits.edit(call)
    }

    /// The same metadata, for reading.
    pub(crate) fn import(&self) -> Import {
        Import::new(self.import.clone())
    }

    /// The manifest's interface.
    pub(super) fn manifest(&self) -> Result<&AssemblyEmitPtr> {
        let found = self.manifest.get_or_init(|| Unknown::of(&self.emit).query().ok());
        found.as_ref().ok_or(Error::Call {
            call: "IUnknown::QueryInterface(IMetaDataAssemblyEmit)",
            hresult: HResult::E_NOINTERFACE,
        })
    }

    /// Returns a token that is written if the row exists. The metadata does not check it.
    pub(super) fn row(&self, call: &'static str, row: impl Into<Token>) -> Result<u32> {
        let token = row.into();
        if !self.import().is_valid_token(token) {
            return Err(Error::Call { call, hresult: HResult::CLDB_E_RECORD_NOTFOUND });
        }
        Ok(token.0)
    }

    /// Tokens that are written, if the rows exist, with a nil token behind.
    pub(super) fn rows<T: Into<Token> + Copy>(&self, call: &'static str, rows: &[T]) -> Result<Vec<u32>> {
        rows.iter().map(|row| self.row(call, *row)).chain([Ok(0)]).collect()
    }

    /// Fields that are written, as rows with offsets, with a nil field behind.
    pub(super) fn field_offsets(
        &self,
        call: &'static str,
        fields: &[(FieldDef, u32)],
    ) -> Result<Vec<sys::COR_FIELD_OFFSET>> {
        let mut offsets = Vec::with_capacity(fields.len() + 1);
        for (field, offset) in fields {
            self.row(call, *field)?;
            // Rows, whatever the name of the type says, and not tokens.
            offsets.push(sys::COR_FIELD_OFFSET { ridOfField: field.rid(), ulOffset: *offset });
        }
        offsets.push(sys::COR_FIELD_OFFSET { ridOfField: NIL_FIELD, ulOffset: 0 });
        Ok(offsets)
    }

    /// `IMetaDataEmit2::SetGenericParamProps`, for which the metadata takes no lock: nothing else has the metadata.
    pub(crate) fn set_generic_param(
        &mut self,
        token: GenericParam,
        flags: Option<u32>,
        name: Option<&str>,
        constraints: Option<&[TypeDefOrRef]>,
    ) -> Result<()> {
        self.generic_param_props(token, flags, name, constraints)
    }

    /// `IMetaDataEmit::GetSaveSize`.
    pub(crate) fn save_size(&mut self) -> Result<u32> {
        self.accurate_save_size()
    }

    /// `IMetaDataEmit::SaveToMemory`, with a handler (`IMetaDataEmit::SetHandler`) that collects the tokens that change.
    pub(crate) fn save(&mut self) -> Result<Saved> {
        let map = Owned::new(TokenMap::default());
        self.set_handler(Some(&map))?;
        let bytes = self.save_size().and_then(|size| {
            let mut bytes = vec![0u8; size as usize];
            self.save_to_memory(&mut bytes).map(|()| bytes)
        });
        self.set_handler(None)?;
        Ok((bytes?, map.value().moved()))
    }

    /// `IMetaDataEmit::Save`.
    pub(crate) fn save_to_file(&mut self, path: &U16CStr) -> Result<()> {
        self.save_to(path)
    }
}

/// `mdFieldDefNil`, which ends a list of fields.
const NIL_FIELD: u32 = 0x0400_0000;
