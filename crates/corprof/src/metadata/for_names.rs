//! What names are made from, handed to `clrnames`.

use clrnames::metadata as rows;
use sigparse::token::{
    EventDef, FieldDef, GenericParam, MemberRef, MethodDef, ParamDef, PropertyDef, TypeDef, TypeRef, TypeSpec,
};
use sigparse::{MethodDefOrRef, Token};

use super::Metadata;
use crate::{Error, Result};

/// Each method of the trait is that of the same name.
macro_rules! forward {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) -> $out:ty;)*) => {
        $(fn $name(&self, $($arg: $ty),*) -> Result<$out> {
            Metadata::$name(self, $($arg),*)
        })*
    };
}

impl rows::Metadata for Metadata {
    type Error = Error;

    forward! {
        fn type_def(token: TypeDef) -> rows::TypeDefProps;
        fn enclosing_type(token: TypeDef) -> Option<TypeDef>;
        fn type_ref(token: TypeRef) -> rows::TypeRefProps;
        fn type_spec(token: TypeSpec) -> &[u8];
        fn generic_params(owner: Token) -> Vec<GenericParam>;
        fn generic_param(token: GenericParam) -> rows::GenericParamProps;
        fn method(token: MethodDef) -> rows::MethodProps<'_>;
        fn methods(type_def: TypeDef) -> Vec<MethodDef>;
        fn methods_named(type_def: TypeDef, name: &str) -> Vec<MethodDef>;
        fn params(method: MethodDef) -> Vec<ParamDef>;
        fn param(token: ParamDef) -> rows::ParamProps<'_>;
        fn fields(type_def: TypeDef) -> Vec<FieldDef>;
        fn field(token: FieldDef) -> rows::FieldProps<'_>;
        fn custom_attribute(of: Token, name: &str) -> Option<&[u8]>;
        fn accessed(method: MethodDef) -> Option<rows::Accessed>;
        fn property(token: PropertyDef) -> rows::PropertyProps<'_>;
        fn event(token: EventDef) -> rows::EventProps;
        fn method_impls(type_def: TypeDef) -> Vec<(MethodDefOrRef, MethodDefOrRef)>;
        fn member_ref(token: MemberRef) -> rows::MemberRefProps<'_>;
    }
}
