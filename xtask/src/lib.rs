//! The commands behind `cargo xtask`, as a library that the end-to-end tests share.

pub mod attach;
mod bench;
pub mod cli;
pub mod codegen;
mod conformance;
mod coverage;
mod demo;
pub mod diagnose;
mod doctor;
pub mod dotnet;
pub mod download;
pub mod example;
mod fuzz;
pub mod launch;
pub mod paths;
pub mod piece;
pub mod process;
pub mod profiler;
pub mod registry;
pub mod run;
mod symbolize;
mod test;
pub mod trace;
pub mod ui;
