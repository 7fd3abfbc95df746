//! The .NET runtimes of the machine, and the one that runs a program.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::{paths, process};

/// The framework of every runtime.
pub const NETCORE_APP: &str = "Microsoft.NETCore.App";

/// A runtime that is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The muxer, `dotnet`.
    pub dotnet: PathBuf,
    /// The exact version of `Microsoft.NETCore.App`.
    pub version: String,
    /// The folder of that version's assemblies.
    pub assemblies: PathBuf,
}

impl Installed {
    /// Returns the command that runs `program` on this runtime: a `.dll`, or a native executable.
    ///
    /// A `.dll` that was compiled for another version is run on this one all the same.
    #[must_use]
    pub fn command(&self, program: &Path) -> Command {
        if !is_assembly(program) {
            let mut command = native(program);
            if let Some(root) = self.dotnet.parent() {
                command.env("DOTNET_ROOT", root);
            }
            return command;
        }
        let mut command = native(&self.dotnet);
        if wanted_version(program).is_none_or(|wanted| series(&wanted) != series(&self.version)) {
            command.args(["--fx-version", &self.version]);
        }
        command.arg(program);
        command
    }
}

/// A native program, which gets along without ICU if there is none.
#[must_use]
pub fn native(program: &Path) -> Command {
    let mut command = Command::new(program);
    if lacks_icu() {
        command.env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1");
    }
    command
}

/// An installed `dotnet`, with the SDKs and runtimes that it lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    /// The muxer.
    pub dotnet: PathBuf,
    /// Framework name, version and folder of each framework.
    pub frameworks: Vec<(String, String, PathBuf)>,
    /// Version and folder of each SDK.
    pub sdks: Vec<(String, PathBuf)>,
}

impl Installation {
    /// Asks a muxer what it has.
    ///
    /// # Errors
    ///
    /// If it cannot be run.
    pub fn ask(dotnet: &Path) -> Result<Self> {
        let list = |what: &str| process::capture(Command::new(dotnet).arg(what));
        Ok(Self {
            dotnet: dotnet.to_path_buf(),
            frameworks: parse_runtimes(&list("--list-runtimes")?),
            sdks: parse_sdks(&list("--list-sdks").unwrap_or_default()),
        })
    }

    /// Its newest `Microsoft.NETCore.App` whose version begins with `series`.
    #[must_use]
    pub fn runtime(&self, series: &str) -> Option<Installed> {
        let own = |version: &str| {
            version.strip_prefix(series).is_some_and(|rest| series.is_empty() || rest.starts_with('.'))
        };
        self.frameworks
            .iter()
            .filter(|(name, version, _)| name == NETCORE_APP && own(version))
            .max_by_key(|(_, version, _)| numbers(version))
            .map(|(_, version, folder)| Installed {
                dotnet: self.dotnet.clone(),
                version: version.clone(),
                assemblies: folder.join(version),
            })
    }
}

/// The runtime of the muxer at `path`, which may be `dotnet` or its folder: the one that `program` was compiled for, if it has it,
/// or else its newest.
///
/// # Errors
///
/// If there is no muxer, or it has no runtime.
pub fn runtime_at(path: &Path, program: Option<&Path>) -> Result<Installed> {
    let dotnet = if path.is_dir() { path.join(muxer()) } else { path.to_path_buf() };
    if !paths::is_executable(&dotnet) {
        bail!(
            "{} is no `dotnet`; give --runtime a version such as 9.0, or the path of a `dotnet` or of its folder",
            dotnet.display()
        );
    }
    let dotnet = paths::absolute(&dotnet);
    let installation = Installation::ask(&dotnet)?;
    let wanted = program.and_then(wanted_version);
    let suits = wanted.as_deref().and_then(|wanted| installation.runtime(series(wanted)));
    suits
        .or_else(|| installation.runtime(""))
        .with_context(|| format!("{} lists no {NETCORE_APP}; see `dotnet --list-runtimes`", dotnet.display()))
}

/// The runtime that `--runtime` names for a program: a version, which is installed, or a path.
///
/// # Errors
///
/// If there is none.
pub fn chosen(name: &OsStr, program: &Path) -> Result<Installed> {
    let version = name.to_str().filter(|name| name.starts_with(|c: char| c.is_ascii_digit()));
    match version {
        Some(version) if !Path::new(name).exists() => installed(version)
            .with_context(|| format!("no .NET runtime {version} is installed; {}", listed(&installations()))),
        _ => runtime_at(Path::new(name), Some(program)),
    }
}

