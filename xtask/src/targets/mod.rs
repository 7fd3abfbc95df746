//! `cargo xtask targets`: the published crates and the example profilers are checked for other targets than this machine's,
//! `calltrace` is built and linked for each, and the library is looked at: what it exports, and what it needs.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | the steps for each target; `corprof_testkit::targets` has the compilers and linkers |
//! | `library` | exports and needed symbols |
//! | `musl` | loads the library with a C program that is linked with musl |

mod library;
pub(crate) mod musl;

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail, ensure};
use corprof_testkit::machine::{Foreign, Machine};
use corprof_testkit::paths;
use corprof_testkit::targets::{Debian, GLIBC, Kind, TARGETS, Target, succeed};

use self::library::Needs;

/// The crates whose unit tests are run.
const TESTED: [&str; 5] = ["corprof", "corprof-calls", "argvalues", "recording", "diagport"];

/// What is done for each target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// `calltrace` is linked.
    Link,
    /// Everything is checked, and `calltrace` is linked.
    All,
    /// The unit tests of some crates are run.
    Test,
}

/// Compiles for the named targets, or for all.
///
/// # Errors
///
/// When something does not compile, a library has wrong exports or dependencies, or a test fails.
pub(crate) fn run(names: &[String], work: Work) -> Result<()> {
    let all = TARGETS.map(|target| target.name);
    if let Some(unknown) = names.iter().find(|name| !all.contains(&name.as_str())) {
        bail!("{unknown} is not one of the targets: {}", all.join(", "));
    }
    let mut failures = Vec::new();
    let is_wanted = |target: &&Target| names.is_empty() || names.iter().any(|name| name == target.name);
    for target in TARGETS.iter().filter(is_wanted) {
        let begin = Instant::now();
        println!("{}", target.name);
        let done = match work {
            Work::Test => test(target),
            Work::Link => link(target),
            Work::All => check(target).and_then(|()| link(target)),
        };
        if let Err(error) = done {
            eprintln!("    FAILED: {error:#}");
            failures.push(target.name);
        }
        println!("    {:.1} s", begin.elapsed().as_secs_f64());
    }
    ensure!(failures.is_empty(), "{} failed; the messages are above", failures.join(", "));
    Ok(())
}

fn check(target: &Target) -> Result<()> {
    succeed(&mut target.cargo("check")?)?;
    println!("    everything compiles");
    Ok(())
}

fn link(target: &Target) -> Result<()> {
    succeed(target.cargo("zigbuild")?.args(["-p", "calltrace"]))?;
    look_at(target, &target.built().join(target.library))
}

/// Runs the unit tests of some crates, if programs of the target can be run.
fn test(target: &Target) -> Result<()> {
    let mut command = target.cargo("test")?;
    command.args(["--lib", "--no-fail-fast"]).args(TESTED.iter().flat_map(|name| ["-p", name]));
    if target.name != "x86_64-unknown-linux-gnu" {
        let foreign: Foreign = target.name.parse().map_err(anyhow::Error::msg)?;
        Machine::of(foreign)?.run_tests(foreign, &mut command);
    }
    succeed(&mut command)
}

fn look_at(target: &Target, path: &Path) -> Result<()> {
    let bytes = library::read(path)?;
    library::exports(&bytes)?;
    println!("    linked, and exports what the runtime looks for");
    match target.kind {
        Kind::Gnu => Needs::read(&bytes)?.at_most_glibc(GLIBC),
        Kind::Musl => {
            Needs::read(&bytes)?.nothing_of_glibc()?;
            let folder = paths::targets_dir();
            musl::loads(&Debian::provision(&folder)?, path, &folder.join("musl"))
        }
        Kind::Windows | Kind::Mac => Ok(()),
    }
}
