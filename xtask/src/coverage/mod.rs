//! `cargo xtask coverage`: the methods of the profiling and metadata API that `corprof` wraps, and why it does not wrap
//! the others.
//!
//! The methods are those of the ABI facts of `corprof-sys`. A method is covered by an item of `corprof` with its
//! name as `#[doc(alias)]`, or with its name in snake case, if the code uses the method too. A method that is not covered
//! has a line in `reasons.txt`. `docs/coverage.md` is written from both.
//!
//! A function that calls the runtime must name the method and the version of the interface in its documentation, and the
//! errors that it returns (`wrappers.rs`).

mod source;
mod wrappers;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context as _, Result, bail, ensure};
use corprof_testkit::paths;
use serde_json::Value;

use source::{Item, Sources};

use crate::sources::write_table;

/// The facts of the ABI.
const FACTS: &str = "crates/sys/facts/interfaces.json";
/// The reasons why methods are not covered, one line each.
const REASONS: &str = "xtask/src/coverage/reasons.txt";
/// The output.
const TABLE: &str = "docs/coverage.md";

/// The covered interfaces: their names without the version, and their headings.
const FAMILIES: &[(&str, &str)] = &[
    ("ICorProfilerCallback", "Callbacks of the runtime: the trait `Profiler`."),
    ("ICorProfilerInfo", "Queries and requests of a profiler: `ProfilerInfo`."),
    ("ICorProfilerFunctionControl", "The code of a method that is ReJITted."),
    ("ICorProfilerAssemblyReferenceProvider", "Additional references of an assembly."),
    ("IMethodMalloc", "Memory for the IL of a method."),
    ("ICorProfilerObjectEnum", ""),
    ("ICorProfilerFunctionEnum", ""),
    ("ICorProfilerModuleEnum", ""),
    ("ICorProfilerMethodEnum", ""),
    ("ICorProfilerThreadEnum", ""),
    ("IMetaDataImport", "The entities behind a module's tokens."),
    ("IMetaDataAssemblyImport", "A module's manifest."),
    ("IMetaDataEmit", "Additions to a module's metadata."),
    ("IMetaDataAssemblyEmit", "Additions to a module's manifest."),
    ("IMetaDataTables", "The raw tables and heaps."),
    ("IMetaDataDispenser", "Metadata outside of the process's modules."),
    ("IMetaDataDispenserEx", ""),
    ("IMetaDataInfo", ""),
    ("IMetaDataFilter", ""),
    ("IMetaDataValidate", ""),
    ("IMetaDataError", ""),
    ("IMapToken", ""),
];

/// A method of an interface.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Method {
    interface: String,
    name: String,
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}::{}", self.interface, self.name)
    }
}

impl Method {
    fn parse(text: &str) -> Result<Self> {
        let (interface, name) = text.split_once("::").with_context(|| format!("{text:?} is no method"))?;
        Ok(Self { interface: interface.to_owned(), name: name.to_owned() })
    }
}

/// Why a method has no wrapper of its own.
#[derive(Clone, Debug)]
enum Reason {
    /// Another method does the same and more; with a reason where it is not obvious.
    Superseded(Method, String),
    /// CoreCLR does not implement it.
    Absent(String),
    /// Not wrapped yet.
    Open,
}

/// Writes the table, or with `check` only verifies that it is current and complete.
///
/// # Errors
///
/// When a method is neither covered nor has a reason, a reason no longer applies, a function does not document what it
/// calls, or, with `check`, the table is stale.
pub(crate) fn run(check: bool) -> Result<()> {
    let workspace = paths::workspace();
    let read =
        |path: &str| fs::read_to_string(workspace.join(path)).with_context(|| format!("cannot read {path}"));
    let sources = Sources::read(&workspace, &workspace.join("crates/corprof/src"))?;
    let coverage = Coverage::of(methods(&read(FACTS)?)?, &sources, reasons(&read(REASONS)?)?);
    let (text, counts) = coverage.written();
    write_table(TABLE, &text, "coverage", check)?;
    println!("{counts}");
    println!(
        "{} public functions call the runtime; each documents the called method and its errors",
        sources.wrappers
    );
    let wrong: Vec<String> = coverage.wrong.iter().chain(&sources.unsaid).cloned().collect();
    ensure!(
        wrong.is_empty(),
        "{}\nmend the documentation in crates/corprof/src or {REASONS}",
        wrong.join("\n")
    );
    Ok(())
}

