#![doc = include_str!("../README.md")]

mod bytes;
mod clock;
mod definition;
mod error;
mod event;
mod format;
mod journal;
mod lane;
mod limits;
pub mod lines;
mod log;
mod reader;
mod recorder;
mod sync;
mod thread;
mod writer;

pub use clock::{ClockKind, Timeline};
pub use definition::{Function, Parameter, Process, Thread};
pub use error::{FinishError, ReadError, ValuesError};
pub use event::{Event, EventKind, Values};
pub use journal::{CompleteError, Completed, Journal, complete};
pub use log::{Log, ThreadLog};
pub use reader::{Ending, Reader};
pub use recorder::{Defined, FunctionNumber, Options, Recorder, Summary, WhenFull};
pub use thread::{ThreadRecorder, ValueSink};
