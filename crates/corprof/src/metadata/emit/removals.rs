//! What is taken away again. Not wrapped is `DeleteToken`, which takes a lock of the metadata's and then waits for it.
#![allow(unsafe_code)]

use sigparse::HasFieldMarshal;
use sigparse::token::{FieldDef, MethodDef, TypeDef};

use super::{MetadataEmit, emit};
use crate::Result;

impl MetadataEmit {
    /// Takes away a type's layout, with the places of its fields (`IMetaDataEmit::DeleteClassLayout`).
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND` for a type without one.
    #[doc(alias = "DeleteClassLayout")]
    pub fn delete_type_layout(&self, type_def: TypeDef) -> Result<()> {
        // SAFETY: no pointers are passed.
        unsafe { emit!(self, IMetaDataEmit::DeleteClassLayout(type_def.token())) }.map(drop)
    }

    /// Takes away how a field or parameter is passed to native code (`IMetaDataEmit::DeleteFieldMarshal`).
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND` where nothing says so.
    #[doc(alias = "DeleteFieldMarshal")]
    pub fn delete_field_marshal(&self, of: impl Into<HasFieldMarshal>) -> Result<()> {
        let of = of.into().token();
        // SAFETY: no pointers are passed.
        unsafe { emit!(self, IMetaDataEmit::DeleteFieldMarshal(of)) }.map(drop)
    }

    /// Takes away where a method is implemented in a native library (`IMetaDataEmit::DeletePinvokeMap`).
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND` for a method that is not.
    #[doc(alias = "DeletePinvokeMap")]
    pub fn delete_pinvoke_map(&self, method: MethodDef) -> Result<()> {
        // SAFETY: no pointers are passed.
        unsafe { emit!(self, IMetaDataEmit::DeletePinvokeMap(method.token())) }.map(drop)
    }

    /// The same for a global field (`IMetaDataEmit::DeletePinvokeMap`).
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND` for a field that lies in no native library.
    #[doc(alias = "DeletePinvokeMap")]
    pub fn delete_pinvoke_map_of_field(&self, field: FieldDef) -> Result<()> {
        // SAFETY: no pointers are passed.
        unsafe { emit!(self, IMetaDataEmit::DeletePinvokeMap(field.token())) }.map(drop)
    }
}
