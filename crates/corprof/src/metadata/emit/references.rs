//! What code refers to: types, members and modules elsewhere, composed types, generic methods with arguments,
//! signatures, string literals.
#![allow(unsafe_code)]

use core::ptr::null_mut;

use corprof_sys as sys;
use sigparse::token::{
    FieldDef, MemberRef, MethodDef, MethodSpec, ModuleRef, StandAloneSig, TypeDef, TypeRef, TypeSpec,
    UserString,
};
use sigparse::{MemberRefParent, MethodDefOrRef, ResolutionScope};

use super::{MetadataEmit, blob, define, emit, wide};
use crate::info::{fill, length_of, room_of};
use crate::metadata::Metadata;
use crate::{Error, Result};

/// Where something is imported from: a module and the manifest of its assembly, which is the same metadata for all
/// modules but those few of assemblies with several.
#[derive(Clone, Copy, Debug)]
pub struct ImportFrom<'a> {
    /// The module that defines it.
    pub module: &'a Metadata,
    /// The module with its assembly's manifest.
    pub manifest: &'a Metadata,
}

impl<'a> ImportFrom<'a> {
    /// From an assembly with one module.
    #[must_use]
    pub fn assembly(module: &'a Metadata) -> Self {
        Self { module, manifest: module }
    }

    fn pointers(&self) -> Result<(*mut sys::IMetaDataImport, *mut sys::IMetaDataAssemblyImport)> {
        let manifest = self.manifest.assembly_import()?.as_ptr();
        Ok((self.module.import.as_ptr().cast(), manifest))
    }
}

