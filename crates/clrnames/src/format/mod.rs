//! Names and declarations of methods and types, from a [`Source`](crate::source::Source).
//!
//! | file | subject |
//! |---|---|
//! | `formatter` | the formatter, and the names of type arguments |
//! | `scope` | signatures with type arguments |
//! | `methods` | method definitions, and methods with type arguments |
//! | `declaration` | methods as the source declares them |
//! | `members` | constructors, operators, accessors, explicit implementations |
//! | `extensions` | members of extension blocks |
//! | `lowered` | the source methods of lambdas, local functions, iterators and `async` methods |
//! | `generated` | the names that C#'s compiler makes up |
//! | `annotations` | names of tuple elements, `dynamic` |
//! | `constants` | default values of parameters |
//! | `il` | ILAsm |

mod annotations;
mod constants;
mod declaration;
mod extensions;
mod formatter;
mod generated;
mod il;
mod lowered;
mod members;
mod methods;
mod scope;

pub use declaration::Declaration;
pub use formatter::Formatter;
pub use lowered::SourceMethod;
pub use members::MethodKind;
pub use methods::{FormattedMethod, Instantiation, MethodDefinition, Parameter, ParameterMode};
