//! `mcs`, the small C# compiler that compiles the driver of the large one.
//!
//! The one on `PATH` is used when there is one. Otherwise apt downloads mono's packages, checks their
//! signatures, and `dpkg -x` unpacks them: no root, and the system stays as it is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use super::pins::MCS_PACKAGES;
use crate::ui::Work;
use crate::{paths, piece, process};

/// What makes it, on any system.
const INSTALL: &str = "install `mcs` (Debian: `sudo apt-get install mono-mcs`; elsewhere the package is \
                       called mono or mono-devel), or a .NET SDK";

/// `mcs`, ready for arguments: the one on `PATH`, or the provisioned one.
///
/// # Errors
///
/// When there is none and none can be provisioned.
pub fn mcs() -> Result<Command> {
    if let Some(mcs) = paths::on_path("mcs") {
        return Ok(Command::new(mcs));
    }
    let root = folder();
    piece::ensure(&root, &stamp(), build)?;
    let libraries = root.join("usr/lib/mono/4.5");
    let mut command = Command::new(root.join("usr/bin/mono-sgen"));
    command
        .env("LD_LIBRARY_PATH", root.join("usr/lib"))
        .env("MONO_CFG_DIR", root.join("etc"))
        .env("MONO_PATH", &libraries)
        .arg(libraries.join("mcs.exe"));
    Ok(command)
}

/// The folder of the provisioned `mcs`.
pub(crate) fn folder() -> PathBuf {
    paths::dotnet_dir().join("mcs")
}

/// What the provisioned `mcs` is built from.
pub(crate) fn stamp() -> String {
    MCS_PACKAGES.join("\n")
}

fn build(into: &Path) -> Result<()> {
    if paths::on_path("apt-get").is_none() || paths::on_path("dpkg").is_none() {
        bail!("there is no C# compiler, and no apt to fetch one with; {INSTALL}");
    }
    let work = Work::spinner("mono-mcs (apt)");
    let downloads = paths::dotnet_dir().join("downloads").join("apt");
    piece::remove(&downloads)?;
    fs::create_dir_all(&downloads).with_context(|| format!("cannot create {}", downloads.display()))?;
    download(&downloads).context(INSTALL)?;
    for entry in fs::read_dir(&downloads).with_context(|| format!("cannot read {}", downloads.display()))? {
        let package = entry?.path();
        if package.extension().is_some_and(|extension| extension == "deb") {
            process::capture(Command::new("dpkg").arg("-x").arg(&package).arg(into))?;
        }
    }
    piece::remove(&downloads)?;
    let size = into.join("usr/lib/mono/4.5/mcs.exe").metadata().map_or(0, |file| file.len());
    if size == 0 {
        bail!("the packages {MCS_PACKAGES:?} hold no mcs.exe; {INSTALL}");
    }
    work.done("unpacked");
    Ok(())
}

/// Downloads the packages, with the system's package lists or, where they are missing or too old,
/// with fresh ones of our own.
fn download(into: &Path) -> Result<()> {
    let first = process::capture(apt(into, None).arg("download").args(MCS_PACKAGES));
    let Err(reason) = first else { return Ok(()) };
    let state = paths::dotnet_dir().join("apt");
    for dir in ["lists/partial", "cache/archives/partial"] {
        let dir = state.join(dir);
        fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    }
    process::capture(apt(into, Some(&state)).arg("update"))
        .with_context(|| format!("cannot fetch the package lists (first attempt: {reason:#})"))?;
    process::capture(apt(into, Some(&state)).arg("download").args(MCS_PACKAGES))?;
    Ok(())
}

fn apt(directory: &Path, state: Option<&Path>) -> Command {
    let mut command = Command::new("apt-get");
    // As root, apt would hand the download to a user that may not see our folder.
    command.current_dir(directory).args(["-q", "-o", "APT::Sandbox::User=root"]);
    if let Some(state) = state {
        for (option, dir) in [("Dir::State::lists", "lists"), ("Dir::Cache", "cache")] {
            command.arg("-o").arg(format!("{option}={}", state.join(dir).display()));
        }
    }
    command
}
