//! The module itself, and the image that it is in.
#![allow(unsafe_code)]

use core::ptr::null_mut;

use sigparse::Token;
use sigparse::token::ModuleDef;

use super::{Metadata, import};
use crate::info::{fill_wide, room_of};
use crate::{Error, Result};

bitflags::bitflags! {
    /// What kind of image it is (`CorPEKind`).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct PeKind: u32 {
        /// Nothing but IL.
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
    /// The name of the module, and its token (`IMetaDataImport::GetScopeProps` and
    /// `IMetaDataImport::GetModuleFromScope`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetScopeProps")]
    #[doc(alias = "GetModuleFromScope")]
    pub fn module(&self) -> Result<(ModuleDef, String)> {
        const CALL: &str = "IMetaDataImport::GetModuleFromScope";
        let mut token = 0;
        // SAFETY: a local.
        unsafe { import!(self, IMetaDataImport::GetModuleFromScope(&raw mut token)) }?;
        let name = fill_wide("IMetaDataImport::GetScopeProps", |room| {
            let mut needed = 0;
            // SAFETY: a local, and a buffer with its length; what is not wanted is null.
            unsafe {
                import!(
                    self,
                    IMetaDataImport::GetScopeProps(
                        room.as_mut_ptr(),
                        room_of(room),
                        &raw mut needed,
                        null_mut()
                    )
                )
            }?;
            Ok(needed)
        })?;
        let token = ModuleDef::from_token(token).ok_or(Error::Null { call: CALL, what: "module" })?;
        Ok((token, name))
    }

    /// What kind of image the module is in, and for which machine: 0x14C x86, 0x8664 x64, 0xAA64 arm64
    /// (`IMetaDataImport2::GetPEKind`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetPEKind")]
    pub fn pe_kind(&self) -> Result<(PeKind, u32)> {
        let (mut kind, mut machine) = (0, 0);
        // SAFETY: locals.
        unsafe { import!(self, IMetaDataImport2::GetPEKind(&raw mut kind, &raw mut machine)) }?;
        Ok((PeKind::from_bits_retain(kind), machine))
    }

    /// The version of the runtime that the module was compiled for: `v4.0.30319` for all that are of use today
    /// (`IMetaDataImport2::GetVersionString`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetVersionString")]
    pub fn version_string(&self) -> Result<String> {
        fill_wide("IMetaDataImport2::GetVersionString", |room| {
            let mut needed = 0;
            // SAFETY: a local, and a buffer with its length.
            unsafe {
                import!(
                    self,
                    IMetaDataImport2::GetVersionString(room.as_mut_ptr(), room_of(room), &raw mut needed)
                )
            }?;
            Ok(needed)
        })
    }

    /// Where a method's code, or a field's initial value, is in the image, and how a method is implemented
    /// (`CorMethodImpl`); 0 for none (`IMetaDataImport::GetRVA`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetRVA")]
    pub fn rva(&self, of: impl Into<Token>) -> Result<(u32, u32)> {
        let (mut rva, mut flags) = (0, 0);
        // SAFETY: locals.
        unsafe { import!(self, IMetaDataImport::GetRVA(of.into().0, &raw mut rva, &raw mut flags)) }?;
        Ok((rva, flags))
    }
}
