//! Type arguments, tokens and signatures, spelled as C# spells types.

use std::sync::Arc;

use sigparse::print::csharp_keyword;
use sigparse::{
    CallingConvention, ElementType, MethodSig, Modifier, ResolutionScope, Type, TypeDefOrRef, TypeSig,
};

use super::text::{Level, TypeText, spell};
use super::{Answer, Speller};
use crate::Error;
use crate::metadata::Metadata as _;
use crate::source::{ClassShape, Source};

/// How deep types may be nested in one another before their metadata is taken to be malformed.
const MAX_NESTING: usize = 64;

/// What a type's token says of its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The type and those that it is nested in, outermost first.
    pub levels: Vec<Level>,
    /// The name in the metadata, nested types behind a plus: ``Ns.Outer`1+Inner``.
    pub metadata_name: Arc<str>,
    /// The names of its generic parameters, where it is defined in the module.
    pub parameters: Vec<String>,
}

/// What the types of a signature are spelled with.
pub(super) struct Scope<'s, M> {
    /// The module whose signature it is.
    pub(super) module: M,
    /// What stands for the generic parameters of the class.
    pub(super) class_args: &'s [TypeText],
    /// What stands for the generic parameters of the method.
    pub(super) method_args: &'s [TypeText],
}

impl<S: Source + ?Sized> Speller<'_, S> {
    /// What C# calls a type argument: `System.Collections.Generic.List<int>`, `string[]`.
    ///
    /// # Errors
    /// What the source reports.
    pub fn spell_class(&self, class: &S::Class) -> Answer<TypeText, S> {
        Ok(match self.source.class_shape(class)? {
            ClassShape::Defined { module, type_def, args } => {
                let args = self.class_texts(&args)?;
                let definition = self.definition(module, TypeDefOrRef::TypeDef(type_def))?;
                spell(&definition.levels, &args, |_| CANON.to_owned())
            }
            ClassShape::Array { element, rank } => self.class_text(&element)?.array(rank),
            ClassShape::ArrayOf { element, rank } => TypeText::plain(element_text(element)).array(rank),
            ClassShape::Element(element) => TypeText::plain(element_text(element)),
            ClassShape::Pointer(target) => self.class_text(&target)?.pointer(),
            ClassShape::Unknown => TypeText::plain(CANON),
        })
    }

    /// The name that the metadata has for a definition or reference of a module, with its namespace and, behind
    /// a plus, the types it is nested in: ``Ns.Outer`1+Inner``. Nothing is loaded.
    ///
    /// # Errors
    /// What the metadata reports; that a `TypeSpec` has no name.
    pub fn metadata_name(&self, module: S::Module, token: TypeDefOrRef) -> Answer<Arc<str>, S> {
        Ok(Arc::clone(&self.definition(module, token)?.metadata_name))
    }

    /// The spelling of type arguments; one that the runtime does not know is `System.__Canon`, as it calls it.
    pub(super) fn class_texts(&self, classes: &[Option<S::Class>]) -> Answer<Vec<TypeText>, S> {
        let text = |class: &Option<S::Class>| match class {
            Some(class) => self.class_text(class),
            None => Ok(TypeText::plain(CANON)),
        };
        classes.iter().map(text).collect()
    }

    /// What a definition or reference of a module says of its type's name.
    ///
    /// # Errors
    /// What the metadata reports; that a `TypeSpec` has no name.
    pub fn read_definition(&self, module: S::Module, token: TypeDefOrRef) -> Answer<Definition, S> {
        let metadata = self.metadata(module)?;
        let (mut names, mut parameters) = (Vec::new(), Vec::new());
        let mut next = Some(token);
        if let TypeDefOrRef::TypeDef(type_def) = token {
            for parameter in metadata.generic_params(type_def.into())? {
                parameters.push(metadata.generic_param(parameter)?.name);
            }
        }
        while let Some(token) = next {
            if names.len() == MAX_NESTING {
                return Err(Error::NotFound(format!("type {token} is nested in itself")).into());
            }
            let name = match token {
                TypeDefOrRef::TypeDef(type_def) => {
                    let props = metadata.type_def(type_def)?;
                    next = match props.attributes.is_nested() {
                        true => metadata.enclosing_type(type_def)?.map(TypeDefOrRef::TypeDef),
                        false => None,
                    };
                    props.name
                }
                TypeDefOrRef::TypeRef(type_ref) => {
                    let props = metadata.type_ref(type_ref)?;
                    next = match props.scope {
                        Some(ResolutionScope::TypeRef(enclosing)) => Some(TypeDefOrRef::TypeRef(enclosing)),
                        _ => None,
                    };
                    props.name
                }
                TypeDefOrRef::TypeSpec(spec) => {
                    return Err(Error::NotFound(format!("{spec} has no name but a signature")).into());
                }
            };
            names.push(name);
        }
        names.reverse();
        let levels = names.iter().map(|name| Level::of_metadata(name)).collect();
        Ok(Definition { levels, metadata_name: names.join("+").into(), parameters })
    }

    /// The spelling of a type in a signature.
    pub(super) fn sig_text(&self, scope: &Scope<'_, S::Module>, sig: TypeSig<'_>) -> Answer<TypeText, S> {
        Ok(match sig.ty() {
            Type::Class(token) | Type::ValueType(token) => self.named_text(scope, token, &[])?,
            Type::Ptr(target) => self.sig_text(scope, target)?.pointer(),
            Type::ByRef(target) => {
                let keyword = self.reference_keyword(scope, sig, false);
                TypeText::plain(format!("{keyword} {}", self.sig_text(scope, target)?.as_str()))
            }
            Type::Pinned(inner) => self.sig_text(scope, inner)?,
            Type::SzArray(element) => self.sig_text(scope, element)?.array(1),
            Type::Array(array) => self.sig_text(scope, array.element())?.array(array.rank()),
            Type::Var(index) => argument(scope.class_args, index, "!"),
            Type::MVar(index) => argument(scope.method_args, index, "!!"),
            Type::GenericInst(generic) => {
                let args: Answer<Vec<TypeText>, S> =
                    generic.args().map(|arg| self.sig_text(scope, arg)).collect();
                match generic.type_def_or_ref() {
                    Some(token) => self.named_text(scope, token, &args?)?,
                    None => TypeText::plain("(internal type)"),
                }
            }
            Type::FnPtr(pointer) => self.function_pointer_text(scope, &pointer)?,
            Type::Internal(handle) => match self.source.internal_class(handle) {
                Some(class) => self.class_text(&class)?,
                None => TypeText::plain("(internal type)"),
            },
            simple => TypeText::plain(element_text(simple.element_type())),
        })
    }

    /// What C# writes for a reference that is returned, or that a function pointer's parameter is: `in`, `out`
    /// and `ref readonly` are written as a `modreq`.
    pub(super) fn reference_keyword(
        &self,
        scope: &Scope<'_, S::Module>,
        sig: TypeSig<'_>,
        is_parameter: bool,
    ) -> &'static str {
        for token in sig.modifiers().filter(|modifier| modifier.is_required()).filter_map(Modifier::ty) {
            let Ok(name) = self.metadata_name(scope.module, token) else { continue };
            match &*name {
                "System.Runtime.InteropServices.InAttribute" if is_parameter => return "in",
                "System.Runtime.InteropServices.InAttribute" => return "ref readonly",
                "System.Runtime.InteropServices.OutAttribute" if is_parameter => return "out",
                _ => {}
            }
        }
        "ref"
    }

    /// A type that a signature names by token.
    fn named_text(
        &self,
        scope: &Scope<'_, S::Module>,
        token: TypeDefOrRef,
        args: &[TypeText],
    ) -> Answer<TypeText, S> {
        let definition = self.definition(scope.module, token)?;
        let parameters = &definition.parameters;
        Ok(spell(&definition.levels, args, |index| {
            parameters.get(index).cloned().unwrap_or_else(|| format!("!{index}"))
        }))
    }

    fn function_pointer_text(
        &self,
        scope: &Scope<'_, S::Module>,
        pointer: &MethodSig<'_>,
    ) -> Answer<TypeText, S> {
        let mut types = Vec::new();
        for param in pointer.params() {
            let param = param.map_err(|error| Error::Signature { of: "a function pointer".into(), error })?;
            types.push(match param.by_ref() {
                Some(target) => {
                    let keyword = self.reference_keyword(scope, param.sig(), true);
                    format!("{keyword} {}", self.sig_text(scope, target)?.as_str())
                }
                None => self.sig_text(scope, param.sig())?.as_str().to_owned(),
            });
        }
        types.push(self.sig_text(scope, pointer.return_type())?.as_str().to_owned());
        let convention = match pointer.calling_convention() {
            CallingConvention::DEFAULT => "",
            CallingConvention::C => " unmanaged[Cdecl]",
            CallingConvention::STDCALL => " unmanaged[Stdcall]",
            CallingConvention::THISCALL => " unmanaged[Thiscall]",
            CallingConvention::FASTCALL => " unmanaged[Fastcall]",
            _ => " unmanaged",
        };
        Ok(TypeText::plain(format!("delegate*{convention}<{}>", types.join(", "))))
    }
}

/// What the runtime calls a type argument that shared code does not know.
pub(super) const CANON: &str = "System.__Canon";

/// The argument that stands for a generic parameter.
fn argument(args: &[TypeText], index: u32, prefix: &str) -> TypeText {
    args.get(index as usize).cloned().unwrap_or_else(|| TypeText::plain(format!("{prefix}{index}")))
}

/// The spelling of an element type that needs nothing else.
fn element_text(element: ElementType) -> String {
    match (csharp_keyword(element), element) {
        (Some(keyword), _) => keyword.to_owned(),
        (None, ElementType::PTR) => "void*".to_owned(),
        (None, other) => format!("({other})"),
    }
}
