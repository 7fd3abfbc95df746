//! Types as C# writes them: from metadata names, and from signatures.
//!
//! The source of names is left to the caller: a signature is formatted with a [`SignatureScope`], which supplies the
//! names of its tokens and the arguments of its generic parameters.
//!
//! | file | subject |
//! |---|---|
//! | `built_in` | the types with a keyword |
//! | `type_name` | the names of types, from rows; generic arguments, arrays, pointers, tuples |
//! | `signature` | the types of signatures |

mod built_in;
mod signature;
mod type_name;

pub use built_in::{csharp_keyword, element_type};
pub use signature::{SignatureScope, type_name};
pub use type_name::{CANON, TypeDefinition, TypeName};

pub(crate) use signature::{element_name, function_pointer_type, malformed_pointer, reference_keyword};
pub(crate) use type_name::{NO_ARGS, in_source};
