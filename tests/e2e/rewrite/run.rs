//! Runs of programs whose methods are rewritten by `profilers/rewrite`, and what that reports.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::launch::{Finished, Launch, scratch};
use e2e::stated;

pub(crate) const CLSID: &str = "{3F1C2D4E-7A5B-4C6D-9E8F-0A1B2C3D4E5F}";
pub(crate) const MODES: [&str; 3] = ["nop", "finally", "call"];
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// What the profiler has done.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) submitted: u64,
    pub(crate) unchanged: u64,
    pub(crate) refused: Vec<String>,
    /// Entries and exits of each method.
    pub(crate) calls: BTreeMap<String, (u64, u64)>,
}

impl Report {
    fn parse(text: &str) -> Result<Self> {
        let mut report = Self::default();
        for line in text.lines() {
            let (kind, rest) = line.split_once(' ').context("a line without a kind")?;
            match kind {
                "submitted" => report.submitted = rest.parse()?,
                "unchanged" => report.unchanged = rest.parse()?,
                "refused" => report.refused.push(rest.to_owned()),
                "calls" => {
                    let mut parts = rest.splitn(3, ' ');
                    let mut next = || parts.next().context("a line that is too short");
                    let (entered, left, name) = (next()?.parse::<u64>()?, next()?.parse::<u64>()?, next()?);
                    let calls = report.calls.entry(plain(name)).or_default();
                    calls.0 += entered;
                    calls.1 += left;
                }
                _ => {}
            }
        }
        Ok(report)
    }
}

/// Runs a program with the profiler.
pub(crate) fn run(name: &str, mode: &str, scope: &str, launch: Launch) -> Result<(Finished, Report)> {
    let out = scratch(&format!("rewrite-{name}-{mode}-{scope}"))?.join("report");
    let finished = launch
        .profiler(&stated::profiler("rewrite", CLSID)?)
        .env("REWRITE_MODE", mode)
        .env("REWRITE_SCOPE", scope)
        .env("REWRITE_OUT", &out)
        .timeout(PATIENCE)
        .run()?;
    let text = fs::read_to_string(&out).with_context(|| format!("no report\n{}", finished.report()))?;
    Ok((finished, Report::parse(&text)?))
}

/// Runs a program with every method rewritten. No method may be refused.
pub(crate) fn rewritten(name: &str, mode: &str, scope: &str, launch: Launch) -> Result<(Finished, Report)> {
    let (finished, report) = run(name, mode, scope, launch)?;
    ensure!(report.refused.is_empty(), "{mode}: refused:\n{}", report.refused.join("\n"));
    ensure!(report.submitted > 0, "{mode}: no method was rewritten\n{}", finished.report());
    println!("{name} {mode} {scope}: {} methods", report.submitted);
    Ok((finished, report))
}

/// Both runs must end alike.
pub(crate) fn alike(plain: &Finished, rewritten: &Finished) -> Result<()> {
    let same = plain.status == rewritten.status
        && plain.stdout == rewritten.stdout
        && plain.stderr == rewritten.stderr;
    ensure!(
        same,
        "not rewritten, it ended with {:?} and printed\n{}{}\n{}",
        plain.status,
        plain.stdout,
        plain.stderr,
        rewritten.report()
    );
    Ok(())
}

/// A name without return type, parameters and type arguments: `int A<T>.B(int)` becomes `A.B`.
pub(crate) fn plain(name: &str) -> String {
    let (mut plain, mut depth) = (String::new(), 0);
    for c in name.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            '(' if depth == 0 && !plain.is_empty() && !plain.ends_with(' ') => break,
            ' ' if depth == 0 => plain.clear(),
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    plain
}
