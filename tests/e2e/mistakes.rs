//! Mistakes of a user: each gives one message that names the remedy.

use std::fs;
use std::path::Path;
use std::process::Output;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::Profiler;
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::{Launch, scratch};
use e2e::app::{App, Build};
use e2e::command::{corprof, refused, words};
use e2e::on_each_runtime;
use e2e::traced::{Tracing, calltrace};

/// Another class id was requested of the library.
const CORPROFS: &str = "this library holds the profiler";

const OUTPUT: &str = "12.50 €, Gift, Insured\nalready sent\n";

/// A class id that no library has.
const WRONG: &str = "{00000000-3C0F-4C39-9E6A-5D1F0C6E2A11}";

/// The output of `corprof run --library <library> <flags> -- demo.dll`, with these variables.
fn run(
    version: RuntimeVersion,
    library: &Path,
    flags: &[&str],
    variables: &[(&str, &str)],
) -> Result<Output> {
    let app = App::compile("demo", version, Build::Optimised)?;
    let (options, program) = words(&runtime(version)?, &app.dll)?;
    let mut command = corprof(&["run"])?;
    command.args(options).arg("--library").arg(library).args(flags).arg("--").arg(program);
    Ok(command.envs(variables.iter().copied()).output()?)
}

/// The command refuses before the program is started.
fn a_wrong_class_id(version: RuntimeVersion) -> Result<()> {
    let right = "the library has {7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}; omit --clsid";
    refused(&run(version, &calltrace()?.library, &["--clsid", WRONG], &[])?, &["class id", WRONG, right])
}

/// Without the command, the library reports it, and the program continues.
fn a_wrong_class_id_in_the_environment(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("demo", version, Build::Optimised)?;
    let wrong = Profiler::new(&calltrace()?.library, WRONG.parse().map_err(anyhow::Error::msg)?);
    let finished = Launch::new(&runtime(version)?, &app.dll).profiler(&wrong).run()?.ok()?;
    ensure!(finished.stdout == OUTPUT, "{}", finished.report());
    for part in [CORPROFS, WRONG, "set CORECLR_PROFILER={7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}"] {
        ensure!(finished.stderr.matches(part).count() == 1, "{part}\n{}", finished.report());
    }
    Ok(())
}

fn a_missing_library(version: RuntimeVersion) -> Result<()> {
    let library = "/nowhere/libcalltrace.so";
    refused(&run(version, Path::new(library), &[], &[])?, &["cannot read", library, "build it"])
}

fn a_file_that_is_no_profiler(version: RuntimeVersion) -> Result<()> {
    let file = scratch(&format!("mistakes-file-{version}"))?.join("libtext.so");
    fs::write(&file, "text")?;
    refused(&run(version, &file, &[], &[])?, &["is no shared library", "cdylib"])
}

