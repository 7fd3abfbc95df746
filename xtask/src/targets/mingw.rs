//! The linker for Windows: Debian's GCC. Zig's linker exports every symbol of a library, and fails if there are too many.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::debian::{self, Lists};
use crate::piece;
use crate::ui::Work;

const PACKAGES: [&str; 6] = [
    "gcc-mingw-w64-base",
    "gcc-mingw-w64-x86-64-win32",
    "gcc-mingw-w64-x86-64-win32-runtime",
    "binutils-mingw-w64-x86-64",
    "mingw-w64-x86-64-dev",
    "mingw-w64-common",
];

/// The unpacked packages.
pub(super) struct Mingw {
    folder: PathBuf,
}

impl Mingw {
    /// Unpacks the packages below a folder, unless they are there.
    pub(super) fn provision(below: &Path) -> Result<Self> {
        let folder = below.join("mingw");
        piece::ensure(&folder, &PACKAGES.join("\n"), |into| {
            ensure!(debian::is_here(), "there is no apt to fetch MinGW with");
            let work = Work::spinner("GCC for Windows (apt)");
            let state = below.join("apt");
            debian::unpack(&PACKAGES, into, below, &Lists::fetch(&state, None)?)?;
            work.done("unpacked");
            Ok(())
        })?;
        Ok(Self { folder })
    }

    /// The same cargo command, with this linker.
    pub(super) fn with_linker(&self, cargo: Command) -> Command {
        let mut command = cargo;
        let programs = self.folder.join("usr/bin");
        let linker = programs.join("x86_64-w64-mingw32-gcc-win32");
        command.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER", linker);
        // rustc runs its `dlltool`.
        let path = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(programs).chain(std::env::split_paths(&path));
        if let Ok(path) = std::env::join_paths(paths) {
            command.env("PATH", path);
        }
        command
    }
}
