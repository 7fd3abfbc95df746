#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod comparison;
mod condition;
mod error;
mod parser;
mod path;
mod token;
mod value;

pub use comparison::{Comparison, Operand, Operator};
pub use condition::Condition;
pub use error::Error;
pub use path::{Head, Path, Step};
pub use value::{Source, Value};
