#![doc = include_str!("../README.md")]

mod command_line;
mod last_error;
pub mod outlet;
#[cfg(target_os = "linux")]
mod peer;
mod per_thread;
pub mod printable;
mod quiet_thread;
mod reserve;

pub use command_line::{command_line, is_host_option_with_value};
pub use last_error::LastError;
#[cfg(target_os = "linux")]
pub use peer::{Peer, peer_of};
pub use per_thread::PerThread;
pub use quiet_thread::spawn_quiet;
pub use reserve::Reserve;
