//! The sources of the repository, and the tables that are made from them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use corprof_testkit::paths;

/// Returns all files below a folder, sorted.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).with_context(|| format!("cannot read {}", next.display()))? {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}

/// Returns the Rust sources below a folder: their paths in it, and their texts.
pub(crate) fn rust_below(folder: &Path) -> Result<Vec<(PathBuf, String)>> {
    let files = files_below(folder)?.into_iter();
    let sources = files.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    sources
        .map(|path| {
            let text =
                fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            Ok((path.strip_prefix(folder).unwrap_or(&path).to_owned(), text))
        })
        .collect()
}

/// Writes a table of the repository, or, with `check`, compares it.
///
/// # Errors
/// It cannot be written, or is stale: `command` of `cargo xtask` writes it.
pub(crate) fn write_table(table: &str, text: &str, command: &str, check: bool) -> Result<()> {
    let path = paths::workspace().join(table);
    if !check {
        fs::write(&path, text).with_context(|| format!("cannot write {table}"))?;
        println!("wrote {table}");
    } else if fs::read_to_string(&path).unwrap_or_default() != text {
        bail!("{table} is stale; run `cargo xtask {command}` and commit the result");
    }
    Ok(())
}
