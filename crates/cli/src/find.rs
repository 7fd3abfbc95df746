//! Finds tools: in the folders of `CORPROF_TOOLS`, in the cargo workspace of the working folder, and beside the command.
//!
//! A folder of `CORPROF_TOOLS` is a cargo workspace, such as a clone of the repository, whose tools are built when they are used, or
//! it has installed tools, with a JSON file for each: a [`Description`]. Of tools with the same name the first found is used.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::tool::{Library, Settings, Tool};
use crate::workspace;

/// The variable with folders of tools, separated as those of `PATH`.
pub const VARIABLE: &str = "CORPROF_TOOLS";

/// The repository of the tools.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// The folder of the tools, beside the command.
pub const FOLDER: &str = "tools";

/// An installed tool, as its JSON file has it.
#[derive(Debug, Deserialize, Serialize)]
pub struct Description {
    /// Its name.
    pub name: String,
    /// What it does, in a sentence.
    pub description: String,
    /// The file of its library, in the same folder.
    pub library: PathBuf,
    /// Its settings and abilities.
    pub settings: Settings,
}

/// Returns all tools, by name, without building any.
///
/// # Errors
///
/// If a folder of `CORPROF_TOOLS` cannot be read, or a description is wrong.
pub fn tools() -> Result<Vec<Tool>> {
    let mut all = Vec::new();
    for folder in env::split_paths(&env::var_os(VARIABLE).unwrap_or_default()) {
        if !folder.as_os_str().is_empty() {
            all.extend(of_folder(&folder).with_context(|| VARIABLE.to_owned())?);
        }
    }
    if let Ok(here) = env::current_dir()
        && workspace::is_in_workspace(&here)
    {
        match workspace::tools(&here) {
            Ok(tools) => all.extend(tools),
            // The tool may be an installed one.
            Err(error) => eprintln!("note: the tools of this workspace are not known: {error:#}"),
        }
    }
    if let Some(folder) = beside() {
        all.extend(installed(&folder)?);
    }
    let mut known: Vec<Tool> = Vec::new();
    for tool in all {
        if known.iter().all(|other| other.name != tool.name) {
            known.push(tool);
        }
    }
    known.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(known)
}

/// The folder of tools beside the command, if it exists.
fn beside() -> Option<PathBuf> {
    let command = env::current_exe().ok()?.canonicalize().ok()?;
    let folder = command.parent()?.join(FOLDER);
    folder.is_dir().then_some(folder)
}

/// Returns the tools of a folder that the variable names.
fn of_folder(folder: &Path) -> Result<Vec<Tool>> {
    if folder.join("Cargo.toml").is_file() {
        return workspace::tools(folder);
    }
    let tools = installed(folder)?;
    ensure!(
        !tools.is_empty(),
        "{} has no tools: it is no clone, and no JSON file in it describes a tool; name the folder `{FOLDER}` of a release, or a clone",
        folder.display()
    );
    Ok(tools)
}

/// Returns the installed tools of a folder.
fn installed(folder: &Path) -> Result<Vec<Tool>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut tools = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension() != Some(OsStr::new("json")) {
            continue;
        }
        let text = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let described: Description = serde_json::from_slice(&text)
            .with_context(|| format!("{} does not describe a tool", path.display()))?;
        tools.push(Tool {
            name: described.name,
            description: described.description,
            settings: described.settings.with_shared_flags(),
            library: Library::Built(folder.join(described.library)),
        });
    }
    Ok(tools)
}

/// Returns the tool of this name.
///
/// # Errors
///
/// If there is none.
pub fn named<'t>(tools: &'t [Tool], name: &str) -> Result<&'t Tool> {
    if let Some(tool) = tools.iter().find(|tool| tool.name == name) {
        return Ok(tool);
    }
    bail!("there is no tool {name:?}; {}", usable(tools))
}

/// Returns what can be named, in a sentence.
pub(crate) fn usable(tools: &[Tool]) -> String {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let known = match names.is_empty() {
        true => format!(
            "there are no tools in a cargo workspace here, or in `{FOLDER}` beside the command; set {VARIABLE} to a clone of \
             {REPOSITORY}, or to a folder of built tools"
        ),
        false => format!("the tools are: {}", names.join(", ")),
    };
    format!("{known}; --library runs a profiler that is built")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_installed_tool_is_described_beside_its_library() {
        let folder = tempfile::tempdir().unwrap();
        let text = r#"{"name": "x", "description": "Does x", "library": "libx.so", "settings": {"attachable": true}}"#;
        fs::write(folder.path().join("x.json"), text).unwrap();
        fs::write(folder.path().join("libx.so"), "").unwrap();
        let tools = installed(folder.path()).unwrap();
        assert_eq!(tools.len(), 1);
        assert!(tools[0].settings.attachable);
        assert!(matches!(&tools[0].library, Library::Built(file) if *file == folder.path().join("libx.so")));
        assert!(named(&tools, "y").unwrap_err().to_string().contains("the tools are: x;"));
        assert!(named(&[], "y").unwrap_err().to_string().contains("CORPROF_TOOLS"));
    }

    #[test]
    fn a_folder_of_the_variable_may_be_a_workspace() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = "[package]\nname = \"mine\"\nversion = \"0.1.0\"\n[lib]\n[package.metadata.corprof]\n";
        fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        fs::write(folder.path().join("src/lib.rs"), "").unwrap();
        let tools = of_folder(folder.path()).unwrap();
        assert_eq!(tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), ["mine"]);
        assert!(matches!(&tools[0].library, Library::Package(package) if package.folder == folder.path()));
    }

    #[test]
    fn a_folder_of_the_variable_without_tools_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("libx.so"), "").unwrap();
        let error = of_folder(folder.path()).unwrap_err().to_string();
        assert!(error.contains("has no tools") && error.contains("clone"), "{error}");
        assert!(installed(folder.path()).unwrap().is_empty());
    }

    #[test]
    fn a_wrong_description_names_its_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("x.json"), "{}").unwrap();
        let error = format!("{:#}", installed(folder.path()).unwrap_err());
        assert!(error.contains("x.json does not describe a tool"), "{error}");
    }
}
