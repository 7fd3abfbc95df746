//! `cargo xtask floors`: imports go down, between crates and between the modules of a crate, and form no large cycles.
//!
//! The modules are those of the crate root. A *floor* is a line of `rules.txt`, which lists the floors from top to bottom, and
//! the exceptions. The imports of a file are computed from its `use` declarations and the paths in its code (`tree.rs`,
//! `imports.rs`).

mod cycles;
mod imports;
mod rules;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::{example, paths};
use serde_json::Value;

use imports::Import;
use rules::{Floors, Rules, are_joined, floor_of};
use tree::Tree;
pub(crate) use tree::{attributes, is_for_tests};

/// The floors and the exceptions.
const RULES: &str = "xtask/src/floors/rules.txt";
/// The limit of files in an import cycle.
const MAX_CYCLE: usize = 3;

/// The prefix of a finding about a cycle, before the number of files.
const CYCLE: &str = "files that import one another in a cycle: ";
/// The number of imports that are printed for a finding, unless a crate is named.
const SHOWN: usize = 4;

/// A violation of the rules.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    /// The text that an exception repeats, without line numbers.
    key: String,
    /// The locations.
    details: Vec<String>,
}

impl Finding {
    /// An exception for a cycle also covers smaller ones.
    fn is_excepted_by(&self, exception: &str) -> bool {
        let cycle = |text: &str| {
            let (name, files) = text.split_once(CYCLE)?;
            Some((name.to_owned(), files.parse::<usize>().ok()?))
        };
        match (cycle(&self.key), cycle(exception)) {
            (Some((name, files)), Some((its, most))) => name == its && files <= most,
            _ => self.key == exception,
        }
    }

    fn is_of(&self, name: &str) -> bool {
        self.key.split([' ', ':']).next() == Some(name)
    }
}

/// Checks all libraries, or one library with every import printed.
///
/// # Errors
///
/// When there is a finding without an exception.
pub(crate) fn run(only: Option<&str>) -> Result<()> {
    let rules =
        fs::read_to_string(paths::workspace().join(RULES)).with_context(|| format!("cannot read {RULES}"))?;
    let rules = Rules::parse(&rules).with_context(|| RULES.to_owned())?;
    let mut findings = Vec::new();
    let (mut files, mut arrows) = (0, 0);
    let all = libraries()?;
    if let Some(only) = only {
        ensure!(all.iter().any(|library| library.name == only), "there is no library {only}");
    }
    for library in &all {
        findings.extend(crate_findings(&rules.crates, &library.name, &library.dependencies));
        findings.extend(folder_finding(&library.name, &library.sources));
        let tree = Tree::of(&|file| fs::read_to_string(library.sources.join(file)).ok())
            .with_context(|| format!("the crate {}", library.name))?;
        let found = imports::of(&tree);
        if only == Some(&library.name) {
            print_arrows(&tree, &found);
        }
        files += tree.files.len();
        arrows += found.len();
        findings.extend(findings_in(&library.name, &tree, &found, rules.modules_of(&library.name)));
    }
    println!("{files} files of libraries, {arrows} imports between files of the same crate");
    findings.retain(|finding| only.is_none_or(|only| finding.is_of(only)));
    let excepted =
        |finding: &&Finding| rules.exceptions.iter().any(|exception| finding.is_excepted_by(exception));
    let wrong: Vec<&Finding> = findings.iter().filter(|finding| !excepted(finding)).collect();
    let unused: Vec<&String> = rules
        .exceptions
        .iter()
        .filter(|exception| {
            only.is_none() && !findings.iter().any(|finding| finding.is_excepted_by(exception))
        })
        .collect();
    for finding in &wrong {
        println!("{}", finding.key);
        let details = finding.details.iter();
        details
            .take(if only.is_some() { usize::MAX } else { SHOWN })
            .for_each(|detail| println!("    {detail}"));
        if only.is_none() && finding.details.len() > SHOWN {
            println!("    and {} more", finding.details.len() - SHOWN);
        }
    }
    for exception in &unused {
        println!("not needed any more, to be deleted: {exception}");
    }
    println!("{} findings, {} of them excepted", findings.len(), findings.len() - wrong.len());
    ensure!(wrong.is_empty(), "{} findings are against the order in {RULES}", wrong.len());
    Ok(())
}

/// A crate below `crates/` with a library.
pub(crate) struct Library {
    pub(crate) name: String,
    /// The folder of `lib.rs`.
    pub(crate) sources: std::path::PathBuf,
    /// The crates of the workspace that it depends on, without dev-dependencies.
    pub(crate) dependencies: Vec<String>,
}

