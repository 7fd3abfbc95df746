//! The assemblies of a single-file program: which are its own, and which the framework's.
//!
//! The executable says in its `.deps.json` which of them belong to a runtime pack. The runtime names their modules without a
//! folder.

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;

use serde_json::Value;

use crate::bundle::Bundle;

/// The largest size of a `.deps.json`.
const MOST_BYTES: u64 = 64 << 20;

/// Returns whether a module's name, as the runtime reports it, is that of an assembly in the executable.
pub(crate) fn is_bundled(path: &str) -> bool {
    !path.is_empty() && !path.contains(['/', '\\'])
}

/// Returns the framework's assemblies in an executable; `None` if it does not say which they are.
pub(crate) fn framework_assemblies(executable: &Path) -> Option<HashSet<String>> {
    let mut bundle = Bundle::read(File::open(executable).ok()?).ok()?;
    let deps = bundle.deps().filter(|deps| deps.size <= MOST_BYTES)?;
    in_deps(&bundle.bytes(deps).ok()?)
}

/// The assemblies of the runtime packs that a `.deps.json` lists.
fn in_deps(deps: &[u8]) -> Option<HashSet<String>> {
    let deps: Value =
        serde_json::from_slice(deps.strip_prefix("\u{feff}".as_bytes()).unwrap_or(deps)).ok()?;
    let target = deps["runtimeTarget"]["name"].as_str()?;
    let packs = deps["targets"][target].as_object()?.iter().filter(|(id, _)| id.starts_with("runtimepack."));
    let files = packs.filter_map(|(_, pack)| pack["runtime"].as_object()).flat_map(|files| files.keys());
    Some(files.map(|file| file.rsplit('/').next().unwrap_or(file).to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assemblies_of_runtime_packs_are_the_frameworks() {
        let deps = r#"{
            "runtimeTarget": { "name": ".NETCoreApp,Version=v10.0/linux-x64" },
            "targets": { ".NETCoreApp,Version=v10.0/linux-x64": {
                "shop/1.0.0": { "runtime": { "shop.dll": {} } },
                "Some.Package/2.0.0": { "runtime": { "lib/net8.0/Some.Package.dll": {} } },
                "runtimepack.Microsoft.NETCore.App.Runtime.linux-x64/10.0.13":
                    { "runtime": { "System.Console.dll": {}, "System.Runtime.dll": {} } }
            } }
        }"#;
        let mut framework: Vec<_> = in_deps(deps.as_bytes()).unwrap().into_iter().collect();
        framework.sort();
        assert_eq!(framework, ["System.Console.dll", "System.Runtime.dll"]);
        assert!(in_deps(b"{").is_none() && in_deps(b"{}").is_none());
    }

    #[test]
    fn what_is_no_single_file_program_has_no_list() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(framework_assemblies(file.path()).is_none());
        assert!(framework_assemblies(Path::new("/nowhere")).is_none());
    }

    #[test]
    fn a_module_without_a_folder_is_bundled() {
        assert!(is_bundled("shop.dll"));
        assert!(!is_bundled("/app/shop.dll") && !is_bundled("C:\\app\\shop.dll") && !is_bundled(""));
    }
}
