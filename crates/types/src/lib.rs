#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod guid;
mod hresult;
mod ids;
mod layout;
mod runtime;

pub use guid::{Guid, GuidError};
pub use hresult::HResult;
pub use ids::{
    AnyId, AppDomainId, AssemblyId, ClassId, EventPipeEventId, EventPipeProviderId, FunctionId, GcHandleId,
    ModuleId, ObjectId, ReJitId, ThreadId,
};
pub use layout::{ArgumentRange, ArrayInfo, MAX_RANK, StringLayout};
pub use runtime::{RuntimeInfo, RuntimeType};
