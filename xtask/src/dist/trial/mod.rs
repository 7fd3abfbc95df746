//! An unpacked archive, used: the command and the tools run a program, or are loaded by one.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | what each trial unpacks, and what it expects |
//! | `root` | a root folder with nothing else, and the command in it |
//! | `glibc` | Linux x86-64: on two runtimes, in a root folder with the C library alone |
//! | `musl` | Linux x86-64 with musl: in a root folder with musl alone, without a runtime |
//! | `emulated` | Linux arm64 by QEMU's user mode, and Windows by Wine, on the runtimes of these targets |

mod emulated;
mod glibc;
mod musl;
mod root;

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use corprof_cli::tool::Tool;
use corprof_testkit::dotnet::{self, CSharp, RuntimeVersion};
use corprof_testkit::machine::Foreign;
use corprof_testkit::{paths, piece};
use flate2::read::GzDecoder;
use zip::ZipArchive;

/// A line of the program's trace.
const CALL: &str = "Shop.Cart<string>.Add(";
/// The program's own output.
const OUTPUT: &str = "12.50 €, Gift, Insured\nalready sent\n";

/// The begin of what `corprof run` reports when the program has not loaded the tool.
const NOT_STARTED: &str = "the profiler was not started";

/// Unpacks the archive of a target, and uses what it has; `folder` is for a root folder. The tools are those of the archive.
pub(super) fn run(triple: &str, archive: &Path, tools: &[Tool], folder: &Path) -> Result<()> {
    piece::remove(folder)?;
    match triple {
        "x86_64-unknown-linux-gnu" => glibc::run(archive, tools, folder)?,
        "x86_64-unknown-linux-musl" => musl::run(archive, tools, folder)?,
        _ => {
            let target: Foreign = triple.parse().map_err(anyhow::Error::msg)?;
            emulated::run(target, archive, tools)?;
        }
    }
    piece::remove(folder)
}

/// Unpacks an archive into a folder, and returns the only folder in it.
fn unpack(archive: &Path, into: &Path) -> Result<PathBuf> {
    fs::create_dir_all(into).with_context(|| format!("cannot create {}", paths::shown(into)))?;
    let file = File::open(archive).with_context(|| format!("cannot open {}", paths::shown(archive)))?;
    if archive.extension().is_some_and(|ending| ending == "zip") {
        ZipArchive::new(file)?.extract(into)?;
    } else {
        tar::Archive::new(GzDecoder::new(file)).unpack(into)?;
    }
    let folders = fs::read_dir(into)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    match <[PathBuf; 1]>::try_from(folders) {
        Ok([folder]) => Ok(folder),
        Err(folders) => bail!("the archive has not one folder: {folders:?}"),
    }
}

/// Compiles the demo, whose calls are traced.
fn demo(version: RuntimeVersion, app: &Path) -> Result<PathBuf> {
    let source = paths::workspace().join("tests/apps/demo");
    let sources = fs::read_dir(&source)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let sources = sources.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "cs"));
    dotnet::compile(&CSharp::new(version, sources, app))
}

/// Checks what `--help` of the command prints.
fn expects_help(help: &str) -> Result<()> {
    ensure!(help.contains("corprof run calltrace -- app.dll"), "`corprof --help` lacks the example:\n{help}");
    Ok(())
}

/// Checks that `doctor` lists the tools of the archive.
fn expects_tools(doctor: &str, tools: &[Tool]) -> Result<()> {
    let line = doctor.lines().find_map(|line| line.trim_start().strip_prefix("ok       tools "));
    let names: Vec<&str> = line.unwrap_or_default().split(',').map(str::trim).collect();
    let expected: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    ensure!(names == expected, "`corprof doctor` does not list the tools {expected:?}:\n{doctor}");
    Ok(())
}
