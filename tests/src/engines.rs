//! `DuckDB` and Polars, in which the tests run the queries of `docs/queries.md`.

use std::fs;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use corprof_testkit::{paths, piece, process};

/// Returns a Python command that can import the packages of `tests/requirements.txt`.
///
/// The first call has `pip` download them to a folder below `target`, which takes some seconds.
///
/// # Errors
///
/// If Python or `pip` is missing, or `pip` cannot download the packages.
pub fn python() -> Result<Command> {
    let Some(python) = paths::on_path("python3").or_else(|| paths::on_path("python")) else {
        bail!("Python is not installed; install it, on Debian with `sudo apt-get install python3-pip`");
    };
    let requirements = paths::workspace().join("tests/requirements.txt");
    let wanted = fs::read_to_string(&requirements)
        .with_context(|| format!("cannot read {}", requirements.display()))?;
    let version = process::capture(Command::new(&python).arg("--version"))?;
    let packages = paths::workspace().join("target/engines");
    piece::ensure(&packages, &format!("{version}{wanted}"), |into| {
        let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"];
        process::capture(
            Command::new(&python)
                .args(install)
                .args(["--only-binary=:all:", "--require-hashes", "--requirement"])
                .arg(&requirements)
                .arg("--target")
                .arg(into),
        )?;
        Ok(())
    })
    .with_context(|| format!("`pip` did not download DuckDB and Polars for {}", version.trim()))?;
    let mut command = Command::new(python);
    command.env("PYTHONPATH", packages);
    Ok(command)
}
