//! A cargo that can compile for a target: the one that runs us if its toolchain has the target's standard library,
//! otherwise Debian's, which comes with the library's sources, unpacked below `target`. Nothing is installed. Debian has
//! the library itself for arm64; for other targets it is built.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::debian::{self, Lists};
use crate::ui::Work;
use crate::{paths, piece, process};

/// The packages: the compiler, cargo, the sources of the standard library, the libraries of cargo, and musl.
const PACKAGES: [&str; 12] = [
    "rustc-web",
    "cargo-web",
    "rust-web-src",
    "libstd-rust-web-dev",
    "libgit2-1.5",
    "libssh2-1",
    "libhttp-parser2.9",
    "libmbedcrypto7",
    "libmbedtls14",
    "libmbedx509-1",
    "musl",
    "musl-dev",
];

/// The standard library as Debian builds it on arm64. It accepts a compiler of the same version on another machine.
const STD_OF_ARM64: &str = "libstd-rust-web-dev";

/// Debian's Rust and musl.
#[derive(Debug)]
pub struct Debian {
    root: PathBuf,
}

impl Debian {
    /// Unpacks the packages below a folder, unless they are there.
    ///
    /// # Errors
    ///
    /// When they cannot be downloaded, or are too old.
    pub fn provision(below: &Path) -> Result<Self> {
        let root = below.join("debian");
        let stamp = format!("{}\n{STD_OF_ARM64}:arm64", PACKAGES.join("\n"));
        piece::ensure(&root, &stamp, |into| {
            ensure!(
                debian::is_here(),
                "there is no apt to fetch Debian's Rust with; install the targets' standard libraries yourself, with \
                 rustup: `rustup target add TARGET…`"
            );
            let work = Work::spinner("Debian's rustc, cargo and musl (apt)");
            let state = below.join("apt");
            let lists = Lists::fetch(&state, None)?;
            let std = lists.dependency("libstd-rust-web-dev", "libstd-rust-web-")?;
            let llvm = lists.dependency(&std, "libllvm")?;
            let packages: Vec<&str> = PACKAGES.into_iter().chain([&*std, &*llvm]).collect();
            debian::unpack(&packages, into, &lists)?;
            let state = below.join("apt-arm64");
            debian::unpack(&[STD_OF_ARM64], into, &Lists::fetch(&state, Some("arm64"))?)?;
            work.done("unpacked");
            Ok(())
        })?;
        let debian = Self { root };
        debian.is_new_enough()?;
        Ok(debian)
    }

    fn is_new_enough(&self) -> Result<()> {
        let mut rustc = Command::new(self.root.join("usr/bin/rustc"));
        let answer = process::capture(rustc.arg("--version").env("LD_LIBRARY_PATH", self.libraries()))?;
        let wanted = env!("CARGO_PKG_RUST_VERSION");
        let number = |version: &str| {
            let mut parts = version.split('.').map_while(|part| part.parse::<u32>().ok());
            Some((parts.next()?, parts.next()?))
        };
        let found = answer.split_ascii_whitespace().nth(1).and_then(number);
        let found = found.with_context(|| format!("rustc has no version: {answer}"))?;
        ensure!(Some(found) >= number(wanted), "Debian has {}, and {wanted} is needed", answer.trim());
        Ok(())
    }

    fn libraries(&self) -> String {
        let [own, others] = ["usr/lib", "usr/lib/x86_64-linux-gnu"].map(|path| self.root.join(path));
        format!("{}:{}", others.display(), own.display())
    }

    /// Its cargo, which builds the standard library too.
    pub(super) fn cargo(&self) -> Command {
        let mut cargo = process::cargo::<&str>([]);
        let mut command = Command::new(self.root.join("usr/bin/cargo"));
        for (name, value) in cargo.current_dir(paths::workspace()).get_envs() {
            if value.is_none() {
                command.env_remove(name);
            }
        }
        command
            .current_dir(paths::workspace())
            .env("LD_LIBRARY_PATH", self.libraries())
            .env("RUSTC", self.root.join("usr/bin/rustc"))
            .env("RUSTC_BOOTSTRAP", "1")
            .env_remove("RUSTUP_TOOLCHAIN");
        command
    }

    /// Whether it has the standard library of a target, and need not build it.
    pub(super) fn has_std(&self, target: &str) -> bool {
        has_library(&self.root.join("usr/lib/rustlib").join(target).join("lib"))
    }

    /// The loader of musl, which is also its C library.
    #[must_use]
    pub fn musl_library(&self) -> PathBuf {
        self.root.join("lib/x86_64-linux-musl/libc.so")
    }

    /// The folder of musl's startup objects and libraries.
    #[must_use]
    pub fn musl(&self) -> PathBuf {
        self.root.join("usr/lib/x86_64-linux-musl")
    }

    /// The folder of musl's headers.
    #[must_use]
    pub fn musl_headers(&self) -> PathBuf {
        self.root.join("usr/include/x86_64-linux-musl")
    }
}

/// Whether the toolchain that runs us has the standard library of a target.
pub(super) fn has_std(target: &str) -> Result<bool> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut rustc = Command::new(rustc);
    rustc.current_dir(paths::workspace()).args(["--print", "target-libdir", "--target", target]);
    let folder = process::capture(&mut rustc)?;
    Ok(has_library(Path::new(folder.trim())))
}

/// Whether a folder of a toolchain has the standard library.
fn has_library(folder: &Path) -> bool {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.map(|file| file.file_name()).any(|name| name.to_string_lossy().starts_with("libstd-"))
}
