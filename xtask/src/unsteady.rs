//! Runs end-to-end tests, and runs those again, alone, that have failed.
//!
//! The tests start a thousand .NET programs, several at once, on machines that do other work: now and then one fails for a
//! reason of time alone. Such a test is run again by itself. If it passes, it is named in the summary as unsteady: it has a
//! fault, its own or the code's, but not one that this revision must have brought. More than [`MOST`] failures are no accident.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context as _, Result, bail, ensure};

/// The number of failed tests that are run again.
const MOST: usize = 3;

/// What the output of `cargo test` says of failures.
#[derive(Debug, Default, PartialEq, Eq)]
struct Failures {
    /// The failed tests.
    tests: Vec<String>,
    /// The number of test programs that have reported failures.
    reported: usize,
    /// The number of test programs that have failed: more than have reported it, if one has been killed.
    programs: usize,
}

impl Failures {
    fn see(&mut self, line: &str) {
        if let Some(name) = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED")) {
            self.tests.push(name.to_owned());
        }
        self.reported += usize::from(line.starts_with("test result: FAILED."));
        self.programs += usize::from(line.starts_with("error: test failed, to rerun pass"));
    }

    fn of(output: &str, errors: &str) -> Self {
        let mut failures = Self::default();
        output.lines().chain(errors.lines()).for_each(|line| failures.see(line));
        failures
    }
}

/// Copies a stream line by line, and returns its text.
fn copied(from: impl Read, mut to: impl Write) -> std::io::Result<String> {
    let mut text = String::new();
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line)? > 0 {
        to.write_all(&line)?;
        text.push_str(&String::from_utf8_lossy(&line));
        line.clear();
    }
    Ok(text)
}

/// The output of the tests, and what cargo says.
type Shown = [fn() -> Box<dyn Write + Send>; 2];

const SHOWN: Shown = [|| Box::new(std::io::stdout()), || Box::new(std::io::stderr())];

/// Runs `cargo test` and shows its output. Returns whether it has succeeded, and the failures.
fn run(mut command: Command, [shown, shown_errors]: Shown) -> Result<(bool, Failures)> {
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().context("cannot start cargo")?;
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    let (output, errors) = (output.context("no output")?, errors.context("no error output")?);
    let errors = thread::spawn(move || copied(errors, shown_errors()));
    let output = copied(output, shown()).context("cannot read the output of cargo")?;
    let Ok(errors) = errors.join() else { bail!("the error output of cargo cannot be read") };
    let errors = errors.context("cannot read the error output of cargo")?;
    let status = child.wait().context("cannot wait for cargo")?;
    Ok((status.success(), Failures::of(&output, &errors)))
}

/// Runs `cargo test`, which `command` returns with more arguments for the test programs, and again for what has failed.
/// Returns the unsteady tests. `repeat` is the command line for the reader.
pub(crate) fn test(repeat: &str, command: impl Fn(&[&str]) -> Command) -> Result<Vec<String>> {
    shown_by(SHOWN, repeat, command)
}

fn shown_by(shown: Shown, repeat: &str, command: impl Fn(&[&str]) -> Command) -> Result<Vec<String>> {
    let (has_passed, failures) = run(command(&[]), shown)?;
    if has_passed {
        return Ok(Vec::new());
    }
    let Failures { tests, reported, programs } = &failures;
    ensure!(
        !tests.is_empty() && tests.len() <= MOST && reported == programs,
        "failed; the command was: {repeat}"
    );
    writeln!(
        shown[1](),
        "\nagain, alone, since no more than {MOST} tests have failed: {}",
        tests.join(", ")
    )?;
    let names: Vec<&str> = tests.iter().map(String::as_str).collect();
    let (has_passed, _) =
        run(command(&[&["--exact", "--test-threads=1"], names.as_slice()].concat()), shown)?;
    ensure!(has_passed, "{} failed twice; the command was: {repeat}", tests.join(", "));
    Ok(failures.tests)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
running 2 tests
test the_sum::on_8_0 ... ok
test the_sum::on_9_0 ... FAILED

failures:

---- the_sum::on_9_0 stdout ----
test of the program ... FAILED to print
test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.00s
";

    #[test]
    fn failed_tests_and_killed_programs_are_told_apart() {
        let errors = "error: test failed, to rerun pass `-p e2e --test tools`\n";
        let failures = Failures::of(OUTPUT, errors);
        assert_eq!(
            failures,
            Failures { tests: vec!["the_sum::on_9_0".to_owned()], reported: 1, programs: 1 }
        );
        let killed = "error: test failed, to rerun pass `-p e2e --test attach`\n\nCaused by:\n  signal: 11\n";
        assert_eq!(Failures::of(OUTPUT, &format!("{errors}{killed}")).programs, 2);
    }

    /// A test program of a shell: it fails the first `failures` times, with the test of that name.
    fn program(folder: &std::path::Path, failures: usize, again: &[&str]) -> Command {
        let script = format!(
            "echo run >> runs; [ $(wc -l < runs) -gt {failures} ] && exit 0
             echo 'test it::on_8_0 ... FAILED'; echo 'test result: FAILED. 0 passed; 1 failed'
             echo 'error: test failed, to rerun pass `--test it`' >&2; exit 101"
        );
        let mut command = Command::new("sh");
        command.args(["-c", &script, "sh"]).args(again).current_dir(folder);
        command
    }

    #[test]
    fn a_test_that_passes_alone_is_unsteady_and_one_that_does_not_has_failed() {
        let run = |failures| {
            let folder = tempfile::tempdir().expect("a folder");
            let hidden: Shown = [|| Box::new(std::io::sink()), || Box::new(std::io::sink())];
            shown_by(hidden, "cargo test", |again| program(folder.path(), failures, again))
        };
        assert_eq!(run(0).expect("passed"), [""; 0]);
        assert_eq!(run(1).expect("passed"), ["it::on_8_0"]);
        assert!(run(2).expect_err("it fails twice").to_string().contains("it::on_8_0 failed twice"));
    }
}
