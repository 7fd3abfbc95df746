#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

#[cfg(unix)]
mod agent;
mod attach;
#[cfg(unix)]
mod attached;
mod cargo;
mod child;
mod choice;
#[cfg(unix)]
mod chosen;
mod cli;
mod delivered;
pub mod diagnose;
mod doctor;
pub mod dotnet;
pub mod find;
mod glob;
#[cfg(unix)]
mod held;
pub mod native;
mod new;
pub mod opened;
mod outputs;
mod pack;
pub mod paths;
mod patterns;
pub mod process;
pub mod profiler;
mod program;
mod ps;
#[cfg(not(unix))]
mod ran;
#[cfg(unix)]
mod received;
mod recorded;
mod report;
pub mod run;
mod symbolize;
pub mod tool;
pub mod trace;
pub mod workspace;

pub use cli::{completions, main, manual};
