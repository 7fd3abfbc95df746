//! `cargo xtask loom` and `cargo xtask sanitize`: tests under tools that find errors of memory and threads.
//!
//! `cargo xtask loom`: runs the tests in which `loom` checks every interleaving of threads.

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::{paths, process};

/// The crates with such tests, in modules called `model`.
const CRATES: [&str; 5] = ["argvalues", "corprof", "corprof-in-process", "recording", "corprof-tools"];
/// The limit of preemptions of a thread, unless `LOOM_MAX_PREEMPTIONS` sets one.
const PREEMPTIONS: &str = "3";

/// Runs the tests with a target folder of their own: every dependency is compiled with `--cfg loom`.
///
/// # Errors
///
/// When a test fails.
pub(crate) fn run() -> Result<()> {
    let folder = paths::workspace().join("target").join("loom");
    let mut command = process::cargo(["test", "--lib", "--target-dir"]);
    command.arg(folder).args(CRATES.iter().flat_map(|name| ["-p", name])).arg("model");
    command.env("RUSTFLAGS", "--cfg loom");
    // The models run for seconds; what takes long is to compile.
    command.env("CARGO_PROFILE_DEV_OPT_LEVEL", "1").env("CARGO_PROFILE_DEV_DEBUG", "0");
    if std::env::var_os("LOOM_MAX_PREEMPTIONS").is_none() {
        command.env("LOOM_MAX_PREEMPTIONS", PREEMPTIONS);
    }
    let shown = process::shown(&command);
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    ensure!(status.success(), "failed ({status}); the command was: {shown}");
    Ok(())
}

/// The libraries with unsafe code, and those that their tests run.
const SANITIZED: [&str; 7] =
    ["corprof", "corprof-in-process", "corprof-double", "argvalues", "corprof-calls", "recording", "cilbody"];
/// The target that is sanitized: it has to be named, so that build scripts and macros are built without.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Runs the tests of the libraries with AddressSanitizer, with a target folder of their own.
///
/// # Errors
///
/// When a test fails, or another platform runs this.
pub(crate) fn sanitize() -> Result<()> {
    ensure!(
        cfg!(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")),
        "AddressSanitizer is used on {TARGET} only"
    );
    let folder = paths::workspace().join("target").join("sanitize");
    let mut command = process::cargo(["test", "--lib", "--tests", "--no-fail-fast", "--target", TARGET]);
    command.arg("--target-dir").arg(folder).args(SANITIZED.iter().flat_map(|name| ["-p", name]));
    // The pinned toolchain has the sanitizer's runtime; the option is not stable.
    command.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", "-Zsanitizer=address");
    // Data of hooks are kept until the process ends. Local variables stay on the stack: nested calls are recognised by their
    // addresses.
    command.env("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=0");
    let shown = process::shown(&command);
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    ensure!(status.success(), "failed ({status}); the command was: {shown}");
    Ok(())
}
