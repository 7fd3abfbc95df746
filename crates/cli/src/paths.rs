//! Paths, and programs on `PATH`.

use std::env;
use std::path::{Path, PathBuf};

/// `path`, made absolute without touching the file system.
#[must_use]
pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// The first file called `name` (on Windows, `name.exe`) in the folders of `PATH`.
#[must_use]
pub fn on_path(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|dir| dir.join(&file)).find(|candidate| is_executable(candidate))
}

/// Whether `path` is a file that may be executed.
#[must_use]
pub fn is_executable(path: &Path) -> bool {
    let Ok(metadata) = path.metadata() else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    metadata.is_file()
}
