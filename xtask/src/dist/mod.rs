//! `cargo xtask dist`: the archives of a release.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | the platforms, and the files of an archive |
//! | `build` | compiles programs and libraries, and shows how far it is |
//! | `archive` | tar and zip without times and owners |
//! | `sbom` | the bill of materials |
//! | `notices` | the licences of the linked crates |
//! | `trial` | an unpacked archive, used on its platform, or by an emulator of it |
//!
//! Two builds of the same sources are to give the same bytes, in any folder: paths are remapped, and nothing has a time of its
//! own. `--check` compares two.

mod archive;
mod build;
mod notices;
mod sbom;
mod trial;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use clap_complete::Shell;
use corprof_cli::find::{self, Description};
use corprof_cli::tool::Tool;
use corprof_cli::workspace;
use corprof_testkit::download::sha256_of;
use corprof_testkit::{paths, piece, process, targets};

use self::archive::Files;
use self::build::Steps;
use crate::graph::Graph;

/// A platform of a release.
struct Platform {
    /// .NET's name.
    rid: &'static str,
    /// Rust's name.
    triple: &'static str,
}

const PLATFORMS: [Platform; 4] = [
    Platform { rid: "linux-x64", triple: "x86_64-unknown-linux-gnu" },
    Platform { rid: "linux-musl-x64", triple: "x86_64-unknown-linux-musl" },
    Platform { rid: "linux-arm64", triple: "aarch64-unknown-linux-gnu" },
    Platform { rid: "win-x64", triple: "x86_64-pc-windows-gnu" },
];

/// The programs of an archive: the package, and the program's name.
const PROGRAMS: [(&str, &str); 2] = [("corprof-cli", "corprof"), ("coverage-report", "coverage-report")];

/// What is done with each archive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Checks {
    /// It is written.
    None,
    /// It is used where there is no Rust.
    Used,
    /// It is also built again in another folder, and compared.
    Repeated,
}

/// Makes the archives of the named platforms, or of all, with the named tools, or all.
///
/// # Errors
///
/// When something does not build, differs, or does not work.
pub(crate) fn run(names: &[String], checks: Checks, tools: &[String]) -> Result<()> {
    let all: Vec<&str> = PLATFORMS.iter().map(|platform| platform.rid).collect();
    if let Some(unknown) = names.iter().find(|name| !all.contains(&name.as_str())) {
        bail!("{unknown} is not one of the platforms: {}", all.join(", "));
    }
    let dist = paths::workspace().join("target").join("dist");
    // An archive without some of the tools is no release.
    let folder = if tools.is_empty() { dist.clone() } else { dist.join("part") };
    let tools = chosen(tools)?;
    let chosen = |platform: &&Platform| names.is_empty() || names.iter().any(|name| name == platform.rid);
    let platforms: Vec<&Platform> = PLATFORMS.iter().filter(chosen).collect();
    let steps = Steps::new(platforms.len() * (2 + checks as usize));
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", paths::shown(&folder)))?;
    for platform in platforms {
        let name = platform.archive();
        let label = steps.next(platform.rid, "compiling the command and the tools");
        let files = platform.files(&paths::workspace(), &dist.join("build"), &tools, &label)?;
        eprintln!("{}", steps.next(platform.rid, "writing the archive"));
        let bytes = platform.pack(&files)?;
        let path = folder.join(&name);
        fs::write(&path, &bytes).with_context(|| format!("cannot write {}", paths::shown(&path)))?;
        println!("{}: {} bytes, {}", paths::shown(&path), bytes.len(), sha256_of(&bytes));
        if checks >= Checks::Used {
            eprintln!("{}", steps.next(platform.rid, "using the archive where there is no Rust"));
            trial::run(platform.triple, &path, &tools, &dist.join("trial"))?;
        }
        if checks == Checks::Repeated {
            let label = steps.next(platform.rid, "compiling again in another folder");
            platform.again(&dist, &bytes, &tools, &label)?;
        }
    }
    let sums = folder.join("SHA256SUMS");
    fs::write(&sums, checksums(&folder)?)?;
    println!("{}, after {}", paths::shown(&sums), steps.elapsed());
    Ok(())
}

/// The checksums of the archives of this version that are in a folder: the platforms may have been built one by one.
fn checksums(folder: &Path) -> Result<String> {
    let mut sums = String::new();
    for name in PLATFORMS.iter().map(Platform::archive) {
        let path = folder.join(&name);
        if path.exists() {
            let bytes = fs::read(&path).with_context(|| format!("cannot read {}", paths::shown(&path)))?;
            sums += &format!("{}  {name}\n", sha256_of(&bytes));
        }
    }
    Ok(sums)
}

