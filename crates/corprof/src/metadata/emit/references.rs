//! References of the code: types, members and modules, constructed types, signatures, string literals.
#![forbid(unsafe_code)]

use sigparse::token::{
    FieldDef, MemberRef, MethodDef, MethodSpec, ModuleRef, StandAloneSig, TypeDef, TypeRef, TypeSpec,
    UserString,
};
use sigparse::{MemberRefParent, MethodDefOrRef, ResolutionScope, walk};

use super::{MetadataEmit, imports};
use crate::error::Result;
use crate::metadata::OpenedMetadata;
use crate::metadata::signatures::well_formed;

/// The source of an import: a module and its assembly's manifest.
///
/// Both are the same metadata except in assemblies of several modules. The metadata of a loaded module is no source: the
/// runtime would read it without a lock.
#[derive(Clone, Copy, Debug)]
pub struct ImportFrom<'a> {
    /// The defining module.
    pub module: &'a OpenedMetadata,
    /// The module with the assembly's manifest.
    pub manifest: &'a OpenedMetadata,
}

impl<'a> ImportFrom<'a> {
    /// An assembly with one module.
    #[must_use]
    pub fn assembly(module: &'a OpenedMetadata) -> Self {
        Self { module, manifest: module }
    }
}

impl MetadataEmit {
    /// Adds a reference to a type of another module. `IMetaDataEmit::DefineTypeRefByName`.
    ///
    /// The name has the namespace in front. The scope of a nested type is the enclosing `TypeRef`. A present row is
    /// returned again.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: the scope does not exist. [`Error::Other`](crate::Error::Other): the name contains a
    /// zero. Any other failure of the call.
    #[doc(alias = "DefineTypeRefByName")]
    pub fn define_type_ref(&self, scope: impl Into<ResolutionScope>, name: &str) -> Result<TypeRef> {
        self.raw.define_type_ref(scope.into(), name)
    }

    /// Adds a reference to a member. `IMetaDataEmit::DefineMemberRef`.
    ///
    /// The signature is encoded by `sigparse`. A present row is returned again.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: the parent does not exist. [`Error::Signature`](crate::Error::Signature): the signature is
    /// malformed. [`Error::Other`](crate::Error::Other): the name contains a zero. Any other failure of the call.
    #[doc(alias = "DefineMemberRef")]
    pub fn define_member_ref(
        &self,
        parent: impl Into<MemberRefParent>,
        name: &str,
        signature: &[u8],
    ) -> Result<MemberRef> {
        well_formed(name, signature, walk::signature)?;
        self.raw.define_member_ref(parent.into(), name, signature)
    }

    /// Changes the parent of a member reference. `IMetaDataEmit::SetParent`.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: a row does not exist. Any other failure of the call.
    #[doc(alias = "SetParent")]
    pub fn set_member_ref_parent(&self, member: MemberRef, parent: impl Into<MemberRefParent>) -> Result<()> {
        self.raw.set_member_ref_parent(member, parent.into())
    }

    /// Adds a reference to a module or native library. `IMetaDataEmit::DefineModuleRef`.
    ///
    /// # Errors
    /// [`Error::Other`](crate::Error::Other): the name contains a zero. Any failure of the call.
    #[doc(alias = "DefineModuleRef")]
    pub fn define_module_ref(&self, name: &str) -> Result<ModuleRef> {
        self.raw.define_module_ref(name)
    }

    /// Adds a constructed type. `IMetaDataEmit::GetTokenFromTypeSpec`.
    ///
    /// The signature is encoded by `sigparse`. A present row is returned again.
    ///
    /// # Errors
    /// [`Error::Signature`](crate::Error::Signature): the signature is malformed. Any failure of the call.
    #[doc(alias = "GetTokenFromTypeSpec")]
    pub fn define_type_spec(&self, signature: &[u8]) -> Result<TypeSpec> {
        well_formed("a TypeSpec", signature, walk::ty)?;
        self.raw.define_type_spec(signature)
    }

    /// Adds a stand-alone signature, as of local variables. `IMetaDataEmit::GetTokenFromSig`.
    ///
    /// The signature is encoded by `sigparse`. A present row is returned again.
    ///
    /// # Errors
    /// [`Error::Signature`](crate::Error::Signature): the signature is malformed. Any failure of the call.
    #[doc(alias = "GetTokenFromSig")]
    pub fn define_signature(&self, signature: &[u8]) -> Result<StandAloneSig> {
        well_formed("a StandAloneSig", signature, walk::signature)?;
        self.raw.define_signature(signature)
    }

