//! `cargo xtask unsafe`: whether `SAFETY.md` says of each crate whether it has unsafe code, and of each file with atomics
//! which model tests it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;

use crate::ledger::{is_test_file, remove_tests};
use crate::sources::rust_below;

/// The compared document.
const DOCUMENT: &str = "SAFETY.md";
/// The sections with the two tables.
const CRATES: &str = "## Unsafe code of each crate";
const LOCK_FREE: &str = "### Lock-free code";

/// The states of a crate, as the table has them.
const NONE: &str = "none";
const ON_WINDOWS: &str = "on Windows";
const YES: &str = "yes";

/// A library of the workspace.
pub(crate) struct Library<'l> {
    pub(crate) name: &'l str,
    pub(crate) sources: &'l Path,
    pub(crate) has_unsafe_code: bool,
}

/// Compares the document with the libraries of a checkout.
///
/// # Errors
///
/// When the document does not have a crate or file, has one that is not there, or says something else of it.
pub(crate) fn check(root: &Path, libraries: &[Library<'_>]) -> Result<()> {
    let text = fs::read_to_string(root.join(DOCUMENT)).with_context(|| format!("cannot read {DOCUMENT}"))?;
    let (mut states, mut atomics) = (BTreeMap::new(), BTreeSet::new());
    for library in libraries {
        let head = library.sources.join("lib.rs");
        let head = fs::read_to_string(&head).with_context(|| format!("cannot read {}", head.display()))?;
        states.insert(library.name.to_owned(), state(&head, library.has_unsafe_code));
        for path in with_atomics(library.sources)? {
            let path = path.strip_prefix(root.join("crates")).unwrap_or(&path).to_owned();
            atomics.insert(path.to_string_lossy().replace('\\', "/"));
        }
    }
    let mut wrong = wrong_states(&rows(&text, CRATES)?, &states);
    wrong.extend(wrong_files(&rows(&text, LOCK_FREE)?, &atomics));
    ensure!(wrong.is_empty(), "{DOCUMENT} is not true:\n{}", wrong.join("\n"));
    Ok(())
}

/// The state of a crate with this `lib.rs`.
fn state(head: &str, has_unsafe_code: bool) -> &'static str {
    let is_forbidden = |attribute: &str| head.lines().any(|line| line.trim() == attribute);
    match has_unsafe_code {
        false if is_forbidden("#![forbid(unsafe_code)]") => NONE,
        true if is_forbidden("#![cfg_attr(not(windows), forbid(unsafe_code))]") => ON_WINDOWS,
        true => YES,
        false => "none, but `lib.rs` does not forbid it",
    }
}

/// The first two cells of each row of the table in a section.
fn rows<'t>(text: &'t str, section: &str) -> Result<Vec<(&'t str, &'t str)>> {
    let mut lines = text.lines().skip_while(|line| *line != section);
    ensure!(lines.next().is_some(), "{DOCUMENT} has no section `{section}`");
    let table = lines.take_while(|line| !line.starts_with('#')).filter(|line| line.starts_with("| "));
    // The first row has the titles.
    let cells = table.skip(1).filter_map(|line| {
        let mut cells = line.trim_matches('|').split(" | ").map(str::trim);
        Some((cells.next()?, cells.next()?))
    });
    Ok(cells.collect())
}

