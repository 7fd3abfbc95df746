//! The licences of the crates that are linked into an archive.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context as _, Result};

use crate::graph::Package;

/// A document with each crate of others, its licence and its source, and each text of a licence once.
pub(super) fn document(linked: &[&Package]) -> Result<String> {
    let mut text = String::from(
        "# Crates that are linked into the programs and libraries of this archive\n\nEach is unchanged, and its source is at \
         https://crates.io. The standard library of Rust is linked, too: MIT OR Apache-2.0, https://www.rust-lang.org.\n\n\
         | crate | licence | repository |\n|---|---|---|\n",
    );
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in linked.iter().filter(|package| package.source.is_some()) {
        let name = format!("{} {}", package.name, package.version);
        let license = package.license.as_deref().unwrap_or("see its files");
        writeln!(text, "| {name} | {license} | {} |", package.repository.as_deref().unwrap_or(""))?;
        for found in texts_of(package)? {
            texts.entry(found).or_default().push(name.clone());
        }
    }
    for (found, names) in &texts {
        write!(text, "\n## {}\n\n```text\n{}\n```\n", names.join(", "), found.trim_end())?;
    }
    Ok(text)
}

/// The texts of the licences in a package.
fn texts_of(package: &Package) -> Result<Vec<String>> {
    let folder = package.manifest_path.parent().context("a package has no folder")?;
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let upper = name.to_uppercase();
        if ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"]
            .iter()
            .any(|start| upper.starts_with(start))
            && folder.join(&name).is_file()
        {
            names.push(name);
        }
    }
    names.sort();
    let read = |name: &String| -> Result<String> {
        Ok(String::from_utf8_lossy(&fs::read(folder.join(name))?).replace('\r', ""))
    };
    names.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;

    #[test]
    fn every_linked_crate_has_its_licence_and_equal_texts_are_there_once() {
        let graph = Graph::read(Some("x86_64-unknown-linux-gnu")).unwrap();
        let linked = graph.linked(&["corprof-profile"]).unwrap();
        let text = document(&linked).unwrap();
        let inferno = linked.iter().find(|package| package.name == "inferno").unwrap();
        assert!(
            text.contains(&format!("| inferno {} | CDDL-1.0 | https://github.com/", inferno.version)),
            "{text}"
        );
        assert!(!text.contains("corprof-profile"), "{text}");
        for found in texts_of(inferno).unwrap() {
            assert_eq!(text.matches(found.trim_end()).count(), 1);
        }
    }
}