fn a_library_of_another_architecture(version: RuntimeVersion) -> Result<()> {
    let library = scratch(&format!("mistakes-machine-{version}"))?.join("libother.so");
    for_another_machine(&calltrace()?.library, &library)?;
    refused(&run(version, &library, &[], &[])?, &["architecture: ", "cargo build --target"])
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

fn a_library_for_another_libc(version: RuntimeVersion) -> Result<()> {
    let library = scratch(&format!("mistakes-libc-{version}"))?.join("libother.so");
    // The name that libraries for musl need.
    let (glibc, musl) = (b"libc.so.6\0", b"libc.so\0\0\0");
    let mut bytes = fs::read(&calltrace()?.library)?;
    let at = bytes.windows(glibc.len()).position(|window| window == glibc).context("glibc is not needed")?;
    bytes[at..at + musl.len()].copy_from_slice(musl);
    fs::write(&library, bytes)?;
    let parts = ["linked with musl, the runtime with glibc", "-unknown-linux-gnu"];
    refused(&run(version, &library, &[], &[])?, &parts)
}

fn disabled_diagnostics(version: RuntimeVersion) -> Result<()> {
    // Other tests open the library itself.
    let library = scratch(&format!("mistakes-disabled-{version}"))?.join("libcopy.so");
    fs::copy(&calltrace()?.library, &library)?;
    let prefix = if version == RuntimeVersion::V3_1 { "COMPlus" } else { "DOTNET" };
    let variable = format!("{prefix}_EnableDiagnostics");
    // Newer runtimes than 3.1 load no profiler: the program runs without.
    let app = App::compile("demo", version, Build::Optimised)?;
    let launch = Launch::new(&runtime(version)?, &app.dll).profiler(&Profiler::of(&library)?);
    let finished = launch.env(&variable, "0").run()?;
    if version == RuntimeVersion::V3_1 {
        // The variable does not concern profilers there.
        ensure!(finished.profiler_started == Some(true), "{}", finished.report());
        let output = run(version, &library, &[], &[(&variable, "0")])?;
        ensure!(output.status.success(), "{output:?}");
        return Ok(());
    }
    ensure!(finished.profiler_started == Some(false), "{}", finished.report());
    refused(&run(version, &library, &[], &[(&variable, "0")])?, &[&format!("{variable}=0"), "unset it"])
}

fn a_missing_program(_: RuntimeVersion) -> Result<()> {
    let library = calltrace()?.library;
    let mut command = corprof(&["run", "--library"])?;
    refused(
        &command.arg(library).args(["--", "/nowhere/app.dll"]).output()?,
        &["no program /nowhere/app.dll"],
    )
}

fn a_missing_tool(_: RuntimeVersion) -> Result<()> {
    let output = corprof(&["run", "cpuu", "--", "app.dll"])?.output()?;
    refused(&output, &["no tool \"cpuu\"", "the tools are: ", " cpu,", "--library"])
}

/// A tool of the workspace is found, built and run, and the program's output and exit code are unchanged.
fn a_tool_by_its_name(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("demo", version, Build::Optimised)?;
    let (options, program) = words(&runtime(version)?, &app.dll)?;
    let mut command = corprof(&["run", "calltrace"])?;
    let output = command.args(options).args(["--include", "Shop.*", "--"]).arg(program).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}\n{said}", output.status);
    ensure!(String::from_utf8_lossy(&output.stdout) == OUTPUT, "{said}");
    ensure!(said.contains("Shop.Cart<string>.Add("), "{said}");
    Ok(())
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

/// `corprof run calltrace <flags> -- demo.dll`.
fn run_calltrace(version: RuntimeVersion, flags: &[&str]) -> Result<Output> {
    let app = App::compile("demo", version, Build::Optimised)?;
    let (options, program) = words(&runtime(version)?, &app.dll)?;
    let mut command = corprof(&["run", "calltrace"])?;
    Ok(command.args(options).args(flags).arg("--").arg(program).output()?)
}

/// Patterns that match nothing are named at the end with the nearest name, and with `--strict` the command fails.
fn unmatched_patterns(version: RuntimeVersion) -> Result<()> {
    let include = ["--include", "demo!Shop.Cart.Add", "--include", "Shop.Crat.Add", "--include", "Shop.*"];
    let output = run_calltrace(version, &include)?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success() && String::from_utf8_lossy(&output.stdout) == OUTPUT, "{said}");
    for line in [
        "warning: no method that was seen matches `demo!Shop.Cart.Add`; the nearest is `demo.dll!Shop.Cart.Add`",
        "warning: no method that was seen matches `Shop.Crat.Add`; the nearest is `Shop.Cart.Add`",
    ] {
        ensure!(said.lines().filter(|own| *own == line).count() == 1, "{line}\n{said}");
    }
    ensure!(said.matches("no method that was seen").count() == 2, "{said}");

    let output = run_calltrace(version, &["--strict", "--include", "Shop.Crat.Add"])?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.code() == Some(1), "{}\n{said}", output.status);
    ensure!(String::from_utf8_lossy(&output.stdout) == OUTPUT, "{said}");
    ensure!(said.contains("error: no method that was seen matches `Shop.Crat.Add`"), "{said}");
    let output = run_calltrace(version, &["--strict", "--include", "Shop.Cart.Add"])?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success() && !said.contains("no method"), "{said}");

    // Without the command, the profiler warns itself.
    let app = App::compile("demo", version, Build::Optimised)?;
    let finished = Tracing::app(&app, "unmatched")?.set("INCLUDE", "demo!Shop.*").run_to_its_end()?;
    let line = "calltrace: no method that was seen matches `demo!Shop.*`; the nearest is `demo.dll!Shop.";
    ensure!(finished.stderr.contains(line), "{}", finished.report());
    Ok(())
}

/// A search in a recording fails without a hit, as that of `grep`; patterns that select nothing are named.
fn searches_without_a_hit(version: RuntimeVersion) -> Result<()> {
    let folder = scratch(&format!("mistakes-find-{version}"))?;
    let file = folder.join("calls.rec").display().to_string();
    let output = run_calltrace(version, &["--format", "binary", "--out", &file])?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let trace = |words: &[&str]| -> Result<(Option<i32>, String)> {
        let output = corprof(&["trace"])?.args(words).output()?;
        Ok((output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned()))
    };
    let (code, said) = trace(&["find", &file, "--method", "Shop.Cart*.Add"])?;
    ensure!(code == Some(0) && !said.contains("note"), "{code:?} {said}");
    let (code, said) = trace(&["find", &file, "--method", "demo!Shop.Program.Main"])?;
    ensure!(code == Some(1) && said.contains("no call meets the conditions"), "{code:?} {said}");
    ensure!(said.contains("no method that was seen matches `demo!Shop.Program.Main`; the nearest is `demo.dll!Shop.Program.Main`"), "{said}");
    let (code, said) = trace(&["top", &file, "--method", "Shop.Crat*"])?;
    ensure!(code == Some(0) && said.contains("matches `Shop.Crat*`"), "{code:?} {said}");
    let (code, _) = trace(&["top", &file, "--method", "Shop.Crat*", "--strict"])?;
    ensure!(code == Some(1), "{code:?}");
    Ok(())
}

