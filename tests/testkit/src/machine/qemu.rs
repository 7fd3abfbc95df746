//! Runs programs of Linux on Arm with QEMU's user mode, both from Debian.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::debian::{self, Lists};
use crate::piece;
use crate::ui::Work;

const EMULATOR: [&str; 1] = ["qemu-user-static"];
/// The libraries that programs need.
const LIBRARIES: [&str; 5] = ["libc6", "libgcc-s1", "libstdc++6", "libssl3", "zlib1g"];

/// The unpacked packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Qemu {
    folder: PathBuf,
}

impl Qemu {
    /// Unpacks the packages below a folder, unless they are there.
    ///
    /// # Errors
    ///
    /// If the packages cannot be downloaded.
    pub fn provision(below: &Path) -> Result<Self> {
        let folder = below.join("qemu-arm64");
        piece::ensure(&folder, &format!("{EMULATOR:?} {LIBRARIES:?}"), |into| {
            ensure!(debian::is_here(), "there is no apt to fetch QEMU with");
            let work = Work::spinner("QEMU's user mode and libraries of arm64 (apt)");
            let (own, others) = (below.join("apt"), below.join("apt-arm64"));
            debian::unpack(&EMULATOR, into, &Lists::fetch(&own, None)?)?;
            debian::unpack(&LIBRARIES, &into.join("root"), &Lists::fetch(&others, Some("arm64"))?)?;
            work.done("unpacked");
            Ok(())
        })?;
        Ok(Self { folder })
    }

    /// Returns a command that starts `program`.
    pub(super) fn command(&self, program: &Path) -> Command {
        let [emulator, root] = self.parts();
        let mut command = Command::new(emulator);
        command.arg("-L").arg(root).arg(program);
        // .NET writes code through a second mapping of its memory. QEMU does not notice, and keeps what it has translated of the
        // memory's former contents.
        command.env("DOTNET_EnableWriteXorExecute", "0");
        command
    }

    /// The command line prefix of a program.
    pub(super) fn runner(&self) -> String {
        let [emulator, root] = self.parts();
        format!("{} -L {}", emulator.display(), root.display())
    }

    fn parts(&self) -> [PathBuf; 2] {
        ["usr/bin/qemu-aarch64-static", "root"].map(|path| self.folder.join(path))
    }
}
