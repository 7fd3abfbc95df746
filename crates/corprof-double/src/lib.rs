#![doc = include_str!("../README.md")]

mod com;
mod define;
mod model;
mod run;
mod runtime;
mod version;

pub use define::{Class, Field, Method, MethodBuilder, Module};
pub use model::{Type, TypeRow, Value};
pub use run::{Collection, Entry, Session, Thrown};
pub use runtime::{Recompiled, Runtime};
pub use version::Version;

/// An object on the double's heap. It stays the same object when a collection moves it; what a profiler is given is the
/// address that it has at the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Object {
    pub(crate) index: usize,
}

/// An id or token that the double has made itself.
fn some<T>(id: Option<T>) -> T {
    #[allow(clippy::expect_used, reason = "they are counted from one on")]
    id.expect("ids of the double are not zero")
}
