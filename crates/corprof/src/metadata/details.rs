//! What else rows say: places in the image, native libraries, layouts, literals, the module itself.
#![allow(unsafe_code)]

use core::ffi::CStr;
use core::ptr::{null, null_mut};

use corprof_sys as sys;
use sigparse::token::{
    DeclSecurity, FieldDef, InterfaceImpl, MethodDef, ModuleDef, ModuleRef, StandAloneSig, TypeDef,
    UserString,
};
use sigparse::{Token, TypeDefOrRef};
use widestring::U16String;

use super::{Accessed, Metadata, import};
use crate::info::{FieldOffset, fill, fill_wide, length_of, lent, room_of};
use crate::{Error, HResult, Result};

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

/// Where a method is implemented in a native library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinvokeMap {
    /// `CorPinvokeMap`: character set, calling convention, last error (ECMA-335 II.23.1.8).
    pub flags: u32,
    /// The function's name in the library.
    pub name: String,
    /// The library.
    pub module: Option<ModuleRef>,
}

/// The layout that a type asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeLayout {
    /// The alignment of the fields in bytes; 0 for the default.
    pub pack: u32,
    /// The size in bytes; 0 for what the fields need.
    pub size: u32,
    /// The places of fields that have one; those without are left out.
    pub fields: Vec<FieldOffset>,
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

    /// Where a method, or a field, is implemented in a native library (`IMetaDataImport::GetPinvokeMap`); `None` for
    /// one that is not.
    ///
    /// # Errors
    /// What the metadata reports, but that there is none.
    #[doc(alias = "GetPinvokeMap")]
    pub fn pinvoke_map(&self, of: impl Into<Token>) -> Result<Option<PinvokeMap>> {
        let of = of.into();
        let (mut flags, mut module) = (0, 0);
        let name = fill_wide("IMetaDataImport::GetPinvokeMap", |room| {
            let mut needed = 0;
            // SAFETY: locals, and a buffer with its length.
            unsafe {
                import!(
                    self,
                    IMetaDataImport::GetPinvokeMap(
                        of.0,
                        &raw mut flags,
                        room.as_mut_ptr(),
                        room_of(room),
                        &raw mut needed,
                        &raw mut module,
                    )
                )
            }?;
            Ok(needed)
        });
        match name {
            Ok(name) => Ok(Some(PinvokeMap { flags, name, module: ModuleRef::from_token(module) })),
            Err(Error::Call { hresult: HResult::CLDB_E_RECORD_NOTFOUND, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The layout that a type asks for (`IMetaDataImport::GetClassLayout`); `None` for one that leaves it to the
    /// runtime.
    ///
    /// # Errors
    /// What the metadata reports, but that there is none.
    #[doc(alias = "GetClassLayout")]
    pub fn type_layout(&self, type_def: TypeDef) -> Result<Option<TypeLayout>> {
        let (mut pack, mut size, mut count) = (0, 0, 0);
        let mut ask = |fields: &mut [sys::COR_FIELD_OFFSET], count: &mut u32| {
            let places = if fields.is_empty() { null_mut() } else { fields.as_mut_ptr() };
            // SAFETY: locals, and a buffer with its length, or none.
            unsafe {
                import!(
                    self,
                    IMetaDataImport::GetClassLayout(
                        type_def.token(),
                        &raw mut pack,
                        places,
                        room_of(fields),
                        &raw mut *count,
                        &raw mut size,
                    )
                )
            }
        };
        match ask(&mut [], &mut count) {
            Ok(_) => {}
            Err(Error::Call { hresult: HResult::CLDB_E_RECORD_NOTFOUND, .. }) => return Ok(None),
            Err(error) => return Err(error),
        }
        let mut fields = vec![sys::COR_FIELD_OFFSET { ridOfField: 0, ulOffset: 0 }; count as usize];
        if !fields.is_empty() {
            ask(&mut fields, &mut count)?;
        }
        let fields = fields.iter().take(count as usize).filter(|field| field.ulOffset != u32::MAX);
        let fields = fields.filter_map(|field| {
            let offset = field.ulOffset;
            FieldDef::from_token(field.ridOfField).map(|field| FieldOffset { field, offset })
        });
        Ok(Some(TypeLayout { pack, size, fields: fields.collect() }))
    }

    /// How a field or parameter is passed to native code (`IMetaDataImport::GetFieldMarshal`), for
    /// `sigparse::MarshalSig`; `None` for the default.
    ///
    /// # Errors
    /// What the metadata reports, but that there is none.
    #[doc(alias = "GetFieldMarshal")]
    pub fn field_marshal(&self, of: impl Into<Token>) -> Result<Option<&[u8]>> {
        let (mut blob, mut length) = (null(), 0);
        // SAFETY: locals.
        let answer = unsafe {
            import!(self, IMetaDataImport::GetFieldMarshal(of.into().0, &raw mut blob, &raw mut length))
        };
        match answer {
            // SAFETY: the metadata has lent a blob of that length.
            Ok(_) => Ok(Some(unsafe { lent(blob, length) })),
            Err(Error::Call { hresult: HResult::CLDB_E_RECORD_NOTFOUND, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

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

    /// The native calling convention of a signature (`CorPinvokeMap`), which modifiers of its return type may name
    /// (`IMetaDataImport::GetNativeCallConvFromSig`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetNativeCallConvFromSig")]
    pub fn native_call_conv(&self, signature: &[u8]) -> Result<u32> {
        let length = length_of("IMetaDataImport::GetNativeCallConvFromSig", signature)?;
        let mut convention = 0;
        // SAFETY: a signature with its length, a local.
        unsafe {
            import!(
                self,
                IMetaDataImport::GetNativeCallConvFromSig(
                    signature.as_ptr().cast(),
                    length,
                    &raw mut convention
                )
            )
        }?;
        Ok(convention)
    }
}
