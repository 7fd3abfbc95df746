//! `cargo xtask packages`: packages the crates that are published, as crates.io gets them, and checks their manifests and files.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::{example, paths, process};
use flate2::read::GzDecoder;
use serde_json::Value;

use crate::api;
use crate::graph::Graph;

/// The files of the licences, which every package has.
const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];
/// Beside the licences, what a package may have at its root.
const ROOT: [&str; 6] =
    [".cargo_vcs_info.json", "Cargo.lock", "Cargo.toml", "Cargo.toml.orig", "README.md", "build.rs"];
/// The folders of a package.
const FOLDERS: [&str; 8] = ["benches", "docs", "examples", "facts", "include", "src", "template", "tests"];
/// The limit of crates.io is ten times as high.
const MOST_BYTES: u64 = 1 << 20;
/// Built from its package by default. It needs another package of the workspace.
const BUILT: [&str; 2] = ["corprof-sys", "corprof-types"];

/// Packages the crates; with `build`, compiles each from its package, with the other packages in the place of the registry.
///
/// # Errors
///
/// If a manifest or a list of files is wrong, a package does not build, or, with `build`, a name is taken.
pub(crate) fn run(build: bool) -> Result<()> {
    let graph = Graph::read(None)?;
    let names: Vec<&str> = graph.published().iter().map(|package| &*package.name).collect();
    let mut problems = Vec::new();
    let metadata = example::metadata()?;
    for package in metadata["packages"].as_array().into_iter().flatten() {
        if let Some(name) = package["name"].as_str().filter(|name| names.contains(name)) {
            problems
                .extend(manifest(package, &names).into_iter().map(|problem| format!("{name}: {problem}")));
        }
    }
    let folder = paths::workspace().join("target").join("packages");
    package(&names, &folder, false)?;
    for name in &names {
        let file = folder.join(format!("package/{name}-{}.crate", graph.member(name)?.version));
        problems.extend(content(&file)?.into_iter().map(|problem| format!("{name}: {problem}")));
    }
    if build {
        problems.extend(taken(&names)?);
    }
    ensure!(problems.is_empty(), "{}", problems.join("\n"));
    println!("{} packages: manifests, licences and lists of files are as they should be", names.len());
    let built = if build { &*names } else { &BUILT };
    package(built, &paths::workspace().join("target"), true)?;
    println!("built from their packages: {}", built.join(", "));
    Ok(())
}

/// Which names of crates that were never released belong to other crates of crates.io. Cargo would take those in the place of
/// these, if they have a matching version.
fn taken(names: &[&str]) -> Result<Vec<String>> {
    const NONE: &str = "could not find";
    let mut problems = Vec::new();
    for name in names.iter().filter(|name| !api::is_released(name)) {
        let mut cargo = process::cargo(["info", "--registry", "crates-io", name]);
        // In the workspace it is the package of the workspace.
        cargo.current_dir(std::env::temp_dir());
        let shown = process::shown(&cargo);
        let output = cargo.output().with_context(|| format!("cannot start `{shown}`"))?;
        let said = String::from_utf8_lossy(&output.stderr);
        if output.status.success() {
            problems.push(format!("{name}: crates.io has another crate of this name; give this one another"));
        } else {
            ensure!(said.contains(NONE), "failed ({}); the command was: {shown}\n{said}", output.status);
        }
    }
    Ok(problems)
}

/// Runs `cargo package`, which reports its progress. Packages that need each other find the others in a registry that cargo
/// makes for this purpose.
fn package(names: &[&str], target: &Path, build: bool) -> Result<()> {
    let mut cargo = process::cargo(["package", "--locked", "--allow-dirty", "--target-dir"]);
    cargo.arg(target).args(names.iter().flat_map(|name| ["-p", name]));
    if !build {
        cargo.args(["--no-verify", "--quiet"]);
    }
    let shown = process::shown(&cargo);
    let status = cargo.status().with_context(|| format!("cannot start `{shown}`"))?;
    ensure!(status.success(), "failed ({status}); the command was: {shown}");
    Ok(())
}

/// What is wrong in the manifest of a published package, as `cargo metadata` lists it.
fn manifest(package: &Value, published: &[&str]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut expect = |holds: bool, problem: String| {
        if !holds {
            problems.push(problem);
        }
    };
    let words = |key: &str| -> Vec<String> {
        let list = package[key].as_array().into_iter().flatten();
        list.filter_map(|word| word.as_str().map(str::to_owned)).collect()
    };
    for key in ["description", "license", "repository", "readme", "rust_version"] {
        expect(package[key].as_str().is_some_and(|text| !text.is_empty()), format!("{key} is missing"));
    }
    let (keywords, categories) = (words("keywords"), words("categories"));
    expect((1..=5).contains(&keywords.len()), "it needs one to five keywords".to_owned());
    expect((1..=5).contains(&categories.len()), "it needs one to five categories".to_owned());
    for keyword in &keywords {
        expect(is_keyword(keyword), format!("crates.io refuses the keyword {keyword:?}"));
    }
    for category in &categories {
        expect(
            CATEGORIES.contains(&&**category),
            format!("crates.io has no category {category:?}, or the list here lacks it"),
        );
    }
    let docs = &package["metadata"]["docs"]["rs"];
    expect(docs["targets"].get(0).is_some(), "[package.metadata.docs.rs] names no targets".to_owned());
    let features = package["features"].as_object().map_or(0, serde_json::Map::len);
    expect(
        features == 0 || docs["all-features"] == true,
        "[package.metadata.docs.rs] leaves out features".to_owned(),
    );
    for needed in package["dependencies"].as_array().into_iter().flatten() {
        let name = needed["name"].as_str().unwrap_or_default();
        let has_version = needed["req"] != "*";
        if needed["path"].is_string() {
            // Cargo leaves out a development dependency without a version.
            let is_left_out = needed["kind"] == "dev" && !has_version;
            expect(is_left_out || has_version, format!("the dependency {name} has no version"));
            expect(
                is_left_out || published.contains(&name),
                format!("the dependency {name} is not published"),
            );
        }
    }
    problems
}

