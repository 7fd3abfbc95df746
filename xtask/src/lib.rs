//! The commands behind `cargo xtask`, as a library that the end-to-end tests share.

pub mod dotnet;
pub mod download;
pub mod paths;
pub mod piece;
pub mod process;
pub mod registry;
pub mod ui;