/// The methods to cover, in the order of the facts.
fn methods(facts: &str) -> Result<Vec<Method>> {
    let facts: Vec<Value> = serde_json::from_str(facts).context("the facts of the ABI are no list")?;
    let mut methods = Vec::new();
    for interface in &facts {
        let name = interface["name"].as_str().context("an interface without a name")?;
        if family(name).is_none() {
            continue;
        }
        for method in interface["methods"].as_array().context("an interface without methods")? {
            let method = method["name"].as_str().context("a method without a name")?;
            // In the facts, these two have the names that macros of Windows give them.
            let method = match method {
                "GetEnvironmentVariableA" => "GetEnvironmentVariable",
                "SetEnvironmentVariableA" => "SetEnvironmentVariable",
                other => other,
            };
            methods.push(Method { interface: name.to_owned(), name: method.to_owned() });
        }
    }
    Ok(methods)
}

/// The index of an interface in [`FAMILIES`].
fn family(interface: &str) -> Option<usize> {
    let name = interface.trim_end_matches(|digit: char| digit.is_ascii_digit());
    FAMILIES.iter().position(|(family, _)| *family == name)
}

/// Reads the reasons: `superseded METHOD BY` with an optional why, `absent METHOD why`, `open METHOD`.
fn reasons(text: &str) -> Result<BTreeMap<Method, Reason>> {
    let mut reasons = BTreeMap::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut words = line.splitn(3, ' ');
        let (kind, method) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let rest = words.next().unwrap_or_default();
        let reason = match (kind, rest) {
            ("superseded", by) => {
                let (by, why) = by.split_once(' ').unwrap_or((by, ""));
                Reason::Superseded(Method::parse(by)?, why.to_owned())
            }
            ("absent", why) if !why.is_empty() => Reason::Absent(why.to_owned()),
            ("open", "") => Reason::Open,
            _ => bail!("reasons.txt: {line:?} is no reason"),
        };
        let method = Method::parse(method).with_context(|| format!("reasons.txt: {line:?}"))?;
        ensure!(reasons.insert(method, reason).is_none(), "reasons.txt has two reasons: {line:?}");
    }
    Ok(reasons)
}

/// The state of each method.
struct Coverage<'s> {
    methods: Vec<Method>,
    covered: BTreeMap<Method, Vec<&'s Item>>,
    reasons: BTreeMap<Method, Reason>,
    wrong: Vec<String>,
}

impl<'s> Coverage<'s> {
    fn of(methods: Vec<Method>, sources: &'s Sources, reasons: BTreeMap<Method, Reason>) -> Self {
        let mut homonyms: BTreeMap<&str, usize> = BTreeMap::new();
        for method in &methods {
            *homonyms.entry(&method.name).or_default() += 1;
        }
        let (mut covered, mut wrong) = (BTreeMap::new(), Vec::new());
        for method in &methods {
            let unique = homonyms.get(method.name.as_str()) == Some(&1);
            let about: Vec<&Item> = sources
                .items
                .iter()
                .filter(|item| {
                    item.is_about(&method.interface, &method.name) || (unique && item.has_alias(&method.name))
                })
                .collect();
            let bound = [method.name.clone(), format!("{}A", method.name)];
            let called = bound.iter().any(|name| sources.uses(name)) && sources.uses(&method.interface);
            match (reasons.get(method), about.is_empty(), called) {
                (None, true, _) => wrong.push(format!("{method} has no wrapper and no reason")),
                (None, false, false) => wrong.push(format!(
                    "{method}: `{}` has its name and nothing calls it; say what supersedes it",
                    about.iter().map(|item| item.path.as_str()).collect::<Vec<_>>().join(", ")
                )),
                (Some(Reason::Absent(_) | Reason::Open), false, _) => {
                    wrong.push(format!("{method} has a wrapper and a reason why it has none"));
                }
                _ => {}
            }
            if !about.is_empty() {
                covered.insert(method.clone(), about);
            }
        }
        let known: BTreeSet<&Method> = methods.iter().collect();
        wrong.extend(
            reasons
                .keys()
                .filter(|method| !known.contains(method))
                .map(|method| format!("no such method: {method}")),
        );
        for (method, reason) in &reasons {
            if let Reason::Superseded(by, _) = reason
                && !covered.contains_key(by)
            {
                wrong.push(format!("{method} is superseded by {by}, which has no wrapper"));
            }
        }
        for item in &sources.items {
            for alias in item.aliases().iter().filter(|alias| !homonyms.contains_key(alias.as_str())) {
                wrong.push(format!("`{}` has the alias {alias}, which is no method", item.path));
            }
        }
        Self { methods, covered, reasons, wrong }
    }