/// The libraries, by name.
pub(crate) fn libraries() -> Result<Vec<Library>> {
    let metadata = example::metadata()?;
    let packages = metadata["packages"].as_array().context("`cargo metadata` lists no packages")?;
    let mut found = Vec::new();
    for package in packages {
        let manifest = package["manifest_path"].as_str().context("a package without a manifest")?;
        let Ok(inside) = Path::new(manifest).strip_prefix(paths::workspace()) else { continue };
        if !inside.starts_with("crates") {
            continue;
        }
        let dependencies = package["dependencies"].as_array().into_iter().flatten();
        let dependencies = dependencies
            .filter(|dependency| dependency["kind"].is_null() && dependency["path"].is_string())
            .filter_map(|dependency| Value::as_str(&dependency["name"]))
            .map(str::to_owned)
            .collect();
        let name = package["name"].as_str().context("a package without a name")?.to_owned();
        let sources = Path::new(manifest).with_file_name("src");
        if sources.join("lib.rs").exists() {
            found.push(Library { name, sources, dependencies });
        }
    }
    ensure!(!found.is_empty(), "there are no libraries");
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

/// The dependencies of a crate that are not below it.
fn crate_findings(floors: &Floors, name: &str, dependencies: &[String]) -> Vec<Finding> {
    let Some(own) = floor_of(floors, name) else {
        return vec![Finding { key: format!("{name} is on no floor"), details: Vec::new() }];
    };
    let up = |needed: &&String| floor_of(floors, needed).is_none_or(|floor| floor <= own);
    let finding = |needed: &String| Finding {
        key: format!("{name} -> {needed} does not go down"),
        details: vec![format!("a dependency of {name}")],
    };
    dependencies.iter().filter(up).map(finding).collect()
}

/// The folder of a crate, if it has another name than the crate, without the prefix.
fn folder_finding(name: &str, sources: &Path) -> Option<Finding> {
    let folder = sources.parent()?.file_name()?.to_str()?;
    let expected = name.strip_prefix("corprof-").unwrap_or(name);
    let key = format!("{name} is in the folder {folder}, and not in {expected}");
    (folder != expected).then(|| Finding { key, details: Vec::new() })
}

/// The violations in the imports of a crate.
fn findings_in(name: &str, tree: &Tree, imports: &[Import], modules: Option<&Floors>) -> Vec<Finding> {
    let shown = |file: usize| tree.files.get(file).map(|file| file.display().to_string()).unwrap_or_default();
    let mut findings: Vec<Finding> = Vec::new();
    let mut add = |key: String, import: &Import| {
        let detail = format!("{}:{}: {}", shown(import.from), import.line, import.path);
        match findings.iter_mut().find(|finding| finding.key == key) {
            Some(finding) => finding.details.push(detail),
            None => findings.push(Finding { key, details: vec![detail] }),
        }
    };
    if let Some(floors) = modules {
        let place = |file: usize| {
            let module = module_of(tree.files.get(file)?)?;
            Some((floor_of(floors, &module), module))
        };
        for import in imports {
            if import.through_root {
                add(format!("{name}: imports through lib.rs"), import);
            }
            // lib.rs is above what it re-exports; it is the one file without a module.
            let Some((from, module)) = place(import.from) else { continue };
            let Some((to, other)) = place(import.to) else {
                if !import.through_root {
                    add(format!("{name}: imports through lib.rs"), import);
                }
                continue;
            };
            match (from, to) {
                _ if module == other || are_joined(floors, &module, &other) => {}
                (Some(from), Some(to)) if from < to => {}
                (Some(_), Some(_)) => add(format!("{name}: {module} -> {other} does not go down"), import),
                (None, _) => add(format!("{name}: the module {module} is on no floor"), import),
                (_, None) => add(format!("{name}: the module {other} is on no floor"), import),
            }
        }
    }
    if modules.is_some() && !tree.incomplete.is_empty() {
        let detail =
            |(file, line, before): &(usize, usize, String)| format!("{}:{line}: {before}::$…", shown(*file));
        let key = format!("{name}: paths from the root that only a macro's call completes");
        findings.push(Finding { key, details: tree.incomplete.iter().map(detail).collect() });
    }
    let arrows: BTreeSet<_> = imports
        .iter()
        .filter(|import| !import.is_reexport && import.from != import.to)
        .map(|import| (import.from, import.to))
        .collect();
    for cycle in cycles::of(&arrows).into_iter().filter(|cycle| cycle.len() > MAX_CYCLE) {
        let files: Vec<String> = cycle.iter().map(|file| shown(*file)).collect();
        let inside = imports
            .iter()
            .filter(|import| !import.is_reexport && import.from != import.to)
            .filter(|import| cycle.contains(&import.from) && cycle.contains(&import.to));
        let mut details: Vec<String> =
            inside.map(|import| format!("{}:{}: {}", shown(import.from), import.line, import.path)).collect();
        details.sort();
        details.insert(0, files.join(" "));
        findings.push(Finding { key: format!("{name}: {CYCLE}{}", files.len()), details });
    }
    findings.sort();
    findings
}

/// The number of imports from each module to each other module.
fn print_arrows(tree: &Tree, imports: &[Import]) {
    let mut arrows: BTreeMap<(String, String), usize> = BTreeMap::new();
    let module = |file: usize| tree.files.get(file).and_then(|file| module_of(file));
    for import in imports {
        if let (Some(from), Some(to)) = (module(import.from), module(import.to))
            && from != to
        {
            *arrows.entry((from, to)).or_default() += 1;
        }
    }
    for ((from, to), count) in arrows {
        println!("{from} -> {to}: {count}");
    }
}

/// The module of a file: the module of the root that it belongs to; `None` for the root itself.
fn module_of(file: &Path) -> Option<String> {
    let first = file.components().next()?.as_os_str().to_str()?;
    let module = first.strip_suffix(".rs").unwrap_or(first);
    (module != "lib").then(|| module.to_owned())
}