/// The categories that are used here, out of those of <https://crates.io/category_slugs>.
const CATEGORIES: [&str; 12] = [
    "api-bindings",
    "command-line-utilities",
    "development-tools::debugging",
    "development-tools::profiling",
    "development-tools::testing",
    "encoding",
    "external-ffi-bindings",
    "no-std",
    "no-std::no-alloc",
    "os",
    "parser-implementations",
    "text-processing",
];

fn is_keyword(word: &str) -> bool {
    word.len() <= 20
        && word.starts_with(|first: char| first.is_ascii_alphanumeric())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-+".contains(c))
}

/// What is wrong in the content of a package.
fn content(file: &Path) -> Result<Vec<String>> {
    let size = fs::metadata(file).with_context(|| format!("cannot read {}", paths::shown(file)))?.len();
    let mut problems = files(&unpacked(file)?)?;
    if size > MOST_BYTES {
        problems.push(format!("it has {size} bytes; leave out what its users do not need"));
    }
    Ok(problems)
}

/// The files of a package, by their paths below its only folder.
fn unpacked(file: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut archive = tar::Archive::new(GzDecoder::new(File::open(file)?));
    let mut files = BTreeMap::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.components().skip(1).collect();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        files.insert(path, bytes);
    }
    Ok(files)
}

fn files(files: &BTreeMap<PathBuf, Vec<u8>>) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for name in LICENCES {
        let own = fs::read(paths::workspace().join(name))?;
        match files.get(Path::new(name)) {
            Some(bytes) if *bytes == own => {}
            Some(_) => {
                problems.push(format!("its {name} is another text; make it a link to that of the workspace"))
            }
            None => problems.push(format!("it has no {name}; make a link to that of the workspace")),
        }
    }
    for path in files.keys() {
        let first = path.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned());
        let first = first.unwrap_or_default();
        let known = match path.components().count() {
            1 => ROOT.contains(&&*first) || LICENCES.contains(&&*first),
            _ => FOLDERS.contains(&&*first),
        };
        if !known {
            problems.push(format!("it has the file {}, which its users do not need", path.display()));
        }
    }
    for needed in ["Cargo.toml", "README.md"] {
        if !files.contains_key(Path::new(needed)) {
            problems.push(format!("it has no {needed}"));
        }
    }
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_incomplete_manifest_has_its_problems() {
        let package = json!({
            "description": "x", "license": "MIT", "repository": "x", "readme": "README.md", "rust_version": "1.95",
            "keywords": ["a", "too-long-to-be-a-keyword"], "categories": ["development-tools::profilers"],
            "features": { "alloc": [] }, "metadata": null,
            "dependencies": [
                { "name": "sigparse", "req": "^0.1.0", "kind": null, "path": "/x" },
                { "name": "method-filter", "req": "^0.1.0", "kind": null, "path": "/x" },
                { "name": "corprof-double", "req": "*", "kind": "dev", "path": "/x" },
                { "name": "cilbody", "req": "*", "kind": null, "path": "/x" },
            ],
        });
        let found = manifest(&package, &["sigparse", "cilbody"]);
        let expected = [
            "crates.io refuses the keyword",
            "crates.io has no category",
            "[package.metadata.docs.rs] names no targets",
            "[package.metadata.docs.rs] leaves out features",
            "the dependency method-filter is not published",
            "the dependency cilbody has no version",
        ];
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{found}");
        }
    }

    #[test]
    fn a_package_without_a_licence_or_with_other_files_has_problems() {
        let text = |name: &str| (PathBuf::from(name), fs::read(paths::workspace().join(name)).unwrap());
        let mut package: BTreeMap<_, _> = LICENCES.map(text).into();
        package.insert("Cargo.toml".into(), Vec::new());
        package.insert("README.md".into(), Vec::new());
        package.insert("src/lib.rs".into(), Vec::new());
        assert_eq!(files(&package).unwrap(), [""; 0]);
        package.insert("notes.txt".into(), Vec::new());
        package.insert("target/x".into(), Vec::new());
        package.insert("LICENSE-MIT".into(), b"../../LICENSE-MIT".to_vec());
        package.remove(Path::new("LICENSE-APACHE"));
        assert_eq!(files(&package).unwrap().len(), 4);
    }
}
