//! Unpacks archives, no further than their folder.

use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::download::{self, Pin};
use crate::paths;
use crate::ui::Work;

/// Downloads a wheel, unless it is there, and unpacks the files that `place` has a place for.
///
/// # Errors
///
/// When it cannot be downloaded, or is no wheel.
pub fn wheel(pin: &Pin, into: &Path, place: impl Fn(&Path) -> Option<PathBuf>) -> Result<()> {
    let downloads = paths::workspace().join("target").join("downloads");
    fs::create_dir_all(&downloads).with_context(|| format!("cannot create {}", downloads.display()))?;
    unzip(&download::fetch(pin, &downloads)?, place, into)
}

/// Unpacks the files of a zip archive that `place` has a place for.
pub(crate) fn unzip(archive: &Path, place: impl Fn(&Path) -> Option<PathBuf>, into: &Path) -> Result<()> {
    let work = Work::spinner(&format!("unpacking {}", name(archive)));
    let file = File::open(archive).with_context(|| format!("cannot open {}", archive.display()))?;
    let mut zip = zip::ZipArchive::new(io::BufReader::new(file))
        .with_context(|| format!("cannot read {}", archive.display()))?;
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index).with_context(|| format!("cannot read {}", archive.display()))?;
        let Some(path) = entry.enclosed_name() else {
            bail!("{} holds a path that leads outside", archive.display())
        };
        let Some(inside) = place(&path) else { continue };
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
pub(crate) fn untar(archive: &Path, into: &Path, place: impl Fn(&Path) -> Option<PathBuf>) -> Result<()> {
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

/// Lets everybody run a file.
///
/// # Errors
///
/// When there is no such file, or it is another user's.
pub fn make_executable(path: &Path) -> Result<()> {
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
