//! Another checkout of this repository, such as one of an earlier commit, whose profilers are measured in the same run.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use super::{cargo, library, start, target_dir};

/// The other checkout.
pub(super) struct Beside {
    folder: PathBuf,
}

impl Beside {
    pub(super) fn new(folder: &Path) -> Result<Self> {
        let folder = folder.canonicalize().with_context(|| format!("cannot find {}", folder.display()))?;
        ensure!(
            folder.join("benches/hooks/Cargo.toml").is_file(),
            "{} is not a checkout of this repository. Make one of another commit with\n  git worktree add {} COMMIT",
            folder.display(),
            folder.display()
        );
        Ok(Self { folder })
    }

    /// Builds a library, and returns its path. The other checkout is not changed: what is built is below this one's target
    /// folder.
    pub(super) fn library(&self, workspace: &str, package: &str) -> Result<PathBuf> {
        let target = target_dir("beside");
        let folder = self.folder.join(workspace);
        eprintln!("building {package} of {} …", self.folder.display());
        let mut build = cargo("build", &folder, &target);
        // The flags of that checkout's own configuration.
        start(build.arg("--lib").args(["--package", package]).current_dir(&folder))?;
        library(&target, package)
    }
}