/// The runtime that suits `program`: the version that it was compiled for, or else the newest. A native program needs none.
///
/// # Errors
///
/// If no runtime is installed.
pub fn runtime_for(program: &Path) -> Result<Option<Installed>> {
    let wanted = wanted_version(program);
    let suits = wanted.as_deref().map(series).and_then(installed);
    match suits.or_else(|| installed("")) {
        None if is_assembly(program) => bail!(
            "no .NET runtime was found in DOTNET_ROOT, PATH and the usual folders; install one from \
             https://dot.net/download, or name a `dotnet` with --runtime"
        ),
        found => Ok(found),
    }
}

/// The newest installed runtime whose version begins with `series`, of the first `dotnet` that has one.
#[must_use]
pub fn installed(series: &str) -> Option<Installed> {
    installations().iter().find_map(|found| found.runtime(series))
}

/// The versions of the installed runtimes, in a sentence.
fn listed(installations: &[Installation]) -> String {
    let frameworks = installations.iter().flat_map(|found| &found.frameworks);
    let versions: Vec<&str> =
        frameworks.filter(|(name, ..)| name == NETCORE_APP).map(|(_, version, _)| version.as_str()).collect();
    if versions.is_empty() {
        return "there is none at all in DOTNET_ROOT, PATH and the usual folders".to_owned();
    }
    format!("these are: {}", versions.join(", "))
}

/// What the `dotnet`s of the machine have, in the order in which they are preferred.
#[must_use]
pub fn installations() -> Vec<Installation> {
    let mut candidates: Vec<PathBuf> = Vec::new();
    candidates.extend(env::var_os("DOTNET_ROOT").map(|root| Path::new(&root).join(muxer())));
    candidates.extend(paths::on_path("dotnet"));
    let usual = ["/usr/share/dotnet", "/usr/lib/dotnet", "/usr/lib64/dotnet", "/usr/local/share/dotnet"];
    candidates.extend(usual.iter().map(|folder| Path::new(folder).join(muxer())));
    for (variable, folder) in [("HOME", ".dotnet"), ("ProgramFiles", "dotnet")] {
        candidates.extend(env::var_os(variable).map(|base| Path::new(&base).join(folder).join(muxer())));
    }
    let mut seen: Vec<PathBuf> = Vec::new();
    let mut found = Vec::new();
    for candidate in candidates {
        let Ok(dotnet) = candidate.canonicalize() else { continue };
        if !paths::is_executable(&dotnet) || seen.contains(&dotnet) {
            continue;
        }
        seen.push(dotnet.clone());
        found.extend(Installation::ask(&dotnet).ok());
    }
    found
}

/// The version of the framework that a `.dll` was compiled for, by its `.runtimeconfig.json`.
#[must_use]
pub fn wanted_version(program: &Path) -> Option<String> {
    let text = fs::read_to_string(program.with_extension("runtimeconfig.json")).ok()?;
    let config: Value = serde_json::from_str(&text).ok()?;
    let options = &config["runtimeOptions"];
    let framework = options.get("framework").or_else(|| options["frameworks"].get(0))?;
    Some(framework["version"].as_str()?.to_owned())
}

/// Returns whether `dotnet` runs this file: an assembly, not an executable.
#[must_use]
pub fn is_assembly(program: &Path) -> bool {
    program.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("dll"))
}

/// `9.0` of `9.0.1`.
#[must_use]
pub fn series(version: &str) -> &str {
    let end = version.match_indices('.').nth(1).map_or(version.len(), |(end, _)| end);
    &version[..end]
}

