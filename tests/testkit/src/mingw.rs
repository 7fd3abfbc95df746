//! The linker and C compiler for Windows: Debian's GCC. Zig's linker exports every symbol of a library, and fails if there
//! are too many.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::debian::{self, Lists};
use crate::ui::Work;
use crate::{piece, process};

const PACKAGES: [&str; 6] = [
    "gcc-mingw-w64-base",
    "gcc-mingw-w64-x86-64-win32",
    "gcc-mingw-w64-x86-64-win32-runtime",
    "binutils-mingw-w64-x86-64",
    "mingw-w64-x86-64-dev",
    "mingw-w64-common",
];

/// The unpacked packages.
pub(crate) struct Mingw {
    folder: PathBuf,
}

impl Mingw {
    /// Unpacks the packages below a folder, unless they are there.
    pub(crate) fn provision(below: &Path) -> Result<Self> {
        let folder = below.join("mingw");
        piece::ensure(&folder, &PACKAGES.join("\n"), |into| {
            ensure!(debian::is_here(), "there is no apt to fetch MinGW with");
            let work = Work::spinner("GCC for Windows (apt)");
            let state = below.join("apt");
            debian::unpack(&PACKAGES, into, &Lists::fetch(&state, None)?)?;
            work.done("unpacked");
            Ok(())
        })?;
        Ok(Self { folder })
    }

    /// The same cargo command, with this linker.
    pub(crate) fn with_linker(&self, cargo: Command) -> Command {
        let mut command = cargo;
        command.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER", self.gcc());
        // rustc runs its `dlltool`.
        self.on_path(&mut command);
        command
    }

    /// Compiles a C file to a library, linked with system libraries.
    pub(crate) fn library(&self, source: &Path, output: &Path, with: &[&str]) -> Result<()> {
        let mut command = Command::new(self.gcc());
        command.args(["-O1", "-shared", "-static-libgcc", "-o"]).arg(output).arg(source);
        command.args(with.iter().map(|name| format!("-l{name}")));
        self.on_path(&mut command);
        process::capture(&mut command).map(drop)
    }

    fn gcc(&self) -> PathBuf {
        self.folder.join("usr/bin/x86_64-w64-mingw32-gcc-win32")
    }

    fn on_path(&self, command: &mut Command) {
        let programs = self.folder.join("usr/bin");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(programs).chain(std::env::split_paths(&path));
        if let Ok(path) = std::env::join_paths(paths) {
            command.env("PATH", path);
        }
    }
}
