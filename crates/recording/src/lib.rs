#![doc = include_str!("../README.md")]

mod bytes;
mod clock;
mod definition;
mod error;
mod event;
mod format;
mod index;
mod journal;
mod lane;
mod limits;
mod line_stream;
pub mod lines;
mod log;
mod omitted;
mod packed;
mod reader;
mod recorder;
mod step;
mod sync;
mod thread;
mod writer;

pub use clock::{Clock, ClockKind, Timeline};
pub use definition::{Function, Parameter, Process, Thread};
pub use error::{FinishError, ReadError, ValuesError};
pub use event::{Event, EventKind, KeptValues, Values};
pub use index::file::{Fingerprint, IndexError};
pub use index::{BlockInfo, Index, OpenCall};
pub use journal::{CompleteError, Completed, Journal, complete};
pub use line_stream::LineStream;
pub use log::{Log, ThreadLog};
pub use omitted::Omitted;
pub use reader::Reader;
pub use recorder::{Defined, FunctionNumber, Options, Recorder, Summary, WhenFull};
pub use step::{Ending, Step, StepKind};
pub use thread::{ThreadRecorder, ValueSink};
