//! The files that a tool is to write, checked before the program starts.
//!
//! One rule for all tools: a regular file that exists is replaced by the first process of the run; further processes write beside
//! it, with their ids in the names. A folder may exist, and gets what the processes add.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::choice::Choice;
use crate::paths;

/// Fails if an output cannot be written, with the remedy.
pub(crate) fn check(choice: &Choice<'_>) -> Result<()> {
    each(choice, |path, is_folder| if is_folder { folder(path) } else { file(path) })
}

/// Removes the files that are replaced.
pub(crate) fn remove_old(choice: &Choice<'_>) -> Result<()> {
    each(choice, |path, is_folder| if is_folder { Ok(()) } else { remove(path) })
}

fn each(choice: &Choice<'_>, mut with: impl FnMut(&Path, bool) -> Result<()>) -> Result<()> {
    let variables = choice.variables();
    for flag in choice.flags().iter().filter(|flag| flag.is_output()) {
        let Some((_, value)) = variables.iter().find(|(name, value)| *name == flag.env && !value.is_empty())
        else {
            continue;
        };
        let is_folder = flag.value.as_deref() == Some("FOLDER");
        with(&paths::absolute(Path::new(value)), is_folder)
            .with_context(|| format!("--{} {value} cannot be written", flag.name))?;
    }
    Ok(())
}

fn file(path: &Path) -> Result<()> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => bail!("it is a folder; name a file in it"),
        // Its folder decides whether it can be replaced.
        Ok(metadata) if metadata.is_file() && !path.is_symlink() => of_us(&metadata)?,
        Ok(_) if is_writable(path) => return Ok(()),
        Ok(_) => bail!("permission denied; name another file"),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
        Err(error) => return Err(error.into()),
    }
    let folder = path.parent().context("it has no folder")?;
    let shown = folder.display();
    match fs::metadata(folder) {
        Ok(metadata) if !metadata.is_dir() => bail!("{shown} is no folder; name a file in a folder"),
        Ok(_) => takes_files(folder),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!("there is no folder {shown}; make it with `mkdir -p {shown}`")
        }
        Err(error) => Err(error).with_context(|| format!("the folder {shown}")),
    }
}

/// A folder that exists, or that the tool makes.
fn folder(path: &Path) -> Result<()> {
    let existing = path.ancestors().find(|folder| folder.exists()).context("it has no folder")?;
    let shown = existing.display();
    if !existing.is_dir() {
        bail!("{shown} is no folder; name a folder");
    }
    takes_files(existing)
}

/// Fails if no file can be made in a folder. One is made, without a name: permissions do not tell of a full or odd file system.
fn takes_files(folder: &Path) -> Result<()> {
    let made = tempfile::tempfile_in(folder);
    made.map(drop)
        .with_context(|| format!("the folder {} takes no files; name another one", folder.display()))
}

/// Fails for the file of another user.
#[cfg(unix)]
fn of_us(metadata: &fs::Metadata) -> Result<()> {
    let owner = std::os::unix::fs::MetadataExt::uid(metadata);
    if owner != rustix::process::geteuid().as_raw() {
        bail!("it is a file of user {owner}, which is not replaced; name another file, or remove it");
    }
    Ok(())
}

#[cfg(not(unix))]
fn of_us(_: &fs::Metadata) -> Result<()> {
    Ok(())
}

#[cfg(unix)]
fn is_writable(path: &Path) -> bool {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS).is_ok()
}

#[cfg(not(unix))]
fn is_writable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.permissions().readonly())
}

/// Removes a regular file. What a link refers to, a FIFO and a device are written to.
fn remove(path: &Path) -> Result<()> {
    if !fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return Ok(());
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn outputs_that_cannot_be_written_are_refused_with_the_remedy() {
        let refused = |result: Result<()>| format!("{:#}", result.unwrap_err());
        let outer = tempfile::tempdir().unwrap();
        let at = |name: &str| outer.path().join(name);
        assert!(file(&at("new.txt")).is_ok() && folder(&at("a/b/c")).is_ok());
        let message = refused(file(&at("missing/new.txt")));
        assert!(message.contains("there is no folder") && message.contains("mkdir -p"), "{message}");
        fs::write(at("old.txt"), "old").unwrap();
        assert!(file(&at("old.txt")).is_ok());
        assert!(refused(file(&at("old.txt/new.txt"))).contains("folder"));
        assert!(refused(file(outer.path())).contains("is a folder"));
        assert!(refused(folder(&at("old.txt/counts"))).contains("is no folder"));
        assert!(file(Path::new("/dev/null")).is_ok());
        // Root too makes no files there.
        if cfg!(target_os = "linux") {
            let message = refused(file(Path::new("/proc/new.txt")));
            assert!(message.contains("the folder /proc takes no files"), "{message}");
        }
        std::os::unix::fs::symlink(at("old.txt"), at("link")).unwrap();
        remove(&at("link")).unwrap();
        assert!(at("link").is_symlink() && at("old.txt").is_file());
        remove(&at("old.txt")).unwrap();
        remove(&at("old.txt")).unwrap();
        assert!(!at("old.txt").exists() && at("link").is_symlink());
    }
}
