//! Mistakes of a user: each gives one clear message, and the program continues.

use std::fs;
use std::path::Path;
use std::process::Output;

use anyhow::{Result, ensure};
use e2e::app::{App, Build};
use e2e::on_each_runtime;
use e2e::traced::{Tracing, calltrace};
use xtask::dotnet::RuntimeVersion;
use xtask::launch::scratch;
use xtask::process::cargo;

/// No code of the library was called, so the message is from `xtask`.
const XTASKS: &str = "the profiler was not started";
/// Another class id was requested of the library.
const CORPROFS: &str = "this library holds the profiler";

const OUTPUT: &str = "12.50 €, Gift, Insured\nalready sent\n";

/// `cargo xtask run calltrace <flags> -- demo.dll`, as on the command line.
fn xtask_run(version: RuntimeVersion, flags: &[&str]) -> Result<Output> {
    let app = App::compile("demo", version, Build::Optimised)?;
    let mut command = cargo(["xtask", "run", "calltrace", "--runtime", version.short()]);
    Ok(command.args(flags).arg("--").arg(&app.dll).output()?)
}

/// Checks that the program's output is unchanged, and that there is one message, from `xtask` or from the library,
/// with each of these parts.
fn explains(version: RuntimeVersion, flags: &[&str], message: &str, parts: &[&str]) -> Result<()> {
    let output = xtask_run(version, flags)?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}\n{said}", output.status);
    ensure!(String::from_utf8_lossy(&output.stdout) == OUTPUT, "the program did not run on\n{said}");
    for part in parts {
        ensure!(said.contains(part), "the message lacks {part:?}:\n{said}");
    }
    for known in [XTASKS, CORPROFS] {
        let (count, wanted) = (said.matches(known).count(), usize::from(known == message));
        ensure!(count == wanted, "{count} messages {known:?} instead of {wanted}:\n{said}");
    }
    Ok(())
}

fn a_wrong_class_id(version: RuntimeVersion) -> Result<()> {
    let wrong = "{00000000-3C0F-4C39-9E6A-5D1F0C6E2A11}";
    let right = "set CORECLR_PROFILER={7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}";
    explains(version, &["--clsid", wrong], CORPROFS, &[wrong, right])
}

fn a_missing_library(version: RuntimeVersion) -> Result<()> {
    let library = "/nowhere/libcalltrace.so";
    explains(version, &["--library", library], XTASKS, &["WRONG  path", library])
}

fn a_library_of_another_architecture(version: RuntimeVersion) -> Result<()> {
    let library = scratch(&format!("mistakes-{version}"))?.join("libother.so");
    for_another_machine(&calltrace()?.library, &library)?;
    explains(version, &["--library", &library.display().to_string()], XTASKS, &["WRONG  architecture"])
}

/// Copies an ELF library, with another machine in its header.
fn for_another_machine(from: &Path, to: &Path) -> Result<()> {
    const E_MACHINE: std::ops::Range<usize> = 18..20;
    const X86_64: u16 = 62;
    const AARCH64: u16 = 183;
    let mut bytes = fs::read(from)?;
    ensure!(bytes.starts_with(b"\x7fELF"), "{} is no ELF file", from.display());
    let machine = if bytes[E_MACHINE] == X86_64.to_le_bytes() { AARCH64 } else { X86_64 };
    bytes[E_MACHINE].copy_from_slice(&machine.to_le_bytes());
    Ok(fs::write(to, bytes)?)
}

/// A setting with an invalid value: `calltrace` names the variable and the value, and the program continues.
fn bad_setting(version: RuntimeVersion, setting: &str, value: &str) -> Result<()> {
    let app = App::compile("demo", version, Build::Optimised)?;
    let run = format!("bad-{}", setting.to_lowercase());
    let finished = Tracing::app(&app, &run)?.set(setting, value).run_to_its_end()?;
    ensure!(finished.code() == Some(0) && finished.stdout == OUTPUT, "{}", finished.report());
    let variable = format!("CALLTRACE_{setting}");
    let about: Vec<_> = finished.stderr.lines().filter(|line| line.contains(&variable)).collect();
    ensure!(about.len() == 1 && about[0].contains(value), "{about:?}\n{}", finished.report());
    Ok(())
}

on_each_runtime! {
    a_wrong_class_id_is_reported: a_wrong_class_id;
    a_missing_library_is_reported: a_missing_library;
    a_library_of_another_architecture_is_reported: a_library_of_another_architecture;
    an_unknown_format_is_reported: |version| bad_setting(version, "FORMAT", "xml");
    an_invalid_pattern_is_reported: |version| bad_setting(version, "INCLUDE", "demo!Shop.[");
    an_output_file_that_cannot_be_created_is_reported: |version| bad_setting(version, "OUT", "/nowhere/trace.jsonl");
}
