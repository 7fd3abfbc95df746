//! Programs of Windows, run by Wine: Debian's packages, unpacked, with a prefix (the folder with its drive C and its
//! registry) beside them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::debian::{self, Lists};
use crate::mingw::Mingw;
use crate::ui::Work;
use crate::{paths, piece, process};

/// Wine without what is for windows, sound and devices, and the libraries that it cannot start without.
const PACKAGES: [&str; 4] = ["wine64", "libwine", "libunwind8", "libz-mingw-w64"];

/// Raised when what is made of the packages changes.
const LAYOUT: u32 = 1;

/// A library of Windows that Wine lacks.
const LIBRARY: &str = include_str!("bcryptprimitives.c");

const SYSTEM32: &str = "prefix/drive_c/windows/system32";

/// The unpacked packages and the prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wine {
    folder: PathBuf,
}

impl Wine {
    /// Sets it up below a folder, unless it is there.
    ///
    /// # Errors
    ///
    /// If the packages cannot be downloaded, or Wine does not start.
    pub fn provision(below: &Path) -> Result<Self> {
        let folder = below.join("wine");
        let stamp = format!("{LAYOUT} {PACKAGES:?} {}", crate::download::sha256_of(LIBRARY.as_bytes()));
        piece::ensure(&folder, &stamp, |into| {
            ensure!(debian::is_here(), "there is no apt to fetch Wine with");
            let mingw = Mingw::provision(below)?;
            let work = Work::spinner("Wine (apt)");
            let lists = below.join("apt");
            debian::unpack(&PACKAGES, into, &Lists::fetch(&lists, None)?)?;
            work.done("unpacked");
            let work = Work::spinner("Wine's prefix");
            // Programs of 32 bits are not run.
            piece::remove(&into.join("usr/lib/x86_64-linux-gnu/wine/i386-windows"))?;
            // The package's is a script that looks below /usr.
            let programs = into.join("usr/lib/wine");
            copy(&programs.join("wineserver64"), &programs.join("wineserver"))?;
            let system = into.join(SYSTEM32);
            fs::create_dir_all(&system).with_context(|| format!("cannot create {}", system.display()))?;
            // Wine's user32 is linked with it, and finds it nowhere else.
            copy(&into.join("usr/x86_64-w64-mingw32/lib/zlib1.dll"), &system.join("zlib1.dll"))?;
            let library = into.join("bcryptprimitives.c");
            fs::write(&library, LIBRARY).with_context(|| format!("cannot write {}", library.display()))?;
            mingw.library(&library, &system.join("bcryptprimitives.dll"), &["advapi32"])?;
            let wine = Self { folder: into.to_path_buf() };
            let mut boot = wine.command(Path::new("wineboot"));
            // Without mscoree, Wine does not ask for Mono. Programs have it: Windows' loader needs it for assemblies.
            boot.env("WINEDLLOVERRIDES", "mscoree,mshtml,winemenubuilder.exe=");
            process::capture(boot.arg("-i"))?;
            let mut server = Command::new(programs.join("wineserver"));
            wine.environment(&mut server);
            process::capture(server.arg("-w"))?;
            work.done("set up");
            Ok(())
        })?;
        Ok(Self { folder })
    }

    /// Returns a command that starts `program`.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(self.program());
        command.arg(program);
        self.environment(&mut command);
        // .NET maps bundled assemblies into placeholders of memory, which Wine 8 refuses; so it copies them.
        command.env("DOTNET_PELoader_DisableMapping", "1");
        // A test program leaves out what hangs by Wine.
        command.env("CORPROF_EMULATOR", "wine");
        command
    }

    /// The command line prefix of a program. It sets the variables for Wine alone: cargo, which runs the line, and its
    /// compiler have libraries of their own.
    pub(super) fn runner(&self) -> String {
        let variables = self.variables().map(|(name, value)| format!("{name}={}", value.display()));
        format!("env {} {}", variables.join(" "), self.program().display())
    }

    fn program(&self) -> PathBuf {
        self.folder.join("usr/lib/wine/wine64")
    }

    fn environment(&self, command: &mut Command) {
        command.envs(self.variables());
    }

    /// The prefix, and what Wine leaves out. Its debugger would keep a crashed program from ending.
    fn variables(&self) -> [(&'static str, PathBuf); 4] {
        [
            ("WINEPREFIX", self.folder.join("prefix")),
            ("WINEDEBUG", "-all".into()),
            ("WINEDLLOVERRIDES", "mshtml,winemenubuilder.exe,winedbg.exe=".into()),
            ("LD_LIBRARY_PATH", self.folder.join("usr/lib/x86_64-linux-gnu")),
        ]
    }
}

/// A path as Windows writes it: drive Z is this machine's root.
pub(super) fn path(path: &Path) -> String {
    let path = paths::absolute(path);
    format!("Z:{}", path.as_os_str().to_string_lossy().replace('/', "\\"))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    // A link would be written through.
    drop(fs::remove_file(to));
    fs::copy(from, to)
        .map(drop)
        .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn a_path_is_one_of_drive_z() {
        assert_eq!(path(Path::new("/a b/c.dll")), r"Z:\a b\c.dll");
    }

    #[test]
    fn the_prefix_is_named() {
        let wine = Wine { folder: "/w".into() };
        let command = wine.command(Path::new("/a.exe"));
        assert_eq!(command.get_program(), "/w/usr/lib/wine/wine64");
        let prefix = command.get_envs().find(|(name, _)| *name == "WINEPREFIX");
        assert_eq!(prefix.and_then(|(_, value)| value), Some(OsStr::new("/w/prefix")));
        let runner = wine.runner();
        assert!(
            runner.starts_with("env WINEPREFIX=/w/prefix ") && runner.ends_with(" /w/usr/lib/wine/wine64"),
            "{runner}"
        );
    }
}
