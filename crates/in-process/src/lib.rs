#![doc = include_str!("../README.md")]

mod last_error;
pub mod outlet;
mod per_thread;
pub mod printable;
mod reserve;

pub use last_error::LastError;
pub use per_thread::PerThread;
pub use reserve::Reserve;
