//! Names of .NET methods and types, as C# and ILAsm write them.
//!
//! ```
//! use clrnames::{MethodIdentity, TypeName};
//!
//! let entry = TypeName::from_metadata("System.Collections.Generic.Dictionary`2+Entry", &["string", "int?"]);
//! assert_eq!(entry.as_str(), "System.Collections.Generic.Dictionary<string, int?>.Entry");
//!
//! // What a profiler logs, and a `Symbolizer` names later from the assembly files.
//! let logged: MethodIdentity = "5f2a6d0c9b1e4c37a8d40e6f7b3c1a29!06000123<int>".parse()?;
//! assert_eq!(logged.to_string(), "5f2a6d0c9b1e4c37a8d40e6f7b3c1a29!06000123<int>");
//! # Ok::<(), clrnames::IdentityError>(())
//! ```
//!
//! - [`Symbolizer`] names methods from assembly files, without a runtime.
//! - [`MethodIdentity`] identifies a method across processes: a module's version id, a token, type arguments. A profiler
//!   logs it, and a `Symbolizer` names it later.
//! - [`Formatter`] formats names from any [`Source`]. The crate `corprof` implements one over the profiling API.
//! - [`TypeName`] and [`csharp::type_name`] format single types, from metadata names and from signatures.
//! - [`resolution`] resolves type references between modules.
//! - [`Image`] reads the metadata of an assembly file.
//! - [`pdb`] reads portable PDBs: lines, scopes, state machines.
//!
//! Names are C#'s: keywords for built-in types, nested types after a dot, generic arguments on the type that declares the
//! parameters (`System.Collections.Generic.Dictionary<string, int>.Enumerator`), `T[]`, `T*`, `int?`, `(int, string)`.
//! [`Declaration`] is a method in the syntax of its source, and [`Formatter::il_name`] in the syntax of ILAsm.
//!
//! | for | see |
//! |---|---|
//! | a method's name, from a logged identity | [`Symbolizer::method`] |
//! | a method's name in a running program | `Names` of [`corprof`](https://docs.rs/corprof) |
//! | the name of a type from its metadata name and type arguments | [`TypeName::from_metadata`] |
//! | the name of a type in a signature | [`csharp::type_name`] |
//! | the definition of a type reference | [`resolution::resolve`] |
//! | the rows of an assembly file | [`Image`], with [`metadata::Metadata`] |
//! | argument values, results | `CallTracer` of [`corprof-calls`](https://docs.rs/corprof-calls) |
//! | a stack | `ProfilerInfo::walk_stack` of `corprof` |
//! | an allocation's size | `Profiler::object_allocated` and `ProfilerInfo::object_size` of `corprof` |
//! | an exception's message | `Profiler::exception_thrown` of `corprof`; the object's `_message` |

#![forbid(unsafe_code)]

#[cfg(all(doctest, feature = "files"))]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod csharp;
mod error;
mod format;
mod identity;
#[cfg(feature = "files")]
mod image;
mod limits;
pub mod metadata;
pub mod resolution;
mod source;
#[cfg(feature = "files")]
mod symbols;

pub use csharp::TypeName;
pub use error::Error;
pub use format::{
    Declaration, FormattedMethod, Formatter, Instantiation, MethodDefinition, MethodKind, Parameter,
    ParameterMode, SourceMethod,
};
pub use identity::{IdentityError, MethodIdentity, Mvid, TypeIdentity};
#[cfg(feature = "files")]
pub use image::{
    Image, ImageError, ImageErrorKind, ImageLayout, Sections, checked_metadata, metadata_range, pdb,
};
pub use source::{ClassKind, Source};
#[cfg(feature = "files")]
pub use symbols::{AssemblyFile, FileModule, Symbol, SymbolError, Symbolizer};
