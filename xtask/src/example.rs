//! The example profilers, as their own `Cargo.toml` describes them.
//!
//! An example is a package with a `cdylib` and this in its manifest; nothing in here knows any of
//! them by name:
//!
//! ```toml
//! [package.metadata.xtask]
//! clsid = "{7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}"
//! attachable = true           # `cargo xtask attach` may load it into a running process
//! socket = "WATCH_SOCKET"     # the variable with the socket that an attached one writes to, if it does that
//!
//! [[package.metadata.xtask.flags]]
//! name = "format"             # --format
//! env = "CALLTRACE_FORMAT"    # is passed in this variable
//! value = "FORMAT"            # what stands for the value in the help; without it, it is a switch that sets 1;
//!                             # a FILE is made absolute for a process that runs elsewhere
//! values = ["text", "jsonl"]  # the values there are, if not any
//! separator = ";"             # may be repeated, and the values are joined with this
//! help = "How to print the calls"
//! ```

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Mutex;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use serde_json::Value;

use crate::machine::Foreign;
use crate::profiler::{Clsid, Profiler};
use crate::{process, targets};

/// An example profiler.
#[derive(Debug, Clone)]
pub struct Example {
    /// The name of its package.
    pub name: String,
    /// What it is.
    pub description: String,
    /// The class that its library has.
    pub clsid: Clsid,
    /// Whether it can be attached to a process that runs.
    pub attachable: bool,
    /// The variable with the socket that it writes to when it is attached, if it can.
    pub socket: Option<String>,
    /// The flags that it adds to `cargo xtask run`.
    pub flags: Vec<Flag>,
}

/// A flag of an example, which is passed to it in a variable.
#[derive(Debug, Clone, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Flag {
    /// Its name, without the dashes.
    pub name: String,
    /// The variable.
    pub env: String,
    /// What it is, for the help.
    pub help: String,
    /// What stands for its value in the help. Without it and without `values`, it is a switch.
    pub value: Option<String>,
    /// The values there are, if not any.
    #[serde(default)]
    pub values: Vec<String>,
    /// It may be given several times; the values are joined with this.
    pub separator: Option<String>,
}

impl Flag {
    /// Whether it has no value; its variable is then set to 1.
    #[must_use]
    pub fn is_switch(&self) -> bool {
        self.value.is_none() && self.values.is_empty() && self.separator.is_none()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    clsid: String,
    #[serde(default)]
    attachable: bool,
    socket: Option<String>,
    #[serde(default)]
    flags: Vec<Flag>,
}

impl Example {
    /// A package with a profiler that nobody but a test or a benchmark uses, and that says nothing of itself.
    ///
    /// # Errors
    ///
    /// When `clsid` is no class id.
    pub fn unlisted(name: &str, clsid: &str) -> Result<Self> {
        Ok(Self {
            name: name.to_owned(),
            description: String::new(),
            clsid: clsid.parse().map_err(anyhow::Error::msg)?,
            attachable: false,
            socket: None,
            flags: Vec::new(),
        })
    }

    /// Builds it, and returns the profiler.
    ///
    /// # Errors
    ///
    /// When it does not build.
    pub fn profiler(&self) -> Result<Profiler> {
        Ok(Profiler::new(&build_library(&self.name, true)?, self.clsid))
    }

    /// Builds it for this machine, whatever `CORPROF_TARGET` says.
    ///
    /// # Errors
    ///
    /// When it does not build.
    pub fn profiler_here(&self) -> Result<Profiler> {
        Ok(Profiler::new(&build(&self.name, true)?, self.clsid))
    }

