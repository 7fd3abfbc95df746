#![doc = include_str!("../README.md")]

mod core_library;
mod error;
mod method;
mod module;
mod references;
mod rewriter;
mod submit;

pub use cilbody;
pub use error::{Result, RewriteError};
pub use method::Method;
pub use module::LiveModule;
pub use rewriter::Rewriter;
pub use submit::Outcome;
