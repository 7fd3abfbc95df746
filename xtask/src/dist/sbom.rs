//! The bill of materials of an archive: CycloneDX 1.5, as JSON.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context as _, Result};
use corprof_testkit::paths;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::graph::{Graph, Package};

/// `Cargo.lock`.
#[derive(Debug, Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Debug, Deserialize)]
struct Locked {
    name: String,
    version: String,
    /// SHA-256 of the package's file.
    checksum: Option<String>,
}

/// The checksums of packages, by name and version.
pub(super) type Checksums = BTreeMap<(String, String), String>;

/// Reads the checksums of `Cargo.lock`.
pub(super) fn checksums() -> Result<Checksums> {
    let path = paths::workspace().join("Cargo.lock");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", paths::shown(&path)))?;
    let lock: Lock = toml::from_str(&text).context("in Cargo.lock")?;
    let entries = lock.package.into_iter();
    Ok(entries.filter_map(|locked| Some(((locked.name, locked.version), locked.checksum?))).collect())
}

/// The document for the packages that are linked into an archive. It has neither a time nor a serial number, which would differ
/// between two builds.
pub(super) fn document(
    name: &str,
    version: &str,
    rustc: &str,
    graph: &Graph,
    linked: &[&Package],
    checksums: &Checksums,
) -> Value {
    let mut components: Vec<Value> = linked.iter().map(|package| component(package, checksums)).collect();
    components.push(json!({
        "type": "library", "bom-ref": "rust-std", "name": "rust-std", "version": rustc,
        "licenses": [{ "expression": "MIT OR Apache-2.0" }],
    }));
    let is_linked = |id: &&str| linked.iter().any(|package| package.id == **id);
    let references: BTreeMap<&str, String> =
        graph.packages.iter().map(|package| (&*package.id, reference(package))).collect();
    let dependencies = linked.iter().map(|package| {
        let needed = graph.dependencies(&package.id).into_iter().filter(is_linked);
        let mut needed: Vec<&String> = needed.filter_map(|id| references.get(id)).collect();
        needed.sort();
        needed.dedup();
        json!({ "ref": reference(package), "dependsOn": needed })
    });
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": { "type": "application", "bom-ref": name, "name": name, "version": version },
        },
        "components": components,
        "dependencies": dependencies.collect::<Vec<_>>(),
    })
}

fn component(package: &Package, checksums: &Checksums) -> Value {
    let mut component = json!({
        "type": "library",
        "bom-ref": reference(package),
        "name": package.name,
        "version": package.version,
        "purl": reference(package),
    });
    if let Some(license) = &package.license {
        // The old form of an alternative is no SPDX expression.
        component["licenses"] = json!([{ "expression": license.replace('/', " OR ") }]);
    }
    if let Some(repository) = &package.repository {
        component["externalReferences"] = json!([{ "type": "vcs", "url": repository }]);
    }
    if let Some(sum) = checksums.get(&(package.name.clone(), package.version.clone())) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
    }
    component
}

/// The package URL.
fn reference(package: &Package) -> String {
    format!("pkg:cargo/{}@{}", package.name, package.version.replace('+', "%2B"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_has_what_the_command_links_and_no_tool_of_its_build() {
        let graph = Graph::read(Some("x86_64-unknown-linux-gnu")).unwrap();
        let linked = graph.linked(&["corprof-cli"]).unwrap();
        let document = document("corprof", "1.0.0", "1.0", &graph, &linked, &checksums().unwrap());
        let components = document["components"].as_array().unwrap();
        let found = |name: &str| components.iter().find(|component| component["name"] == name);
        assert!(found("diagport").is_some_and(|own| own.get("hashes").is_none()));
        let clap = found("clap").unwrap();
        assert_eq!(clap["hashes"][0]["content"].as_str().map(str::len), Some(64));
        assert_eq!(clap["licenses"][0]["expression"], "MIT OR Apache-2.0");
        // What reads signals on Unix compiles C code with it.
        assert!(found("signal-hook").is_some() && found("cc").is_none() && found("windows-sys").is_none());
        let named: Vec<&Value> = components.iter().map(|component| &component["bom-ref"]).collect();
        let mut edges = 0;
        for node in document["dependencies"].as_array().unwrap() {
            let needed = node["dependsOn"].as_array().unwrap();
            edges += needed.len();
            assert!(
                named.contains(&&node["ref"]) && needed.iter().all(|needed| named.contains(&needed)),
                "{node}"
            );
        }
        assert!(edges > components.len(), "{edges}");
    }
}
