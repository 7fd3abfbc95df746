//! Linux x86-64: the archive on two runtimes, in a root folder with the C library alone.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use corprof_cli::tool::Tool;
use corprof_testkit::dotnet::{self, RuntimeVersion};
use corprof_testkit::ui::Work;
use corprof_testkit::{paths, piece, process};

use super::root::{Printed, Root};
use super::{CALL, NOT_STARTED, OUTPUT, demo, expects_help, expects_tools};
use crate::sources::files_below;

/// The runtimes that are a `dotnet` with its folder.
const VERSIONS: [RuntimeVersion; 2] = [RuntimeVersion::V8_0, RuntimeVersion::V9_0];

/// Uses the archive in a new root folder for each runtime.
pub(super) fn run(archive: &Path, tools: &[Tool], folder: &Path) -> Result<()> {
    for version in VERSIONS {
        let (_, dotnet) = dotnet::with_muxer(version)?;
        let work = Work::spinner(&format!("{version}: a root folder without Rust"));
        piece::remove(folder)?;
        let root = Root::new(archive, folder)?;
        copy(dotnet.parent().context("the muxer has no folder")?, &root.folder().join("dotnet"))?;
        demo(version, &root.folder().join("app/demo.dll"))?;
        libraries(root.folder())?;
        work.done("prepared");
        works(&root, tools).with_context(|| format!("on {version}"))?;
        println!("    works on {version} where there is no Rust");
    }
    Ok(())
}

fn works(root: &Root, tools: &[Tool]) -> Result<()> {
    expects_help(&root.corprof(&["--help"])?.out)?;
    let out = root.corprof(&["doctor"])?.out;
    expects_tools(&out, tools)?;
    for part in ["/dotnet/dotnet: ", "not found; it is needed to build"] {
        ensure!(out.contains(part), "`corprof doctor` lacks {part:?}:\n{out}");
    }
    let Printed { out, error } = root.corprof(&["run", "calltrace", "--", "/app/demo.dll"])?;
    ensure!(out == OUTPUT, "the program's output differs: {out:?}\n{error}");
    ensure!(error.contains(CALL), "no call was traced:\n{error}");
    // The program is the same under every tool.
    for tool in tools {
        let Printed { out, error } = root.corprof(&["run", &tool.name, "--", "/app/demo.dll"])?;
        ensure!(out == OUTPUT, "the program's output differs under {}: {out:?}\n{error}", tool.name);
        ensure!(!error.contains(NOT_STARTED), "{} was not loaded:\n{error}", tool.name);
    }
    let recorded =
        ["run", "calltrace", "--format", "binary", "--out", "/tmp/calls.rec", "--", "/app/demo.dll"];
    root.corprof(&recorded)?;
    let out = root.corprof(&["trace", "top", "/tmp/calls.rec"])?.out;
    ensure!(out.contains("Shop.Cart<string>.Add"), "the recording lacks it:\n{out}");
    let mut stdout = std::io::stdout().lock();
    Ok(writeln!(stdout, "{}", out.lines().take(4).collect::<Vec<_>>().join("\n"))?)
}

/// Copies the libraries that the programs need to the same paths in the new root.
fn libraries(root: &Path) -> Result<()> {
    for file in files_below(root)? {
        if !fs::read(&file)?.starts_with(b"\x7fELF") {
            continue;
        }
        // A library that nothing is linked with has no output.
        let output = process::output(Command::new("ldd").arg(&file))?;
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let words = line.split_ascii_whitespace();
            let Some(path) = words.filter(|word| word.starts_with('/')).find(|word| !word.starts_with("//"))
            else {
                continue;
            };
            let (from, to) = (Path::new(path), root.join(&path[1..]));
            if !from.starts_with(root) && !to.exists() && from.is_file() {
                fs::create_dir_all(to.parent().context("a library has no folder")?)?;
                fs::copy(from, &to)?;
            }
        }
    }
    Ok(())
}

/// Copies a folder with all that is below it.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", paths::shown(to)))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", paths::shown(from)))? {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        if path.is_dir() {
            copy(&path, &to.join(name))?;
        } else {
            fs::copy(&path, to.join(name)).with_context(|| format!("cannot copy {}", paths::shown(&path)))?;
        }
    }
    Ok(())
}
