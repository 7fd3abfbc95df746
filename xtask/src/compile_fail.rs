//! The compile-fail doc tests, with their error codes.
//!
//! Rustdoc compares the codes only with `RUSTC_BOOTSTRAP`, with which the build scripts of some dependencies choose other code.
//! So cargo runs without the variable, builds nothing again, and calls this program as its rustdoc, which sets the variable and
//! calls rustdoc.

use std::ffi::{OsStr, OsString};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result};

/// The crate that has such tests.
const TESTED: &str = "corprof";
/// Set for a process that cargo calls as its rustdoc.
const AS_RUSTDOC: &str = "CORPROF_XTASK_AS_RUSTDOC";

/// The variables with which cargo calls this program as its rustdoc.
pub(crate) fn variables() -> Result<[(&'static str, String); 2]> {
    let program = std::env::current_exe().context("the path of this program is unknown")?;
    let program = program.into_os_string().into_string();
    let program = program.ok().context("the path of this program is not Unicode")?;
    Ok([("RUSTDOC", program), (AS_RUSTDOC, "1".to_owned())])
}

/// Runs rustdoc if cargo has called this program as such: for the tested crate; other crates are left out.
///
/// # Errors
///
/// When rustdoc cannot be started.
pub fn as_rustdoc() -> Result<Option<ExitCode>> {
    if std::env::var_os(AS_RUSTDOC).is_none() {
        return Ok(None);
    }
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    if !is_of(TESTED, &arguments) {
        return Ok(Some(ExitCode::SUCCESS));
    }
    let mut rustdoc = Command::new("rustdoc");
    rustdoc.args(arguments).env("RUSTC_BOOTSTRAP", "1").env_remove("RUSTDOC").env_remove(AS_RUSTDOC);
    let status = rustdoc.status().context("cannot start rustdoc")?;
    Ok(Some(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE }))
}

/// Whether rustdoc's arguments name this crate.
fn is_of(name: &str, arguments: &[OsString]) -> bool {
    let of = |pair: &[OsString]| matches!(pair, [option, value] if option == OsStr::new("--crate-name") && value == OsStr::new(name));
    arguments.windows(2).any(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_tested_crate_is_tested() {
        let arguments = |name: &str| ["--test", "--crate-name", name, "src/lib.rs"].map(OsString::from);
        assert!(is_of("corprof", &arguments("corprof")));
        assert!(!is_of("corprof", &arguments("corprof_sys")));
        assert!(!is_of("corprof", &["corprof".into()]));
    }
}
