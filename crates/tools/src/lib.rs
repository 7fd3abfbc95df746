#![doc = include_str!("../README.md")]

mod allocations;
mod callbacks;
mod contention;
mod exceptions;
mod heap;
mod limits;
mod messages;
mod pauses;
mod profiled;
mod program;
mod push;
mod report;
mod rotation;
mod sampling;
mod settings;
mod sites;
mod spans;
mod table;
mod tool;

pub use allocations::Allocations;
pub use contention::{Contention, Contentions};
pub use exceptions::{Outcome, Throw, Throws};
pub use heap::{ClassTotals, HeapCapture, HeapSnapshot, RootTotals, SpaceTotals, StringTotals, Totals};
pub use messages::Messages;
pub use pauses::{Collection, Ended, HeapSizes, Pause, Pauses};
pub use profiled::{LiveProfile, StackFrame};
pub use program::program_name;
pub use report::{Moment, Reporter, render};
pub use sampling::{Sampled, SampledBy, Sampler, SignalCounts, SuspensionCounts, ThreadTimes};
pub use settings::{Settings, SettingsError};
pub use sites::{top, write_stack};
pub use spans::{Done, Spans, Work};
pub use stack_capture;
pub use stack_profile;
pub use table::Table;
pub use tool::Tool;
