//! The memory of the commands that read recordings: for deep calls, and for forged files.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use corprof_cli::trace;
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::{Launch, scratch};
use e2e::traced::{calltrace, optimised_at_once};

use crate::run::{app, inside};

/// The depth of the calls. A flame graph of them once took 2.9 GiB.
const DEPTH: &str = "15000";
/// The limits of a command's resident memory and of its address space, in KiB.
const PEAK: u64 = 100 << 10;
const LIMIT: u64 = 4 << 20;
const WORDS: &str = "HOSTILE_READER";

const COMMANDS: [&[&str]; 8] = [
    &["print"],
    &["print", "--format", "jsonl"],
    &["tree", "--depth", "100000", "--least", "0"],
    &["top"],
    &["flame"],
    &["flame", "--depth", "100000"],
    &["chrome"],
    &["speedscope"],
];

/// Run by the other test in a process with limited memory.
#[test]
fn a_command_for_another_test() -> Result<()> {
    let Ok(words) = std::env::var(WORDS) else { return Ok(()) };
    // A forged recording may be refused.
    let outcome = trace::run(words.lines(), &mut io::sink());
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no figure")?;
    println!(
        "peak {} {}",
        peak.trim().trim_end_matches(" kB"),
        if outcome.is_ok() { "read" } else { "refused" }
    );
    Ok(())
}

/// Returns the peak of a command's resident memory in KiB, and whether the recording was read.
fn peak(command: &[&str], recording: &Path) -> Result<(u64, bool)> {
    let mut words = vec![command[0], recording.to_str().context("the path is not UTF-8")?];
    words.extend(&command[1..]);
    let mut process = Command::new(std::env::current_exe()?);
    process.args(["--exact", "--nocapture", "readers::a_command_for_another_test"]);
    process.env(WORDS, words.join("\n"));
    let limit = format!(r#"ulimit -v {LIMIT}; exec "$@""#);
    let output = inside(Path::new("/bin/sh"), &["-c", &limit, "sh"], &process).output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let figure = said.lines().find_map(|line| line.split_once("peak ")?.1.split_once(' '));
    let (peak, outcome) =
        figure.with_context(|| format!("{words:?}: {said}{}", String::from_utf8_lossy(&output.stderr)))?;
    Ok((peak.parse()?, outcome.starts_with("read")))
}

/// Records deep calls.
fn deep(folder: &Path) -> Result<PathBuf> {
    let version = RuntimeVersion::V9_0;
    let trace = folder.join("deep.rec");
    let launch = Launch::new(&runtime(version)?, &app(version)?.dll).args(["deep", DEPTH]);
    let launch = optimised_at_once(launch).profiler(&calltrace()?).env("CALLTRACE_FORMAT", "binary");
    launch.env("CALLTRACE_OUT", &trace).run()?.ok()?;
    Ok(trace)
}

/// Returns the beginning of a real recording, followed by these records of its first thread.
fn forged(real: &[u8], records: &[u8]) -> Result<Vec<u8>> {
    const FILE_HEADER: usize = 16;
    const BLOCK_HEADER: usize = 12;
    const RECORDS: u32 = 5;
    const THREAD: u32 = 4;
    let mut file = real.get(..FILE_HEADER).context("no header")?.to_vec();
    let (mut at, mut has_thread) = (FILE_HEADER, false);
    while !has_thread {
        let number = |from: usize| -> Result<u32> {
            Ok(u32::from_le_bytes(real.get(from..from + 4).context("no block")?.try_into()?))
        };
        let (kind, end) = (number(at)?, at + BLOCK_HEADER + usize::try_from(number(at + 4)?)?);
        if kind != RECORDS {
            file.extend(real.get(at..end).context("a block is cut")?);
        }
        (at, has_thread) = (end, kind == THREAD);
    }
    // The first thread has number 0.
    let content = [&[0], records].concat();
    let length = u32::try_from(content.len())?.to_le_bytes();
    let mut check = crc32fast::Hasher::new();
    [&RECORDS.to_le_bytes(), &length, &*content].into_iter().for_each(|part| check.update(part));
    for part in [&RECORDS.to_le_bytes(), &length, &check.finalize().to_le_bytes(), &*content] {
        file.extend(part);
    }
    Ok(file)
}

/// A record of lost records, with the depth after them.
fn lost(records: u64, depth: u32) -> Vec<u8> {
    const LOST: u64 = 9;
    [&LOST.to_le_bytes()[..], &records.to_le_bytes(), &depth.to_le_bytes()].concat()
}

#[test]
fn readers_take_no_more_memory_than_recordings_are_worth() -> Result<()> {
    let folder = scratch("hostile/readers")?;
    let deep = deep(&folder)?;
    let real = std::fs::read(&deep)?;
    let falling: Vec<u8> = (0..2000).rev().flat_map(|n| lost(u64::MAX, n * 1_000_003)).collect();
    let rising: Vec<u8> = (0..2000).flat_map(|n| lost(1, n * 1_000_003)).collect();
    let mut recordings = vec![deep];
    for (name, records) in [
        ("one.rec", lost(u64::MAX, u32::MAX)),
        ("falling.rec", falling),
        ("rising.rec", rising),
        ("cut.rec", lost(u64::MAX, u32::MAX)[..12].to_vec()),
        ("long-value.rec", [&1_u64.to_le_bytes()[..], &u32::MAX.to_le_bytes()].concat()),
    ] {
        let path = folder.join(name);
        std::fs::write(&path, forged(&real, &records)?)?;
        recordings.push(path);
    }
    let mut read = 0;
    for recording in &recordings {
        let name = recording.file_name().unwrap_or_default().display();
        let size = std::fs::metadata(recording)?.len();
        for command in COMMANDS {
            let (peak, is_read) = peak(command, recording)?;
            println!("{name}, {size} bytes: {}: {peak} KiB, read: {is_read}", command.join(" "));
            ensure!(peak <= PEAK, "{command:?} of {name} takes {peak} KiB");
            read += usize::from(is_read);
        }
    }
    // A recording without calls cannot be drawn.
    ensure!(read >= COMMANDS.len() * 2, "only {read} could be read");
    Ok(())
}
