//! Linux x86-64 with musl: the archive in a root folder with musl alone. A C program loads the tools, since there is no runtime.

use std::path::Path;

use anyhow::{Result, ensure};
use corprof_cli::tool::Tool;
use corprof_testkit::ui::Work;

use super::root::{Printed, Root};
use super::{NOT_STARTED, expects_help, expects_tools};
use crate::targets::musl::{self, ANSWERS};

/// The C program, in the root.
const PROGRAM: &str = "/app/load";

/// Uses the archive in a new root folder.
pub(super) fn run(archive: &Path, tools: &[Tool], folder: &Path) -> Result<()> {
    let work = Work::spinner("musl: a root folder without Rust");
    let root = Root::new(archive, folder)?;
    musl::furnish(root.folder(), &PROGRAM[1..])?;
    work.done("prepared");
    expects_help(&root.corprof(&["--help"])?.out)?;
    let help = root.program("coverage-report", &["--help"])?.out;
    ensure!(help.contains("--cobertura"), "`coverage-report --help` lacks --cobertura:\n{help}");
    let out = root.doctor()?;
    expects_tools(&out, tools)?;
    ensure!(
        out.contains("ok       C library            musl"),
        "`corprof doctor` does not find musl:\n{out}"
    );
    for tool in tools {
        let library = root.unpacked(&format!("tools/lib{}.so", tool.name.replace('-', "_")));
        let words = ["run", &tool.name, "--", PROGRAM, &library.to_string_lossy()];
        let Printed { out, error } = root.corprof(&words)?;
        ensure!(out.trim() == ANSWERS, "a program of musl's got {out:?} of {}, not {ANSWERS:?}", tool.name);
        ensure!(!error.contains(NOT_STARTED), "{} was not loaded:\n{error}", tool.name);
    }
    println!(
        "    where there is nothing but musl, the command runs, and a C program loads {} tools",
        tools.len()
    );
    Ok(())
}