/// The named tools of the workspace, or all.
fn chosen(names: &[String]) -> Result<Vec<Tool>> {
    let mut tools = workspace::tools(&paths::workspace())?;
    for name in names {
        find::named(&tools, name)?;
    }
    tools.retain(|tool| names.is_empty() || names.contains(&tool.name));
    Ok(tools)
}

impl Platform {
    fn is_windows(&self) -> bool {
        self.triple.contains("windows")
    }

    /// The name of the archive without its ending, which is also that of the folder in it.
    fn root(&self) -> String {
        format!("corprof-{}-{}", env!("CARGO_PKG_VERSION"), self.rid)
    }

    fn archive(&self) -> String {
        format!("{}.{}", self.root(), if self.is_windows() { "zip" } else { "tar.gz" })
    }

    fn pack(&self, files: &Files) -> Result<Vec<u8>> {
        if self.is_windows() { files.zip(&self.root()) } else { files.tar_gz(&self.root(), seconds()?) }
    }

    /// Builds the archive again from a copy of the sources in another folder, and compares.
    fn again(&self, folder: &Path, bytes: &[u8], tools: &[Tool], label: &str) -> Result<()> {
        let copy = folder.join("again").join("another-folder");
        copy_sources(&copy)?;
        let second = self.pack(&self.files(&copy, &folder.join("again").join("build"), tools, label)?)?;
        let path = folder.join("again").join(self.archive());
        fs::write(&path, &second)?;
        ensure!(
            second == bytes,
            "a second build of {} differs; compare {} with the first",
            self.rid,
            paths::shown(&path)
        );
        println!("    a second build in another folder has the same bytes");
        Ok(())
    }

    /// Builds the programs and the libraries from the sources in `root`, and collects the files of the archive.
    fn files(&self, root: &Path, build: &Path, tools: &[Tool], label: &str) -> Result<Files> {
        let mut cargo = targets::released(self.triple, root, build, &self.flags(root, build)?)?;
        let packages = packages(tools);
        // On Windows rustc names symbols after a temporary folder: those of import libraries.
        let strip = if self.is_windows() { "symbols" } else { "debuginfo" };
        cargo.env("CARGO_PROFILE_RELEASE_DEBUG", "none").env("CARGO_PROFILE_RELEASE_STRIP", strip);
        cargo.env("CARGO_INCREMENTAL", "0").env("SOURCE_DATE_EPOCH", seconds()?.to_string());
        build::compile(cargo, self.triple, &packages, label)?;
        let built = build.join(self.triple).join("release");
        let read = |name: &str| {
            let path = built.join(name);
            fs::read(&path).with_context(|| format!("cannot read {}", paths::shown(&path)))
        };
        let mut files = Files::default();
        for (_, program) in PROGRAMS {
            let program = if self.is_windows() { format!("{program}.exe") } else { program.to_owned() };
            files.add_program(&*program, read(&program)?);
        }
        for tool in tools {
            let library = self.library(&tool.name);
            files.add_program(format!("{}/{library}", find::FOLDER), read(&library)?);
            files.add(format!("{}/{}.json", find::FOLDER, tool.name), description(tool, &library)?);
        }
        self.documents(&mut files, tools)?;
        Ok(files)
    }

    fn library(&self, name: &str) -> String {
        let name = name.replace('-', "_");
        if self.is_windows() { format!("{name}.dll") } else { format!("lib{name}.so") }
    }

    /// Adds what is not compiled.
    fn documents(&self, files: &mut Files, tools: &[Tool]) -> Result<()> {
        let root = paths::workspace();
        for name in ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"] {
            files.add(name, fs::read(root.join(name)).with_context(|| format!("cannot read {name}"))?);
        }
        files.add("README.md", include_str!("README.txt").replace("@VERSION@", env!("CARGO_PKG_VERSION")));
        let graph = Graph::read(Some(self.triple))?;
        let linked = graph.linked(&packages(tools))?;
        files.add("THIRD-PARTY.md", notices::document(&linked)?);
        let rustc = process::capture(Command::new("rustc").arg("--version").current_dir(&root))?;
        let (version, sums) = (env!("CARGO_PKG_VERSION"), sbom::checksums()?);
        let bill = sbom::document(&self.root(), version, rustc.trim(), &graph, &linked, &sums);
        files.add("sbom.cdx.json", serde_json::to_vec_pretty(&bill)?);
        if !self.is_windows() {
            let folder = root.join("target").join("dist").join("man");
            piece::remove(&folder)?;
            corprof_cli::manual(&folder)?;
            for entry in fs::read_dir(&folder)? {
                let path = entry?.path();
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                files.add(format!("man/man1/{name}"), fs::read(&path)?);
            }
        }
        for (shell, name) in SHELLS {
            files.add(format!("completions/{name}"), corprof_cli::completions(shell));
        }
        Ok(())
    }

    /// The flags of the compiler that remove this machine's folders from the output.
    fn flags(&self, root: &Path, build: &Path) -> Result<Vec<String>> {
        let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let home =
            home.or_else(|| Some(std::env::home_dir()?.join(".cargo"))).context("there is no home folder")?;
        // The last that applies is used.
        let remapped = [
            (home, "/cargo"),
            (root.to_path_buf(), "/corprof"),
            (paths::targets_dir(), "/tools"),
            (build.to_path_buf(), "/build"),
        ];
        let mut flags: Vec<String> = remapped
            .iter()
            .map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()))
            .collect();
        if self.is_windows() {
            flags.push("-Clink-arg=-Wl,--no-insert-timestamp".to_owned());
        }
        Ok(flags)
    }
}

