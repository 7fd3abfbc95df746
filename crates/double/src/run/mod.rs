//! A session with a profiler, and the script of the program.

mod callback;
#[cfg(test)]
mod callback_cost;
mod calls;
mod collections;
mod compilation;
mod exceptions;
mod hooks;
mod loading;
mod objects;
mod session;
mod threads;

pub use callback::Entry;
pub use collections::Collection;
pub use compilation::Recompiled;
pub use corprof::__export::Profilers;
pub use exceptions::Thrown;
pub use session::Session;
