//! The raw layer: COM methods as typed functions, and the only place below the callbacks where pointers are handled.
//!
//! | file | subject |
//! |---|---|
//! | `interface` | interface pointers, counted by com-rs |
//! | `abi` | values as COM methods take and write them |
//! | `call` | HRESULTs as errors that name the call |
//! | `buffers` | lists and texts whose length only the runtime knows; texts that are passed to it |
//! | `info` | the methods of `ICorProfilerInfo` to `ICorProfilerInfo15` |
//! | `data` | structures that the runtime fills in |
//! | `evidence` | values of a callback, which state preconditions of calls: frames, objects, no collection; the interfaces that a callback fills in |
//! | `alive`, `inflight` | ids that are unloaded are refused; unloads wait for calls |
//! | `slot` | a value that threads read without waiting, and one replaces |
//! | `sync` | the synchronisation primitives of these three, or those of `loom` |
//! | `call_site` | where a call is made, and whether it may be made there |
//! | `helper_thread` | calls that the runtime refuses in fast hooks, on a thread of their own |
//! | `visit` | closures that the runtime calls while it is called |
//! | `object_layout` | the class and the dimensions of an object, read from its memory |
//! | `image` | the metadata in the image of a module that is never unloaded |
//! | `library` | what the runtime's native library exports |
//! | `metadata` | `IMetaData*` |

pub(crate) mod abi;
pub(crate) mod alive;
pub(crate) mod buffers;
pub(crate) mod call;
pub(crate) mod call_site;
pub(crate) mod data;
pub(crate) mod evidence;
pub(crate) mod helper_thread;
pub(crate) mod image;
pub(crate) mod inflight;
pub(crate) mod info;
pub(crate) mod interface;
pub(crate) mod library;
pub(crate) mod metadata;
pub(crate) mod object_layout;
pub(crate) mod slot;
mod sync;
pub(crate) mod visit;
