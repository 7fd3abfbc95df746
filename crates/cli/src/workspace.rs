//! Tools that are packages of a cargo workspace.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize as _;
use serde_json::Value;

use crate::process;
use crate::tool::{Library, Settings, Tool};

/// The table of a manifest below `[package.metadata]`.
const TABLE: &str = "corprof";

/// A package of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// A folder of the workspace, in which cargo is started.
    pub folder: PathBuf,
}

impl Package {
    /// Builds its shared library with cargo, which reports its progress.
    ///
    /// # Errors
    ///
    /// If it does not build, or has no shared library.
    pub fn build(&self, optimised: bool) -> Result<PathBuf> {
        self.build_among(&["--package".to_owned(), self.name.clone()], optimised)
    }

    /// As [`build`](Self::build), with other packages at the same time: `selected` are the arguments of cargo that select
    /// them and this one.
    ///
    /// # Errors
    ///
    /// If they do not build, or this one has no shared library.
    pub fn build_among(&self, selected: &[String], optimised: bool) -> Result<PathBuf> {
        let release: &[&str] = if optimised { &["--release"] } else { &[] };
        let release_word = if optimised { " --release" } else { "" };
        let repeat = format!("cargo build{release_word} --package {}", self.name);
        let mut arguments = vec!["build"];
        arguments.extend(release);
        arguments.extend(selected.iter().map(String::as_str));
        arguments.extend(["--message-format", "json-render-diagnostics"]);
        let output = process::output(process::cargo(&self.folder, &arguments).stderr(Stdio::inherit()))?;
        if !output.status.success() {
            bail!("{} does not build; fix it until `{repeat}` succeeds", self.name);
        }
        library(&String::from_utf8_lossy(&output.stdout), &self.name).with_context(|| {
            format!("`{repeat}` gives no shared library; the crate needs `crate-type = [\"cdylib\"]`")
        })
    }
}

/// The shared library among cargo's messages about what it built.
fn library(messages: &str, package: &str) -> Option<PathBuf> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut artifacts = messages.filter(|message| {
        let kinds = message["target"]["kind"].as_array();
        message["reason"] == "compiler-artifact"
            && kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind == "cdylib"))
            && message["target"]["name"]
                .as_str()
                .is_some_and(|name| name.replace('-', "_") == package.replace('-', "_"))
    });
    artifacts.find_map(|artifact| {
        let files = artifact["filenames"].as_array()?.iter().filter_map(Value::as_str).map(PathBuf::from);
        let shared = std::env::consts::DLL_EXTENSION;
        files.into_iter().find(|file| file.extension().is_some_and(|extension| extension == shared))
    })
}

/// Returns whether a folder, or one above it, has a `Cargo.toml`.
#[must_use]
pub(crate) fn is_in_workspace(folder: &Path) -> bool {
    folder.ancestors().any(|folder| folder.join("Cargo.toml").is_file())
}

/// Returns the tools of the workspace that `folder` is in, by name.
///
/// # Errors
///
/// If `cargo metadata` fails or a tool's description is wrong.
pub fn tools(folder: &Path) -> Result<Vec<Tool>> {
    let metadata = metadata(folder)?;
    let packages = metadata["packages"].as_array().context("`cargo metadata` lists no packages")?;
    let mut tools = Vec::new();
    for package in packages {
        tools.extend(parse(package, folder)?);
    }
    tools.sort_by(|a: &Tool, b| a.name.cmp(&b.name));
    Ok(tools)
}

/// What cargo knows about the packages of the workspace.
///
/// # Errors
///
/// If cargo fails.
pub fn metadata(folder: &Path) -> Result<Value> {
    let mut cargo = process::cargo(folder, ["metadata", "--no-deps", "--format-version", "1"]);
    serde_json::from_str(&process::capture(&mut cargo)?).context("`cargo metadata` printed no JSON")
}

fn parse(package: &Value, folder: &Path) -> Result<Option<Tool>> {
    let Some(description) = package["metadata"].get(TABLE) else { return Ok(None) };
    let name = package["name"].as_str().unwrap_or_default();
    let settings = Settings::deserialize(description).with_context(|| {
        format!("in [package.metadata.{TABLE}] of {}", package["manifest_path"].as_str().unwrap_or(name))
    })?;
    Ok(Some(Tool {
        name: name.to_owned(),
        description: package["description"].as_str().unwrap_or("The profiler of this workspace").to_owned(),
        settings: settings.with_shared_flags(),
        library: Library::Package(Package { name: name.to_owned(), folder: folder.to_path_buf() }),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_description_is_read() {
        let package = json!({ "name": "calltrace", "description": "Prints calls", "metadata": { "corprof": {
            "flags": [
                { "name": "all", "env": "CALLTRACE_ALL", "help": "Everything" },
                { "name": "include", "env": "CALLTRACE_INCLUDE", "help": "Only", "separator": ";" },
            ],
        }}});
        let tool = parse(&package, Path::new("/x")).unwrap().unwrap();
        assert_eq!(tool.name, "calltrace");
        let settings = tool.settings;
        assert!(!settings.attachable);
        assert!(settings.flags[0].is_switch() && !settings.flags[1].is_switch());
    }

    #[test]
    fn settings_that_tools_share_have_flags() {
        let description =
            json!({ "shared": "GC_", "flags": [{ "name": "out", "env": "GC_OUT", "help": "A file" }] });
        let package = json!({ "name": "gc", "metadata": { "corprof": description }});
        let flags = parse(&package, Path::new("/x")).unwrap().unwrap().settings.flags;
        assert_eq!(flags[0].env, "GC_OUT");
        assert!(flags.iter().any(|flag| flag.name == "keep-mb" && flag.env == "GC_KEEP_MB"), "{flags:?}");
    }

    #[test]
    fn a_wrong_description_names_its_manifest() {
        let package =
            json!({ "name": "x", "manifest_path": "/x/Cargo.toml", "metadata": { "corprof": { "flag": [] }}});
        let error = format!("{:#}", parse(&package, Path::new("/x")).unwrap_err());
        assert!(error.contains("/x/Cargo.toml") && error.contains("unknown field `flag`"), "{error}");
        assert!(parse(&json!({ "name": "x", "metadata": null }), Path::new("/x")).unwrap().is_none());
    }

    #[test]
    fn the_library_is_found_among_what_cargo_built() {
        let file = format!("/t/libx.{}", std::env::consts::DLL_EXTENSION);
        let message = json!({
            "reason": "compiler-artifact", "target": { "name": "x", "kind": ["cdylib", "rlib"] },
            "filenames": ["/t/libx.rlib", file],
        });
        let text = format!("{{\"reason\":\"build-script-executed\"}}\n{message}\n");
        assert_eq!(library(&text, "x"), Some(file.into()));
        assert_eq!(library(&text, "y"), None);
    }
}
