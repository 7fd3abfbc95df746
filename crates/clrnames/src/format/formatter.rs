//! The formatter, and the names of type arguments.

use std::sync::Arc;

use sigparse::TypeDefOrRef;
use sigparse::token::TypeDef;

use crate::csharp::{CANON, TypeDefinition, TypeName, element_name};
use crate::error::Error;
use crate::resolution;
use crate::source::{ClassKind, Source};

/// The result of a formatter over a source.
pub(super) type Result<T, S> = core::result::Result<T, <S as crate::resolution::ModuleSet>::Error>;

/// Formats the names of types and methods. Caching is left to the source.
pub struct Formatter<'s, S: Source> {
    pub(super) source: &'s S,
}

impl<'s, S: Source> Formatter<'s, S> {
    /// A formatter that reads this source.
    pub fn new(source: &'s S) -> Self {
        Self { source }
    }

    /// Returns the name of a type argument as C# writes it: `System.Collections.Generic.List<int>`, `string[]`.
    ///
    /// # Errors
    /// Any error of the source or the metadata.
    pub fn class_name(&self, class: &S::Class) -> Result<TypeName, S> {
        self.source.cached_class_name(class, || self.format_class(class))
    }

    fn format_class(&self, class: &S::Class) -> Result<TypeName, S> {
        let array = |element: TypeName, rank| match rank {
            1 => element.vector(),
            rank => element.array(rank),
        };
        Ok(match self.source.class_kind(class)? {
            ClassKind::Defined { module, type_def, args } => {
                let args = self.class_names(&args)?;
                let definition = self.definition(module, TypeDefOrRef::TypeDef(type_def))?;
                TypeName::of_shared(&definition, &args)
            }
            ClassKind::Array { element, rank } => array(self.class_name(&element)?, rank),
            ClassKind::ArrayOf { element, rank } => array(element_name(element), rank),
            ClassKind::Element(element) => element_name(element),
            ClassKind::Pointer(target) => self.class_name(&target)?.pointer(),
            ClassKind::Unknown => TypeName::new(CANON),
        })
    }

    /// Returns the metadata name of a definition or reference: ``Ns.Outer`1+Inner``. Nothing is loaded.
    ///
    /// # Errors
    /// [`Error::NotFound`]: a `TypeSpec` has no name. Any error of the metadata.
    pub fn metadata_name(&self, module: S::Module, token: TypeDefOrRef) -> Result<Arc<str>, S> {
        Ok(Arc::clone(&self.definition(module, token)?.metadata_name))
    }

    /// Returns the names of type arguments. An unknown one is `System.__Canon`.
    pub(super) fn class_names(&self, classes: &[Option<S::Class>]) -> Result<Vec<TypeName>, S> {
        let name = |class: &Option<S::Class>| match class {
            Some(class) => self.class_name(class),
            None => Ok(TypeName::new(CANON)),
        };
        classes.iter().map(name).collect()
    }

    pub(super) fn metadata(&self, module: S::Module) -> Result<Arc<S::Metadata>, S> {
        self.source.metadata(module)
    }

    pub(super) fn definition(
        &self,
        module: S::Module,
        token: TypeDefOrRef,
    ) -> Result<Arc<TypeDefinition>, S> {
        self.source.cached_definition(module, token, || TypeDefinition::read(&*self.metadata(module)?, token))
    }

    /// Returns the definition that a token refers to.
    pub(super) fn resolve(&self, module: S::Module, token: TypeDefOrRef) -> Result<(S::Module, TypeDef), S> {
        let not_found = || Error::NotFound(format!("no module defines the type of {token}")).into();
        resolution::resolve(self.source, module, token)?.ok_or_else(not_found)
    }
}

impl<S: Source> core::fmt::Debug for Formatter<'_, S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Formatter")
    }
}

/// Formats type arguments: `<int, string>`, or nothing where there are none.
pub(super) fn type_arguments(args: &[TypeName]) -> String {
    let args: Vec<&str> = args.iter().map(TypeName::as_str).collect();
    if args.is_empty() { String::new() } else { format!("<{}>", args.join(", ")) }
}
