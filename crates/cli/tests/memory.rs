//! The memory of `corprof trace` does not grow with the length of a recording whose calls have the same paths.
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, anyhow, ensure};
use argvalues::{Mode, Primitive};
use corprof_cli::trace;
use recording::{Function, Options, Parameter, Recorder};

/// The numbers of calls of each thread.
const FEW: i32 = 5_000;
const MANY: i32 = 250_000;

/// How much more memory many calls may take than few, in KiB. The recording of many has more than four times as much more.
const MORE: u64 = 5 << 10;

/// The most memory that the export takes, in KiB: it keeps up to 16 MB of each table. What it reads and writes has 200 MB.
const MOST_OF_EXPORT: u64 = 100 << 10;

const WORDS: &str = "CORPROF_TEST_READER";

/// Run by the other test in a process of its own.
#[test]
fn a_command_for_another_test() -> Result<()> {
    let Ok(words) = std::env::var(WORDS) else { return Ok(()) };
    let report = trace::run(words.lines(), &mut io::sink())?;
    ensure!(report.ending == Some(recording::Ending::Finished { lost: 0 }), "{report:?}");
    let status = fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no figure")?;
    println!("peak {}", peak.trim().trim_end_matches(" kB"));
    Ok(())
}

/// Returns the peak of a command's resident memory in KiB.
fn peak(words: &[&str]) -> Result<u64> {
    let mut process = Command::new(std::env::current_exe()?);
    process.args(["--exact", "--nocapture", "a_command_for_another_test"]).env(WORDS, words.join("\n"));
    let output = process.output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let peak = said.lines().find_map(|line| line.split_once("peak ")?.1.parse().ok());
    peak.with_context(|| format!("{words:?}: {said}{}", String::from_utf8_lossy(&output.stderr)))
}

/// Two threads that call `Shop.Outer`, which calls `Shop.Inner` with 0, 1, … and gets twice the number.
fn record(folder: &Path, calls: i32) -> Result<PathBuf> {
    let file = folder.join(format!("{calls}.rec"));
    let report = |error: &io::Error| eprintln!("{error}");
    let recorder = Recorder::start(File::create(&file)?, Options::default(), report)?;
    let named = |name: &str| Function { name: name.into(), module: "shop.dll".into(), ..Function::default() };
    let define = |function| recorder.define(&function).context("there are too many functions");
    let outer = define(Function { arguments: Some([].into()), ..named("Shop.Outer") })?;
    let count = Parameter { name: "count".into(), type_name: "int".into(), mode: Mode::Value };
    let inner = define(Function {
        arguments: Some([Primitive::I32].into()),
        result: Some(Primitive::I64),
        parameters: vec![count],
        returns: Some("long".into()),
        ..named("Shop.Inner")
    })?;
    for id in [11, 12] {
        let mut thread = recorder.thread(id);
        for number in 0..calls {
            thread.enter(&outer, |_| None);
            thread.enter(&inner, |_| Some(number.cast_unsigned().into()));
            thread.leave(&inner, || Some(2 * u64::from(number.cast_unsigned())));
            thread.leave(&outer, || None);
        }
    }
    recorder.finish().map_err(|error| anyhow!("{error}"))?;
    Ok(file)
}

#[test]
fn memory_does_not_grow_with_the_number_of_calls() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (few, many) = (record(folder.path(), FEW)?, record(folder.path(), MANY)?);
    let (short, long) = (fs::metadata(&few)?.len(), fs::metadata(&many)?.len());
    // Otherwise the recording could be in memory as a whole.
    ensure!(long - short > 4 * (MORE << 10), "{short} and {long} bytes");
    let shown = |file: &Path| file.to_str().map(str::to_owned).context("the path is not UTF-8");
    let (few, many) = (shown(&few)?, shown(&many)?);
    for words in [
        &["print"][..],
        &["tree"],
        &["top"],
        &["flame"],
        &["flame", "--folded"],
        &["speedscope"],
        &["chrome"],
        &["find", "--where", "count=77"],
        &["find", "--at-least", "3600s"],
        // With an index.
        &["top", "--thread", "12"],
        &["find", "--method", "Shop.Inner", "--where", "count=77"],
    ] {
        let of = |file: &str| {
            let (command, options) = words.split_first().context("no command")?;
            peak(&[&[*command, file], options].concat())
        };
        let (few, many) = (of(&few)?, of(&many)?);
        println!("{}: {few} and {many} KiB", words.join(" "));
        ensure!(many <= few + MORE, "{words:?}: {few} and {many} KiB");
    }
    for (name, file) in [("few", &few), ("many", &many)] {
        let tables = shown(&folder.path().join(name))?;
        let peak = peak(&["export", file, "--format", "parquet", "-o", &tables])?;
        println!("export of {name} calls: {peak} KiB");
        ensure!(peak <= MOST_OF_EXPORT, "{name} calls: {peak} KiB");
    }
    Ok(())
}
