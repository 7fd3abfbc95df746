//! The packages that the workspace is built from, as `cargo metadata` lists them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use corprof_testkit::{paths, process};
use serde::Deserialize;

/// The resolved graph of packages, for all targets and features.
#[derive(Debug, Deserialize)]
pub(crate) struct Graph {
    /// The packages.
    pub(crate) packages: Vec<Package>,
    resolve: Resolve,
    /// The ids of the workspace's own packages.
    pub(crate) workspace_members: BTreeSet<String>,
}

/// A package of the graph.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) license: Option<String>,
    pub(crate) repository: Option<String>,
    /// The registry; `None` for a package of the workspace.
    pub(crate) source: Option<String>,
    pub(crate) manifest_path: PathBuf,
    /// The registries to which it may be published; `None` for all.
    pub(crate) publish: Option<Vec<String>>,
    #[serde(default)]
    targets: Vec<Target>,
}

#[derive(Debug, Clone, Deserialize)]
struct Target {
    kind: Vec<String>,
}

impl Package {
    /// Whether it runs in the compiler, and so is not a part of what is compiled.
    fn is_macro(&self) -> bool {
        self.targets.iter().any(|target| target.kind.iter().any(|kind| kind == "proc-macro"))
    }
}

#[derive(Debug, Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<Kind>,
}

#[derive(Debug, Deserialize)]
struct Kind {
    /// `None` for a normal dependency.
    kind: Option<String>,
}

impl Graph {
    /// Reads the graph; with a target, that of this target only.
    pub(crate) fn read(target: Option<&str>) -> Result<Self> {
        let mut cargo = process::cargo(["metadata", "--format-version", "1", "--all-features", "--locked"]);
        if let Some(target) = target {
            cargo.args(["--filter-platform", target]);
        }
        let text = process::capture(cargo.current_dir(paths::workspace()))?;
        serde_json::from_str(&text).context("`cargo metadata` printed something else")
    }

    /// The packages that the named packages link, directly or not, themselves included, by name and version. Dependencies of
    /// tests, of build scripts and of macros are left out.
    pub(crate) fn linked(&self, names: &[&str]) -> Result<Vec<&Package>> {
        let nodes: BTreeMap<&str, &Node> = self.resolve.nodes.iter().map(|node| (&*node.id, node)).collect();
        let mut open = Vec::new();
        for name in names {
            open.push(&*self.member(name)?.id);
        }
        let mut seen = BTreeSet::new();
        let macros: BTreeSet<&str> =
            self.packages.iter().filter(|package| package.is_macro()).map(|package| &*package.id).collect();
        while let Some(id) = open.pop() {
            if !macros.contains(id) && seen.insert(id) {
                open.extend(self.needs(nodes.get(id).copied()));
            }
        }
        let mut linked: Vec<&Package> =
            self.packages.iter().filter(|package| seen.contains(&*package.id)).collect();
        linked.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
        Ok(linked)
    }

    /// The ids of the normal dependencies of a package.
    pub(crate) fn dependencies(&self, id: &str) -> Vec<&str> {
        self.needs(self.resolve.nodes.iter().find(|node| node.id == id))
    }

    fn needs<'g>(&self, node: Option<&'g Node>) -> Vec<&'g str> {
        let dependencies = node.into_iter().flat_map(|node| &node.deps);
        let normal = dependencies.filter(|needed| needed.dep_kinds.iter().any(|kind| kind.kind.is_none()));
        normal.map(|needed| &*needed.pkg).collect()
    }

    /// The package of the workspace with this name.
    pub(crate) fn member(&self, name: &str) -> Result<&Package> {
        let found = self.packages.iter().find(|package| package.name == name && package.source.is_none());
        found.with_context(|| format!("the workspace has no package {name}"))
    }

    /// The packages of the workspace that may be published, by name.
    pub(crate) fn published(&self) -> Vec<&Package> {
        let mut found: Vec<&Package> = self
            .packages
            .iter()
            .filter(|package| self.workspace_members.contains(&package.id) && package.publish.is_none())
            .collect();
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }
}
