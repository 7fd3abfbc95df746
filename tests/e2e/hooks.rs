//! Fast hooks and hooks with info say the same, from the stubs to the trace: a program is run with each, and the lines of
//! calltrace are compared.
//!
//! That each value is where fast hooks look for it, `e2e/differential.rs` shows for many more calls. Here it is about what
//! cannot be seen within one call: the stubs of fast hooks, what is asked there by another thread, and what is read of
//! objects without the runtime.

use std::time::Duration;

use anyhow::{Result, ensure};
use e2e::app::{App, Build};
use e2e::differential::{Addresses, Difference, Noise, Trace};
use e2e::traced::{Traced, Tracing};
use xtask::dotnet::{RuntimeVersion, azmcp_program, runtime};
use xtask::launch::Launch;

const KINDS: [&str; 2] = ["with-info", "fast"];
const PATIENCE: Duration = Duration::from_secs(300);

/// Hooks with info have code compiled without optimisations. This does it for fast hooks too, so that the same
/// methods are called.
fn not_optimised(launch: Launch) -> Launch {
    launch.env("DOTNET_JITMinOpts", "1").env("COMPlus_JITMinOpts", "1")
}

/// The traces of a program of `tests/apps` are the same to the last digit.
fn same(program: &str, least: usize) -> Result<()> {
    for version in RuntimeVersion::ALL {
        for build in [Build::Optimised, Build::Debug] {
            let app = App::compile(program, version, build)?;
            let run = |kind| Tracing::app(&app, kind)?.with(not_optimised).set("HOOKS", kind).run();
            let [with_info, fast] = [run(KINDS[0])?, run(KINDS[1])?];
            fast.expect((|| {
                ensure!(
                    fast.finished.stdout == with_info.finished.stdout,
                    "the program printed something else"
                );
                let difference = difference(&with_info, None, &fast, Addresses::Compared)?;
                println!("{program} on {version}, {build:?}: {difference}");
                ensure!(difference.equal >= least, "only {difference}");
                ensure!(difference.equal == difference.total(), "{difference}");
                Ok(())
            })())?;
        }
    }
    Ok(())
}

fn difference(
    with_info: &Traced,
    again: Option<&Traced>,
    fast: &Traced,
    addresses: Addresses,
) -> Result<Difference> {
    let read = |traced: &Traced| Trace::read(&traced.trace, addresses);
    let first = read(with_info)?;
    let noise = match again {
        Some(again) => Noise::between(&first, &read(again)?),
        None => Noise::default(),
    };
    Ok(Difference::between(&first, &read(fast)?, &noise))
}

#[test]
fn structs_of_every_kind_are_found_where_they_are() -> Result<()> {
    same("passing", 400)
}

#[test]
fn a_program_with_objects_and_exceptions_is_traced_alike() -> Result<()> {
    same("demo", 20)
}

/// A program that nobody wrote for a comparison: its runs differ a little from each other.
struct Subject {
    name: &'static str,
    /// How it is launched.
    launch: Launch,
    /// The settings that say what is traced of it.
    traced: &'static [(&'static str, &'static str)],
    /// How many lines have to be the same.
    least: usize,
}

/// What differs between two runs with the same hooks is left out: of each thread, the lines are compared in their
/// order, threads in the order in which they began.
fn alike(subject: &Subject) -> Result<()> {
    let run = |run: &str, kind: &str| {
        let mut tracing = Tracing::launching(&format!("hooks-{}-{run}", subject.name), &subject.launch)?
            .with(|launch| not_optimised(launch.timeout(PATIENCE)))
            .set("HOOKS", kind)
            .set("MAX_DEPTH", "1")
            .set("MAX_ITEMS", "4")
            .set("MAX_CHARS", "60");
        for (setting, value) in subject.traced {
            tracing = tracing.set(setting, value);
        }
        tracing.run()
    };
    let with_info = run("with-info", KINDS[0])?;
    let again = run("again", KINDS[0])?;
    let fast = run("fast", KINDS[1])?;
    fast.expect((|| {
        ensure!(fast.finished.stdout == with_info.finished.stdout, "the program printed something else");
        let difference = difference(&with_info, Some(&again), &fast, Addresses::Alike)?;
        println!("{}: {difference}", subject.name);
        let total = difference.total();
        ensure!(difference.found == 0, "{difference}");
        ensure!(difference.equal >= subject.least, "only {difference}");
        ensure!(difference.equal >= total / 2, "too little can be compared: {difference}");
        ensure!(difference.alone <= total / 50, "the calls are not the same: {difference}");
        ensure!(difference.not_located <= total / 200, "too much is not located: {difference}");
        Ok(())
    })())
}

/// With everything traced, a few methods in a thousand are handed memory that nobody has written yet (`stackalloc`, the
/// `this` of a struct's constructor), and each kind of hook leaves something else there; so there is a choice here.
#[test]
fn azmcp_is_traced_alike() -> Result<()> {
    const SOME: &[(&str, &str)] = &[(
        "INCLUDE",
        "System.Collections*.dll!*;System.CommandLine.dll!*;System.Private.CoreLib.dll!System.Collections.*;\
         Microsoft.*!*",
    )];
    let launch = Launch::new(&runtime(RuntimeVersion::V9_0)?, azmcp_program()?);
    alike(&Subject { name: "azmcp", launch: launch.arg("--help"), traced: SOME, least: 50_000 })
}
