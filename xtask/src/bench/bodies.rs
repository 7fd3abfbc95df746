//! `cargo xtask bench bodies`: method bodies, decoded and encoded by `cil` and its peers.

use anyhow::Result;

use super::{cargo, start, target_dir};
use crate::dotnet::{self, RuntimeVersion};
use crate::paths;

/// Measures over the bodies of CoreLib 9.0, and prints a table.
pub(super) fn run(rounds: u32) -> Result<()> {
    let runtime = dotnet::runtime(RuntimeVersion::V9_0)?;
    println!("CoreLib {}", runtime.version);
    let folder = paths::workspace().join("benches").join("bodies");
    let mut command = cargo("run", &folder, &target_dir("bodies"));
    command.env("ASSEMBLY", runtime.assemblies.join("System.Private.CoreLib.dll"));
    start(command.env("ROUNDS", rounds.to_string()))
}
