//! The linker of every target except Windows: zig's C compiler, from PyPI, driven by `cargo-zigbuild`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::download::Pin;
use crate::registry::Package;
use crate::{paths, piece, unpack};

const ZIG: Pin = Pin {
    file: "ziglang-0.17.1-py3-none-manylinux_2_12_x86_64.manylinux2010_x86_64.musllinux_1_1_x86_64.whl",
    package: Package::Pip { name: "ziglang", version: "0.17.1" },
    size: 101_083_562,
    sha256: "ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54",
};

const ZIGBUILD: Pin = Pin {
    file: "cargo_zigbuild-0.24.0-py3-none-manylinux1_x86_64.whl",
    package: Package::Pip { name: "cargo-zigbuild", version: "0.24.0" },
    size: 1_655_102,
    sha256: "484412e39e4c6039474535ce97ee75a22bab22d58233056f8ec8a8f9034bb957",
};

/// The programs in the wheels.
const ZIG_PROGRAM: &str = "ziglang/zig";
const ZIGBUILD_PROGRAM: &str = "cargo_zigbuild-0.24.0.data/scripts/cargo-zigbuild";

/// The unpacked wheels.
pub(super) struct Zig {
    zig: PathBuf,
    zigbuild: PathBuf,
    caches: PathBuf,
}

impl Zig {
    /// Unpacks the wheels below a folder, unless they are there.
    pub(super) fn provision(below: &Path) -> Result<Self> {
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            bail!("zig is pinned for Linux x86-64 alone");
        }
        let folder = below.join("zig");
        let stamp = format!("{} {}", ZIG.sha256, ZIGBUILD.sha256);
        piece::ensure(&folder, &stamp, |into| {
            for (pin, program) in [(&ZIG, ZIG_PROGRAM), (&ZIGBUILD, ZIGBUILD_PROGRAM)] {
                unpack::wheel(pin, into, |path| Some(path.to_path_buf()))?;
                unpack::make_executable(&into.join(program))?;
            }
            Ok(())
        })?;
        Ok(Self {
            zig: folder.join(ZIG_PROGRAM),
            zigbuild: folder.join(ZIGBUILD_PROGRAM),
            caches: below.join("caches"),
        })
    }

    /// The command `cargo-zigbuild`, with one of its subcommands and the environment of a cargo command.
    pub(super) fn cargo(&self, subcommand: &str, cargo: &Command) -> Command {
        let mut command = Command::new(&self.zigbuild);
        command.arg(subcommand).current_dir(paths::workspace());
        command.env("CARGO", cargo.get_program()).env("CARGO_ZIGBUILD_ZIG_PATH", &self.zig);
        // The default folders are in the home folder.
        command.env("CARGO_ZIGBUILD_CACHE_DIR", self.caches.join("zigbuild"));
        command.env("ZIG_GLOBAL_CACHE_DIR", self.caches.join("zig"));
        for (name, value) in cargo.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }
}
