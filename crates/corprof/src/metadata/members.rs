//! Members: methods, parameters, fields, and references to members.
#![forbid(unsafe_code)]

use sigparse::token::{FieldDef, MemberRef, MethodDef, MethodSpec, ParamDef, TypeDef};
use sigparse::{MethodDefOrRef, Token, walk};

use super::signatures::well_formed;
use super::{FieldProps, MemberRefProps, Metadata, MethodProps, ParamProps};
use crate::error::Result;
use crate::raw::metadata::Absent;

/// An instantiation of a generic method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodSpecProps<'m> {
    /// The generic method.
    pub method: Option<MethodDefOrRef>,
    /// The type arguments. [`sigparse::MethodSpecSig`] parses them.
    pub signature: &'m [u8],
}

impl Metadata {
    /// Returns the methods and fields that a type declares. `IMetaDataImport::EnumMembers`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumMembers")]
    pub fn members(&self, type_def: TypeDef) -> Result<Vec<Token>> {
        self.raw.members(type_def)
    }

    /// Returns a type's methods and fields of this name. `IMetaDataImport::EnumMembersWithName`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumMembersWithName")]
    pub fn members_named(&self, type_def: TypeDef, name: &str) -> Result<Vec<Token>> {
        self.raw.members_named(type_def, name).or_absent().map(Option::unwrap_or_default)
    }

    /// Finds a method or field by name and signature. `IMetaDataImport::FindMember`.
    ///
    /// # Errors
    /// [`Error::Signature`](crate::Error::Signature), [`Error::Other`](crate::Error::Other): the signature is not one of such a
    /// member, which the runtime would read beyond its end. Any failure of the call except `CLDB_E_RECORD_NOTFOUND`, which gives `None`.
    #[doc(alias = "FindMember")]
    pub fn find_member(&self, type_def: TypeDef, name: &str, signature: &[u8]) -> Result<Option<Token>> {
        well_formed(name, signature, walk::signature)?;
        self.raw.find_member(type_def, name, signature).or_absent()
    }

    /// Returns the methods that a type declares, in order. `IMetaDataImport::EnumMethods`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumMethods")]
    pub fn methods(&self, type_def: TypeDef) -> Result<Vec<MethodDef>> {
        self.raw.methods(type_def)
    }

    /// Returns a type's methods of this name. `IMetaDataImport::EnumMethodsWithName`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumMethodsWithName")]
    pub fn methods_named(&self, type_def: TypeDef, name: &str) -> Result<Vec<MethodDef>> {
        self.raw.methods_named(type_def, name).or_absent().map(Option::unwrap_or_default)
    }

    /// Finds a method by name and signature. `IMetaDataImport::FindMethod`.
    ///
    /// # Errors
    /// [`Error::Signature`](crate::Error::Signature), [`Error::Other`](crate::Error::Other): the signature is not one of such a
    /// member, which the runtime would read beyond its end. Any failure of the call except `CLDB_E_RECORD_NOTFOUND`, which gives `None`.
    #[doc(alias = "FindMethod")]
    pub fn find_method(&self, type_def: TypeDef, name: &str, signature: &[u8]) -> Result<Option<MethodDef>> {
        well_formed(name, signature, walk::method)?;
        self.raw.find_method(type_def, name, signature).or_absent().map(Option::flatten)
    }