    /// Adds an instantiation of a generic method. `IMetaDataEmit2::DefineMethodSpec`.
    ///
    /// The type arguments are encoded by `sigparse`. A present row is returned again.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: the method does not exist. [`Error::Signature`](crate::Error::Signature): the arguments
    /// are malformed. Any other failure of the call.
    #[doc(alias = "DefineMethodSpec")]
    pub fn define_method_spec(
        &self,
        method: impl Into<MethodDefOrRef>,
        arguments: &[u8],
    ) -> Result<MethodSpec> {
        let method = method.into();
        well_formed(method, arguments, walk::method_spec)?;
        self.raw.define_method_spec(method, arguments)
    }

    /// Adds a string literal, for `ldstr`. `IMetaDataEmit::DefineUserString`.
    ///
    /// # Errors
    /// `META_E_STRINGSPACE_FULL`: the heap is full. Any other failure of the call.
    #[doc(alias = "DefineUserString")]
    pub fn define_user_string(&self, text: &str) -> Result<UserString> {
        let units: Vec<u16> = text.encode_utf16().collect();
        self.define_user_string_utf16(&units)
    }

    /// Adds a string literal of any UTF-16 units. `IMetaDataEmit::DefineUserString`.
    ///
    /// It may contain zeros and lone surrogates.
    ///
    /// # Errors
    /// `META_E_STRINGSPACE_FULL`: the heap is full. `E_INVALIDARG`: the literal is longer than a blob can be. Any other
    /// failure of the call.
    #[doc(alias = "DefineUserString")]
    pub fn define_user_string_utf16(&self, units: &[u16]) -> Result<UserString> {
        self.raw.define_user_string(units)
    }

    /// Imports a type as a reference. `IMetaDataEmit::DefineImportType`.
    ///
    /// A reference to its assembly is added where it is missing.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: the type does not exist. Any other failure of the call.
    #[doc(alias = "DefineImportType")]
    pub fn import_type(&self, from: ImportFrom<'_>, type_def: TypeDef) -> Result<TypeRef> {
        imports::type_def(from.module, type_def)?;
        self.raw.import_type(&from.module.metadata.raw, &from.manifest.metadata.raw, type_def)
    }

    /// Imports a method as a member reference of `parent`. `IMetaDataEmit::DefineImportMember`.
    ///
    /// The types of its signature are imported with it.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: a row does not exist. [`Error::Signature`](crate::Error::Signature): the method's
    /// signature is malformed. Any other failure of the call.
    #[doc(alias = "DefineImportMember")]
    pub fn import_method(
        &self,
        from: ImportFrom<'_>,
        method: MethodDef,
        parent: impl Into<MemberRefParent>,
    ) -> Result<MemberRef> {
        imports::signature(from.module, method, from.module.method(method)?.signature)?;
        let (module, manifest) = (&from.module.metadata.raw, &from.manifest.metadata.raw);
        self.raw.import_member(module, manifest, method.into(), parent.into())
    }

    /// Imports a field as a member reference of `parent`. `IMetaDataEmit::DefineImportMember`.
    ///
    /// The types of its signature are imported with it.
    ///
    /// # Errors
    /// As for [`import_method`](Self::import_method).
    #[doc(alias = "DefineImportMember")]
    pub fn import_field(
        &self,
        from: ImportFrom<'_>,
        field: FieldDef,
        parent: impl Into<MemberRefParent>,
    ) -> Result<MemberRef> {
        imports::signature(from.module, field, from.module.field(field)?.signature)?;
        let (module, manifest) = (&from.module.metadata.raw, &from.manifest.metadata.raw);
        self.raw.import_member(module, manifest, field.into(), parent.into())
    }

    /// Translates a signature of another module. `IMetaDataEmit::TranslateSigWithScope`.
    ///
    /// The result has tokens of this metadata; rows that are missing are added.
    ///
    /// # Errors
    /// `CLDB_E_RECORD_NOTFOUND`: a row that the signature names does not exist.
    /// [`Error::Signature`](crate::Error::Signature): the signature is malformed. Any other failure of the call.
    #[doc(alias = "TranslateSigWithScope")]
    pub fn translated_signature(&self, from: ImportFrom<'_>, signature: &[u8]) -> Result<Vec<u8>> {
        imports::signature(from.module, "a signature to translate", signature)?;
        self.raw.translated_signature(&from.module.metadata.raw, &from.manifest.metadata.raw, signature)
    }
}
