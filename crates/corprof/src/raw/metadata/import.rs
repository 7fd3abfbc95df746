//! Reading: `IMetaDataImport2` and `IMetaDataAssemblyImport`.
#![forbid(unsafe_code)]

use std::sync::OnceLock;

use corprof_types::HResult;
use sigparse::token::{FieldDef, TypeDef, UserString};
use sigparse::{MethodDefOrRef, Token};
use widestring::U16String;

use super::Out;
use crate::error::{Error, Result};
use crate::raw::interface::{AssemblyImportPtr, EmitPtr, ImportPtr, Unknown};

/// Metadata, for reading.
pub(crate) struct Import {
    pub(super) import: ImportPtr,
    manifest: OnceLock<Option<AssemblyImportPtr>>,
}

/// The fields with an offset of a type's layout, as rows and offsets; the packing and the size.
pub(crate) struct RawLayout {
    pub(crate) pack: u32,
    pub(crate) size: u32,
    pub(crate) fields: Vec<(FieldDef, u32)>,
}

impl Import {
    pub(crate) fn new(import: ImportPtr) -> Self {
        Self { import, manifest: OnceLock::new() }
    }

    /// The object, which lives as long as `self`.
    pub(super) fn unknown(&self) -> Unknown<'_> {
        Unknown::of(&self.import)
    }

    /// The manifest's interface.
    pub(super) fn manifest(&self) -> Result<&AssemblyImportPtr> {
        let found = self.manifest.get_or_init(|| self.unknown().query().ok());
        found.as_ref().ok_or(Error::Call {
            call: "IUnknown::QueryInterface(IMetaDataAssemblyImport)",
            hresult: HResult::E_NOINTERFACE,
        })
    }

    /// Makes the metadata a copy of its own of everything in the module's image, so that it can be used after the
    /// module was unloaded. Does nothing to metadata that has one already.
    ///
    /// The metadata makes that copy before the first change. It refuses the change that is requested here after that,
    /// because the method is nil: `IMetaDataEmit::SetRVA` of it leaves every table unchanged.
    pub(crate) fn detach(&self) -> Result<()> {
        let emit: EmitPtr = self
            .unknown()
            .query()
            .map_err(|hresult| Error::Call { call: "IUnknown::QueryInterface(IMetaDataEmit2)", hresult })?;
        match emit.set_rva_of_nil() {
            Ok(()) => Err(Error::Call { call: "IMetaDataEmit::SetRVA", hresult: HResult::S_OK }),
            Err(Error::Call {
                hresult: HResult::CLDB_E_INDEX_NOTFOUND | HResult::CLDB_E_RECORD_NOTFOUND,
                ..
            }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// `IMetaDataImport::GetCustomAttributeByName`.
    pub(crate) fn custom_attribute(&self, of: Token, name: &str) -> Result<Option<&[u8]>> {
        let (value, is_found) = self.custom_attribute_named(of, name)?;
        Ok(is_found.then_some(value))
    }

    /// `IMetaDataImport::GetNameFromToken`.
    pub(crate) fn name_of(&self, token: Token) -> Result<&str> {
        Ok(self.utf8_name_of(token)?.unwrap_or_default())
    }

    /// `IMetaDataImport::GetUserString`.
    pub(crate) fn user_string(&self, token: UserString) -> Result<U16String> {
        self.user_string_units(token).map(U16String::from_vec)
    }

    /// `IMetaDataImport::GetClassLayout`.
    pub(crate) fn type_layout(&self, type_def: TypeDef) -> Result<RawLayout> {
        let (pack, fields, size) = self.class_layout(type_def)?;
        let placed = fields.iter().filter(|field| field.0.ulOffset != u32::MAX);
        let fields =
            placed.filter_map(|field| Some((FieldDef::from_token(field.0.ridOfField)?, field.0.ulOffset)));
        Ok(RawLayout { pack, size, fields: fields.collect() })
    }

    /// `IMetaDataImport::EnumMethodImpls`.
    pub(crate) fn method_impls(&self, type_def: TypeDef) -> Result<Vec<(MethodDefOrRef, MethodDefOrRef)>> {
        let pairs = self
            .method_impl_tokens(type_def)?
            .into_iter()
            .filter_map(|(body, declaration)| Option::zip(Out::of(body), Out::of(declaration)));
        Ok(pairs.collect())
    }
}