/// Whether the program has to do without ICU and the user has not decided about that.
#[must_use]
pub fn lacks_icu() -> bool {
    let decided = ["DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "CLR_ICU_VERSION_OVERRIDE"];
    if !cfg!(target_os = "linux") || decided.iter().any(|name| env::var_os(name).is_some()) {
        return false;
    }
    let folders =
        ["/usr/lib", "/usr/lib64", "/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"];
    let mut files = folders.iter().flat_map(fs::read_dir).flatten().flatten();
    !files.any(|file| file.file_name().to_string_lossy().starts_with("libicuuc.so"))
}

fn muxer() -> String {
    format!("dotnet{}", env::consts::EXE_SUFFIX)
}

/// Lines such as `Microsoft.NETCore.App 9.0.1 [/usr/share/dotnet/shared/Microsoft.NETCore.App]`.
fn parse_runtimes(text: &str) -> Vec<(String, String, PathBuf)> {
    text.lines()
        .filter_map(|line| {
            let (name, rest) = line.trim().split_once(' ')?;
            let (version, folder) = parse_listed(rest)?;
            Some((name.to_owned(), version, folder))
        })
        .collect()
}

/// Lines such as `9.0.102 [/usr/share/dotnet/sdk]`.
fn parse_sdks(text: &str) -> Vec<(String, PathBuf)> {
    let mut sdks: Vec<_> = text.lines().filter_map(|line| parse_listed(line.trim())).collect();
    sdks.sort_by_key(|(version, _)| numbers(version));
    sdks
}

fn parse_listed(text: &str) -> Option<(String, PathBuf)> {
    let (version, folder) = text.split_once(" [")?;
    Some((version.to_owned(), PathBuf::from(folder.strip_suffix(']')?)))
}

/// Returns a sort key of a version: 10 comes after 9, and a preview before its release.
#[must_use]
pub fn numbers(version: &str) -> (Vec<u64>, bool) {
    let (release, preview) = version.split_once('-').map_or((version, None), |(r, p)| (r, Some(p)));
    (release.split('.').map(|part| part.parse().unwrap_or(0)).collect(), preview.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUNTIMES: &str = "\
Microsoft.AspNetCore.App 9.0.1 [/usr/share/dotnet/shared/Microsoft.AspNetCore.App]
Microsoft.NETCore.App 3.1.9 [/usr/share/dotnet/shared/Microsoft.NETCore.App]
Microsoft.NETCore.App 3.1.32 [/usr/share/dotnet/shared/Microsoft.NETCore.App]
Microsoft.NETCore.App 9.0.1 [C:\\Program Files\\dotnet\\shared\\Microsoft.NETCore.App]
";

    fn installation() -> Installation {
        Installation {
            dotnet: "/usr/share/dotnet/dotnet".into(),
            frameworks: parse_runtimes(RUNTIMES),
            sdks: parse_sdks("10.0.100 [/d/sdk]\n9.0.102 [/d/sdk]\n\n"),
        }
    }

    #[test]
    fn listed_frameworks_are_read() {
        let found = installation();
        assert_eq!(found.frameworks.len(), 4);
        assert_eq!(
            found.frameworks[3].2,
            Path::new("C:\\Program Files\\dotnet\\shared\\Microsoft.NETCore.App")
        );
        assert_eq!(parse_runtimes("No runtimes were found.\n"), []);
    }

    #[test]
    fn the_newest_of_a_series_is_chosen() {
        let found = installation();
        let version = |series: &str| found.runtime(series).map(|runtime| runtime.version);
        assert_eq!(version("3.1").as_deref(), Some("3.1.32"));
        assert_eq!(version("").as_deref(), Some("9.0.1"));
        assert_eq!(version("8.0"), None);
        assert_eq!(version("3"), Some("3.1.32".to_owned()));
    }

    #[test]
    fn sdks_are_sorted_by_number() {
        let versions: Vec<_> = installation().sdks.into_iter().map(|(version, _)| version).collect();
        assert_eq!(versions, ["9.0.102", "10.0.100"]);
        assert!(numbers("9.0.100-preview.1") < numbers("9.0.100"));
    }

    #[test]
    fn a_program_of_another_version_is_run_with_the_version_named() {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("a.dll");
        let config = r#"{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"3.1.0"}}}"#;
        fs::write(dir.path().join("a.runtimeconfig.json"), config).unwrap();
        let found = installation();
        let arguments = |series: &str| {
            let command = found.runtime(series).unwrap().command(&program);
            command.get_args().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        let program = program.to_string_lossy();
        assert_eq!(arguments("3.1"), [&*program]);
        assert_eq!(arguments("9.0"), ["--fx-version", "9.0.1", &*program]);
    }

    #[test]
    fn a_program_that_is_no_dll_is_run_as_it_is() {
        let runtime = installation().runtime("9.0").unwrap();
        let command = runtime.command(Path::new("/opt/app"));
        assert_eq!(command.get_program(), "/opt/app");
        assert!(command.get_envs().any(|(name, _)| name == "DOTNET_ROOT"));
    }
}
