//! The rows of a module's metadata that names need.

use sigparse::token::{
    EventDef, FieldDef, GenericParam, MemberRef, MethodDef, ParamDef, PropertyDef, TypeDef, TypeRef, TypeSpec,
};
use sigparse::{MethodDefOrRef, Token};

use super::props::{
    Accessed, EventProps, FieldProps, GenericParamProps, MemberRefProps, MethodProps, ParamProps,
    PropertyProps, TypeDefProps, TypeRefProps,
};

/// A module's metadata, as far as names need it.
///
/// Type names are those of the metadata: ``System.Collections.Generic.Dictionary`2``, nested types without namespace and
/// enclosing types.
///
/// Every method fails for a token that the module does not have, and for malformed metadata.
#[allow(clippy::missing_errors_doc, reason = "the same for all: see above")]
pub trait Metadata {
    /// Malformed metadata, or a missing row.
    type Error;

    /// A type's definition (ECMA-335 II.22.37).
    fn type_def(&self, token: TypeDef) -> Result<TypeDefProps, Self::Error>;

    /// The type that a nested type is declared in; `None` for one that is not nested (II.22.32).
    fn enclosing_type(&self, token: TypeDef) -> Result<Option<TypeDef>, Self::Error>;

    /// A reference to a type (II.22.38).
    fn type_ref(&self, token: TypeRef) -> Result<TypeRefProps, Self::Error>;

    /// A composed type's signature (II.22.39).
    fn type_spec(&self, token: TypeSpec) -> Result<&[u8], Self::Error>;

    /// The generic parameters that a type or method declares, enclosing types' included (II.22.20).
    fn generic_params(&self, owner: Token) -> Result<Vec<GenericParam>, Self::Error>;

    /// A generic parameter (II.22.20).
    fn generic_param(&self, token: GenericParam) -> Result<GenericParamProps, Self::Error>;

    /// A method (II.22.26).
    fn method(&self, token: MethodDef) -> Result<MethodProps<'_>, Self::Error>;

    /// The methods that a type declares, in order.
    fn methods(&self, type_def: TypeDef) -> Result<Vec<MethodDef>, Self::Error>;

    /// The methods with this name that a type declares, in order.
    fn methods_named(&self, type_def: TypeDef, name: &str) -> Result<Vec<MethodDef>, Self::Error>;

    /// A method's parameters that have a row of their own; a compiler may leave some out (II.22.33).
    fn params(&self, method: MethodDef) -> Result<Vec<ParamDef>, Self::Error>;

    /// A parameter (II.22.33).
    fn param(&self, token: ParamDef) -> Result<ParamProps<'_>, Self::Error>;

    /// The fields that a type declares, in order.
    fn fields(&self, type_def: TypeDef) -> Result<Vec<FieldDef>, Self::Error>;

    /// A field (II.22.15).
    fn field(&self, token: FieldDef) -> Result<FieldProps<'_>, Self::Error>;

    /// The value of a row's custom attribute of this type, named with its namespace; the first one where there
    /// are several (II.22.10).
    fn custom_attribute(&self, of: Token, name: &str) -> Result<Option<&[u8]>, Self::Error>;

    /// The property or event that a method is an accessor of, if it is one (II.22.28).
    fn accessed(&self, method: MethodDef) -> Result<Option<Accessed>, Self::Error>;

    /// A property (II.22.34).
    fn property(&self, token: PropertyDef) -> Result<PropertyProps<'_>, Self::Error>;

    /// An event (II.22.13).
    fn event(&self, token: EventDef) -> Result<EventProps, Self::Error>;

    /// The explicit implementations of a type: each body with the declaration that it implements (II.22.27).
    fn method_impls(&self, type_def: TypeDef) -> Result<Vec<(MethodDefOrRef, MethodDefOrRef)>, Self::Error>;

    /// A member of a type elsewhere, or of a constructed type (II.22.25).
    fn member_ref(&self, token: MemberRef) -> Result<MemberRefProps<'_>, Self::Error>;

    /// Returns the types with the declared members of a type's extension blocks (C# 14): nested types whose names begin with `<G>$`.
    ///
    /// Metadata that cannot list them returns none: `IMetaDataImport` has no query for the types that are nested in another.
    fn extension_groups(&self, _type_def: TypeDef) -> Result<Vec<TypeDef>, Self::Error> {
        Ok(Vec::new())
    }

    /// Returns whether a row has a custom attribute of this type, named with its namespace.
    fn has_custom_attribute(&self, of: Token, name: &str) -> Result<bool, Self::Error> {
        Ok(self.custom_attribute(of, name)?.is_some())
    }
}

/// Passes the methods of [`Metadata`] to a macro, which forwards them.
#[doc(hidden)]
#[macro_export]
macro_rules! __metadata_methods {
    ($forward:ident) => {
        $forward! {
            fn type_def(token: ::sigparse::token::TypeDef) -> $crate::metadata::TypeDefProps;
            fn enclosing_type(token: ::sigparse::token::TypeDef) -> Option<::sigparse::token::TypeDef>;
            fn type_ref(token: ::sigparse::token::TypeRef) -> $crate::metadata::TypeRefProps;
            fn type_spec(token: ::sigparse::token::TypeSpec) -> &[u8];
            fn generic_params(owner: ::sigparse::Token) -> Vec<::sigparse::token::GenericParam>;
            fn generic_param(token: ::sigparse::token::GenericParam) -> $crate::metadata::GenericParamProps;
            fn method(token: ::sigparse::token::MethodDef) -> $crate::metadata::MethodProps<'_>;
            fn methods(type_def: ::sigparse::token::TypeDef) -> Vec<::sigparse::token::MethodDef>;
            fn methods_named(type_def: ::sigparse::token::TypeDef, name: &str) -> Vec<::sigparse::token::MethodDef>;
            fn params(method: ::sigparse::token::MethodDef) -> Vec<::sigparse::token::ParamDef>;
            fn param(token: ::sigparse::token::ParamDef) -> $crate::metadata::ParamProps<'_>;
            fn fields(type_def: ::sigparse::token::TypeDef) -> Vec<::sigparse::token::FieldDef>;
            fn field(token: ::sigparse::token::FieldDef) -> $crate::metadata::FieldProps<'_>;
            fn custom_attribute(of: ::sigparse::Token, name: &str) -> Option<&[u8]>;
            fn accessed(method: ::sigparse::token::MethodDef) -> Option<$crate::metadata::Accessed>;
            fn property(token: ::sigparse::token::PropertyDef) -> $crate::metadata::PropertyProps<'_>;
            fn event(token: ::sigparse::token::EventDef) -> $crate::metadata::EventProps;
            fn method_impls(type_def: ::sigparse::token::TypeDef) -> Vec<(::sigparse::MethodDefOrRef, ::sigparse::MethodDefOrRef)>;
            fn member_ref(token: ::sigparse::token::MemberRef) -> $crate::metadata::MemberRefProps<'_>;
        }
    };
}
