//! `corprof new`: makes a project with a profiler, its tests and its continuous integration, from a template.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail, ensure};
use clap::{Args, ValueEnum};

use crate::paths;

/// The repository of the crates.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// The version of the crates, which is that of the command.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A kind of profiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Variant {
    /// Every call with its values
    Calls,
    /// Stacks of all threads, at intervals
    Sampling,
    /// Methods rewritten before they are compiled
    Il,
    /// Exceptions, in a running process too
    Attach,
}

impl Variant {
    fn name(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Sampling => "sampling",
            Self::Il => "il",
            Self::Attach => "attach",
        }
    }

    fn source(self) -> &'static str {
        match self {
            Self::Calls => include_str!("../template/calls.rs"),
            Self::Sampling => include_str!("../template/sampling.rs"),
            Self::Il => include_str!("../template/il.rs"),
            Self::Attach => include_str!("../template/attach.rs"),
        }
    }

    /// The crates that the source needs beside `corprof`.
    fn crates(self) -> &'static [&'static str] {
        match self {
            Self::Calls => &["corprof-calls"],
            Self::Il => &["corprof-rewrite", "cilbody"],
            Self::Sampling | Self::Attach => &[],
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// The folder to make; its last part is the name of the package
    #[arg(value_name = "NAME")]
    folder: PathBuf,
    /// The kind of profiler
    #[arg(long, value_enum, default_value_t = Variant::Calls)]
    variant: Variant,
    /// Depend on the crates of a clone in this folder, instead of the repository
    #[arg(long, value_name = "FOLDER", conflicts_with = "registry")]
    path: Option<PathBuf>,
    /// Depend on the published crates
    #[arg(long)]
    registry: bool,
}

/// The source of the crates.
enum Origin {
    Git,
    Path(PathBuf),
    Registry,
}

impl Origin {
    fn dependency(&self, name: &str) -> String {
        match self {
            Self::Git => format!("{name} = {{ git = \"{REPOSITORY}\" }}"),
            Self::Registry => format!("{name} = \"{VERSION}\""),
            Self::Path(clone) => {
                let folder = name.strip_prefix("corprof-").unwrap_or(name);
                let path = clone.join("crates").join(folder).display().to_string().replace('\\', "/");
                format!("{name} = {{ path = \"{path}\" }}")
            }
        }
    }

    fn dependencies(&self, names: &[&str]) -> String {
        let lines: Vec<String> = names.iter().map(|name| self.dependency(name)).collect();
        lines.join("\n")
    }
}

/// Makes a project.
///
/// # Errors
///
/// If the name is no name of a package, or the folder exists, or cannot be written.
pub(crate) fn main(arguments: &NewArgs, out: &mut dyn Write) -> Result<ExitCode> {
    let folder = &arguments.folder;
    let name = folder.file_name().and_then(|name| name.to_str()).context("the folder has no name")?;
    check(name)?;
    if folder.exists() {
        bail!("{} exists already; choose another name, or remove it", folder.display());
    }
    let origin = match &arguments.path {
        Some(clone) => {
            let clone = paths::absolute(clone);
            ensure!(
                clone.join("crates/corprof/Cargo.toml").is_file(),
                "{} is no clone of {REPOSITORY}: it has no crates/corprof",
                clone.display()
            );
            Origin::Path(clone)
        }
        None if arguments.registry => Origin::Registry,
        None => Origin::Git,
    };
    let clsid = uuid::Uuid::new_v4().braced().to_string().to_uppercase();
    for (path, text) in files(name, arguments.variant, &origin, &clsid) {
        let path = folder.join(path);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).with_context(|| format!("cannot create {}", parent.display()))?;
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let shown = folder.display();
    writeln!(out, "made {shown}: a profiler with the class id {clsid}")?;
    writeln!(out, "next:\n  cd {shown}\n  cargo test\n  corprof run {name} -- path/to/app.dll")?;
    Ok(ExitCode::SUCCESS)
}

/// The files of a project.
fn files(name: &str, variant: Variant, origin: &Origin, clsid: &str) -> Vec<(&'static str, String)> {
    let dependencies = [&["corprof"], variant.crates()].concat();
    let attaching = match variant {
        Variant::Attach => {
            "In a running process: `corprof ps`, then `corprof attach PID --library` with the same file.\n\n"
        }
        Variant::Calls | Variant::Sampling | Variant::Il => "",
    };
    let is_attachable = if variant == Variant::Attach { "true" } else { "false" };
    let filled = |text: &str| {
        text.replace("@NAME@", name)
            .replace("@CRATE@", &name.replace('-', "_"))
            .replace("@CLSID@", clsid)
            .replace("@VARIANT@", variant.name())
            .replace("@ATTACHABLE@", is_attachable)
            .replace("@ATTACHING@", attaching)
            .replace("@DEPENDENCIES@", &origin.dependencies(&dependencies))
            .replace("@DEV_DEPENDENCIES@", &origin.dependencies(&["corprof-double"]))
    };
    let texts = [
        ("Cargo.toml", include_str!("../template/Cargo.toml.in")),
        (".gitignore", include_str!("../template/gitignore")),
        (".github/workflows/ci.yml", include_str!("../template/ci.yml")),
        ("README.md", include_str!("../template/README.md")),
        ("app/Program.cs", include_str!("../template/app/Program.cs")),
        ("app/app.csproj", include_str!("../template/app/app.csproj")),
        ("src/lib.rs", variant.source()),
        ("tests/live.rs", include_str!("../template/live.rs")),
    ];
    texts.into_iter().map(|(path, text)| (path, filled(text))).collect()
}

/// The keywords of Rust, those without a use included (The Rust Reference, "Keywords").
const KEYWORDS: [&str; 53] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "Self",
    "static", "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield", "_",
];

