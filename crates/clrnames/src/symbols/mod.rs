//! Names of methods from assembly files, after the process has ended.
//!
//! | file | subject |
//! |---|---|
//! | `symbolizer` | identities to names |
//! | `file_source` | the source of the formatter, and references between files |
//! | `files` | the files, by version id and by name |
//! | `symbol_error` | why an identity has no name |

mod file_source;
mod files;
mod symbol_error;
mod symbolizer;

pub use files::{AssemblyFile, FileModule};
pub use symbol_error::SymbolError;
pub use symbolizer::{Symbol, Symbolizer};
