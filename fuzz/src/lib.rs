//! What the fuzz targets share with the crates' own tests, which replay what fuzzing has found.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "../../crates/sigparse/tests/it/checks.rs"]
pub mod checks;
#[path = "../../crates/sigparse/tests/it/dump.rs"]
mod dump;
#[path = "../../crates/clrnames/tests/checks/mod.rs"]
pub mod images;
#[path = "../../crates/sigparse/tests/it/trees.rs"]
mod trees;
