//! `cargo xtask api`: the public API of the published crates, compared with that of the last release.
//!
//! `docs/api` has one file for each crate, which is written when a version is released: the version, and a line for each public
//! item. What is removed or changed afterwards needs a new version that cargo regards as incompatible.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail, ensure};
use corprof_testkit::{paths, process};

use crate::graph::Graph;

/// The crate whose API is listed when there is no release to compare with: a small one.
const SAMPLE: &str = "method-filter";

/// The file of a crate's last release.
fn baseline(name: &str) -> PathBuf {
    paths::workspace().join("docs").join("api").join(format!("{name}.txt"))
}

/// Whether a crate has been released.
pub(crate) fn is_released(name: &str) -> bool {
    baseline(name).is_file()
}

/// Compares the public API with that of the last release; with `write`, writes it, which belongs to a release.
///
/// # Errors
///
/// If items were removed or changed, and the version is still compatible.
pub(crate) fn run(write: bool) -> Result<()> {
    let graph = Graph::read(None)?;
    let crates: Vec<_> = graph.published();
    let released: Vec<_> = crates.iter().filter(|package| baseline(&package.name).is_file()).collect();
    let mut problems = Vec::new();
    for package in &crates {
        let (name, file) = (&*package.name, baseline(&package.name));
        if write {
            let text = format!("{}\n{}", package.version, listing(name)?);
            fs::create_dir_all(file.parent().context("docs/api has no parent")?)?;
            fs::write(&file, text).with_context(|| format!("cannot write {}", paths::shown(&file)))?;
            println!("{}", paths::shown(&file));
        } else if file.is_file() {
            let before = fs::read_to_string(&file)?;
            let removed = removed(&before, &package.version, &listing(name)?)?;
            problems.extend(removed.into_iter().map(|line| format!("{name}: {line}")));
        }
    }
    ensure!(
        problems.is_empty(),
        "these are gone since the last release, and the versions are still compatible: restore them, or raise the \
         versions\n{}",
        problems.join("\n")
    );
    if released.is_empty() && !write {
        let items = listing(SAMPLE)?.lines().count();
        ensure!(items > 0, "{SAMPLE} has no public items");
        println!(
            "no crate is released yet (docs/api is empty), so there is nothing to compare with; {SAMPLE} has {items} \
             public items"
        );
    } else {
        println!("{} crates are compared with their last release", released.len());
    }
    Ok(())
}

/// A line for each public item of a crate, sorted.
fn listing(name: &str) -> Result<String> {
    let mut cargo = process::cargo(["rustdoc", "--quiet", "--lib", "--all-features", "-p", name]);
    cargo.args(["--", "-Zunstable-options", "--output-format", "json", "--cap-lints", "allow"]);
    // Its format is not stable. The toolchain is pinned, and so is the crate that reads the format.
    process::capture(cargo.env("RUSTC_BOOTSTRAP", "1").env("CARGO_TARGET_DIR", target()))?;
    let file = target().join("doc").join(format!("{}.json", name.replace('-', "_")));
    let api = public_api::Builder::from_rustdoc_json(&file)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()
        .with_context(|| format!("cannot read {}", paths::shown(&file)))?;
    let lines: BTreeSet<String> = api.items().map(ToString::to_string).collect();
    Ok(lines.into_iter().map(|line| line + "\n").collect())
}

/// Some dependencies are built differently with `RUSTC_BOOTSTRAP`, so they have a folder of their own.
fn target() -> PathBuf {
    paths::workspace().join("target").join("api")
}

/// The lines of a release that the present API lacks, unless its version is incompatible with the release's.
fn removed(before: &str, version: &str, now: &str) -> Result<Vec<String>> {
    let Some((released, items)) = before.split_once('\n') else { bail!("the file of the release is empty") };
    if compatible(released)? != compatible(version)? {
        return Ok(Vec::new());
    }
    let now: BTreeSet<&str> = now.lines().collect();
    Ok(items.lines().filter(|item| !now.contains(item)).map(str::to_owned).collect())
}

/// The part of a version that is equal in compatible versions: 1 of 1.2.3, 0.1 of 0.1.2.
fn compatible(version: &str) -> Result<Vec<u64>> {
    let release = version.split(['-', '+']).next().unwrap_or_default();
    let numbers: Result<Vec<u64>, _> = release.split('.').map(str::parse).collect();
    let numbers = numbers.with_context(|| format!("{version:?} is no version"))?;
    let significant = numbers.iter().position(|&number| number != 0).unwrap_or(2);
    Ok(numbers.into_iter().take(significant + 1).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RELEASED: &str = "0.1.2\npub fn x::f()\npub fn x::g(u8)\n";

    #[test]
    fn removed_and_changed_items_are_found_and_new_ones_are_allowed() {
        let now = "pub fn x::f()\npub fn x::g(u16)\npub fn x::h()\n";
        assert_eq!(removed(RELEASED, "0.1.3", now).unwrap(), ["pub fn x::g(u8)"]);
        assert_eq!(removed(RELEASED, "0.1.2", "pub fn x::f()\npub fn x::g(u8)\n").unwrap(), [""; 0]);
    }

    #[test]
    fn an_incompatible_version_may_remove_items() {
        assert_eq!(removed(RELEASED, "0.2.0", "").unwrap(), [""; 0]);
        assert_eq!(removed("1.2.0\nx\n", "2.0.0-beta.1", "").unwrap(), [""; 0]);
        assert_eq!(removed("1.2.0\nx\n", "1.3.0", "").unwrap(), ["x"]);
        assert_eq!(removed("0.0.1\nx\n", "0.0.2", "").unwrap(), [""; 0]);
        assert!(removed("", "1.0.0", "").is_err() && removed("x\n", "1.0.0", "").is_err());
    }
}
