//! Debian's packages, unpacked into a folder: apt downloads them and checks their signatures, `dpkg -x` unpacks them. This
//! needs no root and does not change the system.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::{piece, process};

/// Whether the required programs are installed.
#[must_use]
pub fn is_here() -> bool {
    ["apt-get", "dpkg"].into_iter().all(|tool| crate::paths::on_path(tool).is_some())
}

/// Downloads packages and unpacks them into a folder.
pub(crate) fn unpack(packages: &[impl AsRef<str>], into: &Path, lists: &Lists<'_>) -> Result<()> {
    // Several pieces may be unpacked at the same time.
    let downloads = into.join(".apt-downloads");
    piece::remove(&downloads)?;
    fs::create_dir_all(&downloads).with_context(|| format!("cannot create {}", downloads.display()))?;
    let mut download = lists.apt("apt-get");
    download.current_dir(&downloads).arg("download").args(packages.iter().map(AsRef::as_ref));
    process::capture(&mut download)?;
    for entry in fs::read_dir(&downloads).with_context(|| format!("cannot read {}", downloads.display()))? {
        let package = entry?.path();
        if package.extension().is_some_and(|extension| extension == "deb") {
            process::capture(Command::new("dpkg").arg("-x").arg(&package).arg(into))?;
        }
    }
    piece::remove(&downloads)
}

/// The age up to which package lists are not fetched again.
const FRESH: Duration = Duration::from_secs(3600);

/// Package lists of apt. Those in a folder belong to one process at a time.
pub(crate) struct Lists<'a> {
    /// The folder of downloaded lists; the system's if absent.
    folder: Option<&'a Path>,
    /// The architecture, if it is not the system's.
    architecture: Option<&'static str>,
    /// apt does not wait for another one that uses the folder.
    _lock: Option<piece::Lock>,
}

impl<'a> Lists<'a> {
    /// The system's.
    pub(crate) const SYSTEM: Self = Self { folder: None, architecture: None, _lock: None };

    /// Fetches lists into a folder, for the system's architecture or another one, unless it has new ones.
    pub(crate) fn fetch(folder: &'a Path, architecture: Option<&'static str>) -> Result<Self> {
        for dir in ["lists/partial", "cache/archives/partial"] {
            let dir = folder.join(dir);
            fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
        }
        let lock = piece::Lock::take(&folder.join("lock"))?;
        let lists = Self { folder: Some(folder), architecture, _lock: Some(lock) };
        let fetched = folder.join("fetched");
        let age = fetched.metadata().and_then(|file| file.modified()).ok().and_then(|at| at.elapsed().ok());
        if age.is_none_or(|age| age > FRESH) {
            process::capture(lists.apt("apt-get").arg("update")).context("cannot fetch the package lists")?;
            fs::write(&fetched, "").with_context(|| format!("cannot write {}", fetched.display()))?;
        }
        Ok(lists)
    }

    /// The dependency of a package whose name begins with a prefix.
    pub(crate) fn dependency(&self, package: &str, prefix: &str) -> Result<String> {
        let answer = process::capture(self.apt("apt-cache").args(["depends", package]))?;
        let mut words = answer.lines().filter_map(|line| line.trim().strip_prefix("Depends: "));
        match words.find(|name| name.starts_with(prefix)) {
            Some(name) => Ok(name.to_owned()),
            None => bail!("{package} depends on no {prefix}:\n{answer}"),
        }
    }

    fn apt(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        // As root, apt would download as a user that may not access our folder.
        command.args(["-q", "-o", "APT::Sandbox::User=root"]);
        if let Some(state) = self.folder {
            for (option, dir) in [("Dir::State::lists", "lists"), ("Dir::Cache", "cache")] {
                command.arg("-o").arg(format!("{option}={}", state.join(dir).display()));
            }
        }
        if let Some(architecture) = self.architecture {
            for option in ["APT::Architecture", "APT::Architectures"] {
                command.arg("-o").arg(format!("{option}={architecture}"));
            }
            // The status file describes packages of the system's architecture.
            command.args(["-o", "Dir::State::status=/dev/null"]);
        }
        command
    }
}
