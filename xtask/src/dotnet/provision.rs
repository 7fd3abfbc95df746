//! Provisions what the machine does not have: downloads, verifies and lays out.

use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use super::pins::{NET_9_0, NETCORE_3_1, ROSLYN};
use super::{compile, layout, mcs, provisioned_root};
use crate::download::{self, Pin};
use crate::ui::Work;
use crate::{paths, piece};

/// Raised when the layout below changes, so that older ones are built again.
const LAYOUT: u32 = 1;

/// Both runtimes, the web framework, and the C# compiler, below [`paths::dotnet_dir`].
///
/// What is there is kept, unless `force` is given; downloads are kept in either case.
///
/// # Errors
///
/// When something cannot be downloaded, verified or unpacked. What was reached until then is kept.
pub fn provision(force: bool) -> Result<()> {
    if force {
        for dir in [provisioned_root(), program_dir(), roslyn_dir(), mcs::folder(), compile::driver_dir()] {
            piece::remove(&dir)?;
        }
    }
    root()?;
    compile::driver()?;
    Ok(())
}

/// The muxer's folder with both runtimes.
pub(crate) fn root() -> Result<PathBuf> {
    let root = provisioned_root();
    if !piece::is_whole(&root, &root_stamp()) {
        supported()?;
        let program = program()?;
        let wheel = fetch(&NETCORE_3_1)?;
        piece::ensure(&root, &root_stamp(), |into| {
            unzip(&wheel, "dotnetcore2/bin/", into)?;
            make_executable(&into.join("dotnet"))?;
            layout::add_self_contained(&program, "azmcp.deps.json", into)
        })?;
    }
    Ok(root)
}

pub(crate) fn root_stamp() -> String {
    format!("{LAYOUT} {} {}", NETCORE_3_1.sha256, NET_9_0.sha256)
}

/// A real program to try profilers on: self-contained, on .NET 9.0, and of some size.
///
/// It needs `DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1` where there is no ICU. Its arguments
/// `tools list` make 700,000 calls; `server start` serves JSON-RPC on standard input and output.
///
/// # Errors
///
/// When it cannot be provisioned.
pub fn azmcp_program() -> Result<PathBuf> {
    Ok(program()?.join("azmcp"))
}

fn program_dir() -> PathBuf {
    paths::dotnet_dir().join("azmcp")
}

/// The folder with the self-contained program's files.
fn program() -> Result<PathBuf> {
    let dir = program_dir();
    let stamp = format!("{LAYOUT} {}", NET_9_0.sha256);
    if !piece::is_whole(&dir, &stamp) {
        supported()?;
        let archive = fetch(&NET_9_0)?;
        piece::ensure(&dir, &stamp, |into| {
            untar(&archive, into, |path| path.strip_prefix("package").ok().map(Path::to_path_buf))?;
            make_executable(&into.join("dist").join("azmcp"))
        })?;
    }
    Ok(dir.join("dist"))
}

fn roslyn_dir() -> PathBuf {
    paths::dotnet_dir().join("roslyn")
}

/// The folder with the two assemblies of the C# compiler.
pub(crate) fn roslyn() -> Result<PathBuf> {
    let dir = roslyn_dir();
    if !piece::is_whole(&dir, ROSLYN.sha256) {
        let archive = fetch(&ROSLYN)?;
        piece::ensure(&dir, ROSLYN.sha256, |into| {
            let wanted = ["Microsoft.CodeAnalysis.dll", "Microsoft.CodeAnalysis.CSharp.dll"];
            untar(&archive, into, |path| {
                let file = path.strip_prefix("package/dist/generator").ok()?;
                wanted.iter().any(|wanted| file == Path::new(wanted)).then(|| file.to_path_buf())
            })?;
            match wanted.iter().find(|file| !into.join(file).exists()) {
                Some(missing) => bail!("{} holds no {missing}", ROSLYN.package),
                None => Ok(()),
            }
        })?;
    }
    Ok(dir)
}

/// Provisioning knows packages for one platform.
fn supported() -> Result<()> {
    if cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu")) {
        return Ok(());
    }
    bail!(
        "runtimes are provisioned on Linux x86-64 (glibc) alone; install the .NET SDK and the runtimes 3.1 and \
         9.0, put `dotnet` on PATH or name its folder in DOTNET_ROOT, and see `cargo xtask doctor`"
    )
}