impl MetadataEmit {
    /// A reference to a type of another module, namespace in front of its name; in a `TypeRef` for a nested type
    /// (`IMetaDataEmit::DefineTypeRefByName`). One that is there already is given again.
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "DefineTypeRefByName")]
    pub fn define_type_ref(&self, scope: impl Into<ResolutionScope>, name: &str) -> Result<TypeRef> {
        let (scope, name) = (scope.into().token(), wide(name)?);
        // SAFETY: a text with a terminating zero.
        unsafe { define!(self, IMetaDataEmit::DefineTypeRefByName(scope, name.as_ptr()) -> TypeRef) }
    }

    /// A reference to a member of another type, with its signature as `sigparse` encodes it
    /// (`IMetaDataEmit::DefineMemberRef`). One that is there already is given again.
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "DefineMemberRef")]
    pub fn define_member_ref(
        &self,
        parent: impl Into<MemberRefParent>,
        name: &str,
        signature: &[u8],
    ) -> Result<MemberRef> {
        let (parent, name) = (parent.into().token(), wide(name)?);
        let (signature, length) = blob("IMetaDataEmit::DefineMemberRef", signature)?;
        // SAFETY: a text with a terminating zero, a blob with its length.
        unsafe {
            define!(
                self,
                IMetaDataEmit::DefineMemberRef(parent, name.as_ptr(), signature, length) -> MemberRef
            )
        }
    }

    /// Makes a reference to a member belong to another parent (`IMetaDataEmit::SetParent`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "SetParent")]
    pub fn set_member_ref_parent(&self, member: MemberRef, parent: impl Into<MemberRefParent>) -> Result<()> {
        let parent = parent.into().token();
        // SAFETY: tokens.
        unsafe { emit!(self, IMetaDataEmit::SetParent(member.token(), parent)) }.map(drop)
    }

    /// Another module of the assembly, or a native library (`IMetaDataEmit::DefineModuleRef`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "DefineModuleRef")]
    pub fn define_module_ref(&self, name: &str) -> Result<ModuleRef> {
        let name = wide(name)?;
        // SAFETY: a text with a terminating zero.
        unsafe { define!(self, IMetaDataEmit::DefineModuleRef(name.as_ptr()) -> ModuleRef) }
    }

    /// The token of a composed type, as `sigparse` encodes it (`IMetaDataEmit::GetTokenFromTypeSpec`). One that is
    /// there already is given again.
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetTokenFromTypeSpec")]
    pub fn define_type_spec(&self, signature: &[u8]) -> Result<TypeSpec> {
        let (signature, length) = blob("IMetaDataEmit::GetTokenFromTypeSpec", signature)?;
        // SAFETY: a blob with its length.
        unsafe { define!(self, IMetaDataEmit::GetTokenFromTypeSpec(signature, length) -> TypeSpec) }
    }

    /// The token of a signature that stands alone, of local variables for one, as `sigparse` encodes it
    /// (`IMetaDataEmit::GetTokenFromSig`). One that is there already is given again.
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "GetTokenFromSig")]
    pub fn define_signature(&self, signature: &[u8]) -> Result<StandAloneSig> {
        let (signature, length) = blob("IMetaDataEmit::GetTokenFromSig", signature)?;
        // SAFETY: a blob with its length.
        unsafe { define!(self, IMetaDataEmit::GetTokenFromSig(signature, length) -> StandAloneSig) }
    }

    /// A generic method with arguments, as `sigparse` encodes them (`IMetaDataEmit2::DefineMethodSpec`). One that is
    /// there already is given again.
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "DefineMethodSpec")]
    pub fn define_method_spec(
        &self,
        method: impl Into<MethodDefOrRef>,
        arguments: &[u8],
    ) -> Result<MethodSpec> {
        let method = method.into().token();
        let (arguments, length) = blob("IMetaDataEmit2::DefineMethodSpec", arguments)?;
        // SAFETY: a blob with its length.
        unsafe { define!(self, IMetaDataEmit2::DefineMethodSpec(method, arguments, length) -> MethodSpec) }
    }

    /// A string literal, for `ldstr` (`IMetaDataEmit::DefineUserString`).
    ///
    /// # Errors
    /// What the metadata reports, for instance that its heap is full.
    #[doc(alias = "DefineUserString")]
    pub fn define_user_string(&self, text: &str) -> Result<UserString> {
        let units: Vec<u16> = text.encode_utf16().collect();
        self.define_user_string_utf16(&units)
    }

    /// A string literal of any UTF-16 units, zeros and lone surrogates included
    /// (`IMetaDataEmit::DefineUserString`).
    ///
    /// # Errors
    /// What the metadata reports, for instance that its heap is full.
    #[doc(alias = "DefineUserString")]
    pub fn define_user_string_utf16(&self, units: &[u16]) -> Result<UserString> {
        let length = length_of("IMetaDataEmit::DefineUserString", units)?;
        // SAFETY: a text with its length.
        unsafe { define!(self, IMetaDataEmit::DefineUserString(units.as_ptr(), length) -> UserString) }
    }

    /// A reference to a type that another module defines, and to its assembly where there is none yet
    /// (`IMetaDataEmit::DefineImportType`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "DefineImportType")]
    pub fn import_type(&self, from: ImportFrom<'_>, type_def: TypeDef) -> Result<TypeRef> {
        let ((module, manifest), own) = (from.pointers()?, self.assembly_emit()?.as_ptr());
        // SAFETY: live interfaces of the runtime's metadata; no hash.
        unsafe {
            define!(
                self,
                IMetaDataEmit::DefineImportType(
                    manifest,
                    core::ptr::null(),
                    0,
                    module,
                    type_def.token(),
                    own,
                ) -> TypeRef
            )
        }
    }

    /// A reference to a method that another module defines, as a member of `parent` here
    /// (`IMetaDataEmit::DefineImportMember`). What its signature refers to is imported with it.
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "DefineImportMember")]
    pub fn import_method(
        &self,
        from: ImportFrom<'_>,
        method: MethodDef,
        parent: impl Into<MemberRefParent>,
    ) -> Result<MemberRef> {
        self.import_member(from, method.token(), parent.into())
    }

    /// A reference to a field that another module defines, as a member of `parent` here
    /// (`IMetaDataEmit::DefineImportMember`). What its signature refers to is imported with it.
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "DefineImportMember")]
    pub fn import_field(
        &self,
        from: ImportFrom<'_>,
        field: FieldDef,
        parent: impl Into<MemberRefParent>,
    ) -> Result<MemberRef> {
        self.import_member(from, field.token(), parent.into())
    }

    fn import_member(&self, from: ImportFrom<'_>, member: u32, parent: MemberRefParent) -> Result<MemberRef> {
        let ((module, manifest), own) = (from.pointers()?, self.assembly_emit()?.as_ptr());
        // SAFETY: live interfaces of the runtime's metadata; no hash.
        unsafe {
            define!(
                self,
                IMetaDataEmit::DefineImportMember(
                    manifest,
                    core::ptr::null(),
                    0,
                    module,
                    member,
                    own,
                    parent.token(),
                ) -> MemberRef
            )
        }
    }

    /// A signature of another module with the tokens that mean the same here; what is missing is defined
    /// (`IMetaDataEmit::TranslateSigWithScope`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "TranslateSigWithScope")]
    pub fn translated_signature(&self, from: ImportFrom<'_>, signature: &[u8]) -> Result<Vec<u8>> {
        const CALL: &str = "IMetaDataEmit::TranslateSigWithScope";
        let ((module, manifest), own) = (from.pointers()?, self.assembly_emit()?.as_ptr());
        let (signature, length) = blob(CALL, signature)?;
        let this: *mut sys::IMetaDataEmit = self.as_ptr().cast();
        let translated = fill(CALL, |room: &mut [u8]| {
            let mut needed = 0;
            // SAFETY: live interfaces of the runtime's metadata, no hash, a blob and a buffer with their lengths, a
            // local.
            unsafe {
                emit!(
                    self,
                    IMetaDataEmit::TranslateSigWithScope(
                        manifest,
                        core::ptr::null(),
                        0,
                        module,
                        signature,
                        length,
                        own,
                        this,
                        room.as_mut_ptr(),
                        room_of(room),
                        &raw mut needed,
                    )
                )
            }?;
            Ok(needed)
        })?;
        Ok(translated.to_vec())
    }
}

impl Metadata {
    /// The definition that a reference to a type means, among all metadata that has been opened in this process, with
    /// that metadata (`IMetaDataImport::ResolveTypeRef`).
    ///
    /// It knows nothing of load contexts and versions, and finds the first type of that name. What the runtime would
    /// load is answered by [`Names::resolve`](crate::Names::resolve).
    ///
    /// # Errors
    /// What the metadata reports, for instance that there is none.
    #[doc(alias = "ResolveTypeRef")]
    pub fn resolve_type_ref(&self, type_ref: TypeRef) -> Result<(Metadata, TypeDef)> {
        const CALL: &str = "IMetaDataImport::ResolveTypeRef";
        let (mut out, mut type_def) = (null_mut(), 0);
        let iid = sys::IID_IMetaDataImport2;
        // SAFETY: locals.
        unsafe {
            crate::metadata::import!(
                self,
                IMetaDataImport::ResolveTypeRef(
                    type_ref.token(),
                    &raw const iid,
                    &raw mut out,
                    &raw mut type_def,
                )
            )
        }?;
        // SAFETY: the metadata has given a pointer to the interface that was asked for, with a reference.
        let import = unsafe { crate::com::interface::from_raw(out.cast()) };
        match (import, TypeDef::from_token(type_def)) {
            (Some(import), Some(type_def)) => Ok((Metadata::new(import), type_def)),
            _ => Err(Error::Null { call: CALL, what: "definition" }),
        }
    }
}