/// Crates that a package of that name would hide, or be confused with.
const LIBRARIES: [&str; 5] = ["alloc", "core", "proc_macro", "std", "test"];

/// Fails unless cargo accepts the name.
fn check(name: &str) -> Result<()> {
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    ensure!(is_name, "{name:?} is no name of a package: use letters, digits, `-` and `_`, a letter first");
    let krate = name.replace('-', "_");
    ensure!(
        !KEYWORDS.contains(&&*krate) && !LIBRARIES.contains(&&*krate),
        "{name:?} is no name of a package: {krate} is a keyword or a library of Rust; choose another one, such as {name}-profiler"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn no_placeholder_is_left() {
        for variant in Variant::value_variants() {
            for origin in [Origin::Git, Origin::Registry, Origin::Path("/clone".into())] {
                for (path, text) in files("my-tool", *variant, &origin, "{0}") {
                    let left = text
                        .split('@')
                        .any(|word| word.len() > 3 && word.chars().all(|c| c.is_ascii_uppercase()));
                    assert!(!left, "{path}: {text}");
                }
            }
        }
    }

    #[test]
    fn dependencies_have_the_folders_of_the_clone() {
        let origin = Origin::Path(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
        for name in ["corprof", "corprof-calls", "corprof-rewrite", "corprof-double", "cilbody"] {
            let line = origin.dependency(name);
            let path = line.split('"').nth(1).unwrap();
            let manifest = fs::read_to_string(Path::new(path).join("Cargo.toml")).unwrap();
            assert!(manifest.contains(&format!("name = \"{name}\"\n")), "{line}");
        }
        assert_eq!(Origin::Registry.dependency("cilbody"), format!("cilbody = \"{VERSION}\""));
    }

    #[test]
    fn names_that_cargo_refuses_are_refused() {
        for name in
            ["", "7up", "a b", "ä", "-x", "fn", "self", "Self", "crate", "gen", "std", "test", "proc-macro"]
        {
            assert!(check(name).is_err(), "{name}");
        }
        assert!(check("my-tool_2").is_ok());
    }
}
