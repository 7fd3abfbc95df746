//! Hooks by inserted code: the third kind of hooks.
//!
//! Each selected method gets code at its entry, at its exit and in a fault handler, which passes values to this crate ([`edit`]). The
//! methods of a module are selected when it has been loaded, and ReJIT is requested for them ([`requests`]), so that they alone are compiled
//! with other code. What a call with values is then, is the same for all kinds of hooks.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | what is known of a method with inserted code |
//! | `edit` | the inserted code |
//! | `methods` | the selected methods |
//! | `requests` | the thread that requests ReJIT, and reverts the methods |
//!
//! `insert` has the callbacks in which it is done, and `report` what the inserted code calls.

mod edit;
mod methods;
mod requests;

use std::sync::OnceLock;

pub(crate) use self::edit::insert;
pub(crate) use self::methods::{Installed, Methods, Selected};
use crate::function::Function;
use crate::shape::Shape;
use crate::tracer::CallTracer;

/// A method with inserted code. For profilers with a [`Calls`](crate::Calls) as a field.
pub struct InsertedFunction<T: CallTracer> {
    /// Set before the code is compiled.
    pub(crate) shape: OnceLock<Shape>,
    /// Set before the code is run.
    pub(crate) function: OnceLock<Function<T>>,
    /// The name without type arguments, after the file name of the module.
    pub(crate) name: String,
}

impl<T: CallTracer> InsertedFunction<T> {
    pub(crate) fn new(name: String) -> Self {
        Self { shape: OnceLock::new(), function: OnceLock::new(), name }
    }

    /// What a call needs; `None` if no code was compiled.
    #[inline(always)]
    pub(crate) fn ready(&self) -> Option<(&Function<T>, &Shape)> {
        Some((self.function.get()?, self.shape.get()?))
    }
}
