//! Cargo, and other child processes.

use std::ffi::OsStr;
use std::process::Command;

pub use corprof_cli::process::{PROFILER_VARIABLES, both, capture, output, quoted, shown};

use crate::paths;

/// A cargo command in the root of the workspace.
#[must_use]
pub fn cargo<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    corprof_cli::process::cargo(&paths::workspace(), arguments)
}
