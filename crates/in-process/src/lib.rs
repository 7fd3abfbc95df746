#![doc = include_str!("../README.md")]

mod last_error;
pub mod outlet;
#[cfg(target_os = "linux")]
mod peer;
mod per_thread;
pub mod printable;
mod reserve;

pub use last_error::LastError;
#[cfg(target_os = "linux")]
pub use peer::{Peer, peer_of};
pub use per_thread::PerThread;
pub use reserve::Reserve;
