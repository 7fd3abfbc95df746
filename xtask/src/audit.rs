//! `cargo xtask audit`: licences, duplicates and sources of all dependencies, against `deny.toml`; and the lock files of
//! benchmarks and fuzz targets.
//!
//! The file has the format of cargo-deny, so that `cargo deny check` can be run on it too. That command also knows the
//! published advisories, whose database is a git repository: they are not checked here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Stdio;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;
use spdx::{Expression, ParseMode};

use crate::graph::{Graph, Package};
use crate::{paths, process};

/// The registry of a package that came from crates.io.
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// What this audit reads of `deny.toml`.
#[derive(Debug, Deserialize)]
struct Rules {
    licenses: Licenses,
    bans: Bans,
}

#[derive(Debug, Deserialize)]
struct Licenses {
    allow: BTreeSet<String>,
    exceptions: Vec<Exception>,
}

/// More licences for one crate.
#[derive(Debug, Deserialize)]
struct Exception {
    #[serde(rename = "crate")]
    name: String,
    allow: BTreeSet<String>,
}

#[derive(Debug, Deserialize)]
struct Bans {
    skip: Vec<Skip>,
}

/// A version that may exist beside another one.
#[derive(Debug, Deserialize)]
struct Skip {
    /// `name@version`.
    #[serde(rename = "crate")]
    package: String,
}

/// Checks the dependencies of the workspace.
///
/// # Errors
///
/// If a licence, a duplicate or a source is not allowed, or a rule has no use any more.
pub(crate) fn run() -> Result<()> {
    let path = paths::workspace().join("deny.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", paths::shown(&path)))?;
    let rules: Rules = toml::from_str(&text).context("in deny.toml")?;
    let graph = Graph::read(None)?;
    let mut problems = problems(&rules, &graph.packages);
    problems.extend(stale_locks()?);
    ensure!(problems.is_empty(), "{}", problems.join("\n"));
    println!("{} packages: licences, duplicates and sources are allowed by deny.toml", graph.packages.len());
    println!("advisories are not checked here; `cargo deny check advisories` does, and hosted CI runs it");
    Ok(())
}

/// Finds lock files that a change of the crates has made stale.
fn stale_locks() -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for manifest in paths::manifests_apart()? {
        let update = |arguments: &[&str]| {
            let mut command = process::cargo(["update", "--workspace", "--quiet"]);
            command.args(arguments).arg("--manifest-path").arg(&manifest);
            command
        };
        let mut command = update(&["--locked"]);
        let status = command.stderr(Stdio::null()).status();
        let status = status.with_context(|| format!("cannot start `{}`", process::shown(&command)))?;
        if !status.success() {
            problems.push(format!(
                "{} is stale; renew it with `{}`",
                paths::shown(&manifest.with_file_name("Cargo.lock")),
                process::shown(&update(&[]))
            ));
        }
    }
    Ok(problems)
}

fn problems(rules: &Rules, packages: &[Package]) -> Vec<String> {
    let mut problems = licences(&rules.licenses, packages);
    problems.extend(duplicates(&rules.bans, packages));
    let elsewhere =
        packages.iter().filter(|package| package.source.as_deref().is_some_and(|source| source != CRATES_IO));
    problems.extend(elsewhere.map(|package| {
        format!("{} {} is not from crates.io; publish it there, or replace it", package.name, package.version)
    }));
    problems
}

