//! `cargo xtask conformance`: runs the tests that assert the same facts as the runtime's own tests of the profiling API, and
//! writes the results to `docs/conformance.md`.
//!
//! The rows are in `rows.rs`. A test `target::name` stands for the end-to-end tests of that target that are called
//! `name::on_9_0` or `name_on_9_0`, and the same on the other runtimes.

mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::Stdio;

use anyhow::{Result, ensure};
use corprof_testkit::dotnet::RuntimeVersion;
use corprof_testkit::process;

use rows::{ISSUES, ROWS, UPSTREAM};

use crate::sources::write_table;

/// The output.
const TABLE: &str = "docs/conformance.md";

/// The runtimes, in the order of the columns.
const RUNTIMES: [RuntimeVersion; 5] = RuntimeVersion::ALL;

/// The suffix of a runtime in the names of tests: `on_9_0`.
fn suffix(version: RuntimeVersion) -> String {
    format!("on_{}", version.short().replace('.', "_"))
}

/// One of the runtime's own tests.
struct Row {
    /// Its name in dotnet/runtime.
    name: &'static str,
    /// Its file there.
    source: &'static str,
    /// Our tests that assert the same facts.
    tests: &'static [&'static str],
    /// The asserted facts.
    asserts: &'static str,
    /// On each of [`RUNTIMES`].
    on: [State; 5],
}

/// How many facts of a row are asserted on a runtime.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// All facts.
    Held,
    /// Some of the facts, and why not the others.
    InPart(&'static str),
    /// None, and why.
    NotRun(&'static str),
}

/// Runs the tests and writes the table. With `check`, compares the table with the one that results if all tests pass;
/// the step `e2e` of `cargo xtask test` ensures that they do.
///
/// # Errors
///
/// When a row names tests that do not exist, a test fails, or, with `check`, the table is stale.
pub(crate) fn run(check: bool) -> Result<()> {
    let known = targets().into_iter().map(|target| Ok((target, listed(target)?))).collect::<Result<_>>()?;
    let wanted = wanted(&known);
    let wrong = wrong(&wanted);
    ensure!(wrong.is_empty(), "{}\nmend xtask/src/conformance/rows.rs", wrong.join("\n"));
    let all = || wanted.iter().flatten().flatten().cloned();
    let failed = if check { BTreeSet::new() } else { failed(&all().collect())? };
    let (text, counts) = written(&wanted, &failed);
    write_table(TABLE, &text, "conformance", check)?;
    println!("{counts}");
    let failed: Vec<String> = failed.iter().map(ToString::to_string).collect();
    ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
    Ok(())
}

/// A test of a target of the package `e2e`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Test {
    target: String,
    name: String,
}

impl Test {
    /// Its name without the runtime.
    fn stem(&self) -> &str {
        let name = RUNTIMES.iter().find_map(|runtime| self.name.strip_suffix(&suffix(*runtime)));
        name.unwrap_or(&self.name).trim_end_matches([':', '_'])
    }
}

impl std::fmt::Display for Test {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}::{}", self.target, self.name)
    }
}

/// The targets that the rows name.
fn targets() -> BTreeSet<&'static str> {
    let tests = ROWS.iter().flat_map(|row| row.tests);
    tests.filter_map(|test| test.split_once("::")).map(|(target, _)| target).collect()
}

