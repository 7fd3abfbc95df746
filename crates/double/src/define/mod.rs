//! Defining a program: modules, types, their members.

mod class;
mod method;
mod module;

pub use class::Class;
pub use method::{Field, Method, MethodBuilder};
pub use module::Module;
