//! What a program's `.deps.json` says of its assemblies: which are built from projects, and which come from packages or the runtime.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use serde_json::Value;

use crate::bundle::Bundle;

/// The largest size of a `.deps.json`.
const MOST_BYTES: u64 = 64 << 20;

/// The kind of a library that is built from the user's sources.
const PROJECT: &str = "project";

/// The assemblies that a `.deps.json` lists, each with what it belongs to.
#[derive(Debug, Default)]
pub(super) struct Deps(HashMap<String, Library>);

/// A library of a `.deps.json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Library {
    /// Its name and version: `Serilog/4.0.0`.
    pub(super) id: String,
    pub(super) is_project: bool,
}

impl Deps {
    /// Reads a file; `None` if it cannot be read, or does not say what projects there are.
    pub(super) fn read(file: &Path) -> Option<Self> {
        let mut bytes = Vec::new();
        File::open(file).ok()?.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
        Self::parse(&bytes)
    }

    /// Reads that of a single-file program.
    pub(super) fn of_single_file(executable: &Path) -> Option<Self> {
        let mut bundle = Bundle::read(File::open(executable).ok()?).ok()?;
        let deps = bundle.deps().filter(|deps| deps.size <= MOST_BYTES)?;
        Self::parse(&bundle.bytes(deps).ok()?)
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        let deps: Value = serde_json::from_slice(bytes).ok()?;
        let target = deps["runtimeTarget"]["name"].as_str()?;
        let mut assemblies = HashMap::new();
        for (id, library) in deps["targets"][target].as_object()? {
            let is_project = deps["libraries"][id]["type"] == PROJECT;
            for kind in ["runtime", "runtimeTargets", "resources"] {
                for file in library[kind].as_object().into_iter().flatten().map(|(file, _)| file) {
                    let name = file.rsplit('/').next().unwrap_or(file).to_owned();
                    // An assembly of a project that replaces one of a package.
                    let listed = assemblies.entry(name).or_insert(Library { id: id.clone(), is_project });
                    if is_project && !listed.is_project {
                        *listed = Library { id: id.clone(), is_project };
                    }
                }
            }
        }
        assemblies.values().any(|library| library.is_project).then_some(Self(assemblies))
    }

    /// Returns the names of all files.
    pub(super) fn files(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }

    /// Returns what an assembly belongs to, by the name of its file; `None` if it is not listed.
    pub(super) fn library(&self, file: &str) -> Option<&Library> {
        self.0.get(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assemblies_of_projects_are_told_from_others() {
        let text = r#"{
            "runtimeTarget": { "name": ".NETCoreApp,Version=v10.0/linux-x64" },
            "targets": { ".NETCoreApp,Version=v10.0": {}, ".NETCoreApp,Version=v10.0/linux-x64": {
                "shop/1.0.0": { "runtime": { "shop.dll": {} } },
                "Basket/1.0.0": { "runtime": { "Basket.dll": { "assemblyVersion": "1.0.0.0" } },
                    "resources": { "de/Basket.resources.dll": { "locale": "de" } } },
                "Some.Package/2.0.0": { "runtime": { "lib/net8.0/Some.Package.dll": {} },
                    "runtimeTargets": { "runtimes/linux-x64/native/libsome.so": {} } },
                "Handmade.Reference/1.0.0.0": { "runtime": { "Handmade.dll": {} } },
                "runtimepack.Microsoft.NETCore.App.Runtime.linux-x64/10.0.13":
                    { "runtime": { "System.Console.dll": {}, "System.Runtime.dll": {} } }
            } },
            "libraries": {
                "shop/1.0.0": { "type": "project", "serviceable": false, "sha512": "" },
                "Basket/1.0.0": { "type": "project" },
                "Some.Package/2.0.0": { "type": "package", "serviceable": true },
                "Handmade.Reference/1.0.0.0": { "type": "reference" },
                "runtimepack.Microsoft.NETCore.App.Runtime.linux-x64/10.0.13": { "type": "runtimepack" }
            }
        }"#;
        for prefix in ["", "\u{feff}"] {
            let deps = Deps::parse(format!("{prefix}{text}").as_bytes()).unwrap();
            let is_project = |file| deps.library(file).map(|library| library.is_project);
            for file in ["shop.dll", "Basket.dll", "Basket.resources.dll"] {
                assert_eq!(is_project(file), Some(true), "{file}");
            }
            for file in ["Some.Package.dll", "libsome.so", "Handmade.dll", "System.Console.dll"] {
                assert_eq!(is_project(file), Some(false), "{file}");
            }
            assert_eq!(is_project("plugin.dll"), None);
            assert_eq!(deps.library("Some.Package.dll").unwrap().id, "Some.Package/2.0.0");
        }
    }

    #[test]
    fn what_names_no_project_says_nothing() {
        for text in ["{", "{}", "[]", r#"{"runtimeTarget":{"name":"x"},"targets":{"x":{}}}"#] {
            assert!(Deps::parse(text.as_bytes()).is_none(), "{text}");
        }
        let package = r#"{"runtimeTarget":{"name":"x"},"targets":{"x":{"a/1":{"runtime":{"a.dll":{}}}}},
            "libraries":{"a/1":{"type":"package"}}}"#;
        assert!(Deps::parse(package.as_bytes()).is_none());
    }

    #[test]
    fn what_is_no_single_file_program_has_no_list() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(Deps::of_single_file(file.path()).is_none() && Deps::read(file.path()).is_none());
        assert!(Deps::of_single_file(Path::new("/nowhere")).is_none());
    }
}
