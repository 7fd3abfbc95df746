//! Rewrites the IL of a running .NET program.
//!
//! [`Rewriter::at_jit`] and [`Rewriter::at_rejit`] import a method body as the runtime has it now, pass it to a closure that
//! edits it, encode and verify the result, and submit it with its IL map. A body that does not verify is not submitted.
//!
//! | to | use |
//! |---|---|
//! | rewrite a method before it is compiled for the first time | [`Rewriter::at_jit`], from `Profiler::jit_compilation_started` |
//! | rewrite a method that has been compiled | [`Rewriter::request_rejit`], and [`Rewriter::at_rejit`] from `Profiler::rejit_parameters` |
//! | give a method its IL back | [`Rewriter::request_revert`] |
//! | refer to types, members, strings and signatures | [`LiveModule`] |
//!
//! | file | subject |
//! |---|---|
//! | `rewriter` | modules and submitted bodies; requests |
//! | `submit` | import, edit, verify, submit |
//! | `method` | a method body that is being edited |
//! | `module` | a module's metadata, as `cil` reads it |
//! | `references` | rows that inserted code refers to: found, or added |
//! | `core_library` | how a module refers to the core library |

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod core_library;
mod error;
mod method;
mod module;
mod references;
mod rewriter;
mod submit;

pub use cil;
pub use error::{Result, RewriteError};
pub use method::Method;
pub use module::LiveModule;
pub use rewriter::Rewriter;
pub use submit::Outcome;
