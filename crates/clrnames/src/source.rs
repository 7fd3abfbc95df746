//! Where names come from: a running program, or files.

use core::fmt::Debug;
use std::sync::Arc;

use sigparse::token::TypeDef;
use sigparse::{ElementType, TypeDefOrRef};

use crate::metadata::Metadata;
use crate::spelling::{Definition, Speller, TypeText};

/// What a type argument is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClassShape<M, C> {
    /// A type with a definition.
    Defined {
        /// The module that defines it.
        module: M,
        /// Its definition.
        type_def: TypeDef,
        /// Its type arguments, enclosing types' included; `None` for one that is not known.
        args: Vec<Option<C>>,
    },
    /// An array.
    Array {
        /// What it is an array of.
        element: C,
        /// The number of dimensions.
        rank: u32,
    },
    /// An array of a type that is known by its kind alone: a pointer, for instance.
    ArrayOf {
        /// The kind of what it is an array of.
        element: ElementType,
        /// The number of dimensions.
        rank: u32,
    },
    /// A type that its element type says all of: `int`.
    Element(ElementType),
    /// A pointer.
    Pointer(C),
    /// Not known: what the runtime calls `System.__Canon`.
    Unknown,
}

/// What [`Speller`] spells names from.
///
/// `corprof` implements it for what a running program has loaded, and this crate for assembly files, so that both give
/// the same names.
#[allow(clippy::missing_errors_doc, reason = "what the metadata reports, for all of them")]
pub trait Source {
    /// Stands for a module.
    type Module: Copy + Debug;
    /// Stands for a type argument.
    type Class: Clone + Debug;
    /// A module's metadata.
    type Metadata: Metadata;
    /// What can go wrong.
    type Error: From<crate::Error> + From<<Self::Metadata as Metadata>::Error>;

    /// A module's metadata.
    fn metadata(&self, module: Self::Module) -> Result<Arc<Self::Metadata>, Self::Error>;

    /// What a type argument is.
    fn class_shape(&self, class: &Self::Class) -> Result<ClassShape<Self::Module, Self::Class>, Self::Error>;

    /// Whether a type argument that has a definition is a value type.
    fn is_value_type(&self, class: &Self::Class) -> Result<bool, Self::Error>;

    /// The definition that a module's token refers to. Only the members of enums are looked for with it, and an
    /// error means that they are not known.
    fn definition_of(
        &self,
        module: Self::Module,
        token: TypeDefOrRef,
    ) -> Result<(Self::Module, TypeDef), Self::Error>;

    /// The type that an `ELEMENT_TYPE_INTERNAL` of a signature stands for, which only a running program has.
    fn internal_class(&self, handle: usize) -> Option<Self::Class> {
        let _ = handle;
        None
    }

    /// What a token says of its type's name: [`Speller::read_definition`]. To be overridden by who remembers it.
    fn type_definition(
        &self,
        module: Self::Module,
        token: TypeDefOrRef,
    ) -> Result<Arc<Definition>, Self::Error> {
        Speller::new(self).read_definition(module, token).map(Arc::new)
    }

    /// The spelling of a type argument: [`Speller::spell_class`]. To be overridden by who remembers it.
    fn class_text(&self, class: &Self::Class) -> Result<TypeText, Self::Error> {
        Speller::new(self).spell_class(class)
    }
}
