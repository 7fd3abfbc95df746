//! Runs programs of Linux with musl: in a root folder that has musl in the place of this machine's C library.
//!
//! musl is Debian's. The runtime needs a C++ library too, which Debian has for glibc alone: that one works with musl, since musl's
//! loader takes itself for `libc.so.6` and `libm.so.6` and ignores versions of symbols, and a few symbols that musl lacks come
//! from `tests/tools/musl_shim.c`. Whatever lies beside the system's own folders has the same path in the root folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::debian::{self, Lists};
use crate::download::sha256_of;
use crate::ui::Work;
use crate::{paths, piece, process};

/// musl, its headers, and what the runtime is linked with besides.
const PACKAGES: [&str; 4] = ["musl", "musl-dev", "libstdc++6", "libgcc-s1"];

/// The name of the shim: the one library that Debian's C++ library needs and musl's loader does not take for itself.
const SHIM: &str = "ld-linux-x86-64.so.2";

/// Raised when what is made of the packages changes.
const LAYOUT: u32 = 1;

/// The script that runs a program in the root folder: with the machine's processes and devices, and with every folder that
/// belongs to no system, and the machine's time zones. A user who is not root is one in a user namespace of the program's own.
const SCRIPT: &str = r#"#!/bin/sh
root=$(dirname "$0")/root
if unshare --mount true 2>/dev/null; then own=; else own=--map-root-user; fi
exec unshare --mount $own sh -c '
root=$1; shift
for folder in /*; do
    if [ -L "$folder" ] || [ ! -d "$folder" ]; then continue; fi
    case $folder in /bin | /boot | /etc | /lib* | /lost+found | /sbin | /usr) continue ;; esac
    mkdir -p "$root$folder" && mount --rbind "$folder" "$root$folder" || exit 125
done
zones=/usr/share/zoneinfo
if [ -d "$zones" ]; then mkdir -p "$root$zones" && mount --bind "$zones" "$root$zones" || exit 125; fi
exec unshare --root="$root" --wd="$PWD" -- "$@"' sh "$root" "$@"
"#;

/// The root folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Musl {
    folder: PathBuf,
}

impl Musl {
    /// Furnishes the root folder below a folder, unless it is there.
    ///
    /// # Errors
    ///
    /// If the packages cannot be downloaded, the shim cannot be compiled, or nothing runs in a root folder here.
    pub fn provision(below: &Path) -> Result<Self> {
        let folder = below.join("musl-root");
        let source = paths::workspace().join("tests/tools/musl_shim.c");
        let text = fs::read(&source).with_context(|| format!("cannot read {}", source.display()))?;
        let stamp = format!("{LAYOUT} {PACKAGES:?} {}", sha256_of(&[&*text, SCRIPT.as_bytes()].concat()));
        piece::ensure(&folder, &stamp, |into| {
            ensure!(debian::is_here(), "there is no apt to fetch musl with");
            let work = Work::spinner("musl and a C++ library (apt)");
            let packages = into.join("debian");
            fs::create_dir_all(&packages).with_context(|| format!("cannot create {}", packages.display()))?;
            debian::unpack(&PACKAGES, &packages, &Lists::fetch(&below.join("apt"), None)?)?;
            furnish(&packages, &source, &into.join("root"))?;
            let script = into.join("run");
            fs::write(&script, SCRIPT).with_context(|| format!("cannot write {}", script.display()))?;
            crate::unpack::make_executable(&script)?;
            work.done("unpacked");
            Ok(())
        })?;
        let musl = Self { folder };
        let mut loader = musl.command(Path::new(LOADER));
        // Without arguments it prints its version, and fails.
        let said = process::both(&process::output(&mut loader)?);
        ensure!(
            said.contains("musl libc"),
            "nothing runs in a root folder here, which takes the right to mount (root, or user namespaces): {said}"
        );
        Ok(musl)
    }

    /// Returns a command that starts `program`.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(self.script());
        command.arg(program);
        command
    }

    /// The command line prefix of a program.
    pub(super) fn runner(&self) -> String {
        self.script().display().to_string()
    }

    fn script(&self) -> PathBuf {
        self.folder.join("run")
    }
}

/// The path of musl's loader, which is its C library too.
const LOADER: &str = "/lib/ld-musl-x86_64.so.1";

/// Puts musl, the C++ library and the shim into the root folder.
fn furnish(packages: &Path, shim: &Path, root: &Path) -> Result<()> {
    for folder in ["lib", "etc"].map(|name| root.join(name)) {
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let musl = packages.join("lib/x86_64-linux-musl/libc.so");
    let libraries = root.join("lib");
    for (from, name) in [
        (musl, LOADER.trim_start_matches("/lib/")),
        (packages.join("usr/lib/x86_64-linux-gnu/libstdc++.so.6"), "libstdc++.so.6"),
        (packages.join("lib/x86_64-linux-gnu/libgcc_s.so.1"), "libgcc_s.so.1"),
    ] {
        fs::copy(&from, libraries.join(name)).with_context(|| format!("cannot copy {}", from.display()))?;
    }
    fs::write(root.join("etc/hosts"), "127.0.0.1 localhost\n").context("cannot write etc/hosts")?;
    let mut compile = Command::new("cc");
    compile.args(["-O2", "-shared", "-fPIC", "-nostdinc", "-nostdlib", "-fno-stack-protector", "-isystem"]);
    compile.arg(packages.join("usr/include/x86_64-linux-musl"));
    compile.arg(format!("-Wl,-soname,{SHIM}")).arg("-o").arg(libraries.join(SHIM)).arg(shim);
    process::capture(&mut compile).map(drop)
}
