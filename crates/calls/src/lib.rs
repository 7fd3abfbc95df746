#![doc = include_str!("../README.md")]

mod at_once;
mod call;
mod calls;
mod convention;
mod decoding;
mod forward;
mod function;
mod limits;
mod line;
mod method;
mod moves;
mod options;
mod os_thread;
mod program;
mod record;
mod registers;
mod runtime;
mod selection;
mod shadow_stack;
mod thread;
mod traced;
mod tracer;
mod value;

pub use argvalues::{Limits, Mode, Position, Value};
pub use call::{Call, EndedCall, EnteredCall, Outcome, ParentCall};
pub use calls::Calls;
pub use convention::{FunctionLocations, returned_struct};
pub use function::Function;
pub use method::CalledMethod;
pub use options::{HookKind, LocalTime, Options};
pub use recording::Parameter;
pub use recording::lines::Format;
pub use runtime::{ClrRuntime, Redact};
pub use selection::{CallSwitch, SelectedCalls};
pub use tracer::CallTracer;
pub use value::CallValue;
