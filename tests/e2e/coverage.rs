//! `coverage` reports the same counts as the program, line by line and branch by branch, also when it is killed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, azmcp_program, runtime};
use corprof_testkit::launch::{Finished, Launch, scratch};
use corprof_testkit::paths;
use coverage_report::report::Line;
use coverage_report::{data, report};
use e2e::app::{App, Build};
use e2e::traced::profiler;

const PATIENCE: Duration = Duration::from_secs(180);
const VERSIONS: [RuntimeVersion; 4] = RuntimeVersion::PINNED;

fn launch(version: RuntimeVersion, dll: &Path, out: &Path) -> Result<Launch> {
    let launch = Launch::new(&runtime(version)?, dll).profiler(&profiler("coverage")?);
    Ok(launch
        .env("COVERAGE_OUT", out)
        .env("COVERAGE_EXACT", "1")
        .env("COVERAGE_EXCLUDE", "*Covered.Counted.*"))
}

/// The sources that count themselves.
const SOURCES: [&str; 2] = ["Cases.cs", "More.cs"];

/// The lines of each source that counts itself.
type Counted = BTreeMap<&'static str, BTreeMap<u32, Line>>;

fn lines(out: &Path) -> Result<Counted> {
    let methods = report::methods(&data::read(out)?);
    let files = report::files(&methods);
    let lines = |source: &'static str| {
        let found = files.iter().find(|(name, _)| name.ends_with(source));
        Ok((source, found.with_context(|| format!("no {source}"))?.1.clone()))
    };
    SOURCES.into_iter().map(lines).collect()
}

/// Compares the program's counts with those of the report.
fn agree(finished: &Finished, counted: &Counted, is_optimised: bool) -> Result<()> {
    let (mut wrong, mut compared, mut branches) = (Vec::new(), 0, 0);
    for line in finished.stdout.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let &[kind @ ("line" | "branch"), file, number, ref counts @ ..] = words.as_slice() else { continue };
        let number: u32 = number.parse()?;
        let counts: Vec<u64> = counts.iter().map(|count| count.parse()).collect::<Result<_, _>>()?;
        let Some(own) = counted.get(file).and_then(|lines| lines.get(&number)) else {
            wrong.push(format!("line {number} of {file} is missing"));
            continue;
        };
        let same = match kind {
            "line" => own.hits == counts[0],
            _ => {
                branches += 1;
                let (mut ways, mut expected) = (own.branches.clone(), counts.clone());
                // In optimised code a `switch` has no sequence point of its own, and counts for the statement before.
                ways.truncate(if is_optimised { 2 } else { usize::MAX });
                ways.sort_unstable();
                expected.sort_unstable();
                ways == expected
            }
        };
        compared += 1;
        if !same {
            wrong.push(format!("{line}: counted {own:?}"));
        }
    }
    ensure!(wrong.is_empty(), "{} of {compared}:\n{}\n{}", wrong.len(), wrong.join("\n"), finished.report());
    ensure!(compared > 120 && branches >= 18, "only {compared} lines and {branches} branches");
    // Lines that the program has not reached.
    for (file, lines) in counted {
        let source = fs::read_to_string(paths::workspace().join("tests/apps/covered").join(file))?;
        for (number, _) in (1..).zip(source.lines()).filter(|(_, text)| text.contains("Never();")) {
            let hits = lines.get(&number).map(|line| line.hits);
            ensure!(hits == Some(0), "line {number} of {file} was never run, counted {hits:?}");
        }
        for (number, _) in (1..).zip(source.lines()).filter(|(_, text)| text.contains("// excluded")) {
            ensure!(!lines.contains_key(&number), "line {number} of {file} is excluded");
        }
    }
    println!("{compared} lines and branches agree");
    Ok(())
}

#[test]
fn lines_and_branches_are_counted_as_the_program_counts_itself() -> Result<()> {
    for version in VERSIONS {
        for build in [Build::Debug, Build::Optimised] {
            let app = App::compile("covered", version, build)?;
            let out = scratch(&format!("coverage-{}", app.label))?;
            let finished = launch(version, &app.dll, &out)?.run()?.ends_with(3)?;
            agree(&finished, &lines(&out)?, build == Build::Optimised)?;
        }
    }
    Ok(())
}

