//! Names of modules, classes and functions, by their ids.
//!
//! The formatter is that of the crate `clrnames`. Here is its source: what the process has loaded, with caches.
//!
//! | file | subject |
//! |---|---|
//! | `lookup` | [`Names`]: lookups through the caches |
//! | `functions` | functions, and functions with type arguments |
//! | `classes` | classes |
//! | `identity` | identities that outlive the process |
//! | `references` | references to types of other modules, without loading anything |
//! | `loaded_source` | the formatter's source |
//! | `metadata_traits` | metadata for the formatter |
//! | `method` | the results: `Method`, `Instance` |
//! | `caches` | the caches that all threads share, and their eviction on unload |
//! | `thread_cache` | the names that a thread has looked up |

mod caches;
mod classes;
mod functions;
mod identity;
mod loaded_source;
mod lookup;
mod metadata_traits;
mod method;
mod references;
mod thread_cache;

pub use clrnames::{MethodKind, Parameter, ParameterMode};
pub use lookup::Names;
pub use method::{Declaration, DeclaredMethod, Instance, Method, SourceMethod};
pub use references::ResolvedType;
