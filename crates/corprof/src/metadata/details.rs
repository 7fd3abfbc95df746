//! What else rows say: their names, what a method is to a property, interfaces, permissions, literals.
#![allow(unsafe_code)]

use core::ffi::CStr;
use core::ptr::null;

use corprof_sys as sys;
use sigparse::token::{DeclSecurity, InterfaceImpl, MethodDef, StandAloneSig, TypeDef, UserString};
use sigparse::{Token, TypeDefOrRef};
use widestring::U16String;

use super::{Accessed, Metadata, import};
use crate::info::{fill, lent, room_of};
use crate::{Error, Result};

bitflags::bitflags! {
    /// What a method is to a property or event (`CorMethodSemanticsAttr`, ECMA-335 II.23.1.12).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct MethodSemantics: u32 {
        /// Sets the property.
        const SETTER = 0x1;
        /// Gets the property.
        const GETTER = 0x2;
        /// Something else.
        const OTHER = 0x4;
        /// Adds a handler.
        const ADD_ON = 0x8;
        /// Removes a handler.
        const REMOVE_ON = 0x10;
        /// Calls the handlers.
        const FIRE = 0x20;
        const _ = !0;
    }
}

/// An interface that a type implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterfaceImplProps {
    /// The type.
    pub type_def: Option<TypeDef>,
    /// The interface.
    pub interface: Option<TypeDefOrRef>,
}

/// A security declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PermissionSetProps<'m> {
    /// `CorDeclSecurity`: what is demanded.
    pub action: u32,
    /// The permissions.
    pub permissions: &'m [u8],
}

impl Metadata {
    /// What a method is to a property or event (`IMetaDataImport::GetMethodSemantics`).
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND` for a method that has nothing to do with it; what else the metadata reports.
    #[doc(alias = "GetMethodSemantics")]
    pub fn method_semantics(&self, method: MethodDef, of: Accessed) -> Result<MethodSemantics> {
        let of = match of {
            Accessed::Property(property) => property.token(),
            Accessed::Event(event) => event.token(),
        };
        let mut semantics = 0;
        // SAFETY: a local.
        unsafe {
            import!(self, IMetaDataImport::GetMethodSemantics(method.token(), of, &raw mut semantics))
        }?;
        Ok(MethodSemantics::from_bits_retain(semantics))
    }

    /// An interface that a type implements (`IMetaDataImport::GetInterfaceImplProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetInterfaceImplProps")]
    pub fn interface_impl(&self, token: InterfaceImpl) -> Result<InterfaceImplProps> {
        let (mut type_def, mut interface) = (0, 0);
        // SAFETY: locals.
        unsafe {
            import!(
                self,
                IMetaDataImport::GetInterfaceImplProps(token.token(), &raw mut type_def, &raw mut interface)
            )
        }?;
        Ok(InterfaceImplProps {
            type_def: TypeDef::from_token(type_def),
            interface: TypeDefOrRef::from_token(interface),
        })
    }

    /// A security declaration (`IMetaDataImport::GetPermissionSetProps`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetPermissionSetProps")]
    pub fn permission_set(&self, token: DeclSecurity) -> Result<PermissionSetProps<'_>> {
        let (mut action, mut blob, mut length) = (0, null(), 0);
        // SAFETY: locals.
        unsafe {
            import!(
                self,
                IMetaDataImport::GetPermissionSetProps(
                    token.token(),
                    &raw mut action,
                    &raw mut blob,
                    &raw mut length,
                )
            )
        }?;
        // SAFETY: the metadata has lent a blob of that length.
        Ok(PermissionSetProps { action, permissions: unsafe { lent(blob.cast(), length) } })
    }

    /// A signature that stands alone (`IMetaDataImport::GetSigFromToken`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetSigFromToken")]
    pub fn signature(&self, token: StandAloneSig) -> Result<&[u8]> {
        let (mut blob, mut length) = (null(), 0);
        // SAFETY: locals.
        unsafe {
            import!(self, IMetaDataImport::GetSigFromToken(token.token(), &raw mut blob, &raw mut length))
        }?;
        // SAFETY: the metadata has lent a blob of that length.
        Ok(unsafe { lent(blob, length) })
    }

    /// A string literal of the code, zeros and lone surrogates included (`IMetaDataImport::GetUserString`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetUserString")]
    pub fn user_string(&self, token: UserString) -> Result<U16String> {
        let units = fill("IMetaDataImport::GetUserString", |room: &mut [u16]| {
            let mut needed = 0;
            // SAFETY: a local, and a buffer with its length.
            unsafe {
                import!(
                    self,
                    IMetaDataImport::GetUserString(
                        token.token(),
                        room.as_mut_ptr(),
                        room_of(room),
                        &raw mut needed
                    )
                )
            }?;
            Ok(needed)
        })?;
        Ok(U16String::from_vec(units.to_vec()))
    }

    /// The name of a row that has one, without its namespace, as the metadata stores it
    /// (`IMetaDataImport::GetNameFromToken`).
    ///
    /// # Errors
    /// What the metadata reports; [`Error::Other`] for a name that is not UTF-8.
    #[doc(alias = "GetNameFromToken")]
    pub fn name_of(&self, token: impl Into<Token>) -> Result<&str> {
        let token = token.into();
        let mut name = null();
        // SAFETY: a local.
        unsafe { import!(self, IMetaDataImport::GetNameFromToken(token.0, &raw mut name)) }?;
        if name.is_null() {
            return Ok("");
        }
        // SAFETY: the metadata has lent a text with a terminating zero.
        let name = unsafe { CStr::from_ptr(name) };
        name.to_str().map_err(|error| Error::other(format!("the name of {token} is not UTF-8: {error}")))
    }

    /// Whether there is such a row (`IMetaDataImport::IsValidToken`).
    #[doc(alias = "IsValidToken")]
    #[must_use]
    pub fn is_valid_token(&self, token: Token) -> bool {
        let this = self.import.as_ptr().cast::<sys::IMetaDataImport>();
        // SAFETY: a live interface.
        unsafe { ((*(*this).lpVtbl).IsValidToken)(this, token.0) != 0 }
    }

    /// Whether a type, method, field, property or event is global: belongs to no type that the source declares
    /// (`IMetaDataImport::IsGlobal`).
    ///
    /// # Errors
    /// What the metadata reports: `E_INVALIDARG` for a token of another kind.
    #[doc(alias = "IsGlobal")]
    pub fn is_global(&self, token: impl Into<Token>) -> Result<bool> {
        let mut global = 0;
        // SAFETY: a local.
        unsafe { import!(self, IMetaDataImport::IsGlobal(token.into().0, &raw mut global)) }?;
        Ok(global != 0)
    }
}
