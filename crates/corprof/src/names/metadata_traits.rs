//! Metadata for the formatter: the traits of `clrnames`, over `IMetaDataImport`.

use clrnames::metadata as rows;
use clrnames::metadata::{AssemblyName, Exported, Manifest, key_token};
use sigparse::token::{
    AssemblyRef, EventDef, FieldDef, GenericParam, MemberRef, MethodDef, ModuleRef, ParamDef, PropertyDef,
    TypeDef, TypeRef, TypeSpec,
};
use sigparse::{Implementation, MethodDefOrRef, Token};

use crate::error::{Error, Result};
use crate::metadata::Metadata;

/// Forwards each method to the inherent one of the same name.
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

impl Manifest for Metadata {
    fn find_type_def(&self, name: &str, enclosing: Option<TypeDef>) -> Result<Option<TypeDef>> {
        Metadata::find_type_def(self, name, enclosing)
    }

    fn find_exported_type(&self, name: &str) -> Result<Option<Exported>> {
        let Some(exported) = Metadata::find_exported_type(self, name, None)? else { return Ok(None) };
        Ok(Some(match self.exported_type(exported)?.implementation {
            Some(Implementation::AssemblyRef(target)) => Exported::Forwarded(target),
            Some(Implementation::FileRef(file)) => Exported::File(self.file(file)?),
            _ => Exported::Nested,
        }))
    }

    fn assembly_name(&self) -> Result<Option<AssemblyName>> {
        Ok(self.assembly()?.map(|assembly| AssemblyName {
            key_token: key_token(assembly.public_key),
            name: assembly.name,
            version: assembly.version,
        }))
    }

    fn referenced_assembly(&self, token: AssemblyRef) -> Result<AssemblyName> {
        let assembly = self.assembly_ref(token)?;
        let key_token = key_token(assembly.public_key_or_token);
        Ok(AssemblyName { name: assembly.name, version: assembly.version, key_token })
    }

    fn referenced_module(&self, token: ModuleRef) -> Result<String> {
        self.module_ref(token)
    }
}