/// The assembly is not that of the program: a host loads it into a context, which may be unloaded, and calls it by reflection.
#[test]
fn assemblies_that_a_test_host_loads_are_measured() -> Result<()> {
    for version in VERSIONS {
        let app = App::compile("covered", version, Build::Debug)?;
        let host = App::compile("testhost", version, Build::Optimised)?;
        for context in ["context", "collectible"] {
            let out = scratch(&format!("coverage-{}-{context}", host.label))?;
            let launch = launch(version, &host.dll, &out)?.env("COVERAGE_INCLUDE", "covered.dll!*");
            let finished = launch.arg(&app.dll).arg(context).run()?.ends_with(3)?;
            agree(&finished, &lines(&out)?, false).with_context(|| format!("{context} on {version}"))?;
            let methods = report::methods(&data::read(&out)?);
            ensure!(methods.iter().all(|method| method.class.starts_with("Covered.")), "{methods:?}");
        }
    }
    Ok(())
}

/// `azmcp` has its PDB in itself: what is printed was run, and what belongs to other commands was not.
#[test]
fn assemblies_with_an_embedded_pdb_are_measured() -> Result<()> {
    let out = scratch("coverage-azmcp")?;
    let launch = Launch::new(&runtime(RuntimeVersion::V9_0)?, azmcp_program()?).args(["tools", "list"]);
    let unchanged = launch.clone().timeout(PATIENCE).run()?.ok()?;
    let finished = launch
        .profiler(&profiler("coverage")?)
        .env("COVERAGE_OUT", &out)
        .env("COVERAGE_INCLUDE", "azmcp.dll!*")
        .timeout(PATIENCE)
        .run()?
        .ok()?;
    let without_times = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.contains("\"duration\": ")).map(str::to_owned).collect()
    };
    ensure!(without_times(&finished.stdout) == without_times(&unchanged.stdout), "{}", finished.report());
    let methods = report::methods(&data::read(&out)?);
    let main = methods.iter().find(|method| method.name == "Main").context("no Main")?;
    ensure!(main.lines.values().any(|line| line.hits > 0), "{main:?}");
    let files = report::files(&methods);
    let (lines, run) = files
        .values()
        .flat_map(BTreeMap::values)
        .fold((0, 0), |(all, run), line| (all + 1, run + usize::from(line.hits > 0)));
    println!("azmcp.dll: {run} of {lines} lines in {} files, {} methods", files.len(), methods.len());
    ensure!(run > 500 && run * 2 < lines, "{run} of {lines} lines");
    Ok(())
}

#[test]
fn nothing_is_lost_when_the_program_is_killed() -> Result<()> {
    for version in VERSIONS {
        let app = App::compile("covered", version, Build::Debug)?;
        let out = scratch(&format!("coverage-killed-{}", app.label))?;
        let finished = launch(version, &app.dll, &out)?.arg("kill").run()?;
        ensure!(finished.signal() == Some(9), "{}", finished.report());
        agree(&finished, &lines(&out)?, false)?;
    }
    Ok(())
}

/// The counts of two processes are added, and lambdas, iterators and async methods count for their source methods.
#[test]
fn reports_have_the_counts() -> Result<()> {
    let version = RuntimeVersion::V9_0;
    let app = App::compile("covered", version, Build::Debug)?;
    let out = scratch("coverage-reports")?;
    for _ in 0..2 {
        launch(version, &app.dll, &out)?.run()?.ends_with(3)?;
    }
    let methods = report::methods(&data::read(&out)?);
    let names: Vec<String> =
        methods.iter().map(|method| format!("{}.{}", method.class, method.name)).collect();
    ensure!(names.iter().all(|name| !name.contains(['<', '>'])), "{names:?}");
    for name in ["Later", "Iterate", "Lambdas", "Unused"] {
        ensure!(
            names.iter().filter(|own| **own == format!("Covered.Program.{name}")).count() == 1,
            "{names:?}"
        );
    }
    let binary = report_binary()?;
    let file = |name: &str| out.join(name);
    let mut command = Command::new(&binary);
    command.arg(&out).arg("--cobertura").arg(file("c.xml")).arg("--lcov").arg(file("l.info"));
    let output = command.arg("--html").arg(file("h.html")).output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = lines(&out)?;
    let lcov = fs::read_to_string(file("l.info"))?;
    let xml = fs::read_to_string(file("c.xml"))?;
    for (number, line) in lines.values().flatten() {
        ensure!(lcov.contains(&format!("\nDA:{number},{}\n", line.hits)), "{number}: {line:?}");
        ensure!(
            xml.contains(&format!("<line number=\"{number}\" hits=\"{}\"", line.hits)),
            "{number}: {line:?}"
        );
    }
    ensure!(fs::read_to_string(file("h.html"))?.contains("<span class=not>"), "no line that was not run");
    ensure!(String::from_utf8_lossy(&output.stdout).contains("Cases.cs"), "{output:?}");
    Ok(())
}

