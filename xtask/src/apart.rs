//! The workspaces apart from this one: benchmarks and fuzz targets, whose dependencies most builds do not need, and a library of
//! several tools.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use corprof_testkit::paths;

/// Their manifests.
///
/// # Errors
///
/// When a folder cannot be read.
pub(crate) fn manifests() -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for folder in ["benches", "fuzz", "tests/profilers/composed"] {
        add(&paths::workspace().join(folder), &mut found)?;
    }
    found.sort();
    Ok(found)
}

/// Adds the manifests in a folder and below it.
fn add(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", paths::shown(folder)))? {
        let path = entry?.path();
        if path.is_dir() && !path.ends_with("target") {
            add(&path, found)?;
        } else if path.ends_with("Cargo.toml") {
            found.push(path);
        }
    }
    Ok(())
}
