//! `cargo xtask loom`: runs the tests in which `loom` checks every interleaving of threads.

use anyhow::{Context as _, Result, ensure};

use crate::{paths, process};

/// The crates with such tests, in modules called `model`.
const CRATES: [&str; 2] = ["corprof", "recording"];
/// The limit of preemptions of a thread, unless `LOOM_MAX_PREEMPTIONS` sets one.
const PREEMPTIONS: &str = "3";

/// Runs the tests with a target folder of their own: every dependency is compiled with `--cfg loom`.
///
/// # Errors
///
/// When a test fails.
pub(crate) fn run() -> Result<()> {
    let folder = paths::workspace().join("target").join("loom");
    let mut command = process::cargo(["test", "--release", "--lib", "--target-dir"]);
    command.arg(folder).args(CRATES.iter().flat_map(|name| ["-p", name])).arg("model");
    command.env("RUSTFLAGS", "--cfg loom");
    if std::env::var_os("LOOM_MAX_PREEMPTIONS").is_none() {
        command.env("LOOM_MAX_PREEMPTIONS", PREEMPTIONS);
    }
    let shown = process::shown(&command);
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    ensure!(status.success(), "failed ({status}); the command was: {shown}");
    Ok(())
}
