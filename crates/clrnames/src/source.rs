//! The input of a formatter: the classes and modules of a running process, or of assembly files.

use core::fmt::Debug;
use std::sync::Arc;

use sigparse::token::TypeDef;
use sigparse::{ElementType, TypeDefOrRef};

use crate::csharp::{TypeDefinition, TypeName};
use crate::resolution::ModuleSet;

/// The kind of a type argument and its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClassKind<M, C> {
    /// A type with a definition.
    Defined {
        /// The module that defines it.
        module: M,
        /// Its definition.
        type_def: TypeDef,
        /// Its type arguments, enclosing types' included; `None` for one that is not known.
        args: Vec<Option<C>>,
    },
    /// An array. The profiling API reports rank 1 for `T[]` and `T[*]` alike; rank 1 is written `T[]`.
    Array {
        /// The element type.
        element: C,
        /// The number of dimensions.
        rank: u32,
    },
    /// An array of whose element type only the code is known: a pointer, for instance.
    ArrayOf {
        /// The code of the element type.
        element: ElementType,
        /// The number of dimensions.
        rank: u32,
    },
    /// A type with an element type code of its own: `int`.
    Element(ElementType),
    /// A pointer to a type.
    Pointer(C),
    /// An unknown reference type: the runtime's `System.__Canon`.
    Unknown,
}

/// The classes and modules that a [`Formatter`](crate::Formatter) reads.
///
/// `corprof` implements it for a running process and this crate for assembly files, so that both give the same names.
#[allow(clippy::missing_errors_doc, reason = "any error of the runtime or the metadata, for all of them")]
pub trait Source: ModuleSet {
    /// A type argument.
    type Class: Clone + Debug;

    /// Returns the kind and the parts of a type argument.
    fn class_kind(&self, class: &Self::Class) -> Result<ClassKind<Self::Module, Self::Class>, Self::Error>;

    /// Returns whether a type argument that has a definition is a value type.
    fn is_value_type(&self, class: &Self::Class) -> Result<bool, Self::Error>;

    /// Returns the type of an `ELEMENT_TYPE_INTERNAL` in a signature, which only a running process has.
    fn internal_class(&self, handle: usize) -> Option<Self::Class> {
        let _ = handle;
        None
    }

    /// Reads the definition of a type's token by `read`. Override this to cache the result.
    fn cached_definition(
        &self,
        module: Self::Module,
        token: TypeDefOrRef,
        read: impl FnOnce() -> Result<TypeDefinition, Self::Error>,
    ) -> Result<Arc<TypeDefinition>, Self::Error> {
        let _ = (module, token);
        read().map(Arc::new)
    }

    /// Formats a type argument by `format`. Override this to cache the result.
    fn cached_class_name(
        &self,
        class: &Self::Class,
        format: impl FnOnce() -> Result<TypeName, Self::Error>,
    ) -> Result<TypeName, Self::Error> {
        let _ = class;
        format()
    }
}