const SHELLS: [(Shell, &str); 4] = [
    (Shell::Bash, "corprof.bash"),
    (Shell::Fish, "corprof.fish"),
    (Shell::PowerShell, "_corprof.ps1"),
    (Shell::Zsh, "_corprof"),
];

/// The packages of the programs and of the tools.
fn packages(tools: &[Tool]) -> Vec<&str> {
    PROGRAMS.iter().map(|(package, _)| *package).chain(tools.iter().map(|tool| &*tool.name)).collect()
}

/// The JSON file that describes a tool beside its library.
fn description(tool: &Tool, library: &str) -> Result<Vec<u8>> {
    let description = Description {
        name: tool.name.clone(),
        description: tool.description.clone(),
        library: library.into(),
        settings: tool.settings.clone(),
    };
    Ok(serde_json::to_vec_pretty(&description)?)
}

/// The time of the files in an archive: `SOURCE_DATE_EPOCH`, or that of the last commit.
fn seconds() -> Result<u64> {
    let text = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text,
        Err(_) => process::capture(
            Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(paths::workspace()),
        )?,
    };
    text.trim().parse().with_context(|| format!("{text:?} is no time; set SOURCE_DATE_EPOCH to seconds"))
}

/// Copies the files that git knows, as they are now.
fn copy_sources(to: &Path) -> Result<()> {
    piece::remove(to)?;
    let root = paths::workspace();
    let list = process::capture(Command::new("git").args(["ls-files", "-z"]).current_dir(&root))?;
    for name in list.split_terminator('\0') {
        let (from, to) = (root.join(name), to.join(name));
        let parent = to.parent().context("a file has no folder")?;
        fs::create_dir_all(parent)?;
        fs::copy(&from, &to).with_context(|| format!("cannot copy {}", paths::shown(&from)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_name_each_licence_tool_and_command() {
        let tools = workspace::tools(&paths::workspace()).unwrap();
        let mut files = Files::default();
        PLATFORMS[0].documents(&mut files, &tools).unwrap();
        let paths = files.paths();
        for path in [
            "CHANGELOG.md",
            "LICENSE-APACHE",
            "LICENSE-MIT",
            "README.md",
            "THIRD-PARTY.md",
            "completions/corprof.bash",
            "man/man1/corprof-run.1",
            "man/man1/corprof.1",
            "sbom.cdx.json",
        ] {
            assert!(paths.contains(&path), "{paths:?}");
        }
        let readme = String::from_utf8(files.get("README.md").unwrap().to_vec()).unwrap();
        for tool in &tools {
            assert!(readme.contains(&format!("`{}`", tool.name)), "README.txt lacks {}", tool.name);
        }
        let mut again = Files::default();
        PLATFORMS[0].documents(&mut again, &tools).unwrap();
        assert_eq!(PLATFORMS[0].pack(&files).unwrap(), PLATFORMS[0].pack(&again).unwrap());
    }

    #[test]
    fn a_tool_of_an_archive_is_found_by_the_command() {
        let tools = workspace::tools(&paths::workspace()).unwrap();
        let watch = tools.iter().find(|tool| tool.name == "watch").unwrap();
        let text = description(watch, "libwatch.so").unwrap();
        let read: Description = serde_json::from_slice(&text).unwrap();
        assert_eq!((&*read.name, &read.settings), ("watch", &watch.settings));
    }

    #[test]
    fn archives_are_named_by_version_and_platform() {
        let names: Vec<String> = PLATFORMS.iter().map(Platform::archive).collect();
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(names[0], format!("corprof-{version}-linux-x64.tar.gz"));
        assert_eq!(names[3], format!("corprof-{version}-win-x64.zip"));
    }
}
