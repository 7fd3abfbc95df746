#![doc = include_str!("../README.md")]

mod decode;
mod error;
mod format;
mod half;
pub mod json;
mod limits;
mod memory;
mod output;
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

pub use corprof_types::{ArgumentRange, ArrayInfo, ClassId, MAX_RANK, ModuleId, StringLayout};
pub use decode::{Decoder, Scratch};
pub use error::{DecodeError, ResolveError};
pub use half::Half;
pub use json::JsonWriter;
pub use limits::{Limits, MAX_DEPTH};
pub use memory::{
    Checked, Direct, HeapMemory, HeapRange, HeapRanges, Memory, MemoryCause, MemoryError, POINTER_SIZE,
    SliceMemory,
};
pub use plan::{
    Argument, Arguments, Declaring, MethodPlan, Mode, Outs, Passed, PlanContext, Position, SavedRefs,
};
pub use record::{Additions, NamesMark, RecordError, RecordNames, RecordReader, RecordWriter};
pub use resolve::resolve;
pub use runtime::{Handle, ObjectRef, Runtime, RuntimeError, ValueTypeQuery};
pub use shape::{
    ArrayShape, ClassShape, DeferredType, EnumNames, EnumShape, Field, Integer, KnownBase, Primitive,
    ShapeKind, SigTypeContext, StructShape, Target, TypeShape,
};
pub use text::TextWriter;
pub use value::{OwnedBounds, Value, ValueBuilder};
pub use visitor::{
    ArrayHead, Bounds, EnumValue, Failed, PrimitiveValue, StringUnits, Visit, Visitor, elided,
};
