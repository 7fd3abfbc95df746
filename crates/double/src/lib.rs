#![doc = include_str!("../README.md")]

mod com;
mod define;
mod ids;
mod model;
mod run;
mod runtime;
mod site;
mod version;

pub use define::{Class, Field, Method, MethodBuilder, Module};
pub use model::{Type, TypeRow, Value};
pub use run::{Collection, Entry, Profilers, Recompiled, Session, Thrown};
pub use runtime::Runtime;
pub use version::Version;

/// An object on the managed heap. It keeps its identity when a collection moves it; a profiler gets its address at the
/// time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Object {
    pub(crate) index: usize,
}

/// An id or token of the fake runtime.
fn some<T>(id: Option<T>) -> T {
    #[allow(clippy::expect_used, reason = "they are counted from one on")]
    id.expect("ids of the double are not zero")
}
