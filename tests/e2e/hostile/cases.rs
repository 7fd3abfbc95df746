//! The combinations of programs, runtimes, tracing modes and faults.

use core::ops::Range;

use anyhow::{Context as _, Result};
use e2e::is_full;
use xtask::dotnet::RuntimeVersion;

use crate::differences;
use crate::run::{Case, Fault, TRACINGS};
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

/// By default each program runs on every other runtime with one of the tracing modes in turn, and each fault once; with
/// `--full` all combinations.
/// `HOSTILE_CASES` selects among all: those whose text, such as `files 9.0 fast text Nothing`, has each of its words.
/// `HOSTILE_PART` selects a range of them in a random order: `7:0-500` for the first 500 in the order of seed 7.
pub(crate) fn cases() -> Result<Vec<Case>> {
    let [words, part] = ["HOSTILE_CASES", "HOSTILE_PART"].map(|name| std::env::var(name).ok());
    let mut cases = cases_of(is_full() || words.is_some() || part.is_some());
    if let Some(words) = words {
        cases.retain(|case| {
            let text = case.to_string();
            words.split_whitespace().all(|word| text.split(' ').any(|part| part == word))
        });
    }
    if let Some(part) = part {
        let (seed, range) =
            part_of(&part).with_context(|| format!("HOSTILE_PART={part} is not such as 7:0-500"))?;
        Seeded::new(seed).shuffle(&mut cases);
        let end = range.end.min(cases.len());
        cases = cases.drain(range.start.min(end)..end).collect();
    }
    Ok(cases)
}

/// Parses a seed and a range.
fn part_of(part: &str) -> Option<(u64, Range<usize>)> {
    let (seed, range) = part.split_once(':')?;
    let (begin, end) = range.split_once('-')?;
    Some((seed.parse().ok()?, begin.parse().ok()?..end.parse().ok()?))
}

fn cases_of(all: bool) -> Vec<Case> {
    let mut cases = Vec::new();
    for (v, version) in RuntimeVersion::ALL.into_iter().enumerate() {
        for (p, program) in
            PROGRAMS.into_iter().enumerate().filter(|(_, program)| differences::runs(program, version))
        {
            let case = |tracing, fault| Case { program, version, tracing: Some(tracing), fault };
            if all {
                for tracing in TRACINGS {
                    cases.push(case(tracing, Fault::Nothing));
                    cases.extend(Fault::ALL.map(|fault| case(tracing, fault)));
                }
            } else {
                if (p + v) % 2 == 0 || EVERYWHERE.contains(&program) {
                    cases.push(case(TRACINGS[(p + v) % TRACINGS.len()], Fault::Nothing));
                }
                if WITH_FAULTS[v % WITH_FAULTS.len()] == program {
                    cases.extend(
                        Fault::ALL
                            .into_iter()
                            .enumerate()
                            .map(|(f, fault)| case(TRACINGS[(f + v) % TRACINGS.len()], fault)),
                    );
                }
            }
        }
    }
    cases
}

#[test]
fn parts_of_a_seed_are_all_cases() -> Result<()> {
    assert_eq!(part_of("7:0-500"), Some((7, 0..500)));
    assert!(["", "7", "7:5", "a:0-5", "7:-5"].iter().all(|part| part_of(part).is_none()));
    let names = |cases: &[Case]| cases.iter().map(ToString::to_string).collect::<Vec<_>>();
    let all = cases_of(true);
    let [mut one, mut other] = [all.clone(), all.clone()];
    Seeded::new(1).shuffle(&mut one);
    Seeded::new(2).shuffle(&mut other);
    assert_ne!(names(&one), names(&other));
    let [all, one] = [all, one].map(|cases| {
        let mut names = names(&cases);
        names.sort();
        names
    });
    assert_eq!(all, one);
    Ok(())
}