    /// Builds it for a target whose programs can be run here.
    ///
    /// # Errors
    ///
    /// When it does not build.
    pub fn profiler_for(&self, target: Foreign) -> Result<Profiler> {
        Ok(Profiler::new(&targets::library_for(target, &self.name)?, self.clsid))
    }
}

/// Builds the shared library of a package of the workspace, optimised if wanted. Within one process this is done once.
/// If `CORPROF_TARGET` is set, it is one of that target, which is never optimised.
///
/// # Errors
///
/// When it does not build, or has no shared library.
pub fn build_library(package: &str, optimised: bool) -> Result<PathBuf> {
    static BUILT: Mutex<BTreeMap<(String, bool), PathBuf>> = Mutex::new(BTreeMap::new());
    let mut built = BUILT.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let key = (package.to_owned(), optimised);
    if let Some(library) = built.get(&key) {
        return Ok(library.clone());
    }
    let library = match Foreign::of_tests()? {
        Some(target) => targets::library_for(target, package)?,
        None => build(package, optimised)?,
    };
    built.insert(key, library.clone());
    Ok(library)
}

/// With this variable, whatever may be asked for is built at once, and nothing again with the features of another package.
pub(crate) const TOGETHER: &str = "CORPROF_BUILD_TOGETHER";

fn build(package: &str, optimised: bool) -> Result<PathBuf> {
    let own = ["--package".to_owned(), package.to_owned()];
    let selected = match (std::env::var_os(TOGETHER), optimised) {
        (None, _) => own.to_vec(),
        (Some(_), true) => {
            let examples = all()?.into_iter().flat_map(|example| ["--package".to_owned(), example.name]);
            own.iter().cloned().chain(examples).collect()
        }
        // As the unit tests were built.
        (Some(_), false) => vec!["--workspace".to_owned(), "--all-features".to_owned()],
    };
    let release: &[&str] = if optimised { &["--release"] } else { &[] };
    let arguments = || ["build"].iter().chain(release).copied();
    let repeat =
        format!("cargo {}", arguments().chain(own.iter().map(String::as_str)).collect::<Vec<_>>().join(" "));
    let messages = ["--message-format", "json-render-diagnostics"];
    let arguments: Vec<&str> =
        arguments().chain(selected.iter().map(String::as_str)).chain(messages).collect();
    let output = process::output(process::cargo(&arguments).stderr(Stdio::inherit()))?;
    if !output.status.success() {
        bail!("{package} does not build; fix it until `{repeat}` succeeds");
    }
    library(&String::from_utf8_lossy(&output.stdout), package).with_context(|| {
        format!("`{repeat}` gives no shared library; the crate needs `crate-type = [\"cdylib\"]`")
    })
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

/// All examples, by name.
///
/// # Errors
///
/// When `cargo metadata` fails or an example's description is wrong.
pub fn all() -> Result<Vec<Example>> {
    let metadata = metadata()?;
    let packages = metadata["packages"].as_array().context("`cargo metadata` lists no packages")?;
    let mut examples = Vec::new();
    for package in packages {
        examples.extend(parse(package)?);
    }
    examples.sort_by(|a: &Example, b| a.name.cmp(&b.name));
    Ok(examples)
}

/// The example of this name.
///
/// # Errors
///
/// When there is none.
pub fn find(name: &str) -> Result<Example> {
    let examples = all()?;
    let names: Vec<String> = examples.iter().map(|example| example.name.clone()).collect();
    examples.into_iter().find(|example| example.name == name).with_context(|| {
        format!("there is no example {name:?} with [package.metadata.xtask]; there are: {}", names.join(", "))
    })
}

/// What cargo knows about the packages of the workspace.
///
/// # Errors
///
/// When cargo fails.
pub fn metadata() -> Result<Value> {
    let text = process::capture(&mut process::cargo(["metadata", "--no-deps", "--format-version", "1"]))?;
    serde_json::from_str(&text).context("`cargo metadata` printed no JSON")
}

fn parse(package: &Value) -> Result<Option<Example>> {
    let Some(description) = package["metadata"].get("xtask") else { return Ok(None) };
    let name = package["name"].as_str().unwrap_or_default();
    let place =
        || format!("in [package.metadata.xtask] of {}", package["manifest_path"].as_str().unwrap_or(name));
    let described = Description::deserialize(description).with_context(place)?;
    let clsid = described.clsid.parse::<Clsid>().map_err(anyhow::Error::msg).with_context(place)?;
    Ok(Some(Example {
        name: name.to_owned(),
        description: package["description"].as_str().unwrap_or_default().to_owned(),
        clsid,
        attachable: described.attachable,
        socket: described.socket,
        flags: described.flags,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_description_is_read() {
        let package = json!({ "name": "calltrace", "description": "Prints calls", "metadata": { "xtask": {
            "clsid": "{7B2D7E44-3C0F-4C39-9E6A-5D1F0C6E2A11}",
            "flags": [
                { "name": "all", "env": "CALLTRACE_ALL", "help": "Everything" },
                { "name": "include", "env": "CALLTRACE_INCLUDE", "help": "Only", "separator": ";" },
            ],
        }}});
        let example = parse(&package).unwrap().unwrap();
        assert_eq!(example.name, "calltrace");
        assert!(!example.attachable && example.socket.is_none());
        assert!(example.flags[0].is_switch() && !example.flags[1].is_switch());
    }

    #[test]
    fn a_wrong_description_says_where() {
        let package =
            json!({ "name": "x", "manifest_path": "/x/Cargo.toml", "metadata": { "xtask": { "clsid": "7" }}});
        let error = format!("{:#}", parse(&package).unwrap_err());
        assert!(error.contains("/x/Cargo.toml") && error.contains("no class id"), "{error}");
        let package = json!({ "name": "x", "metadata": { "xtask": { "clsid": "7", "flag": [] }}});
        assert!(format!("{:#}", parse(&package).unwrap_err()).contains("unknown field `flag`"));
        assert!(parse(&json!({ "name": "x", "metadata": null })).unwrap().is_none());
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
