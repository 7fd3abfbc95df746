//! Write .NET profilers in safe Rust.
//!
//! The CLR loads a native library into a .NET process and calls it on every event: calls, loads, compilation,
//! garbage collection, exceptions. The API is COM. This crate makes a trait of it: implement [`Profiler`],
//! export it with [`export_profiler!`], build a `cdylib`, and point `CORECLR_PROFILER_PATH` to it.
//!
//! ```
//! use corprof::{ClassId, EventMask, HResult, Names, Profiler, ProfilerInfo, Result};
//!
//! struct ClassLoads(Names);
//!
//! impl Profiler for ClassLoads {
//!     fn initialize(info: &ProfilerInfo) -> Result<Self> {
//!         info.set_event_mask(EventMask::CLASS_LOADS | EventMask::MODULE_LOADS)?;
//!         Ok(ClassLoads(Names::new(info)))
//!     }
//!
//!     fn class_load_finished(&self, class: ClassId, _: Result<(), HResult>) {
//!         if let Ok(name) = self.0.class(class) {
//!             eprintln!("loaded {name}");
//!         }
//!     }
//! }
//!
//! corprof::export_profiler!("{3C5E0A5C-4E0B-4F0E-8B0B-6C2F6D1B7A10}", [ClassLoads]);
//! ```
//!
//! # Where to find what
//!
//! [`capabilities`] has an example of each thing that a profiler can do.
//!
//! | for | see |
//! |---|---|
//! | events of the runtime | [`Profiler`], [`EventMask`] |
//! | queries and requests to the runtime | [`ProfilerInfo`] |
//! | a module's metadata | [`Metadata`] |
//! | a method's name | [`Names::function`], [`Names::method`]; after the program has ended, `Symbolizer` of [`clrnames`] |
//! | enter, leave and tailcall hooks (ELT) | [`FunctionHooks`] |
//! | argument values, results | `CallTracer` of [`corprof-calls`](https://docs.rs/corprof-calls); as address ranges, [`EnterFrame::arguments`] |
//! | a stack | [`ProfilerInfo::walk_stack`] |
//! | an allocation's size | [`Profiler::object_allocated`], [`ProfilerInfo::object_size`] |
//! | an exception's message | [`Profiler::exception_thrown`]; the object's `_message` |
//! | IL of a running program | `Rewriter` of [`corprof-rewrite`](https://docs.rs/corprof-rewrite) |
//! | EventPipe events | [`Profiler::event_pipe_event_delivered`], [`EventPipeEvent`] |
//! | a fake runtime for `cargo test`, without .NET | [`corprof-double`](https://docs.rs/corprof-double) |
//!
//! Rules on ids, threads and the garbage collector are in the documentation of each item, and together in
//! the repository's `SAFETY.md`.

#[doc = include_str!("../docs/capabilities.md")]
pub mod capabilities {}
#[cfg(doctest)]
mod compile_fail;
mod error;
mod event_mask;
mod guard;
mod hooks;
mod id_map;
mod limits;
mod metadata;
mod names;
mod profiler;
mod raw;
mod report;
mod running;
mod runtime;
#[cfg(test)]
mod test_ids;
pub mod values;

pub use clrnames;
pub use corprof_in_process::{LastError, PerThread, Reserve};
pub use corprof_types::{
    AnyId, AppDomainId, ArgumentRange, ArrayInfo, AssemblyId, ClassId, EventPipeEventId, EventPipeProviderId,
    FunctionId, GcHandleId, Guid, HResult, ModuleId, ObjectId, ReJitId, RuntimeInfo, RuntimeType,
    StringLayout, ThreadId,
};
pub use error::{CallSite, Error, Result};
pub use event_mask::EventMask;
pub use hooks::{
    ArgumentWord, EnterArguments, EnterFrame, EnterRegisters, FunctionHooks, GenericContext, Hooks,
    InsertedCalls, InsertedEnter, InsertedHooks, InsertedMethod, InsertedReturn, InsertedThrow, LeaveFrame,
    LeaveRegisters, LeaveValue, Location, LocationKind, Locations, Register, ResultWord, ReturnRegisters,
    TailcallFrame,
};
pub use id_map::{IdHasher, IdMap};
pub use metadata::{
    Accessed, AssemblyIdentity, AssemblyProps, AssemblyRefProps, CodedTokenInfo, ColumnInfo, ColumnKind,
    Constant, CustomAttributeProps, EventAttributes, EventChange, EventProps, ExportedTypeProps,
    ExportedTypeTarget, FieldAttributes, FieldChange, FieldOffset, FieldProps, GenericParamAttributes,
    GenericParamChange, GenericParamConstraintProps, GenericParamProps, HeapSizes, ImportFrom,
    InterfaceImplProps, ManifestResourceProps, MemberRefProps, Metadata, MetadataDispenser, MetadataEmit,
    MetadataOption, MetadataScope, MetadataStream, MetadataTables, MethodAttributes, MethodChange,
    MethodProps, MethodSemantics, MethodSpecProps, ModuleRows, NewEvent, NewField, NewGenericParam,
    NewMethod, NewParam, NewProperty, NewTypeDef, OpenedMetadata, ParamAttributes, ParamChange, ParamProps,
    PeKind, PermissionSetProps, PinvokeMap, PinvokeTarget, PropertyAttributes, PropertyChange, PropertyProps,
    ResourcePlace, SavedMetadata, TableInfo, TypeAttributes, TypeDefChange, TypeDefProps, TypeLayout,
    TypeRefProps,
};
pub use names::{
    Declaration, DeclaredMethod, Instance, Method, MethodKind, Names, Parameter, ParameterMode, ResolvedType,
    SourceMethod,
};
pub use nettrace;
pub use profiler::Profiler;
pub use profiler::hosted::{PartEvent, PartHost, PartKey, Removed};
pub use raw::data::{
    CodeRegion, GcGeneration, GenerationRange, IlOffset, IlToNativeMapEntry, NativeCodeStart, NonGcHeapRange,
};
pub use raw::evidence::FrameInfo;
pub use raw::evidence::{FrozenObject, NoCollection, Object};
pub use runtime::control::{AssemblyReference, AssemblyReferences, FunctionControl};
pub use runtime::event_pipe::{EventPipeEvent, EventValue};
pub use runtime::{
    AppDomainInfo, AssemblyInfo, ClassInfo, ClassLayout, ClauseKind, DynamicFunctionInfo, EventPipeEventSpec,
    EventPipeProviderChanged, EventPipeProviderConfig, EventPipeProviderState, EventPipeSession,
    ExceptionClause, Forget, FunctionForm, FunctionInfo, FunctionInstance, FunctionVersion, HandleKind,
    Inliners, ModuleFlags, ModuleInfo, ModuleMethod, ObjectHandle, OwnThread, ProfilerInfo, Reference,
    RuntimeSuspension, StackFrame, StackWalk, StaticKind, Unload, UnloadCache, UnloadLookup, VisitorResult,
    Walked, WatchCollections,
};
pub use sigparse;
pub use sigparse::token;
pub use widestring;

/// For the expansion of [`export_profiler!`] and for the fake runtime only.
#[doc(hidden)]
pub mod __export {
    pub use crate::profiler::class_factory::{Class, get_class_object, has_panicked, part};
    pub use crate::profiler::parts::{Part, Profilers};
}
