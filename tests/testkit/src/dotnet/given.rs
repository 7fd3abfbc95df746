//! Runtimes and compilers of a folder that the user names: where a machine has no .NET and downloads none, and for versions
//! that no pinned package has.
//!
//! The folder has them by name, as archives with their checksums or unpacked:
//!
//! ```text
//! SHA256SUMS
//! net11-linux-x64.tar.xz    the runtime 11.0 for Linux x86-64 (glibc): a folder with `dotnet` and `shared`; also net8, net3.1
//! csc59.tar.xz              Roslyn 5.9, which compiles for it: a folder with `csc.dll`
//! sdk10.tar.xz              the SDK 10.0; nuget10.tar.xz: a folder of packages for it
//! ```
//!
//! An archive has one folder, with its own name. It is unpacked once, below [`paths::dotnet_dir`].

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context as _, Result, bail, ensure};

use super::layout::NETCORE_APP;
use super::locate::{numbers, series};
use super::{Launcher, Origin, Runtime, RuntimeVersion};
use crate::machine::Machine;
use crate::ui::Work;
use crate::{download, paths, piece, process};

/// The variable that names the folder.
pub const VARIABLE: &str = "CORPROF_DOTNET_ARCHIVES";

/// The platform of the runtimes that run on this machine.
const HERE: &str = "linux-x64";

/// The folder, if one is named.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    let named = env::var_os(VARIABLE).filter(|folder| !folder.is_empty())?;
    Some(paths::absolute(Path::new(&named)))
}

/// The name of a runtime in the folder: `net11-linux-x64`.
fn name(version: RuntimeVersion, platform: &str) -> String {
    format!("net{}-{platform}", version.short().trim_end_matches(".0"))
}

/// Whether a folder is named that has the runtime of this version.
#[must_use]
pub fn has(version: RuntimeVersion) -> bool {
    has_for(version, HERE)
}

/// Whether a folder is named that has the runtime of this version for a platform (`linux-musl-x64`).
pub(super) fn has_for(version: RuntimeVersion, platform: &str) -> bool {
    folder().is_some_and(|folder| is_in(&folder, &name(version, platform)))
}

fn is_in(folder: &Path, name: &str) -> bool {
    folder.join(name).is_dir() || folder.join(format!("{name}.tar.xz")).is_file()
}

/// The runtime of this version from the folder, unpacked now if need be.
///
/// # Errors
///
/// When no folder is named, it has no such runtime, or that cannot be unpacked.
pub(crate) fn runtime(version: RuntimeVersion) -> Result<Runtime> {
    ensure!(
        cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu")),
        "the runtimes of {VARIABLE} are for Linux x86-64 (glibc) alone; install .NET {version}, and put `dotnet` on PATH or \
         name its folder in DOTNET_ROOT"
    );
    let (root, exact) = root(version, HERE)?;
    Ok(Runtime {
        launcher: Launcher::Muxer(root.join("dotnet")),
        assemblies: root.join("shared").join(NETCORE_APP).join(&exact),
        version: exact,
        origin: Origin::Provisioned,
        machine: Machine::This,
    })
}

/// The runtime of this version with the host that it is linked into, which single-file programs are made of.
///
/// # Errors
///
/// As for [`runtime`], and when the folder has no such host.
pub(super) fn single_file_runtime(version: RuntimeVersion) -> Result<Runtime> {
    let found = runtime(version)?;
    let (root, _) = root(version, HERE)?;
    let host = root.join("apphost").join("singlefilehost");
    let folder = paths::dotnet_dir().join(format!("embedded-{}", found.version));
    let stamp = download::sha256(&host)?;
    piece::ensure(&folder, &stamp, |into| {
        let copy = super::embedded::host(into);
        fs::copy(&host, &copy).with_context(|| format!("cannot copy {}", host.display()))?;
        crate::unpack::make_executable(&copy)
    })?;
    Ok(Runtime { launcher: Launcher::Embedded(folder), ..found })
}

/// The runtime of this version for a platform that `machine` runs. It has no `dotnet`: hosts of programs start it.
pub(super) fn runtime_for(version: RuntimeVersion, platform: &str, machine: Machine) -> Result<Runtime> {
    let (root, exact) = root(version, platform)?;
    Ok(Runtime {
        assemblies: root.join("shared").join(NETCORE_APP).join(&exact),
        launcher: Launcher::AppHost(root),
        version: exact,
        origin: Origin::Provisioned,
        machine,
    })
}

/// The folder of a runtime, unpacked now if need be, and its exact version.
fn root(version: RuntimeVersion, platform: &str) -> Result<(PathBuf, String)> {
    let root = item(&name(version, platform))
        .with_context(|| format!("there is no .NET {version} for {platform}"))?;
    let frameworks = root.join("shared").join(NETCORE_APP);
    let entries =
        fs::read_dir(&frameworks).with_context(|| format!("cannot read {}", frameworks.display()))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let newest = names.filter(|name| series(name) == version.short()).max_by_key(|name| numbers(name));
    match newest {
        Some(exact) => Ok((root, exact)),
        None => bail!("{} has no {version}", frameworks.display()),
    }
}

