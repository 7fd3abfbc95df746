//! Folders that exist either completely or not at all.
//!
//! A piece is built in a temporary folder beside its final path, gets a stamp of its inputs, and
//! is renamed to the final path. A crash at any point leaves either the old piece or none, never an incomplete
//! one. Processes that build the same piece at the same time wait for each other.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

const STAMP: &str = ".stamp";

/// An exclusive lock between processes, held until it is dropped.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "the lock lives as long as the open file")] File);

impl Lock {
    /// Waits for the lock file `path`.
    ///
    /// # Errors
    ///
    /// When the file cannot be created or locked.
    pub fn take(path: &Path) -> Result<Self> {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).with_context(|| format!("cannot create {}", parent.display()))?;
        }
        let file =
            File::create(path).with_context(|| format!("cannot create the lock {}", path.display()))?;
        file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
        Ok(Self(file))
    }
}

/// Whether the folder `dir` is complete and was built from `stamp`.
#[must_use]
pub fn is_whole(dir: &Path, stamp: &str) -> bool {
    fs::read_to_string(dir.join(STAMP)).is_ok_and(|found| found == stamp)
}

/// The stamp of a piece, whatever its value.
#[must_use]
pub fn stamp(dir: &Path) -> Option<String> {
    fs::read_to_string(dir.join(STAMP)).ok()
}

/// Makes sure that `dir` is a complete piece built from `stamp`; `build` fills the folder that it gets.
///
/// Returns whether it was built now.
///
/// # Errors
///
/// When `build` fails or the file system does.
pub fn ensure(dir: &Path, stamp: &str, build: impl FnOnce(&Path) -> Result<()>) -> Result<bool> {
    if is_whole(dir, stamp) {
        return Ok(false);
    }
    let _lock = Lock::take(&beside(dir, "lock"))?;
    if is_whole(dir, stamp) {
        return Ok(false);
    }
    let unfinished = beside(dir, "tmp");
    remove(&unfinished)?;
    fs::create_dir_all(&unfinished).with_context(|| format!("cannot create {}", unfinished.display()))?;
    build(&unfinished)?;
    fs::write(unfinished.join(STAMP), stamp)
        .with_context(|| format!("cannot write the stamp in {}", unfinished.display()))?;

    let old = beside(dir, "old");
    remove(&old)?;
    if dir.exists() {
        fs::rename(dir, &old).with_context(|| format!("cannot move {} away", dir.display()))?;
    }
    fs::rename(&unfinished, dir).with_context(|| format!("cannot move {} into place", dir.display()))?;
    remove(&old)?;
    Ok(true)
}

/// Removes a folder with its contents; a missing folder is no error.
///
/// # Errors
///
/// When something is there and cannot be removed.
pub fn remove(dir: &Path) -> Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", dir.display()))
        }
        _ => Ok(()),
    }
}

/// `dir/name` → `dir/.name.suffix`: on the same file system, and hidden.
fn beside(dir: &Path, suffix: &str) -> PathBuf {
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    dir.with_file_name(format!(".{name}.{suffix}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn an_interrupted_build_is_repeated() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("piece");
        let interrupted = ensure(&dir, "v1", |dir| {
            fs::write(dir.join("half"), "of it")?;
            anyhow::bail!("power cut")
        });
        assert!(interrupted.is_err());
        assert!(!is_whole(&dir, "v1") && !dir.exists());

        let built = ensure(&dir, "v1", |dir| {
            assert!(!dir.join("half").exists(), "files of the interrupted build are still there");
            Ok(fs::write(dir.join("whole"), "")?)
        });
        assert!(built.unwrap());
        assert!(dir.join("whole").exists());
    }

    #[test]
    fn a_piece_is_built_once_and_replaced_when_its_source_changes() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("piece");
        let builds = Cell::new(0);
        let build = |stamp: &str| {
            ensure(&dir, stamp, |dir| {
                builds.set(builds.get() + 1);
                Ok(fs::write(dir.join(stamp), "")?)
            })
            .unwrap()
        };
        assert!(build("v1"));
        assert!(!build("v1"));
        assert!(build("v2"));
        assert_eq!(builds.get(), 2);
        assert!(dir.join("v2").exists() && !dir.join("v1").exists());
    }

    #[test]
    fn a_folder_without_a_stamp_is_rebuilt() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("piece");
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join("stray"), "").unwrap();
        assert!(ensure(&dir, "v1", |_| Ok(())).unwrap());
        assert!(!dir.join("stray").exists());
    }

    #[test]
    fn two_threads_build_it_once() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("piece");
        let build = || {
            ensure(&dir, "v1", |dir| {
                std::thread::sleep(std::time::Duration::from_millis(50));
                Ok(fs::write(dir.join("file"), "")?)
            })
            .unwrap()
        };
        let built = std::thread::scope(|scope| {
            let (first, second) = (scope.spawn(build), scope.spawn(build));
            [first.join().unwrap(), second.join().unwrap()]
        });
        assert_eq!(built.iter().filter(|&&built| built).count(), 1);
    }
}