/// An output that cannot be written is refused before the program starts; a file that exists is replaced.
fn outputs(version: RuntimeVersion) -> Result<()> {
    let folder = scratch(&format!("mistakes-out-{version}"))?;
    let at = |name: &str| folder.join(name).display().to_string();
    let refusal = run_calltrace(version, &["--out", &at("missing/calls.txt")])?;
    refused(&refusal, &["--out", "there is no folder", "mkdir -p"])?;
    refused(
        &run_calltrace(version, &["--out", &folder.display().to_string()])?,
        &["--out", "it is a folder"],
    )?;
    if cfg!(target_os = "linux") {
        refused(&run_calltrace(version, &["--out", "/proc/calls.txt"])?, &["--out", "takes no files"])?;
    }
    let file = at("calls.txt");
    fs::write(&file, "old")?;
    for _ in 0..2 {
        let output = run_calltrace(version, &["--include", "Shop.*", "--out", &file])?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = fs::read_to_string(&file)?;
        ensure!(text.contains("Shop.Cart<string>.Add(") && !text.contains("old"), "{text}");
        let names: Vec<_> =
            fs::read_dir(&folder)?.map(|entry| Ok(entry?.file_name())).collect::<Result<_>>()?;
        ensure!(names == ["calls.txt"], "{names:?}");
    }
    Ok(())
}

/// A program for another machine is refused before it starts, and `doctor` says the same.
fn a_program_for_another_machine(version: RuntimeVersion) -> Result<()> {
    let program = scratch(&format!("mistakes-program-{version}"))?.join("other");
    for_another_machine(&std::env::current_exe()?, &program)?;
    std::process::Command::new("chmod").arg("+x").arg(&program).status()?;
    let program = program.display().to_string();
    refused(
        &corprof(&["run", "calltrace", "--", &program])?.output()?,
        &["was not started", "it is a program for ELF"],
    )?;
    let output = corprof(&["doctor", &program])?.output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.code() == Some(1) && said.contains("PROBLEM  profilers"), "{said}");
    let app = App::compile("demo", version, Build::Optimised)?;
    let (_, program) = words(&runtime(version)?, &app.dll)?;
    let output = corprof(&["doctor", &program.display().to_string()])?.output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(said.contains("ok       profilers"), "{said}");
    Ok(())
}

on_each_runtime! {
    a_tool_is_found_by_its_name on [on_3_1 on_11_0] long [on_8_0 on_9_0 on_10_0]: a_tool_by_its_name;
    a_wrong_class_id_is_refused on [on_3_1 on_11_0] long [on_8_0 on_9_0 on_10_0]: a_wrong_class_id;
    a_wrong_class_id_in_the_environment_is_reported on [on_3_1 on_11_0] long [on_8_0 on_9_0 on_10_0]: a_wrong_class_id_in_the_environment;
    a_missing_library_is_refused on [on_3_1 on_11_0] long [on_8_0 on_9_0 on_10_0]: a_missing_library;
    a_library_of_another_architecture_is_refused on [on_3_1 on_11_0] long [on_8_0 on_9_0 on_10_0]: a_library_of_another_architecture;
    a_library_for_another_c_library_is_refused on [on_3_1 on_11_0] long [on_8_0 on_9_0 on_10_0]: a_library_for_another_libc;
    disabled_diagnostics_are_refused_where_the_runtime_obeys: disabled_diagnostics;
    a_file_that_is_no_profiler_is_refused on [on_9_0]: a_file_that_is_no_profiler;
    a_missing_program_is_refused on [on_9_0]: a_missing_program;
    a_missing_tool_is_refused on [on_9_0]: a_missing_tool;
    patterns_that_match_nothing_are_reported on [on_3_1 on_10_0 on_11_0] long [on_8_0 on_9_0]: unmatched_patterns;
    a_search_without_a_hit_fails on [on_9_0]: searches_without_a_hit;
    outputs_are_checked_before_the_program_starts on [on_9_0]: outputs;
    a_program_for_another_machine_is_refused on [on_9_0]: a_program_for_another_machine;
    an_unknown_format_is_reported on [on_3_1 on_11_0] long [on_8_0 on_9_0 on_10_0]: |version| bad_setting(version, "FORMAT", "xml");
    an_invalid_pattern_is_reported on [on_3_1 on_11_0] long [on_8_0 on_9_0 on_10_0]: |version| bad_setting(version, "INCLUDE", "demo!Shop.[");
    an_output_file_that_cannot_be_created_is_reported on [on_3_1 on_11_0] long [on_8_0 on_9_0 on_10_0]: |version| bad_setting(version, "OUT", "/nowhere/trace.jsonl");
}
