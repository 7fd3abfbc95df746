//! `docs/conformance.md` names tests that exist, and leaves no row out.

use std::collections::BTreeSet;
use std::fs;

use xtask::paths;

/// The tests of dotnet/runtime.
const ROWS: [&str; 28] = [
    "ALCTest",
    "classload",
    "moduleload",
    "dynamicoptimization",
    "slowpatheltenter",
    "slowpatheltleave",
    "elttransitions",
    "eventpipe",
    "eventpipe_readevents",
    "reverse_startup",
    "exception",
    "gc",
    "gcbasic",
    "gcallocate",
    "gcskipobjectsallocatedbyclass",
    "gcheapenumeration",
    "nongcheap",
    "handles",
    "enumthreads",
    "getappdomainstaticaddress",
    "inlining",
    "metadatagetdispenser",
    "rejit",
    "releaseondetach",
    "multiple",
    "transitions",
    "runtimeasync",
    "ijw",
];

/// Whether `file::test` is a test in `e2e/file.rs`.
fn exists(test: &str) -> bool {
    let Some((file, name)) = test.split_once("::") else { return false };
    let path = paths::workspace().join("tests/e2e").join(format!("{file}.rs"));
    // Either a function, or a line of a table that makes functions of it.
    fs::read_to_string(path)
        .is_ok_and(|text| text.contains(&format!("fn {name}(")) || text.contains(&format!("\n    {name}(\"")))
}

/// What is wrong with the table.
fn wrong(table: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut missing: BTreeSet<&str> = ROWS.into();
    for line in table.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| row ")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let &[row, state, test, remark] = cells.as_slice() else {
            wrong.push(format!("{line}: four cells are wanted"));
            continue;
        };
        if !missing.remove(row) {
            wrong.push(format!("{row}: there is no such row, or it is there twice"));
        }
        let test = test.trim_matches('`');
        let ok = match state {
            "held" | "in part" => exists(test) && !remark.is_empty(),
            "not yet" => test.is_empty(),
            "not run" => test.is_empty() && !remark.is_empty(),
            _ => false,
        };
        if !ok {
            wrong.push(format!("{row}: {state:?} with the test {test:?} and the remark {remark:?}"));
        }
    }
    wrong.extend(missing.into_iter().map(|row| format!("{row} is missing")));
    wrong
}

#[test]
fn every_row_is_there_and_every_test_exists() {
    let table = fs::read_to_string(paths::workspace().join("docs/conformance.md")).unwrap();
    assert_eq!(wrong(&table), [""; 0]);
}

#[test]
fn a_test_that_does_not_exist_is_found() {
    let table = "| gc | held | `live::no_such_test` | all of it |\n| ijw | not run | | |";
    let wrong = wrong(table);
    assert!(wrong[0].starts_with("gc: \"held\" with the test \"live::no_such_test\""), "{wrong:?}");
    assert!(wrong[1].starts_with("ijw: \"not run\""), "{wrong:?}");
    assert_eq!(wrong.len(), ROWS.len());
}
