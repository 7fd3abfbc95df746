//! What concerns native code: functions of native libraries, their calling conventions, how values are passed to them
//! and laid out for them.
#![allow(unsafe_code)]

use core::ptr::{null, null_mut};

use corprof_sys as sys;
use sigparse::Token;
use sigparse::token::{FieldDef, ModuleRef, TypeDef};

use super::{Metadata, import};
use crate::info::{FieldOffset, fill_wide, length_of, lent, room_of};
use crate::{Error, HResult, Result};

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

impl Metadata {
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
}
