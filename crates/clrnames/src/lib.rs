//! Names of .NET methods and types, as C# and IL write them.
//!
//! - [`Symbolizer`] gives names from assembly files, without a runtime.
//! - [`MethodIdentity`] is what a profiler logs to be named later: a module's version id, a token, type arguments.
//! - [`Image`] reads the metadata of an assembly file.
//! - [`Speller`] spells names from whatever is a [`Source`]. The crate `corprof` makes one of a running program.
//!
//! The spelling is C#'s: keywords for built-in types, nested types behind a dot, generic arguments where they
//! belong (`System.Collections.Generic.Dictionary<string, int>.Enumerator`), `T[]`, `T*`, `int?`,
//! `(int, string)`. [`Declaration`] has the words of the source, and [`Speller::il_name`] those of ILAsm.

#![forbid(unsafe_code)]

#[cfg(all(doctest, feature = "files"))]
#[doc = include_str!("../README.md")]
struct Readme;

mod error;
mod identity;
#[cfg(feature = "files")]
mod image;
pub mod metadata;
mod source;
mod spelling;
#[cfg(feature = "files")]
mod symbols;

pub use error::Error;
pub use identity::{IdentityError, MethodIdentity, Mvid, TypeIdentity};
#[cfg(feature = "files")]
pub use image::{AssemblyName, Exported, Image, ImageError, ImageErrorKind};
pub use source::{ClassShape, Source};
pub use spelling::{
    Call, Declaration, Definition, Level, MethodDefinition, MethodKind, MethodRef, Parameter, ParameterMode,
    SourceMethod, Speller, TypeText,
};
#[cfg(feature = "files")]
pub use symbols::{AssemblyFile, FileModule, Symbol, SymbolError, Symbolizer};
