#![doc = include_str!("../README.md")]
#![cfg_attr(not(windows), forbid(unsafe_code))]

mod command;
mod dump;
mod error;
#[cfg(windows)]
mod kernel32;
mod limits;
mod locate;
mod message;
mod payload;
mod port;
mod process_info;
mod session;
mod transport;

pub use command::Command;
pub use corprof_types::{Guid, HResult};
pub use dump::{Dump, DumpKind};
pub use error::{Error, NoPort, Result};
pub use port::{AttachProfiler, Port};
pub use process_info::ProcessInfo;
pub use session::{CollectTracing, EventFilter, EventProvider, Rundown, Session, SessionStopper};