/// The arguments of cargo, as in `cargo xtask test`, so that nothing is built twice.
fn cargo(target: &str, arguments: &[&str]) -> Result<String> {
    let own = ["test", "--workspace", "--all-features", "--test", target, "--"];
    let mut command = process::cargo(own.iter().chain(arguments));
    // Cargo's output lists the executables. Failures of tests are read from the tests' own output.
    let output = process::output(command.stderr(Stdio::inherit()))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The names of all tests of a target.
fn listed(target: &str) -> Result<Vec<String>> {
    let said = cargo(target, &["--list"])?;
    let names: Vec<_> = said.lines().filter_map(|line| line.strip_suffix(": test")).collect();
    ensure!(!names.is_empty(), "`cargo test -p e2e --test {target} -- --list` lists no tests");
    Ok(names.into_iter().map(str::to_owned).collect())
}

/// The tests of each row, on each runtime.
fn wanted(known: &BTreeMap<&str, Vec<String>>) -> Vec<[Vec<Test>; 5]> {
    let of = |test: &&str, runtime: RuntimeVersion| {
        let (target, name) = test.split_once("::")?;
        let runtime = suffix(runtime);
        let spellings = [format!("{name}_{runtime}"), format!("{name}::{runtime}")];
        let name = known.get(target)?.iter().find(|known| spellings.contains(known))?;
        Some(Test { target: target.to_owned(), name: name.clone() })
    };
    let of_row =
        |row: &Row| RUNTIMES.map(|runtime| row.tests.iter().filter_map(|test| of(test, runtime)).collect());
    ROWS.iter().map(of_row).collect()
}

/// The errors in the rows.
fn wrong(wanted: &[[Vec<Test>; 5]]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (row, tests) in ROWS.iter().zip(wanted) {
        let distinct: BTreeSet<&str> = tests.iter().flatten().map(|test| test.stem()).collect();
        if distinct.len() != row.tests.len() {
            wrong.push(format!("{}: not all of {:?} exist", row.name, row.tests));
        }
        for ((state, tests), runtime) in row.on.into_iter().zip(tests).zip(RUNTIMES) {
            let asserted = matches!(state, State::Held | State::InPart(_));
            if asserted && tests.is_empty() {
                wrong.push(format!("{}: none of {:?} exists on {runtime}", row.name, row.tests));
            }
            if asserted && row.asserts.is_empty() {
                wrong.push(format!("{} does not say what is asserted", row.name));
            }
        }
    }
    wrong
}

/// The tests that do not pass.
fn failed(tests: &BTreeSet<Test>) -> Result<BTreeSet<Test>> {
    let mut failed = tests.clone();
    for target in targets() {
        let mut arguments = vec!["--exact", "--include-ignored"];
        arguments.extend(tests.iter().filter(|test| test.target == target).map(|test| test.name.as_str()));
        let said = cargo(target, &arguments)?;
        print!("{said}");
        failed.retain(|test| test.target != target || !passed(&said, &test.name));
    }
    Ok(failed)
}

/// Whether the output of tests reports that one has passed.
fn passed(said: &str, test: &str) -> bool {
    said.lines().any(|line| line == format!("test {test} ... ok"))
}

/// The table, and its counts in one line.
fn written(wanted: &[[Vec<Test>; 5]], failed: &BTreeSet<Test>) -> (String, String) {
    let mut lines = String::new();
    let mut held = [0; RUNTIMES.len()];
    for (row, tests) in ROWS.iter().zip(wanted) {
        let cells: Vec<String> = row
            .on
            .into_iter()
            .zip(tests)
            .map(|(state, tests)| cell(state, tests.iter().any(|test| failed.contains(test))))
            .collect();
        for (count, cell) in held.iter_mut().zip(&cells) {
            *count += usize::from(cell == "held");
        }
        let named: Vec<String> = row.tests.iter().map(|test| format!("`{test}`")).collect();
        let _ = writeln!(
            lines,
            "| [{}]({UPSTREAM}{}) | {} | {} | {} |",
            row.name,
            row.source,
            cells.join(" | "),
            row.asserts,
            named.join(", "),
        );
    }
    let held: Vec<String> =
        held.iter().zip(RUNTIMES).map(|(count, runtime)| format!("{count} on {runtime}")).collect();
    let counts = format!("Of {} rows are held: {}.", ROWS.len(), held.join(", "));
    let columns: String = RUNTIMES.iter().map(|runtime| format!(" on {runtime} |")).collect();
    let text = format!(
        "# The runtime's own profiler tests\n\n\
         Generated by `cargo xtask conformance`, which runs the tests that are named here. Do not edit; the rows are in\n\
         `xtask/src/conformance/rows.rs`, and `cargo xtask test conformance` checks that this is current.\n\n\
         dotnet/runtime tests the profiling API with native profilers (`src/tests/profiler`). Each row is one of them,\n\
         with the tests of `tests/e2e` that assert the same facts on real runtimes, with C# programs of their own: `a::b`\n\
         stands for `b` on each runtime, by `cargo test -p e2e --test a b`. **held** means all facts, **in part** some of\n\
         them; **not run** has its reason.\n\n\
         {counts}\n\n\
         | row |{columns} what is asserted | by |\n|---|---|---|---|---|---|---|---|\n{lines}"
    );
    (text, counts)
}

/// The cell of a row and a runtime.
fn cell(state: State, failed: bool) -> String {
    match state {
        State::Held | State::InPart(_) if failed => "**failed**".to_owned(),
        State::Held => "held".to_owned(),
        State::InPart(why) => format!("in part: {}", linked(why)),
        State::NotRun(why) => format!("not run: {}", linked(why)),
    }
}

/// The text with links to the issues that it names.
fn linked(text: &str) -> String {
    let mut parts = text.split('#');
    let mut linked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|digit: char| digit.is_ascii_digit());
        let number = &part[..part.len() - rest.len()];
        let _ = if number.is_empty() {
            write!(linked, "#{rest}")
        } else {
            write!(linked, "[#{number}]({ISSUES}{number}){rest}")
        };
    }
    linked
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All tests that the rows may refer to.
    fn known() -> BTreeMap<&'static str, Vec<String>> {
        let mut known = BTreeMap::<_, Vec<_>>::new();
        for (target, name) in ROWS.iter().flat_map(|row| row.tests).filter_map(|test| test.split_once("::")) {
            let names = known.entry(target).or_default();
            names.extend(RUNTIMES.map(|runtime| format!("{name}::{}", suffix(runtime))));
        }
        known
    }

    #[test]
    fn each_row_is_listed_once() {
        let names: BTreeSet<&str> = ROWS.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), ROWS.len());
    }

    #[test]
    fn tests_are_found_in_both_naming_schemes() {
        let mut known = known();
        assert_eq!(wrong(&wanted(&known)), [""; 0]);
        let names = known.get_mut("selfreport").unwrap();
        *names = RUNTIMES.map(|runtime| format!("selfreport_{}", suffix(runtime))).to_vec();
        assert_eq!(wrong(&wanted(&known)), [""; 0]);
    }

    #[test]
    fn a_missing_test_is_reported() {
        let mut known = known();
        *known.get_mut("selfreport").unwrap() = vec!["selfreport_on_9_0".to_owned()];
        let wrong = wrong(&wanted(&known));
        assert!(
            wrong[0].starts_with("slowpatheltenter: none of [\"selfreport::selfreport\"] exists on 3.1"),
            "{wrong:?}"
        );
        known.get_mut("selfreport").unwrap().clear();
        let wrong = super::wrong(&wanted(&known));
        assert!(wrong[0].starts_with("slowpatheltenter: not all of"), "{wrong:?}");
    }

    #[test]
    fn issues_are_linked() {
        let link = format!("C# ([#12]({ISSUES}12)) and [#3]({ISSUES}3)");
        assert_eq!(linked("C# (#12) and #3"), link);
    }

    #[test]
    fn only_passed_tests_count_as_held() {
        let said = "test a::on_9_0 ... ok\ntest b_on_9_0 ... FAILED\ntest c_on_9_0 ... ignored\n";
        assert!(passed(said, "a::on_9_0"));
        assert!(!passed(said, "b_on_9_0") && !passed(said, "c_on_9_0") && !passed(said, "on_9_0"));
        let wanted = wanted(&known());
        let all: BTreeSet<Test> = wanted.iter().flatten().flatten().cloned().collect();
        let (text, counts) = written(&wanted, &all);
        assert!(
            text.contains("| **failed** | **failed** | **failed** | **failed** | **failed** |")
                && !text.contains("| held"),
            "{text}"
        );
        assert!(counts.ends_with("0 on 3.1, 0 on 8.0, 0 on 9.0, 0 on 10.0, 0 on 11.0."), "{counts}");
    }
}
