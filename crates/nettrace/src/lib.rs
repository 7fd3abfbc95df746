#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod bytes;
mod dropped;
mod error;
mod event;
mod fields;
mod forget;
mod framing;
mod header;
mod input;
mod labels;
mod limits;
mod metadata;
mod reader;
pub mod runtime_events;
mod stacks;
mod trace;

pub use error::{Error, FieldError, Result};
pub use event::{Event, Stack};
pub use fields::Value;
pub use labels::{LabelValue, Labels};
pub use metadata::{Field, FieldType, Metadata};
pub use reader::Reader;
pub use trace::{Trace, UtcTime};