/// The assembly of a C# compiler that compiles for these runtimes.
///
/// # Errors
///
/// As for [`runtime`].
pub(crate) fn compiler() -> Result<PathBuf> {
    Ok(item("csc59").context("there is no C# compiler for .NET 11.0")?.join("csc.dll"))
}

/// The folder of a runtime or compiler with this name, unpacked now if need be.
///
/// # Errors
///
/// When no folder is named, it has no such item, or that cannot be unpacked.
pub fn item(name: &str) -> Result<PathBuf> {
    let Some(folder) = folder() else {
        bail!("{VARIABLE} names no folder with {name}; CONTRIBUTING.md says what the folder has");
    };
    unpacked(&folder, name, &paths::dotnet_dir())
}

/// The folder `name` of `from`, or of its archive, which is unpacked into `to`.
fn unpacked(from: &Path, name: &str, to: &Path) -> Result<PathBuf> {
    let there = from.join(name);
    if there.is_dir() {
        return Ok(there);
    }
    let archive = from.join(format!("{name}.tar.xz"));
    let sums = from.join("SHA256SUMS");
    let text = fs::read_to_string(&sums)
        .with_context(|| format!("{} has no folder {name}, and no {}", from.display(), sums.display()))?;
    let expected = checksum(&text, &format!("{name}.tar.xz"))
        .with_context(|| format!("{} has no checksum of {name}.tar.xz", sums.display()))?;
    let dir = to.join(name);
    piece::ensure(&dir, expected, |into| {
        let found = download::sha256(&archive)?;
        ensure!(
            found == expected,
            "{} has the SHA-256 {found}, not {expected} as in {}",
            archive.display(),
            sums.display()
        );
        let work = Work::spinner(&format!("unpacking {name}"));
        let mut tar = Command::new("tar");
        tar.args(["--extract", "--xz", "--strip-components=1", "--file"]).arg(&archive).arg("--directory");
        process::capture(tar.arg(into)).context("unpacking takes the programs `tar` and `xz`")?;
        work.done("done");
        Ok(())
    })?;
    Ok(dir)
}

/// The checksum of a file in the lines that `sha256sum` writes.
fn checksum<'a>(sums: &'a str, file: &str) -> Option<&'a str> {
    sums.lines().find_map(|line| {
        let (sum, name) = line.split_once(' ')?;
        // A star marks a file that was read as binary.
        (name.trim_start().trim_start_matches('*') == file).then_some(sum)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with the archive `a.tar.xz`, of a folder with one file.
    fn archived() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("a")).unwrap();
        fs::write(dir.path().join("a/file"), "contents").unwrap();
        let tar = Command::new("tar").args(["-cJf", "a.tar.xz", "a"]).current_dir(dir.path()).status();
        assert!(tar.unwrap().success());
        fs::remove_dir_all(dir.path().join("a")).unwrap();
        let sum = download::sha256(&dir.path().join("a.tar.xz")).unwrap();
        fs::write(dir.path().join("SHA256SUMS"), format!("{sum}  a.tar.xz\n")).unwrap();
        dir
    }

    #[test]
    fn archives_are_unpacked_once() {
        let (from, to) = (archived(), tempfile::tempdir().unwrap());
        let found = unpacked(from.path(), "a", to.path()).unwrap();
        assert_eq!(found, to.path().join("a"));
        assert_eq!(fs::read(found.join("file")).unwrap(), b"contents");
        fs::remove_file(from.path().join("a.tar.xz")).unwrap();
        assert_eq!(unpacked(from.path(), "a", to.path()).unwrap(), found);
    }

    #[test]
    fn a_runtime_is_in_the_folder_as_an_archive_or_unpacked() {
        assert_eq!(name(RuntimeVersion::V3_1, HERE), "net3.1-linux-x64");
        assert_eq!(name(RuntimeVersion::V10_0, "linux-musl-x64"), "net10-linux-musl-x64");
        let from = archived();
        assert!(is_in(from.path(), "a") && !is_in(from.path(), "b"));
        fs::create_dir(from.path().join("b")).unwrap();
        assert!(is_in(from.path(), "b"));
    }

    #[test]
    fn archives_with_another_checksum_are_refused() {
        let (from, to) = (archived(), tempfile::tempdir().unwrap());
        fs::write(from.path().join("a.tar.xz"), "changed").unwrap();
        let error = format!("{:#}", unpacked(from.path(), "a", to.path()).unwrap_err());
        assert!(error.contains("SHA-256") && !to.path().join("a").exists(), "{error}");
    }

    #[test]
    fn unpacked_folders_are_used_where_they_are() {
        let from = tempfile::tempdir().unwrap();
        fs::create_dir(from.path().join("a")).unwrap();
        assert_eq!(unpacked(from.path(), "a", Path::new("nowhere")).unwrap(), from.path().join("a"));
        let error = format!("{:#}", unpacked(from.path(), "b", Path::new("nowhere")).unwrap_err());
        assert!(error.contains("no folder b"), "{error}");
    }

    #[test]
    fn checksums_are_found_by_the_whole_name() {
        let sums = "1  old-a.tar.xz\n2 *a.tar.xz\n";
        assert_eq!(checksum(sums, "a.tar.xz"), Some("2"));
        assert_eq!(checksum(sums, "tar.xz"), None);
    }
}