/// The words in backticks.
fn code(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

fn wrong_states(rows: &[(&str, &str)], states: &BTreeMap<String, &str>) -> Vec<String> {
    let said: BTreeMap<&str, &str> =
        rows.iter().flat_map(|(crates, state)| code(crates).map(move |name| (name, *state))).collect();
    let mut wrong = Vec::new();
    for (name, state) in states {
        match said.get(name.as_str()) {
            Some(said) if said == state => {}
            Some(said) => wrong.push(format!("{name}: unsafe code is `{said}`, and should be `{state}`")),
            None => wrong.push(format!("{name} is not in the table of `{CRATES}`")),
        }
    }
    let is_unknown = |name: &&str| !states.contains_key(*name);
    wrong.extend(said.into_keys().filter(is_unknown).map(|name| format!("{name} is not a crate")));
    wrong
}

fn wrong_files(rows: &[(&str, &str)], atomics: &BTreeSet<String>) -> Vec<String> {
    let said: BTreeSet<&str> = rows.iter().flat_map(|(files, _)| code(files)).collect();
    let missing = atomics.iter().filter(|path| !said.contains(path.as_str()));
    let mut wrong: Vec<String> =
        missing.map(|path| format!("{path} has atomics, and is not in the table of `{LOCK_FREE}`")).collect();
    let stale = said.iter().filter(|path| !atomics.contains(**path));
    wrong.extend(stale.map(|path| format!("{path} has no atomics")));
    wrong
}

/// The files below a folder that name an atomic type in code that is not for tests.
fn with_atomics(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for (path, text) in rust_below(folder)? {
        // Most files have none, and parsing takes time.
        if text.contains("Atomic") && !is_test_file(&path) && names_atomics(&text)? {
            found.push(folder.join(path));
        }
    }
    Ok(found)
}

fn names_atomics(text: &str) -> Result<bool> {
    let mut file = syn::parse_file(text)?;
    remove_tests(&mut file);
    Ok(is_in(file.into_token_stream()))
}

fn is_in(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => is_in(group.stream()),
        TokenTree::Ident(ident) => ident.to_string().starts_with("Atomic"),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
## Unsafe code of each crate

| crate | unsafe code | how |
|---|---|---|
| `one`, `two` | none | |
| `three` | yes | |

### Lock-free code

| file | model |
|---|---|
| `one/src/a.rs`, `one/src/b.rs` | one |

## Another
| `four` | none | |
";

    #[test]
    fn a_crate_that_is_missing_unknown_or_in_another_state_is_named() {
        let rows = rows(TEXT, CRATES).unwrap();
        let states = |names: &[(&str, &'static str)]| {
            names.iter().map(|(name, state)| ((*name).to_owned(), *state)).collect::<BTreeMap<_, _>>()
        };
        let right = [("one", NONE), ("two", NONE), ("three", YES)];
        assert_eq!(wrong_states(&rows, &states(&right)), <[String; 0]>::default());
        let other = wrong_states(&rows, &states(&[("one", NONE), ("three", ON_WINDOWS), ("four", NONE)]));
        assert_eq!(other.len(), 3, "{other:?}");
        for (wrong, begin) in other.iter().zip(["four is not in", "three: unsafe", "two is not a crate"]) {
            assert!(wrong.starts_with(begin), "{wrong}");
        }
    }

    #[test]
    fn a_file_with_atomics_is_in_the_table_and_no_other_file() {
        let rows = rows(TEXT, LOCK_FREE).unwrap();
        let atomics = |names: [&str; 2]| names.map(str::to_owned).into_iter().collect::<BTreeSet<_>>();
        assert_eq!(wrong_files(&rows, &atomics(["one/src/a.rs", "one/src/b.rs"])), <[String; 0]>::default());
        let wrong = wrong_files(&rows, &atomics(["one/src/a.rs", "one/src/c.rs"]));
        assert!(
            wrong[0].starts_with("one/src/c.rs has") && wrong[1] == "one/src/b.rs has no atomics",
            "{wrong:?}"
        );
    }

    #[test]
    fn atomics_of_tests_do_not_count() {
        assert!(names_atomics("struct A { a: Box<[AtomicU64]> }").unwrap());
        assert!(
            !names_atomics("/// AtomicU64\n#[cfg(test)] mod tests { use std::sync::atomic::AtomicU64; }")
                .unwrap()
        );
    }

    #[test]
    fn a_crate_without_unsafe_code_has_to_forbid_it() {
        assert_eq!(state("#![forbid(unsafe_code)]\n", false), NONE);
        assert_ne!(state("", false), NONE);
        assert_eq!(state("#![cfg_attr(not(windows), forbid(unsafe_code))]\n", true), ON_WINDOWS);
        assert_eq!(state("", true), YES);
    }
}
