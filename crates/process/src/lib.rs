#![doc = include_str!("../README.md")]

mod last_error;
mod per_thread;
mod reserve;

pub use last_error::LastError;
pub use per_thread::PerThread;
pub use reserve::Reserve;
