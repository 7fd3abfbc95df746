//! `mcs`, the small C# compiler that compiles the driver of the large one.
//!
//! The one on `PATH` is used when there is one. Otherwise apt downloads mono's packages, checks their
//! signatures, and `dpkg -x` unpacks them: no root, and the system stays as it is.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use super::pins::MCS_PACKAGES;
use crate::debian::{self, Lists};
use crate::ui::Work;
use crate::{paths, piece};

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
#[must_use]
pub fn folder() -> PathBuf {
    paths::dotnet_dir().join("mcs")
}

/// What the provisioned `mcs` is built from.
#[must_use]
pub fn stamp() -> String {
    MCS_PACKAGES.join("\n")
}

fn build(into: &Path) -> Result<()> {
    if !debian::is_here() {
        bail!("there is no C# compiler, and no apt to fetch one with; {INSTALL}");
    }
    let shown = Work::spinner("mono-mcs (apt)");
    let work = paths::dotnet_dir();
    // The system's lists may be missing or too old.
    let first = debian::unpack(&MCS_PACKAGES, into, &Lists::SYSTEM);
    if let Err(reason) = first {
        let state = work.join("apt");
        let own = Lists::fetch(&state, None).with_context(|| format!("first attempt: {reason:#}"));
        own.and_then(|own| debian::unpack(&MCS_PACKAGES, into, &own)).context(INSTALL)?;
    }
    let size = into.join("usr/lib/mono/4.5/mcs.exe").metadata().map_or(0, |file| file.len());
    if size == 0 {
        bail!("the packages {MCS_PACKAGES:?} hold no mcs.exe; {INSTALL}");
    }
    shown.done("unpacked");
    Ok(())
}