#[test]
fn no_matching_method_and_a_missing_pdb_are_errors() -> Result<()> {
    let version = RuntimeVersion::V9_0;
    let app = App::compile("covered", version, Build::Debug)?;
    let out = scratch("coverage-nothing")?;
    let finished =
        launch(version, &app.dll, &out)?.env("COVERAGE_INCLUDE", "nothing.dll!*").run()?.ends_with(3)?;
    ensure!(finished.stderr.contains("nothing was measured"), "{}", finished.report());
    let output = Command::new(report_binary()?).arg(&out).output()?;
    ensure!(!output.status.success(), "{output:?}");
    // The same program without its PDB.
    let bare = scratch("coverage-bare")?;
    for name in ["covered.dll", "covered.runtimeconfig.json"] {
        fs::copy(app.dll.with_file_name(name), bare.join(name))?;
    }
    let moved = app.dll.with_extension("moved");
    fs::rename(app.dll.with_extension("pdb"), &moved)?;
    let finished = launch(version, &bare.join("covered.dll"), &out).and_then(Launch::run);
    fs::rename(&moved, app.dll.with_extension("pdb"))?;
    let finished = finished?.ends_with(3)?;
    ensure!(finished.stderr.contains("no portable PDB: covered.dll"), "{}", finished.report());
    let output = Command::new(report_binary()?).arg(&out).output()?;
    ensure!(!output.status.success(), "{output:?}");
    Ok(())
}

/// The binary that makes reports.
fn report_binary() -> Result<PathBuf> {
    let status = Command::new(paths::cargo())
        .args(["build", "-q", "-p", "coverage-report"])
        .current_dir(paths::workspace())
        .status()?;
    ensure!(status.success(), "coverage-report does not build");
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| paths::workspace().join("target"), PathBuf::from);
    Ok(target.join("debug").join(format!("coverage-report{}", std::env::consts::EXE_SUFFIX)))
}

/// Sequence points of one method are malformed: that method is left out, and the others are counted as before.
#[test]
fn a_method_with_malformed_symbols_is_left_out_alone() -> Result<()> {
    let version = RuntimeVersion::V9_0;
    let app = App::compile("covered", version, Build::Debug)?;
    let folder = scratch("coverage-malformed")?;
    for extension in ["dll", "pdb", "runtimeconfig.json"] {
        let file = app.dll.with_extension(extension);
        fs::copy(&file, folder.join(file.file_name().context("no name")?))?;
    }
    let dll = folder.join("covered.dll");
    let broken = break_one_method(&dll.with_extension("pdb"))?;
    let classes = |dll: &Path, out: &str| -> Result<(usize, Finished)> {
        let out = folder.join(out);
        let finished = launch(version, dll, &out)?.run()?.ends_with(3)?;
        let mut methods: Vec<_> =
            data::read(&out)?.into_iter().flat_map(|(module, _)| module.methods).collect();
        methods.retain(|method| method.token & 0x00ff_ffff != broken);
        Ok((methods.len(), finished))
    };
    let (whole, _) = classes(&app.dll, "whole")?;
    let (left, finished) = classes(&dll, "left")?;
    ensure!(left == whole && left > 20, "{left} of {whole}\n{}", finished.report());
    let message = format!("1 methods of {} are not measured; the first: method", dll.display());
    ensure!(finished.stderr.contains(&message), "{}", finished.report());
    Ok(())
}

/// Changes a byte of a PDB so that the sequence points of one method cannot be read. Returns the number of the method.
fn break_one_method(path: &Path) -> Result<u32> {
    use clrnames::pdb::Pdb;
    let whole = fs::read(path)?;
    let readable = |bytes: &[u8]| -> Option<Vec<bool>> {
        let pdb = Pdb::parse(bytes).ok()?;
        let method = |number| {
            let points = pdb.sequence_points(corprof::token::MethodDef::from_rid(number)?).ok()?;
            points.collect::<Result<Vec<_>, _>>().ok()
        };
        pdb.documents().map(|id| pdb.document(id).ok()).collect::<Option<Vec<_>>>()?;
        Some((1..=pdb.method_count()).map(|number| method(number).is_some()).collect())
    };
    for at in (whole.len() / 8..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[at] = 0xff;
        let Some(readable) = readable(&bytes) else { continue };
        let mut failures = (1..).zip(&readable).filter(|(_, readable)| !**readable);
        if let (Some((number, _)), None) = (failures.next(), failures.next()) {
            fs::write(path, bytes)?;
            return Ok(number);
        }
    }
    anyhow::bail!("no byte of {} breaks one method", path.display())
}
