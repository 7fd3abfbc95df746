//! Types: definitions, references, specifications, interfaces, generic parameters, layouts.
#![forbid(unsafe_code)]

use sigparse::token::{
    FieldDef, GenericParam, GenericParamConstraint, InterfaceImpl, TypeDef, TypeRef, TypeSpec,
};
use sigparse::{ResolutionScope, Token, TypeDefOrRef};

use super::rows;
use super::{GenericParamProps, Metadata, TypeDefProps, TypeRefProps};
use crate::error::Result;
use crate::raw::metadata::Absent;

/// An interface implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterfaceImplProps {
    /// The type.
    pub type_def: Option<TypeDef>,
    /// The interface that the type implements.
    pub interface: Option<TypeDefOrRef>,
}

/// A constraint of a generic parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GenericParamConstraintProps {
    /// The parameter.
    pub param: Option<GenericParam>,
    /// The type that arguments derive from or implement.
    pub constraint: Option<TypeDefOrRef>,
}

/// The offset of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldOffset {
    /// The field.
    pub field: FieldDef,
    /// The distance in bytes from the address in the object id of a class, or from the start of a value type's value.
    pub offset: u32,
}

/// The layout that a type declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeLayout {
    /// The alignment of the fields in bytes; 0 for the default.
    pub pack: u32,
    /// The size in bytes; 0 for the size of the fields.
    pub size: u32,
    /// The fields with an explicit offset.
    pub fields: Vec<FieldOffset>,
}

impl Metadata {
    /// Returns the types that the module defines, except `<Module>`. `IMetaDataImport::EnumTypeDefs`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumTypeDefs")]
    pub fn type_defs(&self) -> Result<Vec<TypeDef>> {
        self.raw.type_defs()
    }

    /// Returns the references to types of other modules. `IMetaDataImport::EnumTypeRefs`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumTypeRefs")]
    pub fn type_refs(&self) -> Result<Vec<TypeRef>> {
        self.raw.type_refs()
    }

    /// Returns the constructed types. `IMetaDataImport::EnumTypeSpecs`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumTypeSpecs")]
    pub fn type_specs(&self) -> Result<Vec<TypeSpec>> {
        self.raw.type_specs()
    }

    /// Returns a type definition. `IMetaDataImport::GetTypeDefProps`.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: there is no such row.
    #[doc(alias = "GetTypeDefProps")]
    pub fn type_def(&self, token: TypeDef) -> Result<TypeDefProps> {
        let (name, attributes, extends) = self.raw.type_def(token)?;
        Ok(TypeDefProps { name, attributes, extends })
    }

    /// Returns `true` if a type is a class: not an interface, a struct or an enum.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: there is no such row.
    pub fn is_class(&self, token: TypeDef) -> Result<bool> {
        rows::is_class(self, token)
    }

    /// Returns the type that a nested type is declared in. `IMetaDataImport::GetNestedClassProps`.
    ///
    /// `None` for a type that is not nested.
    ///
    /// # Errors
    /// Any failure of the call except `CLDB_E_RECORD_NOTFOUND`, which gives `None`.
    #[doc(alias = "GetNestedClassProps")]
    pub fn enclosing_type(&self, token: TypeDef) -> Result<Option<TypeDef>> {
        self.raw.enclosing_type(token).or_absent().map(Option::flatten)
    }

    /// Returns a type reference. `IMetaDataImport::GetTypeRefProps`.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: there is no such row.
    #[doc(alias = "GetTypeRefProps")]
    pub fn type_ref(&self, token: TypeRef) -> Result<TypeRefProps> {
        let (scope, name) = self.raw.type_ref(token)?;
        Ok(TypeRefProps { name, scope })
    }

    /// Returns the signature of a constructed type. `IMetaDataImport::GetTypeSpecFromToken`.
    ///
    /// [`sigparse::TypeSpecSig`] parses it.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: there is no such row.
    #[doc(alias = "GetTypeSpecFromToken")]
    pub fn type_spec(&self, token: TypeSpec) -> Result<&[u8]> {
        self.raw.type_spec(token)
    }

