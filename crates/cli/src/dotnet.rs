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
    /// A `.dll` that was compiled for another version is run on this one all the same, with the frameworks of this version that it
    /// needs besides. A native executable that looks for a runtime finds that of this `dotnet`.
    #[must_use]
    pub fn command(&self, program: &Path) -> Command {
        // Without this file the host looks for the runtime beside the program.
        let other = Framework::of(program).filter(|wanted| series(&wanted.version) != series(&self.version));
        if !is_assembly(program) {
            let mut command = native(program);
            if let Some(root) = self.dotnet.parent() {
                command.env("DOTNET_ROOT", root);
            }
            if other.is_some() && env::var_os("DOTNET_ROLL_FORWARD").is_none() {
                command.env("DOTNET_ROLL_FORWARD", self.roll_forward());
            }
            return command;
        }
        let mut command = native(&self.dotnet);
        if let Some(wanted) = other {
            // The host applies this version to the first framework alone, and the policy to the others.
            if self.has(&wanted.name) {
                command.args(["--fx-version", &self.version]);
            }
            command.args(["--roll-forward", self.roll_forward()]);
            if self.version.contains('-') {
                command.env("DOTNET_ROLL_FORWARD_TO_PRERELEASE", "1");
            }
        }
        command.arg(program);
        command
    }

    /// Returns whether a framework has the version of this runtime.
    fn has(&self, framework: &str) -> bool {
        let shared = self.assemblies.ancestors().nth(2);
        framework == NETCORE_APP
            || shared.is_some_and(|shared| shared.join(framework).join(&self.version).is_dir())
    }

    /// The policy by which the host comes to the frameworks of this version: the newest, if this is the newest of its `dotnet`.
    fn roll_forward(&self) -> &'static str {
        let versions = self.assemblies.parent().map(fs::read_dir).into_iter().flatten().flatten().flatten();
        let is_newer = |name: &OsStr| numbers(&name.to_string_lossy()) > numbers(&self.version);
        if versions.into_iter().any(|entry| is_newer(&entry.file_name())) { "Major" } else { "LatestMajor" }
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
pub(crate) fn runtime_for(program: &Path) -> Result<Option<Installed>> {
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

/// The first framework that a program needs, by its `.runtimeconfig.json`. A program that brings its runtime needs none.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Framework {
    name: String,
    version: String,
}

impl Framework {
    fn of(program: &Path) -> Option<Self> {
        // The name of a native program on Unix has no extension, but may have a point.
        let is_native = !program.extension().is_some_and(|extension| {
            extension.eq_ignore_ascii_case("dll") || extension.eq_ignore_ascii_case("exe")
        });
        let file = if is_native {
            let mut name = program.file_name()?.to_owned();
            name.push(".runtimeconfig.json");
            program.with_file_name(name)
        } else {
            program.with_extension("runtimeconfig.json")
        };
        let config: Value = serde_json::from_str(&fs::read_to_string(file).ok()?).ok()?;
        let options = &config["runtimeOptions"];
        let framework = options.get("framework").or_else(|| options["frameworks"].get(0))?;
        let text = |key: &str| Some(framework[key].as_str()?.to_owned());
        Some(Self { name: text("name")?, version: text("version")? })
    }
}

/// The version of the framework that a program was compiled for, by its `.runtimeconfig.json`.
#[must_use]
pub fn wanted_version(program: &Path) -> Option<String> {
    Framework::of(program).map(|framework| framework.version)
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

    /// A program that was compiled for these frameworks of 8.0.
    fn program_for(folder: &Path, name: &str, frameworks: &[&str]) -> PathBuf {
        let frameworks: Vec<String> =
            frameworks.iter().map(|name| format!(r#"{{"name":"{name}","version":"8.0.0"}}"#)).collect();
        let config = format!(r#"{{"runtimeOptions":{{"frameworks":[{}]}}}}"#, frameworks.join(","));
        fs::write(folder.join(format!("{name}.runtimeconfig.json")), config).unwrap();
        folder.join(name)
    }

    /// The words of a command without the program.
    fn words(command: &Command) -> Vec<String> {
        let mut words: Vec<_> = command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
        words.pop();
        words
    }

    /// A `dotnet` folder with these versions of `Microsoft.NETCore.App`, and the runtime of the first.
    fn dotnet_with(folder: &Path, versions: &[&str]) -> Installed {
        let framework = folder.join("shared").join(NETCORE_APP);
        for version in versions {
            fs::create_dir_all(framework.join(version)).unwrap();
        }
        Installed {
            dotnet: folder.join("dotnet"),
            version: versions[0].to_owned(),
            assemblies: framework.join(versions[0]),
        }
    }

    #[test]
    fn a_program_of_another_version_is_run_with_all_frameworks_of_the_version() {
        let dir = tempfile::tempdir().unwrap();
        let program = program_for(dir.path(), "a", &[NETCORE_APP, "Microsoft.AspNetCore.App"]);
        let program = program.with_extension("dll");
        let on = |versions: &[&str]| {
            let root = tempfile::tempdir().unwrap();
            words(&dotnet_with(root.path(), versions).command(&program))
        };
        assert_eq!(on(&["8.0.28"]), [""; 0]);
        assert_eq!(on(&["12.0.0", "8.0.4"]), ["--fx-version", "12.0.0", "--roll-forward", "LatestMajor"]);
        // Newer frameworks than those of the chosen version do not go together with it.
        assert_eq!(on(&["9.0.1", "12.0.0"]), ["--fx-version", "9.0.1", "--roll-forward", "Major"]);
    }

    #[test]
    fn a_version_that_the_first_framework_does_not_have_is_not_named() {
        let (dir, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let program = program_for(dir.path(), "a", &["Microsoft.AspNetCore.App"]).with_extension("dll");
        let runtime = dotnet_with(root.path(), &["11.0.2"]);
        assert_eq!(words(&runtime.command(&program)), ["--roll-forward", "LatestMajor"]);
        fs::create_dir_all(root.path().join("shared/Microsoft.AspNetCore.App/11.0.2")).unwrap();
        assert_eq!(words(&runtime.command(&program))[..2], ["--fx-version", "11.0.2"]);
    }

    #[test]
    fn a_program_that_is_no_dll_is_run_as_it_is_and_finds_the_runtime() {
        let (dir, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let program = program_for(dir.path(), "My.Shop", &[NETCORE_APP]);
        let runtime = dotnet_with(root.path(), &["12.0.0"]);
        let variable = |program: &Path, name: &str| {
            let command = runtime.command(program);
            assert_eq!((command.get_program(), command.get_args().len()), (program.as_os_str(), 0));
            let mut variables = command.get_envs().filter(|(found, _)| *found == name);
            variables.next().and_then(|(_, value)| Some(value?.to_string_lossy().into_owned()))
        };
        assert_eq!(variable(&program, "DOTNET_ROOT").as_deref(), root.path().to_str());
        assert_eq!(variable(&program, "DOTNET_ROLL_FORWARD").as_deref(), Some("LatestMajor"));
        assert_eq!(variable(&dir.path().join("other"), "DOTNET_ROLL_FORWARD"), None);
    }
}
