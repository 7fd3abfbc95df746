//! Raw FFI of the .NET profiling and metadata APIs: what `corprof.h`, `cor.h`, `corhdr.h` and
//! `corerror.h` of the runtime declare. No logic, no dependencies, `no_std`.
//!
//! Everything is at the root of the crate under its C name: `ICorProfilerInfo15`,
//! `ICorProfilerCallback11Vtbl`, `COR_PRF_MONITOR_GC`, `IID_ICorProfilerInfo`, `CORPROF_E_DATAINCOMPLETE`.
//! For a safe API see the crate `corprof`, which is built on this one.
//!
//! Contract of the unsafe code in this folder: what is declared has the layout and the signatures of the runtime's headers,
//! and whoever calls a method argues for its arguments.
//!
//! # Where to find what
//!
//! | for | see |
//! |---|---|
//! | interfaces and their vtables | [`ICorProfilerInfo15`], [`ICorProfilerCallback11Vtbl`], [`IMetaDataImport2`], [`IUnknown`] |
//! | flags of the event mask | [`COR_PRF_MONITOR`], [`COR_PRF_HIGH_MONITOR`] |
//! | result codes | [`HRESULT`]; `CORPROF_E_…`, `CLDB_E_…`, `COR_E_…` |
//! | a method's name | `Names` of [`corprof`](https://docs.rs/corprof); without a runtime `Symbolizer` of [`clrnames`](https://docs.rs/clrnames) |
//! | argument values, results | `CallTracer` of [`corprof-calls`](https://docs.rs/corprof-calls) |
//! | a stack | `ProfilerInfo::walk_stack` of `corprof` |
//! | an allocation's size | `Profiler::object_allocated` and `ProfilerInfo::object_size` of `corprof` |
//! | an exception's message | `Profiler::exception_thrown` of `corprof`; the object's `_message` |
//!
//! # How C becomes Rust here
//!
//! - **Interfaces** are structures with one field, `lpVtbl`. They are the runtime's objects, used as
//!   `*mut ICorProfilerInfo15`, and cannot be copied. A pointer to an interface is also a pointer to each
//!   of its bases.
//! - **Vtables** nest: `ICorProfilerInfo2Vtbl` begins with `base: ICorProfilerInfoVtbl`, and so on down to
//!   [`IUnknownVtbl`]. Each method is declared once, by the interface that introduced it, and its `This` has
//!   that interface's type. A slot is a plain function pointer, never an `Option`.
//! - **Callback types** (`FunctionEnter3`, `StackSnapshotCallback`) are `Option`s of function pointers, as the
//!   runtime takes null for "none". All calls are `extern "system"`.
//! - **Enumerations** are open newtypes over `u32`, such as [`COR_PRF_MONITOR`], so that a value that a newer
//!   runtime introduces is a value and not undefined behaviour. Their values are constants at the root and
//!   not associated ones: they carry their prefix already, and read as in C and in the documentation of .NET.
//!   Where a method takes a `DWORD` of flags, the number is in `.0`.
//! - **HRESULTs** are `i32` constants; negative is failure.
//! - **GUIDs** are constants of [`GUID`]; the one of the interface `IFoo` is `IID_IFoo`.
//! - **Reference parameters** are pointers: [`REFIID`], [`REFCLSID`], [`REFGUID`].
//! - **Base types** are the runtime's and the same on every platform: [`WCHAR`] has 16 bits, [`ULONG`] has
//!   32; run-time ids such as [`FunctionID`] are pointer-sized.
//! - **Two names for one 32-bit value** (an anonymous union in the original) are one field that says both,
//!   such as `ClassTokenOrFilterOffset`.
//!
//! # Where it comes from, and how it is checked
//!
//! The input is this project's own C headers (`include/` in the repository), and the output of bindgen and
//! `cargo xtask codegen` is checked in: users need neither libclang nor a C compiler. CI regenerates and
//! compares. The tests hold every interface, slot, parameter, offset, value and GUID, as the Rust
//! compiler and as a C compiler see it, against facts about the ABI that were read from the runtime's own
//! headers, and fail on missing and on additional items.
//!
//! # Example
//!
//! ```
//! use corprof_sys::{BOOL, E_POINTER, FunctionID, HRESULT, ICorProfilerInfo, IUnknown, ULONG};
//!
//! /// Drops one reference of a COM object.
//! ///
//! /// # Safety
//! ///
//! /// `object` is a live COM object, and the caller owns a reference to it.
//! unsafe fn release(object: *mut IUnknown) -> ULONG {
//!     // SAFETY: a live object begins with a pointer to its vtable, which begins with that of IUnknown.
//!     unsafe { ((*(*object).lpVtbl).Release)(object) }
//! }
//!
//! // A callback for `SetFunctionIDMapper` in the runtime's calling convention.
//! unsafe extern "system" fn mapper(function: FunctionID, hook: *mut BOOL) -> usize {
//!     // SAFETY: the runtime passes a valid pointer.
//!     unsafe { *hook = 1 };
//!     function
//! }
//!
//! unsafe fn set_mapper(info: *mut ICorProfilerInfo) -> HRESULT {
//!     if info.is_null() {
//!         return E_POINTER;
//!     }
//!     // SAFETY: `info` is live, by the contract of this function.
//!     unsafe { ((*(*info).lpVtbl).SetFunctionIDMapper)(info, Some(mapper)) }
//! }
//! ```
#![no_std]

#[allow(
    missing_docs,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    reason = "the names are C's; what each item does is documented with .NET"
)]
#[allow(
    unsafe_code,
    clippy::undocumented_unsafe_blocks,
    clippy::missing_safety_doc,
    clippy::useless_transmute,
    clippy::cast_lossless,
    clippy::cast_possible_truncation,
    clippy::manual_div_ceil,
    clippy::ptr_as_ptr,
    clippy::ptr_offset_with_cast,
    reason = "bindgen's accessors of the bit-fields of IL method headers, the only code there is"
)]
mod bindings;
#[allow(missing_docs, non_upper_case_globals, reason = "the names are C's")]
mod guids;

pub use bindings::*;
pub use guids::*;

/// The identifiers of the callback interfaces, `ICorProfilerCallback` first, each derived from the one before.
pub const CALLBACK_INTERFACES: [GUID; 11] = [
    IID_ICorProfilerCallback,
    IID_ICorProfilerCallback2,
    IID_ICorProfilerCallback3,
    IID_ICorProfilerCallback4,
    IID_ICorProfilerCallback5,
    IID_ICorProfilerCallback6,
    IID_ICorProfilerCallback7,
    IID_ICorProfilerCallback8,
    IID_ICorProfilerCallback9,
    IID_ICorProfilerCallback10,
    IID_ICorProfilerCallback11,
];
