//! What there is: the tokens of each kind, of the module or of one row.
#![allow(unsafe_code)]

use sigparse::Token;
use sigparse::token::{
    CustomAttribute, DeclSecurity, EventDef, FieldDef, GenericParam, GenericParamConstraint, InterfaceImpl,
    MemberRef, MethodDef, MethodSpec, ModuleRef, PropertyDef, StandAloneSig, TypeDef, TypeRef, TypeSpec,
    UserString,
};
use widestring::U16CString;

use super::Metadata;
use super::enumerate::all;
use crate::Result;

impl Metadata {
    /// The types that the module defines, without the one that global members belong to
    /// (`IMetaDataImport::EnumTypeDefs`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumTypeDefs")]
    pub fn type_defs(&self) -> Result<Vec<TypeDef>> {
        all!(self, IMetaDataImport::EnumTypeDefs(), TypeDef::from_token)
    }

    /// The types of other modules that this one refers to (`IMetaDataImport::EnumTypeRefs`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumTypeRefs")]
    pub fn type_refs(&self) -> Result<Vec<TypeRef>> {
        all!(self, IMetaDataImport::EnumTypeRefs(), TypeRef::from_token)
    }

    /// The composed types (`IMetaDataImport::EnumTypeSpecs`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumTypeSpecs")]
    pub fn type_specs(&self) -> Result<Vec<TypeSpec>> {
        all!(self, IMetaDataImport::EnumTypeSpecs(), TypeSpec::from_token)
    }

    /// The interfaces that a type says it implements (`IMetaDataImport::EnumInterfaceImpls`); those of its base
    /// classes are theirs.
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumInterfaceImpls")]
    pub fn interface_impls(&self, type_def: TypeDef) -> Result<Vec<InterfaceImpl>> {
        all!(self, IMetaDataImport::EnumInterfaceImpls(type_def.token()), InterfaceImpl::from_token)
    }

    /// The methods and fields that a type declares (`IMetaDataImport::EnumMembers`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumMembers")]
    pub fn members(&self, type_def: TypeDef) -> Result<Vec<Token>> {
        all!(self, IMetaDataImport::EnumMembers(type_def.token()), |token| Some(Token(token)))
    }

    /// The methods and fields with this name that a type declares (`IMetaDataImport::EnumMembersWithName`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumMembersWithName")]
    pub fn members_named(&self, type_def: TypeDef, name: &str) -> Result<Vec<Token>> {
        let Ok(wide) = U16CString::from_str(name) else { return Ok(Vec::new()) };
        all!(self, IMetaDataImport::EnumMembersWithName(type_def.token(), wide.as_ptr()), |token| Some(
            Token(token)
        ))
    }

    /// The fields with this name that a type declares (`IMetaDataImport::EnumFieldsWithName`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumFieldsWithName")]
    pub fn fields_named(&self, type_def: TypeDef, name: &str) -> Result<Vec<FieldDef>> {
        let Ok(wide) = U16CString::from_str(name) else { return Ok(Vec::new()) };
        all!(self, IMetaDataImport::EnumFieldsWithName(type_def.token(), wide.as_ptr()), FieldDef::from_token)
    }

    /// The properties that a type declares (`IMetaDataImport::EnumProperties`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumProperties")]
    pub fn properties(&self, type_def: TypeDef) -> Result<Vec<PropertyDef>> {
        all!(self, IMetaDataImport::EnumProperties(type_def.token()), PropertyDef::from_token)
    }

    /// The events that a type declares (`IMetaDataImport::EnumEvents`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumEvents")]
    pub fn events(&self, type_def: TypeDef) -> Result<Vec<EventDef>> {
        all!(self, IMetaDataImport::EnumEvents(type_def.token()), EventDef::from_token)
    }

    /// The members of a type elsewhere, or of a composed type, that this module refers to
    /// (`IMetaDataImport::EnumMemberRefs`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumMemberRefs")]
    pub fn member_refs(&self, parent: impl Into<Token>) -> Result<Vec<MemberRef>> {
        let parent = parent.into();
        all!(self, IMetaDataImport::EnumMemberRefs(parent.0), MemberRef::from_token)
    }

    /// The other modules of the assembly, and the native libraries, that this module refers to
    /// (`IMetaDataImport::EnumModuleRefs`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumModuleRefs")]
    pub fn module_refs(&self) -> Result<Vec<ModuleRef>> {
        all!(self, IMetaDataImport::EnumModuleRefs(), ModuleRef::from_token)
    }

    /// The signatures that stand alone: of local variables, of indirect calls (`IMetaDataImport::EnumSignatures`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumSignatures")]
    pub fn signatures(&self) -> Result<Vec<StandAloneSig>> {
        all!(self, IMetaDataImport::EnumSignatures(), StandAloneSig::from_token)
    }

    /// The string literals of the code (`IMetaDataImport::EnumUserStrings`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumUserStrings")]
    pub fn user_strings(&self) -> Result<Vec<UserString>> {
        all!(self, IMetaDataImport::EnumUserStrings(), UserString::from_token)
    }

    /// The methods that are declared and have no code, abstract and native ones left out
    /// (`IMetaDataImport::EnumUnresolvedMethods`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumUnresolvedMethods")]
    pub fn unresolved_methods(&self) -> Result<Vec<MethodDef>> {
        all!(self, IMetaDataImport::EnumUnresolvedMethods(), MethodDef::from_token)
    }

    /// The security declarations of a row with this action, or with any for 0
    /// (`IMetaDataImport::EnumPermissionSets`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumPermissionSets")]
    pub fn permission_sets(&self, of: impl Into<Token>, action: u32) -> Result<Vec<DeclSecurity>> {
        let of = of.into();
        all!(self, IMetaDataImport::EnumPermissionSets(of.0, action), DeclSecurity::from_token)
    }

    /// The custom attributes of a row, or of the whole module for `None`; of all types, or of the one whose
    /// constructor is given (`IMetaDataImport::EnumCustomAttributes`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumCustomAttributes")]
    pub fn custom_attributes(
        &self,
        of: Option<Token>,
        constructor: Option<Token>,
    ) -> Result<Vec<CustomAttribute>> {
        let (of, constructor) = (of.map_or(0, |of| of.0), constructor.map_or(0, |token| token.0));
        all!(self, IMetaDataImport::EnumCustomAttributes(of, constructor), CustomAttribute::from_token)
    }

    /// The constraints of a generic parameter (`IMetaDataImport2::EnumGenericParamConstraints`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumGenericParamConstraints")]
    pub fn generic_param_constraints(&self, param: GenericParam) -> Result<Vec<GenericParamConstraint>> {
        all!(
            self,
            IMetaDataImport2::EnumGenericParamConstraints(param.token()),
            GenericParamConstraint::from_token
        )
    }

    /// The generic methods with arguments that the code names, of one method or of all
    /// (`IMetaDataImport2::EnumMethodSpecs`).
    ///
    /// # Errors
    /// What the metadata reports.
    #[doc(alias = "EnumMethodSpecs")]
    pub fn method_specs(&self, of: Option<Token>) -> Result<Vec<MethodSpec>> {
        let of = of.map_or(0, |of| of.0);
        all!(self, IMetaDataImport2::EnumMethodSpecs(of), MethodSpec::from_token)
    }
}
