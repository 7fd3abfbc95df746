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
//! corprof::export_profiler!(ClassLoads, "{3C5E0A5C-4E0B-4F0E-8B0B-6C2F6D1B7A10}");
//! # fn main() {}
//! ```
//!
//! - [`ProfilerInfo`] asks the runtime; [`Metadata`] reads what a module's tokens stand for.
//! - [`Names`] turns ids into what C# calls them.
//! - [`FunctionHooks`] is called for every method call, with arguments and return values.
//! - The crate `corprof-double` is a double of the runtime: a profiler is tested with it by plain `cargo test`, without .NET.
//!
//! [`capabilities`] has an example of each thing that a profiler can do.
//!
//! Rules on ids, threads and the garbage collector are in the documentation of each item, and together in
//! the repository's `SAFETY.md`.

#[doc = include_str!("../docs/capabilities.md")]
pub mod capabilities {}
mod com;
mod control;
mod error;
mod event_mask;
mod event_pipe;
mod export;
mod guid;
mod hooks;
mod hresult;
pub mod ids;
mod info;
mod metadata;
mod names;
mod per_thread;
mod profiler;
#[cfg(doctest)]
mod promises;
mod report;
pub mod values;

pub use clrnames;
pub use control::{AssemblyReference, AssemblyReferences, FunctionControl};
pub use error::{Error, Result};
pub use event_mask::EventMask;
pub use event_pipe::{EventError, EventField, EventMetadata, EventPipeEvent, EventType, EventValue};
pub use guid::Guid;
pub use hooks::{
    ArgumentRange, ArgumentWord, EnterArguments, EnterFrame, EnterRegisters, FunctionHooks, GenericContext,
    Hooks, LeaveFrame, LeaveRegisters, LeaveValue, Location, Locations, LocationsCell, Place, Register,
    ResultWord, ReturnRegisters, SelectedCalls, TailcallFrame,
};
pub use hresult::HResult;
pub use ids::{
    AnyId, AppDomainId, AssemblyId, ClassId, EventPipeEventId, EventPipeProviderId, FrameInfo, FunctionId,
    GcHandleId, ModuleId, ObjectId, ReJitId, ThreadId,
};
pub use info::{
    AppDomainInfo, ArrayInfo, ArrayRank, AssemblyInfo, ClassInfo, ClassLayout, ClauseKind, CodeRegion,
    DynamicFunctionInfo, Enumerator, EventPipeEventSpec, EventPipeProviderChanged, EventPipeProviderConfig,
    EventPipeProviderState, EventPipeSession, ExceptionClause, FieldOffset, Forget, FunctionInfo,
    FunctionInstance, FunctionVersion, GcGeneration, GenerationRange, HandleKind, IlOffset,
    IlToNativeMapEntry, Inliners, ModuleFlags, ModuleInfo, ModuleMethod, NonGcHeapRange, ObjectHandle,
    ProfilerInfo, Reference, RuntimeInfo, RuntimeSuspension, RuntimeType, StackFrame, StackWalk, StaticKind,
    StringLayout, Unload,
};
pub use metadata::{
    Accessed, AssemblyIdentity, AssemblyProps, AssemblyRefProps, CodedTokenInfo, ColumnInfo, ColumnKind,
    Constant, CustomAttributeProps, EventAttributes, EventChange, EventProps, ExportedTypeProps,
    ExportedTypeTarget, FieldAttributes, FieldChange, FieldProps, GenericParamAttributes, GenericParamChange,
    GenericParamConstraintProps, GenericParamProps, HeapSizes, ImportFrom, InterfaceImplProps,
    ManifestResourceProps, MemberRefProps, Metadata, MetadataDispenser, MetadataEmit, MetadataOption,
    MetadataScope, MetadataStream, MetadataTables, MethodAttributes, MethodChange, MethodProps,
    MethodSemantics, MethodSpecProps, NewEvent, NewField, NewGenericParam, NewMethod, NewParam, NewProperty,
    NewTypeDef, ParamAttributes, ParamChange, ParamProps, PeKind, PermissionSetProps, PinvokeMap,
    PinvokeTarget, PropertyAttributes, PropertyChange, PropertyProps, ResourcePlace, SavedMetadata,
    TableInfo, TypeAttributes, TypeDefChange, TypeDefProps, TypeLayout, TypeRefProps,
};
pub use names::{
    Declaration, Instance, Method, MethodKind, Names, Parameter, ParameterMode, ResolvedType, SourceMethod,
};
pub use per_thread::PerThread;
pub use profiler::Profiler;
pub use sigparse;
pub use sigparse::token;

/// What [`export_profiler!`] expands to uses this, and the double of the runtime; nothing else may.
#[doc(hidden)]
pub mod __export {
    pub use crate::com::class_factory::{Class, get_class_object};
    pub use crate::com::object::{has_panicked, profiler};
}
