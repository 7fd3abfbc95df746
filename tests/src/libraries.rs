//! The assemblies that tests read.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// Adds every .dll in a folder and the folders in it.
///
/// # Errors
/// A folder cannot be read.
pub fn libraries(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            libraries(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "dll") {
            files.push(path);
        }
    }
    Ok(())
}
