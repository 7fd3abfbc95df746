#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod chrome;
mod firefox;
mod flame;
mod folded;
mod format;
mod given;
mod interner;
mod interval;
mod kept;
mod layout;
mod limits;
#[cfg(feature = "otlp")]
mod otlp;
#[cfg(feature = "pprof")]
mod pprof;
mod profile;
#[cfg(feature = "push")]
pub mod push;
mod sites;
mod speedscope;
mod speedscope_calls;
mod table;
// They write every format.
#[cfg(test)]
#[cfg(feature = "pprof")]
mod tests;
mod timeline;
mod tree;

pub use flame::{FlameError, FlameGraph};
pub use folded::FoldedStack;
pub use format::{Format, WriteError};
pub use given::{Given, Wrong};
pub use interval::{Interval, nanoseconds};
pub use kept::{Budget, Files};
pub use limits::Limits;
pub use profile::{
    Context, ContextId, Frame, FrameId, Merged, Profile, Sample, Thread, Unit, ValueType, add_values,
};
pub use sites::write_stack;
pub use speedscope_calls::SpeedscopeCalls;
pub use table::Table;
pub use timeline::{Span, Timeline};
