//! The crates as a release would publish them, for projects that have nothing else of the repository.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::{paths, process};

/// Packages the published crates, unpacks them into a folder, and returns the lines of a manifest that make them take the place of
/// those of the registry.
///
/// # Errors
/// A crate cannot be packaged, or its package cannot be unpacked.
pub fn packages(folder: &Path) -> Result<String> {
    let packaged = process::cargo(["xtask", "packages"]).output()?;
    ensure!(packaged.status.success(), "{}", String::from_utf8_lossy(&packaged.stderr));
    let mut patch = String::from("\n[patch.crates-io]\n");
    for entry in fs::read_dir(paths::workspace().join("target/packages/package"))? {
        let file = entry?.path();
        if file.extension().is_none_or(|ending| ending != "crate") {
            continue;
        }
        // Packages have a time that is always the same: cargo would take what it has compiled of another package for that of this one.
        let unpacked = Command::new("tar").arg("-xzmf").arg(&file).current_dir(folder).status()?;
        ensure!(unpacked.success(), "{}: {unpacked}", file.display());
        let package = file.file_stem().and_then(|name| name.to_str()).context("a package has no name")?;
        let (name, _) = package.rsplit_once('-').context("a package has no version")?;
        patch += &format!("{name} = {{ path = \"{}\" }}\n", folder.join(package).display());
    }
    Ok(patch)
}
