//! `exceptions`, `gc` and a small profiler in one library: each reports what it reports alone.

use std::collections::BTreeMap;
use std::fs;
use std::sync::OnceLock;

use anyhow::{Result, anyhow, ensure};
use corprof_cli::workspace::Package;
use corprof_testkit::Profiler;
use corprof_testkit::dotnet::RuntimeVersion;
use corprof_testkit::paths;
use e2e::traced::profiler;

use crate::exceptions::{Site, exceptions_are_those_of_the_program_in, sites};
use crate::gc::collections_are_those_of_the_program_in;
use crate::{report, run_in, written};

/// The class ids of the library: of the three together, and of the small profiler alone.
const CLASSES: [&str; 2] =
    ["{6E8A1D52-0B7C-4F39-9D14-5C2E7A60B3F8}", "{6E8A1D52-0B7C-4F39-9D14-5C2E7A60B3F9}"];

/// The library with the three, and with the small profiler alone.
fn library() -> Result<[Profiler; 2]> {
    static BUILT: OnceLock<Result<std::path::PathBuf, String>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        // A workspace of its own, with the dependencies of this one.
        let package = Package {
            name: "composed".to_owned(),
            folder: paths::workspace().join("tests/profilers/composed"),
        };
        let target = paths::workspace().join("target").to_string_lossy().into_owned();
        package
            .build_among(&["--locked".to_owned(), "--target-dir".to_owned(), target], false)
            .map_err(|error| format!("{error:#}"))
    });
    let path = built.as_ref().map_err(|error| anyhow!("{error}"))?;
    let [together, alone] = CLASSES;
    Ok([Profiler::new(path, together.parse()?), Profiler::new(path, alone.parse()?)])
}

/// What a report says of the program: the thrown and caught exceptions by type, and the number at each throw site.
type Said<'r> = (Vec<&'r str>, BTreeMap<String, u64>);

/// A site is known by the innermost of the program's own methods on the stack: what is around it depends on the thread that goes on
/// with an awaited task.
fn said(report: &str) -> Result<Said<'_>> {
    let types = report.lines().skip_while(|line| !line.contains("thrown  caught  type"));
    let types = types.take_while(|line| !line.is_empty()).collect();
    let mut counts = BTreeMap::new();
    for Site { count, type_name, message, caught_in, stack } in sites(report)? {
        let own = stack.iter().find(|frame| frame.starts_with("Thrown.")).unwrap_or(&"[none]");
        *counts.entry(format!("{type_name}: {message}, caught in {caught_in}, at {own}")).or_insert(0) +=
            count;
    }
    Ok((types, counts))
}

pub(crate) fn parts_report_what_they_report_alone(version: RuntimeVersion) -> Result<()> {
    let [library, modules_alone] = library()?;
    // All in one run.
    let (launch, exceptions) = run_in(&library, "exceptions", "exceptions", version, "all.txt")?;
    let [collections, modules] = ["gc.txt", "modules.txt"].map(|file| exceptions.with_file_name(file));
    let finished =
        launch.env("GC_OUT", written("gc", &collections)).env("COMPOSED_OUT", &modules).run()?.ok()?;
    let with_report = || finished.report();
    ensure!(report(&collections)?.contains("collections"), "{}", with_report());

    let (launch, alone) = run_in(&profiler("exceptions")?, "exceptions", "exceptions", version, "alone.txt")?;
    launch.run()?.ok()?;
    let (ours, alone) = (report(&exceptions)?, report(&alone)?);
    let (together, alone) = (said(&ours)?, said(&alone)?);
    ensure!(together.1.len() > 10, "{ours}");
    ensure!(together == alone, "{together:#?}\n{alone:#?}\n{}", with_report());

    let (launch, _) = run_in(&modules_alone, "composed", "exceptions", version, "modules.txt")?;
    let alone = modules.with_file_name("modules-alone.txt");
    launch.env("COMPOSED_OUT", &alone).run()?.ok()?;
    let [ours, alone] = [fs::read_to_string(&modules)?, fs::read_to_string(&alone)?];
    ensure!(ours.lines().any(|name| name == "tooled.dll"), "{ours}");
    ensure!(ours == alone, "{ours}\n{alone}\n{}", with_report());

    // What the program states of itself.
    exceptions_are_those_of_the_program_in(&library, version)?;
    collections_are_those_of_the_program_in(&library, version)
}