fn licences(rules: &Licenses, packages: &[Package]) -> Vec<String> {
    let mut used = BTreeSet::new();
    let mut problems = Vec::new();
    for package in packages {
        let shown = format!("{} {}", package.name, package.version);
        let Some(license) = &package.license else {
            problems.push(format!("{shown} names no licence; replace it"));
            continue;
        };
        let Ok(expression) = Expression::parse_mode(license, ParseMode::LAX) else {
            problems.push(format!("{shown}: {license:?} is no SPDX expression"));
            continue;
        };
        let own = rules.exceptions.iter().find(|exception| exception.name == package.name);
        let is_allowed = expression.evaluate(|wanted| {
            let Some(id) = wanted.license.id() else { return false };
            let general = wanted.addition.is_none() && rules.allow.contains(id.name);
            let special = own.is_some_and(|own| own.allow.contains(id.name));
            if general {
                used.insert(id.name.to_owned());
            } else if special {
                used.insert(package.name.clone());
            }
            general || special
        });
        if !is_allowed {
            problems.push(format!(
                "{shown}: {license} is not allowed; replace the crate, or allow the licence in deny.toml"
            ));
        }
    }
    let exceptions = rules.exceptions.iter().map(|exception| &exception.name);
    let unused = rules.allow.iter().chain(exceptions).filter(|name| !used.contains(*name));
    problems.extend(unused.map(|name| format!("deny.toml allows {name}, which no crate needs; remove it")));
    problems
}

fn duplicates(rules: &Bans, packages: &[Package]) -> Vec<String> {
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in packages {
        versions.entry(&package.name).or_default().insert(&package.version);
    }
    let skipped: BTreeSet<&str> = rules.skip.iter().map(|skip| &*skip.package).collect();
    let mut problems = Vec::new();
    for (name, versions) in versions.iter().filter(|(_, versions)| versions.len() > 1) {
        let counted: Vec<_> =
            versions.iter().filter(|version| !skipped.contains(&*format!("{name}@{version}"))).collect();
        if counted.len() > 1 {
            let versions: Vec<&str> = versions.iter().copied().collect();
            problems.push(format!(
                "{name} has the versions {}; update what needs the older one, or skip that in deny.toml",
                versions.join(", ")
            ));
        }
    }
    for skip in skipped {
        let is_needed = skip.split_once('@').is_some_and(|(name, version)| {
            versions.get(name).is_some_and(|versions| versions.len() > 1 && versions.contains(version))
        });
        if !is_needed {
            problems.push(format!("deny.toml skips {skip}, which is no duplicate; remove it"));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, version: &str, license: &str) -> Package {
        let value = serde_json::json!({
            "id": format!("{name} {version}"), "name": name, "version": version, "license": license,
            "source": CRATES_IO, "manifest_path": "/x",
        });
        serde_json::from_value(value).unwrap()
    }

    fn rules(text: &str) -> Rules {
        toml::from_str(text).unwrap()
    }

    const RULES: &str = r#"
[licenses]
allow = ["MIT"]
exceptions = [{ crate = "odd", allow = ["CDDL-1.0"] }]
[bans]
skip = [{ crate = "old@1.0.0", reason = "a test needs it" }]
"#;

    #[test]
    fn what_the_rules_allow_has_no_problems() {
        let packages = [
            package("a", "1.0.0", "Apache-2.0 OR MIT"),
            package("b", "1.0.0", "MIT/GPL-3.0"),
            package("odd", "1.0.0", "CDDL-1.0"),
            package("old", "1.0.0", "MIT"),
            package("old", "2.0.0", "MIT"),
        ];
        assert_eq!(problems(&rules(RULES), &packages), [""; 0]);
    }

    #[test]
    fn each_violation_is_one_problem() {
        let mut packages = vec![
            package("a", "1.0.0", "MIT AND GPL-3.0-only"),
            package("b", "1.0.0", "MIT WITH LLVM-exception"),
            package("c", "1.0.0", "CDDL-1.0"),
            package("d", "1.0.0", "MIT"),
            package("d", "2.0.0", "no licence"),
        ];
        packages[3].source = Some("git+https://host/d".to_owned());
        let found = problems(&rules(RULES), &packages);
        let expected = [
            "a 1.0.0: MIT AND GPL-3.0-only is not allowed",
            "b 1.0.0: MIT WITH LLVM-exception is not allowed",
            "c 1.0.0: CDDL-1.0 is not allowed",
            "d 2.0.0: \"no licence\" is no SPDX expression",
            "deny.toml allows odd,",
            "d has the versions 1.0.0, 2.0.0",
            "deny.toml skips old@1.0.0,",
            "d 1.0.0 is not from crates.io",
        ];
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{found}");
        }
    }
}