    /// The table, and its counts in one line.
    fn written(&self) -> (String, String) {
        let mut counts =
            BTreeMap::from([(Kind::Own, 0), (Kind::Newer, 0), (Kind::Absent, 0), (Kind::Open, 0)]);
        let mut sections = String::new();
        for (index, (name, about)) in FAMILIES.iter().enumerate() {
            let of_family = self.methods.iter().filter(|method| family(&method.interface) == Some(index));
            let _ = writeln!(sections, "\n## {name}\n");
            if !about.is_empty() {
                let _ = writeln!(sections, "{about}\n");
            }
            let _ = writeln!(sections, "| declared by | method | here |\n|---|---|---|");
            for method in of_family {
                let (kind, here) = self.cell(method);
                *counts.entry(kind).or_default() += 1;
                let _ = writeln!(sections, "| {} | `{}` | {here} |", method.interface, method.name);
            }
        }
        let count = |kind| counts.get(&kind).copied().unwrap_or_default();
        let counts = format!(
            "{} methods: {} wrapped, {} superseded, {} of no use on CoreCLR, {} not yet",
            self.methods.len(),
            count(Kind::Own),
            count(Kind::Newer),
            count(Kind::Absent),
            count(Kind::Open),
        );
        let text = format!(
            "# Methods of the profiling API and their wrappers\n\n\
             Generated by `cargo xtask coverage` from the facts of the ABI, the sources of `corprof`, and\n\
             `xtask/src/coverage/reasons.txt`. Do not edit; `cargo xtask test coverage` checks that it is current.\n\n\
             {counts}.\n{sections}"
        );
        (text, counts)
    }

    /// The cell of a method.
    fn cell(&self, method: &Method) -> (Kind, String) {
        let items = self.covered.get(method).map(Vec::as_slice).unwrap_or_default();
        let items: Vec<String> = items
            .iter()
            .map(|item| {
                format!("[`{}`](../{})", item.path, item.file.display().to_string().replace('\\', "/"))
            })
            .collect();
        let items = items.join(", ");
        match self.reasons.get(method) {
            None if items.is_empty() => (Kind::Open, "**no wrapper and no reason**".to_owned()),
            None => (Kind::Own, items),
            Some(Reason::Superseded(by, why)) if items.is_empty() => {
                let why = if why.is_empty() { String::new() } else { format!(": {why}") };
                (Kind::Newer, format!("superseded by `{by}`{why}"))
            }
            Some(Reason::Superseded(by, _)) => (Kind::Newer, format!("{items}, by `{by}`")),
            Some(Reason::Absent(why)) => (Kind::Absent, why.clone()),
            Some(Reason::Open) => (Kind::Open, "**not yet**".to_owned()),
        }
    }
}

/// The counter of a method's state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Own,
    Newer,
    Absent,
    Open,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(reasons_text: &str) -> Vec<String> {
        let sources = Sources::of(
            "impl ProfilerInfo {\n/// `ICorProfilerInfo3::GetModuleInfo2`.\n#[doc(alias = \"GetModuleInfo\")]\n\
             #[doc(alias = \"GetModuleInfo2\")]\npub fn module_info() { call!(ICorProfilerInfo3::GetModuleInfo2) }\n}\n\
             struct ICorProfilerInfo;",
        );
        let method = |text: &str| Method::parse(text).unwrap();
        let methods = vec![
            method("ICorProfilerInfo::GetModuleInfo"),
            method("ICorProfilerInfo3::GetModuleInfo2"),
            method("ICorProfilerInfo::ForceGC"),
        ];
        Coverage::of(methods, &sources, reasons(reasons_text).unwrap()).wrong
    }

    const SUPERSEDED: &str = "superseded ICorProfilerInfo::GetModuleInfo ICorProfilerInfo3::GetModuleInfo2\n";

    #[test]
    fn methods_with_a_wrapper_or_a_reason_pass() {
        assert_eq!(wrong(&format!("{SUPERSEDED}open ICorProfilerInfo::ForceGC")), [""; 0]);
    }

    #[test]
    fn a_method_without_wrapper_and_reason_fails() {
        let wrong = wrong(SUPERSEDED);
        assert_eq!(wrong, ["ICorProfilerInfo::ForceGC has no wrapper and no reason"]);
    }

    #[test]
    fn an_alias_without_a_call_fails() {
        let wrong = wrong("open ICorProfilerInfo::ForceGC");
        assert!(wrong.concat().contains("nothing calls it"), "{wrong:?}");
    }

    #[test]
    fn an_obsolete_reason_fails() {
        let text = format!(
            "{SUPERSEDED}open ICorProfilerInfo::ForceGC\nopen ICorProfilerInfo3::GetModuleInfo2\n\
             absent ICorProfilerInfo::Nothing there is no such method"
        );
        let wrong = wrong(&text).join("; ");
        assert!(wrong.contains("has a wrapper and a reason") && wrong.contains("no such method"), "{wrong}");
    }
}
