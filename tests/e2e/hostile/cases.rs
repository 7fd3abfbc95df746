//! The combinations of programs, runtimes, tracing modes and faults.

use core::ops::Range;
use std::collections::BTreeSet;

use anyhow::{Context as _, Result};
use corprof_testkit::dotnet::RuntimeVersion;
use e2e::is_long;

use crate::covering::{choices, covering};
use crate::differences;
use crate::run::{Case, Fault, Methods, TRACINGS, Tracing};
use crate::seeded::Seeded;

const PROGRAMS: [&str; 31] = [
    "return",
    "return-calling",
    "exit",
    "exit-calling",
    "exit-elsewhere",
    "exit-at-once",
    "term-calling",
    "kill",
    "abort",
    "failfast",
    "throw",
    "overflow",
    "errno",
    "files",
    "descriptors",
    "signals",
    "deep",
    "small-stack",
    "frames",
    "wide",
    "memory",
    "managed-memory",
    "exceptions",
    "threads",
    "collections",
    "children",
    "callbacks",
    "native-threads",
    "unload",
    "emit",
    "names",
];

/// The programs that faults are tested with, where not all are.
const WITH_FAULTS: [&str; 3] = ["errno", "exceptions", "deep"];

/// The programs that run on every runtime by default: those that newer runtimes handle differently.
const EVERYWHERE: [&str; 4] = ["return-calling", "exit-calling", "errno", "files"];

/// A program whose threads call while it ends. With a limit for its files, they record faster than the lines can be tried.
const CALLING_WITHOUT_DISK: &str = "exit-elsewhere";

/// The number of factors whose levels are combined: each combination of the levels of three factors has a case.
const STRENGTH: u32 = 3;

/// By default each program runs on every other runtime with one of the tracing modes in turn, and each fault once; with
/// `--long` the cases that cover each combination of three factors, in the order of `HOSTILE_SEED`, or 1.
/// `HOSTILE_CASES` selects among the whole product: the cases whose text, such as `files 9.0 fast text own Nothing`, has
/// each of its words. `HOSTILE_PART` selects a range of it: `7:0-500` for the first 500 in the order of seed 7, in which
/// the covering cases come first.
pub(crate) fn cases() -> Result<Vec<Case>> {
    let [words, part, seed] =
        ["HOSTILE_CASES", "HOSTILE_PART", "HOSTILE_SEED"].map(|name| std::env::var(name).ok());
    if let Some(words) = words {
        let mut cases: Vec<_> = product().into_iter().map(|(case, _)| case).collect();
        cases.retain(|case| {
            let text = case.to_string();
            words.split_whitespace().all(|word| text.split(' ').any(|part| part == word))
        });
        return Ok(cases);
    }
    if part.is_none() && !is_long() {
        return Ok(by_default());
    }
    let (seed, range) = match &part {
        Some(part) => {
            let (seed, range) =
                part_of(part).with_context(|| format!("HOSTILE_PART={part} is not such as 7:0-500"))?;
            (seed, Some(range))
        }
        None => (seed.map_or(Ok(1), |seed| seed.parse()).context("HOSTILE_SEED")?, None),
    };
    let (mut cases, covering) = ordered(seed);
    let all = cases.len();
    let range = range.unwrap_or(0..covering);
    let end = range.end.min(all);
    let cases: Vec<_> = cases.drain(range.start.min(end)..end).collect();
    println!(
        "seed {seed}: the first {covering} of {all} cases cover each combination of {STRENGTH} factors; cases {} to {end}",
        end - cases.len()
    );
    Ok(cases)
}

/// Parses a seed and a range.
fn part_of(part: &str) -> Option<(u64, Range<usize>)> {
    let (seed, range) = part.split_once(':')?;
    let (begin, end) = range.split_once('-')?;
    Some((seed.parse().ok()?, begin.parse().ok()?..end.parse().ok()?))
}

/// Program, runtime, hooks and format, methods, fault: the indices of a case's levels.
type Levels = [usize; 6];

/// Returns all cases, each with its levels.
fn product() -> Vec<(Case, Levels)> {
    let mut cases = Vec::new();
    for (p, program) in PROGRAMS.into_iter().enumerate() {
        for (v, version) in RuntimeVersion::PINNED.into_iter().enumerate() {
            if !differences::runs(program, version) {
                continue;
            }
            for tracing in TRACINGS {
                let [h, t] = [
                    TRACINGS.iter().position(|other| other.hooks == tracing.hooks),
                    TRACINGS.iter().position(|other| other.format == tracing.format),
                ]
                .map(Option::unwrap_or_default);
                for (m, methods) in [Methods::Own, Methods::Interop].into_iter().enumerate() {
                    let faults = core::iter::once(Fault::Nothing).chain(Fault::ALL);
                    cases.extend(faults.enumerate().map(|(f, fault)| {
                        let tracing = Some(Tracing { methods, ..tracing });
                        (Case { program, version, tracing, fault }, [p, v, h, t, m, f])
                    }));
                }
            }
        }
    }
    cases
}