    /// Finds a type definition by its name. `IMetaDataImport::FindTypeDefByName`.
    ///
    /// `enclosing` is the enclosing type of a nested type.
    ///
    /// # Errors
    /// Any failure of the call except `CLDB_E_RECORD_NOTFOUND`, which gives `None`.
    #[doc(alias = "FindTypeDefByName")]
    pub fn find_type_def(&self, name: &str, enclosing: Option<TypeDef>) -> Result<Option<TypeDef>> {
        self.raw.find_type_def(name, enclosing).or_absent().map(Option::flatten)
    }

    /// Finds a type reference by its scope and name. `IMetaDataImport::FindTypeRef`.
    ///
    /// # Errors
    /// Any failure of the call except `CLDB_E_RECORD_NOTFOUND`, which gives `None`.
    #[doc(alias = "FindTypeRef")]
    pub fn find_type_ref(&self, scope: Option<ResolutionScope>, name: &str) -> Result<Option<TypeRef>> {
        self.raw.find_type_ref(scope, name).or_absent().map(Option::flatten)
    }

    /// Returns the interface implementations of a type. `IMetaDataImport::EnumInterfaceImpls`.
    ///
    /// Those of its base classes are not included.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumInterfaceImpls")]
    pub fn interface_impls(&self, type_def: TypeDef) -> Result<Vec<InterfaceImpl>> {
        self.raw.interface_impls(type_def)
    }

    /// Returns an interface implementation. `IMetaDataImport::GetInterfaceImplProps`.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: there is no such row.
    #[doc(alias = "GetInterfaceImplProps")]
    pub fn interface_impl(&self, token: InterfaceImpl) -> Result<InterfaceImplProps> {
        let (type_def, interface) = self.raw.interface_impl(token)?;
        Ok(InterfaceImplProps { type_def, interface })
    }

    /// Returns the generic parameters of a type or method. `IMetaDataImport2::EnumGenericParams`.
    ///
    /// Those of enclosing types are included.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumGenericParams")]
    pub fn generic_params(&self, owner: impl Into<Token>) -> Result<Vec<GenericParam>> {
        self.raw.generic_params(owner.into())
    }

    /// Returns a generic parameter. `IMetaDataImport2::GetGenericParamProps`.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: there is no such row.
    #[doc(alias = "GetGenericParamProps")]
    pub fn generic_param(&self, token: GenericParam) -> Result<GenericParamProps> {
        let (index, name) = self.raw.generic_param(token)?;
        Ok(GenericParamProps { name, index })
    }

    /// Returns the constraints of a generic parameter. `IMetaDataImport2::EnumGenericParamConstraints`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumGenericParamConstraints")]
    pub fn generic_param_constraints(&self, param: GenericParam) -> Result<Vec<GenericParamConstraint>> {
        self.raw.generic_param_constraints(param)
    }

    /// Returns a constraint of a generic parameter. `IMetaDataImport2::GetGenericParamConstraintProps`.
    ///
    /// # Errors
    /// `CLDB_E_INDEX_NOTFOUND`: there is no such row.
    #[doc(alias = "GetGenericParamConstraintProps")]
    pub fn generic_param_constraint(
        &self,
        token: GenericParamConstraint,
    ) -> Result<GenericParamConstraintProps> {
        let (param, constraint) = self.raw.generic_param_constraint(token)?;
        Ok(GenericParamConstraintProps { param, constraint })
    }

    /// Returns the layout that a type declares. `IMetaDataImport::GetClassLayout`.
    ///
    /// `None` for a type whose layout the runtime chooses.
    ///
    /// # Errors
    /// Any failure of the call except `CLDB_E_RECORD_NOTFOUND`, which gives `None`.
    #[doc(alias = "GetClassLayout")]
    pub fn type_layout(&self, type_def: TypeDef) -> Result<Option<TypeLayout>> {
        let Some(raw) = self.raw.type_layout(type_def).or_absent()? else { return Ok(None) };
        let fields = raw.fields.into_iter().map(|(field, offset)| FieldOffset { field, offset }).collect();
        Ok(Some(TypeLayout { pack: raw.pack, size: raw.size, fields }))
    }
}
