//! How names are spelled.
//!
//! | file | subject |
//! |---|---|
//! | `text` | how C# spells types: keywords, generics, arrays, tuples |
//! | `types` | type arguments and metadata tokens to such texts |
//! | `methods` | methods, their parameters, and the instantiation of a call |
//! | `declaration` | methods as the source declares them |
//! | `members` | what a method is in the source, and what it is called there |
//! | `source` | the method of the source behind one of the compiler's |
//! | `generated` | the names that the compiler makes up |
//! | `annotations` | names of tuple elements, `dynamic` |
//! | `constants` | default values of parameters |
//! | `il` | ILAsm's spelling |

mod annotations;
mod constants;
mod declaration;
mod generated;
mod il;
mod members;
mod methods;
mod source;
mod text;
mod types;

use std::sync::Arc;

use sigparse::TypeDefOrRef;
use sigparse::token::TypeDef;

pub use declaration::Declaration;
pub use members::MethodKind;
pub use methods::{Call, MethodDefinition, MethodRef, Parameter, ParameterMode};
pub use source::SourceMethod;
pub use text::{Level, TypeText};
pub use types::Definition;

use crate::source::Source;

/// What the methods of [`Speller`] give.
type Answer<T, S> = Result<T, <S as Source>::Error>;

/// The method of the source, as a source's types have it.
type SourceOf<S> = SourceMethod<<S as Source>::Module, <S as Source>::Class>;

/// Where a method stands, in a source's types.
type PlaceOf<'p, S> = members::Place<'p, <S as Source>::Module, <S as Source>::Class>;

/// Spells names. It remembers nothing: what is worth it is remembered by the source.
pub struct Speller<'s, S: Source + ?Sized> {
    source: &'s S,
}

impl<'s, S: Source + ?Sized> Speller<'s, S> {
    /// Spells names from this source.
    pub fn new(source: &'s S) -> Self {
        Self { source }
    }

    fn metadata(&self, module: S::Module) -> Answer<Arc<S::Metadata>, S> {
        self.source.metadata(module)
    }

    fn definition(&self, module: S::Module, token: TypeDefOrRef) -> Answer<Arc<Definition>, S> {
        self.source.type_definition(module, token)
    }

    fn class_text(&self, class: &S::Class) -> Answer<TypeText, S> {
        self.source.class_text(class)
    }

    fn resolve(&self, module: S::Module, token: TypeDefOrRef) -> Answer<(S::Module, TypeDef), S> {
        self.source.definition_of(module, token)
    }
}

impl<S: Source + ?Sized> core::fmt::Debug for Speller<'_, S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Speller")
    }
}