/// Returns all cases in an order of a seed: first those that cover each combination of [`STRENGTH`] factors, whose number
/// is returned too, then the others.
fn ordered(seed: u64) -> (Vec<Case>, usize) {
    let mut all = product();
    Seeded::new(seed).shuffle(&mut all);
    let levels: Vec<_> = all.iter().map(|(_, levels)| *levels).collect();
    let first = covering(&levels, &choices::<6>(STRENGTH));
    let is_first: BTreeSet<_> = first.iter().copied().collect();
    let rest = (0..all.len()).filter(|index| !is_first.contains(index));
    (first.iter().copied().chain(rest).map(|index| all[index].0).collect(), first.len())
}

fn by_default() -> Vec<Case> {
    let mut cases = Vec::new();
    for (v, version) in RuntimeVersion::PINNED.into_iter().enumerate() {
        for (p, program) in
            PROGRAMS.into_iter().enumerate().filter(|(_, program)| differences::runs(program, version))
        {
            let methods = if program == "files" { Methods::Interop } else { Methods::Own };
            let case = |number: usize, fault| {
                let tracing = Tracing { methods, ..TRACINGS[number % TRACINGS.len()] };
                Case { program, version, tracing: Some(tracing), fault }
            };
            if (p + v) % 2 == 0 || EVERYWHERE.contains(&program) {
                cases.push(case(p + v, Fault::Nothing));
            }
            if program == CALLING_WITHOUT_DISK {
                cases.push(case(v + 1, Fault::FileLimit));
            }
            if WITH_FAULTS[v % WITH_FAULTS.len()] == program {
                cases.extend(Fault::ALL.into_iter().enumerate().map(|(f, fault)| case(f + v, fault)));
            }
        }
    }
    cases
}

#[test]
fn a_part_has_a_seed_and_a_range() {
    assert_eq!(part_of("7:0-500"), Some((7, 0..500)));
    assert!(["", "7", "7:5", "a:0-5", "7:-5"].iter().all(|part| part_of(part).is_none()));
}

#[test]
fn the_parts_of_a_seed_are_the_whole_product() {
    let names = |cases: Vec<Case>| cases.iter().map(ToString::to_string).collect::<Vec<_>>();
    let [one, other] = [1, 2].map(|seed| names(ordered(seed).0));
    assert_ne!(one, other);
    assert_eq!(one, names(ordered(1).0));
    let all: BTreeSet<_> = product().iter().map(|(case, _)| case.to_string()).collect();
    let [one, other] = [one, other].map(|names| names.into_iter().collect::<BTreeSet<_>>());
    assert!(one == all && other == all);
    assert!(by_default().iter().all(|case| all.contains(&case.to_string())));
}

/// Compares the words of the cases' texts, and not their levels.
#[test]
fn each_combination_of_three_factors_has_a_case() {
    fn triples<'a>(text: &'a str, into: &mut BTreeSet<[(usize, &'a str); 3]>) {
        let words: Vec<_> = text.split(' ').enumerate().collect();
        assert_eq!(words.len(), 6, "{text}");
        for (at, first) in words.iter().enumerate() {
            for (at, second) in words.iter().enumerate().skip(at + 1) {
                into.extend(words.iter().skip(at + 1).map(|third| [*first, *second, *third]));
            }
        }
    }
    let all: Vec<_> = product().iter().map(|(case, _)| case.to_string()).collect();
    let mut possible = BTreeSet::new();
    all.iter().for_each(|text| triples(text, &mut possible));
    // 31 programs, 4 runtimes, 2 kinds of hooks, 3 formats, 2 selections, 9 faults; one program does not run on 3.1.
    assert_eq!(all.len(), 31 * 4 * 2 * 3 * 2 * 9 - 2 * 3 * 2 * 9);
    for seed in [1, 2] {
        let (cases, covering) = ordered(seed);
        let names: Vec<_> = cases[..covering].iter().map(ToString::to_string).collect();
        let mut covered = BTreeSet::new();
        names.iter().for_each(|text| triples(text, &mut covered));
        println!("seed {seed}: {covering} of {} cases cover {} triples", all.len(), covered.len());
        assert_eq!(covered, possible);
        // A program on a runtime with a fault needs a case each; a tenth more are enough for all others.
        let least = (31 * 4 - 1) * 9;
        assert!(covering >= least && covering < least + least / 10, "{covering}");
    }
}
