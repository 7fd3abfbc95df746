//! The commands behind `cargo xtask`, as a library that the end-to-end tests share.

mod api;
mod audit;
mod bench;
pub mod cli;
pub mod codegen;
pub mod compile_fail;
mod conformance;
mod coverage;
mod debian;
mod demo;
mod dist;
mod doctor;
pub mod dotnet;
pub mod download;
mod elsewhere;
pub mod engines;
pub mod example;
mod floors;
mod fuzz;
mod graph;
pub mod launch;
mod ledger;
pub mod machine;
mod mingw;
mod models;
mod packages;
pub mod paths;
pub mod piece;
mod platforms;
pub mod process;
pub mod registry;
pub mod targets;
mod test;
pub mod ui;

pub use corprof_cli::{profiler, trace};