fn fetch(pin: &Pin) -> Result<PathBuf> {
    let downloads = paths::dotnet_dir().join("downloads");
    fs::create_dir_all(&downloads).with_context(|| format!("cannot create {}", downloads.display()))?;
    download::fetch(pin, &downloads)
}

/// Unpacks what lies below `prefix` of a zip archive.
fn unzip(archive: &Path, prefix: &str, into: &Path) -> Result<()> {
    let work = Work::spinner(&format!("unpacking {}", name(archive)));
    let file = File::open(archive).with_context(|| format!("cannot open {}", archive.display()))?;
    let mut zip = zip::ZipArchive::new(io::BufReader::new(file))
        .with_context(|| format!("cannot read {}", archive.display()))?;
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index).with_context(|| format!("cannot read {}", archive.display()))?;
        let Some(path) = entry.enclosed_name() else {
            bail!("{} holds a path that leads outside", archive.display())
        };
        let Ok(inside) = path.strip_prefix(prefix) else { continue };
        if !entry.is_file() {
            continue;
        }
        let target = into.join(inside);
        write(&mut entry, &target)?;
    }
    work.done("done");
    Ok(())
}

/// Unpacks the files of a `.tgz` that `place` has a place for.
fn untar(archive: &Path, into: &Path, place: impl Fn(&Path) -> Option<PathBuf>) -> Result<()> {
    let work = Work::spinner(&format!("unpacking {}", name(archive)));
    let file = File::open(archive).with_context(|| format!("cannot open {}", archive.display()))?;
    let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(io::BufReader::new(file)));
    for entry in tar.entries().with_context(|| format!("cannot read {}", archive.display()))? {
        let mut entry = entry.with_context(|| format!("cannot read {}", archive.display()))?;
        let path = entry.path().with_context(|| format!("cannot read {}", archive.display()))?.into_owned();
        let Some(inside) = place(&path) else { continue };
        if !entry.header().entry_type().is_file() {
            continue;
        }
        if inside.components().any(|part| !matches!(part, Component::Normal(_))) {
            bail!("{} holds a path that leads outside", archive.display());
        }
        write(&mut entry, &into.join(inside))?;
    }
    work.done("done");
    Ok(())
}

fn write(from: &mut impl io::Read, target: &Path) -> Result<()> {
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent).with_context(|| format!("cannot create {}", parent.display()))?;
    }
    let mut file = File::create(target).with_context(|| format!("cannot create {}", target.display()))?;
    io::copy(from, &mut file).with_context(|| format!("cannot unpack {}", target.display()))?;
    Ok(())
}

fn make_executable(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))
            .with_context(|| format!("cannot make {} executable", path.display()))?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn tarball(dir: &Path, path: &str) -> PathBuf {
        let file = dir.join("a.tgz");
        let gzip = flate2::write::GzEncoder::new(File::create(&file).unwrap(), flate2::Compression::fast());
        let mut tar = tar::Builder::new(gzip);
        let mut header = tar::Header::new_gnu();
        // Not through `set_path`, which refuses what is tried here.
        header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_size(2);
        header.set_mode(0o644);
        header.set_cksum();
        tar.append(&header, &b"hi"[..]).unwrap();
        tar.into_inner().unwrap().finish().unwrap().flush().unwrap();
        file
    }

    #[test]
    fn a_tarball_is_unpacked_where_asked() {
        let dir = tempfile::tempdir().unwrap();
        let archive = tarball(dir.path(), "package/dist/x");
        untar(&archive, dir.path(), |path| path.strip_prefix("package").ok().map(Path::to_path_buf)).unwrap();
        assert_eq!(fs::read(dir.path().join("dist/x")).unwrap(), b"hi");
    }

    #[test]
    fn a_tarball_that_leads_outside_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let archive = tarball(dir.path(), "package/../../x");
        let place = |path: &Path| path.strip_prefix("package").ok().map(Path::to_path_buf);
        assert!(untar(&archive, dir.path(), place).is_err());
    }
}
