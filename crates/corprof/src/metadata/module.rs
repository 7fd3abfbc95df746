//! The module itself, and its image.
#![forbid(unsafe_code)]

use corprof_types::Guid;
use sigparse::Token;
use sigparse::token::{ModuleDef, ModuleRef};

use super::Metadata;
use crate::error::Result;

bitflags::bitflags! {
    /// The kind of an image (`CorPEKind`).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct PeKind: u32 {
        /// IL only.
        const IL_ONLY = 0x1;
        /// 32-bit only.
        const REQUIRES_32_BIT = 0x2;
        /// PE32+.
        const PE32_PLUS = 0x4;
        /// Native code.
        const UNMANAGED_32 = 0x8;
        /// 32-bit where both are possible.
        const PREFERS_32_BIT = 0x10;
        const _ = !0;
    }
}

impl Metadata {
    /// Returns the module's token and name. `IMetaDataImport::GetModuleFromScope`, `IMetaDataImport::GetScopeProps`.
    ///
    /// # Errors
    /// Any failure of the calls.
    #[doc(alias = "GetScopeProps")]
    #[doc(alias = "GetModuleFromScope")]
    pub fn module(&self) -> Result<(ModuleDef, String)> {
        Ok((self.raw.module_token()?, self.raw.module_name()?))
    }

    /// Returns the module's version id. `IMetaDataImport::GetScopeProps`.
    ///
    /// Each build has a new one.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetScopeProps")]
    pub fn mvid(&self) -> Result<Guid> {
        self.raw.mvid()
    }

    /// Returns the references to modules and native libraries. `IMetaDataImport::EnumModuleRefs`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumModuleRefs")]
    pub fn module_refs(&self) -> Result<Vec<ModuleRef>> {
        self.raw.module_refs()
    }

    /// Returns the name of a referenced module or library. `IMetaDataImport::GetModuleRefProps`.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: there is no such row.
    #[doc(alias = "GetModuleRefProps")]
    pub fn module_ref(&self, token: ModuleRef) -> Result<String> {
        self.raw.module_ref(token)
    }

    /// Returns the image's kind and machine. `IMetaDataImport2::GetPEKind`.
    ///
    /// The machine is 0x14C for x86, 0x8664 for x64, 0xAA64 for arm64.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetPEKind")]
    pub fn pe_kind(&self) -> Result<(PeKind, u32)> {
        let (kind, machine) = self.raw.pe_kind()?;
        Ok((PeKind::from_bits_retain(kind), machine))
    }

    /// Returns the runtime version that the metadata names. `IMetaDataImport2::GetVersionString`.
    ///
    /// It is `v4.0.30319` for every current compiler.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetVersionString")]
    pub fn version_string(&self) -> Result<String> {
        self.raw.version_string()
    }

    /// Returns the RVA and implementation flags of a member. `IMetaDataImport::GetRVA`.
    ///
    /// The RVA is that of a method's code or of a field's initial value; 0 for none. The flags are `CorMethodImpl`.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: there is no such row.
    #[doc(alias = "GetRVA")]
    pub fn rva(&self, of: impl Into<Token>) -> Result<(u32, u32)> {
        self.raw.rva(of.into())
    }

    /// Returns the name of a row as stored. `IMetaDataImport::GetNameFromToken`.
    ///
    /// It has no namespace.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: there is no such row. [`Error::Other`](crate::Error::Other): the name is not UTF-8.
    #[doc(alias = "GetNameFromToken")]
    pub fn name_of(&self, token: impl Into<Token>) -> Result<&str> {
        self.raw.name_of(token.into())
    }

    /// Returns `true` if the row exists. `IMetaDataImport::IsValidToken`.
    #[doc(alias = "IsValidToken")]
    #[must_use]
    pub fn is_valid_token(&self, token: Token) -> bool {
        self.raw.is_valid_token(token)
    }
}
