//! The memory of `corprof trace` does not grow with the length of a recording whose calls have the same paths.
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use argvalues::{Mode, Primitive};
use corprof_cli::trace;
use recording::{Function, Options, Parameter, Recorder};

/// The numbers of calls of each thread.
const FEW: i32 = 5_000;
const MANY: i32 = 400_000;

/// How much more memory many calls may take than few, in KiB. The recording of many has 30,000 more.
const MORE: u64 = 6 << 10;

/// The same for the export, which keeps up to 16 MB of each table, and has few calls in memory as a whole.
const MORE_OF_TABLES: u64 = 100 << 10;

const WORDS: &str = "CORPROF_TEST_READER";

/// Run by the other test in a process of its own.
#[test]
fn a_command_for_another_test() {
    let Ok(words) = std::env::var(WORDS) else { return };
    let report = trace::run(words.lines(), &mut io::sink()).unwrap();
    assert_eq!(report.ending, Some(recording::Ending::Finished { lost: 0 }));
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    println!("peak {}", peak.trim().trim_end_matches(" kB"));
}

/// Returns the peak of a command's resident memory in KiB.
fn peak(words: &[&str]) -> u64 {
    let mut process = Command::new(std::env::current_exe().unwrap());
    process.args(["--exact", "--nocapture", "a_command_for_another_test"]).env(WORDS, words.join("\n"));
    let output = process.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let peak = said.lines().find_map(|line| line.split_once("peak ")?.1.parse().ok());
    peak.unwrap_or_else(|| panic!("{words:?}: {said}{}", String::from_utf8_lossy(&output.stderr)))
}

/// Two threads that call `Shop.Outer`, which calls `Shop.Inner` with 0, 1, … and gets twice the number.
fn record(folder: &Path, calls: i32) -> PathBuf {
    let file = folder.join(format!("{calls}.rec"));
    let output = File::create(&file).unwrap();
    let recorder = Recorder::start(output, Options::default(), |error| panic!("{error}")).unwrap();
    let named = |name: &str| Function { name: name.into(), module: "shop.dll".into(), ..Function::default() };
    let outer = recorder.define(&Function { arguments: Some([].into()), ..named("Shop.Outer") }).unwrap();
    let count = Parameter { name: "count".into(), type_name: "int".into(), mode: Mode::Value };
    let inner = Function {
        arguments: Some([Primitive::I32].into()),
        result: Some(Primitive::I64),
        parameters: vec![count],
        returns: Some("long".into()),
        ..named("Shop.Inner")
    };
    let inner = recorder.define(&inner).unwrap();
    for id in [11, 12] {
        let mut thread = recorder.thread(id);
        for number in 0..calls {
            thread.enter(&outer, |_| None);
            thread.enter(&inner, |_| Some(number.cast_unsigned().into()));
            thread.leave(&inner, || Some(2 * u64::from(number.cast_unsigned())));
            thread.leave(&outer, || None);
        }
    }
    recorder.finish().unwrap();
    file
}

#[test]
fn memory_does_not_grow_with_the_number_of_calls() {
    let folder = tempfile::tempdir().unwrap();
    let [few, many] = [FEW, MANY].map(|calls| record(folder.path(), calls));
    let [short, long] = [&few, &many].map(|file| fs::metadata(file).unwrap().len());
    // Otherwise the recording could be in memory as a whole.
    assert!(long - short > 4 * (MORE << 10), "{short} and {long} bytes");
    let grows = |words: &[&str], most: u64| {
        let [few, many] = [&few, &many].map(|file| {
            let mut words = words.to_vec();
            words.insert(1, file.to_str().unwrap());
            peak(&words)
        });
        println!("{}: {few} and {many} KiB", words.join(" "));
        assert!(many <= few + most, "{words:?}: {few} and {many} KiB");
    };
    for words in [
        &["print"][..],
        &["tree"],
        &["top"],
        &["flame"],
        &["flame", "--folded"],
        &["speedscope"],
        &["chrome"],
        &["find", "--where", "count=77"],
        &["find", "--at-least", "1h"],
        // With an index.
        &["top", "--thread", "12"],
        &["find", "--method", "Shop.Inner", "--where", "count=77"],
    ] {
        grows(words, MORE);
    }
    if cfg!(feature = "parquet") {
        for (calls, file) in [(FEW, &few), (MANY, &many)] {
            let tables = folder.path().join(format!("tables-{calls}"));
            let words =
                ["export", file.to_str().unwrap(), "--format", "parquet", "-o", tables.to_str().unwrap()];
            let peak = peak(&words);
            println!("export of {calls} calls: {peak} KiB");
            assert!(peak <= MORE_OF_TABLES, "{calls} calls: {peak} KiB");
        }
    }
}
