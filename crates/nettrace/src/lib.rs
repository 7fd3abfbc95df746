#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod bytes;
mod dropped;
mod error;
mod event;
mod fields;
mod framing;
mod header;
mod input;
mod labels;
mod limits;
mod metadata;
mod reader;
mod stacks;
mod trace;

pub use error::{Error, FieldError, Result};
pub use event::{Event, Stack};
pub use fields::Value;
pub use labels::{LabelValue, Labels};
pub use metadata::{Field, FieldType, Metadata};
pub use reader::Reader;
pub use runtime_events;
pub use trace::{Trace, UtcTime};
