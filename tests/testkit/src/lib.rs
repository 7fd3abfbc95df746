#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

// Hidden modules are for the tests and commands of this repository.
#[doc(hidden)]
pub mod debian;
pub mod dotnet;
#[doc(hidden)]
pub mod download;
#[doc(hidden)]
pub mod example;
mod foreign;
pub mod launch;
pub mod machine;
mod mingw;
#[doc(hidden)]
pub mod paths;
#[doc(hidden)]
pub mod piece;
#[doc(hidden)]
pub mod process;
#[doc(hidden)]
pub mod registry;
#[doc(hidden)]
pub mod targets;
#[doc(hidden)]
pub mod ui;
#[doc(hidden)]
pub mod unpack;
mod version;

pub use corprof_cli::profiler::Profiler;
