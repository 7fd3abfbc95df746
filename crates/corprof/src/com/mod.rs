//! The COM edge: everything that knows com-rs, reference counts or vtables of ours.
//!
//! com-rs supplies `IUnknown`, whose `Clone` is `AddRef` and whose `Drop` is `Release`, and the
//! [`com::Interface`] trait. The object that the runtime calls is our own (see [`object`]): com-rs would make
//! it a `Box` that is re-created, and so aliased, on every call of every thread. Replacing com-rs touches this
//! folder alone.

pub(crate) mod callbacks;
pub(crate) mod class_factory;
pub(crate) mod guard;
pub(crate) mod interface;
pub(crate) mod library;
pub(crate) mod object;
mod vtable;
