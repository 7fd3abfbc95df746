//! The assemblies that tests read.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use corprof_testkit::dotnet::{self, RuntimeVersion};

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

/// Returns the assemblies of all runtimes, of ASP.NET Core and of `azmcp`.
///
/// # Errors
/// A runtime or the program is not there, or a folder cannot be read.
pub fn all_libraries() -> Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for version in RuntimeVersion::PINNED {
        let runtime = dotnet::runtime(version)?;
        let shared = runtime.assemblies.ancestors().nth(2).context("the runtime is in no folder")?;
        let aspnet = shared.join("Microsoft.AspNetCore.App").join(&runtime.version);
        folders.push(runtime.assemblies.clone());
        folders.extend(aspnet.is_dir().then_some(aspnet));
    }
    folders.push(dotnet::azmcp_program()?.parent().context("azmcp is in no folder")?.to_path_buf());
    let mut files = Vec::new();
    for folder in folders {
        libraries(&folder, &mut files)?;
    }
    Ok(files)
}
