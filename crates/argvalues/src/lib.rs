#![doc = include_str!("../README.md")]

#[cfg(feature = "corprof")]
mod corprof;
mod decode;
mod error;
mod format;
mod half;
pub mod json;
mod limits;
mod memory;
mod names;
mod plan;
pub mod record;
mod resolve;
mod runtime;
#[cfg(feature = "serde")]
mod serde;
mod shape;
mod text;
mod text_buffer;
mod value;
mod visitor;

#[cfg(feature = "corprof")]
pub use self::corprof::ClrRuntime;
pub use decode::{Decoder, Scratch};
pub use error::{DecodeError, ResolveError};
pub use half::Half;
pub use json::JsonWriter;
pub use limits::{Limits, MAX_DEPTH, MAX_RANK};
#[cfg(target_os = "linux")]
pub use memory::Checked;
pub use memory::{Direct, Memory, MemoryCause, MemoryError, POINTER_SIZE, SliceMemory};
pub use names::type_name;
pub use plan::{
    Argument, ArgumentRange, Arguments, Declaring, MethodPlan, Mode, Outs, PlanContext, Position, SavedRefs,
};
pub use record::{Additions, NamesMark, RecordError, RecordNames, RecordReader, RecordWriter};
pub use resolve::resolve;
pub use runtime::{
    ArrayInfo, ClassId, DeferredType, GenericContext, Handle, ModuleId, ObjectRef, Runtime, RuntimeError,
    StringLayout, ValueTypeQuery,
};
pub use shape::{
    ArrayShape, ClassShape, EnumNames, EnumShape, Field, Integer, KnownBase, Primitive, ShapeKind,
    StructShape, Target, TypeShape,
};
pub use text::TextWriter;
pub use value::{OwnedBounds, Value, ValueBuilder};
pub use visitor::{ArrayHead, Bounds, EnumValue, StringUnits, Visitor, elided};
