//! Cargo as a child process. `cargo xtask` compiles this file too, and so it needs the standard library alone.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// A cargo command in `folder`.
///
/// A cargo that runs us sets variables about our package. Passed on, they would make some
/// build scripts run again each time: for instance that of `ring`, which reads `CARGO_MANIFEST_DIR`.
#[must_use]
pub fn cargo<S: AsRef<OsStr>>(folder: &Path, arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        let ours = ["CARGO_MANIFEST_", "CARGO_PKG_", "CARGO_BIN_", "CARGO_CRATE_"];
        if ours.iter().any(|prefix| name.starts_with(prefix)) || name == "CARGO_PRIMARY_PACKAGE" {
            command.env_remove(&*name);
        }
    }
    command.args(arguments).current_dir(folder);
    command
}
