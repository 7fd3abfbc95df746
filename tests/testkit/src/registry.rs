//! Package registries, accessed through their ordinary clients: the configuration of the
//! machine (mirrors, proxies, credentials) applies, and no registry is named here.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::{paths, piece, process};

/// A package of one version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Package {
    /// A tarball of `npm`.
    Npm {
        /// The package's name, with its scope.
        name: &'static str,
        /// The exact version.
        version: &'static str,
    },
    /// A wheel of `pip`.
    Pip {
        /// The package's name.
        name: &'static str,
        /// The exact version.
        version: &'static str,
    },
    /// A wheel for another platform than this machine's, asked for with `pip`.
    PipFor {
        /// The package's name.
        name: &'static str,
        /// The exact version.
        version: &'static str,
        /// The platform's tag, as in `win_amd64`.
        platform: &'static str,
    },
}

impl Package {
    /// The client's command line that downloads this package.
    #[must_use]
    pub fn client(&self) -> String {
        match self {
            Self::Npm { name, version } => format!("npm pack {name}@{version}"),
            Self::Pip { name, version } => format!("pip download --no-deps {name}=={version}"),
            Self::PipFor { name, version, platform } => {
                format!("pip download --no-deps --only-binary=:all: --platform {platform} {name}=={version}")
            }
        }
    }
}

impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Npm { name, version } => write!(f, "{name}@{version} (npm)"),
            Self::Pip { name, version } => write!(f, "{name}=={version} (pip)"),
            Self::PipFor { name, version, platform } => write!(f, "{name}=={version} for {platform} (pip)"),
        }
    }
}

/// The address of the package's file.
///
/// # Errors
///
/// When the client is missing, cannot reach the registry, or does not know the package.
pub fn address(package: &Package) -> Result<String> {
    match package {
        Package::Npm { name, version } => {
            let answer =
                process::capture(npm()?.args(["view", &format!("{name}@{version}"), "dist.tarball"]))?;
            let url = answer.trim();
            if !url.starts_with("http") {
                bail!("`npm view` gave no address for {package}: {url:?}");
            }
            Ok(url.to_owned())
        }
        Package::Pip { name, version } | Package::PipFor { name, version, .. } => {
            let answer = process::capture(
                pip()?
                    .args(["install", "--dry-run", "--ignore-installed", "--no-deps", "--only-binary=:all:"])
                    .args(["--disable-pip-version-check", "--quiet", "--report", "-"])
                    .args(platform(package))
                    .arg(format!("{name}=={version}")),
            )?;
            pip_address(&answer).with_context(|| format!("`pip` gave no address for {package}"))
        }
    }
}

/// Makes the client download the package into `dir`; the client chooses the name of the file.
///
/// # Errors
///
/// When the client is missing or fails.
pub fn download(package: &Package, dir: &Path) -> Result<PathBuf> {
    let folder = dir.join(".client");
    piece::remove(&folder)?;
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    match package {
        Package::Npm { name, version } => process::capture(
            npm()?.args(["pack", &format!("{name}@{version}"), "--pack-destination"]).arg(&folder),
        )?,
        Package::Pip { name, version } | Package::PipFor { name, version, .. } => process::capture(
            pip()?
                .args([
                    "download",
                    "--no-deps",
                    "--only-binary=:all:",
                    "--disable-pip-version-check",
                    "--dest",
                ])
                .arg(&folder)
                .args(platform(package).into_iter().take(2))
                .arg(format!("{name}=={version}")),
        )?,
    };
    let mut files = fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let file = files.next().with_context(|| format!("`{}` left no file", package.client()))??;
    Ok(file.path())
}

/// The options of `pip` for a wheel of another platform. Without a target folder, pip refuses, even if it installs nothing.
fn platform(package: &Package) -> Vec<&'static str> {
    match package {
        Package::PipFor { platform, .. } => vec!["--platform", platform, "--target", "."],
        Package::Npm { .. } | Package::Pip { .. } => Vec::new(),
    }
}

/// The `npm` command, without arguments.
///
/// # Errors
///
/// When it is not installed.
pub fn npm() -> Result<Command> {
    match paths::on_path("npm") {
        Some(npm) => {
            let mut command = Command::new(npm);
            command.env("NPM_CONFIG_UPDATE_NOTIFIER", "false");
            Ok(command)
        }
        None => bail!("npm is not installed; install it, on Debian with `sudo apt-get install npm`"),
    }
}

/// The `pip` command, under whatever name it is installed.
///
/// # Errors
///
/// When it is not installed.
pub fn pip() -> Result<Command> {
    for name in ["pip", "pip3"] {
        if let Some(pip) = paths::on_path(name) {
            return Ok(Command::new(pip));
        }
    }
    for name in ["python3", "python"] {
        if let Some(python) = paths::on_path(name) {
            let mut command = Command::new(python);
            command.args(["-m", "pip"]);
            if process::output(Command::new(command.get_program()).args(["-m", "pip", "--version"]))
                .is_ok_and(|output| output.status.success())
            {
                return Ok(command);
            }
        }
    }
    bail!("pip is not installed; install it, on Debian with `sudo apt-get install python3-pip`")
}

fn pip_address(report: &str) -> Option<String> {
    // Old versions print progress before the report.
    let report: Value = serde_json::from_str(report.get(report.find('{')?..)?).ok()?;
    Some(report["install"][0]["download_info"]["url"].as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_read_from_pips_report() {
        let report = r#"{"version": "1", "install": [{"download_info": {"url": "https://host/x.whl"}}]}"#;
        assert_eq!(pip_address(report).as_deref(), Some("https://host/x.whl"));
        assert_eq!(pip_address("Collecting x\n{\"install\": []}"), None);
        assert_eq!(pip_address(""), None);
    }
}