    /// Returns a method. `IMetaDataImport::GetMethodProps`.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: there is no such row.
    #[doc(alias = "GetMethodProps")]
    pub fn method(&self, token: MethodDef) -> Result<MethodProps<'_>> {
        let (declaring_type, name, attributes, signature) = self.raw.method(token)?;
        Ok(MethodProps { declaring_type, name, attributes, signature })
    }

    /// Returns the methods without code. `IMetaDataImport::EnumUnresolvedMethods`.
    ///
    /// Abstract and native methods are not included.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumUnresolvedMethods")]
    pub fn unresolved_methods(&self) -> Result<Vec<MethodDef>> {
        self.raw.unresolved_methods()
    }

    /// Returns the instantiations of one or all generic methods. `IMetaDataImport2::EnumMethodSpecs`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumMethodSpecs")]
    pub fn method_specs(&self, of: Option<Token>) -> Result<Vec<MethodSpec>> {
        self.raw.method_specs(of)
    }

    /// Returns an instantiation of a generic method. `IMetaDataImport2::GetMethodSpecProps`.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: there is no such row.
    #[doc(alias = "GetMethodSpecProps")]
    pub fn method_spec(&self, token: MethodSpec) -> Result<MethodSpecProps<'_>> {
        let (method, signature) = self.raw.method_spec(token)?;
        Ok(MethodSpecProps { method, signature })
    }

    /// Returns the parameter rows of a method, unordered. `IMetaDataImport::EnumParams`.
    ///
    /// A compiler may leave rows out.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumParams")]
    pub fn params(&self, method: MethodDef) -> Result<Vec<ParamDef>> {
        self.raw.params(method)
    }

    /// Finds a parameter row by its position. `IMetaDataImport::GetParamForMethodIndex`.
    ///
    /// Parameters count from 1; 0 is the return value. `None` where the compiler has left the row out.
    ///
    /// # Errors
    /// Any failure of the call except `CLDB_E_RECORD_NOTFOUND`, which gives `None`.
    #[doc(alias = "GetParamForMethodIndex")]
    pub fn param_at(&self, method: MethodDef, sequence: u32) -> Result<Option<ParamDef>> {
        self.raw.param_at(method, sequence).or_absent().map(Option::flatten)
    }

    /// Returns a parameter row. `IMetaDataImport::GetParamProps`.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: there is no such row.
    #[doc(alias = "GetParamProps")]
    pub fn param(&self, token: ParamDef) -> Result<ParamProps<'_>> {
        let (sequence, name, attributes, constant) = self.raw.param(token)?;
        Ok(ParamProps { name, sequence, attributes, constant })
    }

    /// Returns the fields that a type declares, in order. `IMetaDataImport::EnumFields`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumFields")]
    pub fn fields(&self, type_def: TypeDef) -> Result<Vec<FieldDef>> {
        self.raw.fields(type_def)
    }

    /// Returns a type's fields of this name. `IMetaDataImport::EnumFieldsWithName`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumFieldsWithName")]
    pub fn fields_named(&self, type_def: TypeDef, name: &str) -> Result<Vec<FieldDef>> {
        self.raw.fields_named(type_def, name).or_absent().map(Option::unwrap_or_default)
    }

    /// Finds a field by name and signature. `IMetaDataImport::FindField`.
    ///
    /// # Errors
    /// [`Error::Signature`](crate::Error::Signature), [`Error::Other`](crate::Error::Other): the signature is not one of such a
    /// member, which the runtime would read beyond its end. Any failure of the call except `CLDB_E_RECORD_NOTFOUND`, which gives `None`.
    #[doc(alias = "FindField")]
    pub fn find_field(&self, type_def: TypeDef, name: &str, signature: &[u8]) -> Result<Option<FieldDef>> {
        well_formed(name, signature, walk::field)?;
        self.raw.find_field(type_def, name, signature).or_absent().map(Option::flatten)
    }

    /// Returns a field. `IMetaDataImport::GetFieldProps`.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: there is no such row.
    #[doc(alias = "GetFieldProps")]
    pub fn field(&self, token: FieldDef) -> Result<FieldProps<'_>> {
        let (declaring_type, name, attributes, signature, constant) = self.raw.field(token)?;
        Ok(FieldProps { declaring_type, name, attributes, signature, constant })
    }

    /// Returns the member references with this parent. `IMetaDataImport::EnumMemberRefs`.
    ///
    /// The parent is a type of another module or a constructed type.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumMemberRefs")]
    pub fn member_refs(&self, parent: impl Into<Token>) -> Result<Vec<MemberRef>> {
        self.raw.member_refs(parent.into())
    }

    /// Finds a member reference by name and signature. `IMetaDataImport::FindMemberRef`.
    ///
    /// # Errors
    /// [`Error::Signature`](crate::Error::Signature), [`Error::Other`](crate::Error::Other): the signature is not one of such a
    /// member, which the runtime would read beyond its end. Any failure of the call except `CLDB_E_RECORD_NOTFOUND`, which gives `None`.
    #[doc(alias = "FindMemberRef")]
    pub fn find_member_ref(
        &self,
        parent: impl Into<Token>,
        name: &str,
        signature: &[u8],
    ) -> Result<Option<MemberRef>> {
        well_formed(name, signature, walk::signature)?;
        self.raw.find_member_ref(parent.into(), name, signature).or_absent().map(Option::flatten)
    }

    /// Returns a member reference. `IMetaDataImport::GetMemberRefProps`.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: there is no such row.
    #[doc(alias = "GetMemberRefProps")]
    pub fn member_ref(&self, token: MemberRef) -> Result<MemberRefProps<'_>> {
        let (parent, name, signature) = self.raw.member_ref(token)?;
        Ok(MemberRefProps { parent, name, signature })
    }
}
