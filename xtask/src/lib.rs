//! The commands behind `cargo xtask`.

mod apart;
mod api;
mod audit;
mod bench;
pub mod cli;
mod codegen;
pub mod compile_fail;
mod conformance;
mod coverage;
mod demo;
mod dist;
mod doctor;
mod elsewhere;
mod floors;
mod fuzz;
mod graph;
mod inputs;
mod ledger;
mod models;
mod packages;
mod platforms;
mod safety;
mod sources;
mod targets;
mod test;
mod unsteady;
