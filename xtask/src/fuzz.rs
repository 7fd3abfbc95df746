//! `cargo xtask fuzz`: coverage-guided fuzzing of what decodes bytes, by libFuzzer.
//!
//! libFuzzer needs the compiler's own coverage pass only, so neither a nightly toolchain nor cargo-fuzz is
//! required. There is no address sanitizer: the fuzzed crates forbid unsafe code, except argvalues, and its only unsafe code,
//! the readers of real memory, is not fuzzed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use corprof_testkit::{paths, process};
use xtask_cli::FuzzArgs;

/// A fuzz target.
struct Target {
    name: &'static str,
    /// What the target checks.
    what: &'static str,
    /// The crate whose tests replay the kept inputs.
    of: &'static str,
    /// The longest input that is tried: the longest signature of the framework has 398 bytes, and a heap has a few
    /// choices for each of its objects.
    longest: u32,
    /// The longest input that is kept, and the limit for all kept inputs in bytes.
    kept: (u64, u64),
}

const fn target(name: &'static str, of: &'static str, what: &'static str) -> Target {
    Target { name, what, of, longest: 512, kept: (64, 12 << 10) }
}

const TARGETS: [Target; 18] = [
    target("decode", "sigparse", "views and walk find the same structure, or the same error"),
    target("roundtrip", "sigparse", "what decodes encodes, and decodes to the same again"),
    target("print", "sigparse", "what can be parsed can be printed"),
    target("values", "sigparse", "custom attribute values and marshalling descriptors"),
    target(
        "bodies",
        "cilbody",
        "random bytes as method bodies: what is read is encoded and reads the same again",
    ),
    target(
        "verify",
        "cilbody",
        "a random body that verifies does so when it is wrapped in a finally handler",
    ),
    target("edit", "cilbody", "a random body that is laid out anew has the same instructions"),
    target("image", "clrnames", "an assembly file with bytes replaced has names, or an error"),
    target("pdb", "clrnames", "a PDB with bytes replaced has sequence points and scopes, or an error"),
    Target {
        longest: 4096,
        kept: (512, 24 << 10),
        ..target("heaps", "argvalues", "random memory under random types: balanced events, limits, records")
    },
    Target {
        longest: 4096,
        kept: (512, 24 << 10),
        ..target("calls", "argvalues", "random signatures against random ranges")
    },
    target("records", "argvalues", "random bytes as records: visited in balance, or refused"),
    Target {
        longest: 4096,
        kept: (256, 12 << 10),
        ..target("recording", "recording", "random bytes as recordings: read up to what is wrong")
    },
    Target {
        longest: 4096,
        kept: (256, 12 << 10),
        ..target("streams", "recording", "random bytes as the rows of a recording: read, summed, as JSON")
    },
    target("events", "nettrace", "random payloads as events of the runtime: decoded, or refused"),
    target("nettrace", "nettrace", "random bytes as traces: read up to what is wrong"),
    target("link", "link", "random bytes as messages: read up to what is wrong, and sent again"),
    target("condition", "condition", "random conditions over random values: the rules of logic hold"),
];

/// Counters on every edge, and traced operands of comparisons.
const FLAGS: [&str; 6] = [
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// The limit of an input's time.
const TIMEOUT: &str = "-timeout=10";

/// The exit code of libFuzzer for an input that takes longer.
const TIMED_OUT: i32 = 70;

/// Fuzzes the named target, or all, one after the other.
pub(crate) fn main(arguments: &FuzzArgs) -> Result<ExitCode> {
    let chosen: Vec<_> = TARGETS
        .into_iter()
        .filter(|target| arguments.target.as_deref().is_none_or(|wanted| wanted == target.name))
        .collect();
    if chosen.is_empty() {
        let names =
            TARGETS.map(|target| format!("\n  {:10} {}: {}", target.name, target.of, target.what)).concat();
        bail!("there is no such target; these are:{names}");
    }
    let programs = build()?;
    for target in chosen {
        println!("\n==== {}: {}", target.name, target.what);
        let folders = Folders::prepare(&target)?;
        fuzz(&programs.join(target.name), &folders, &target, arguments.seconds)?;
        if arguments.keep {
            keep(&programs.join(target.name), &folders, &target)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn target_dir() -> PathBuf {
    paths::workspace().join("target").join("fuzz")
}

/// Builds all targets with coverage counters, and returns the folder of the programs.
fn build() -> Result<PathBuf> {
    ensure!(
        std::env::var_os("CXX").is_some()
            || ["c++", "g++", "clang++"].into_iter().any(|name| paths::on_path(name).is_some()),
        "libFuzzer is compiled from C++, and there is no C++ compiler on PATH; install one \
         (`apt-get install g++`), or name one in CXX"
    );
    let version = process::capture(Command::new("rustc").arg("-vV"))?;
    let host =
        version.lines().find_map(|line| line.strip_prefix("host: ")).context("`rustc -vV` names no host")?;
    let manifest = paths::workspace().join("fuzz").join("Cargo.toml");
    let mut command = process::cargo(["build", "--release", "--bins", "--locked", "--target", host]);
    command.arg("--manifest-path").arg(manifest).arg("--target-dir").arg(target_dir());
    // With a target named, build scripts do without the counters.
    command.env_remove("RUSTFLAGS").env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\u{1f}"));
    let status = command.status().with_context(|| format!("cannot start `{}`", process::shown(&command)))?;
    ensure!(status.success(), "the fuzz targets do not build ({status})");
    Ok(target_dir().join(host).join("release"))
}

/// The folders of a target's inputs.
struct Folders {
    /// The inputs that are kept in the repository, a line of hexadecimal digits each.
    kept: PathBuf,
    /// The same inputs as files for libFuzzer.
    seeds: PathBuf,
    /// The inputs that this and earlier runs have found.
    found: PathBuf,
    /// The path prefix of the files with failing inputs.
    failures: PathBuf,
}

impl Folders {
    fn prepare(&Target { name: target, of, .. }: &Target) -> Result<Self> {
        let corpus = paths::workspace().join("crates").join(of).join("tests").join("corpus");
        let folders = Self {
            kept: corpus.join(format!("{target}.hex")),
            seeds: target_dir().join("seeds").join(target),
            found: target_dir().join("corpus").join(target),
            failures: target_dir().join(format!("failure-{target}-")),
        };
        empty(&folders.seeds)?;
        fs::create_dir_all(&folders.found)?;
        let kept = fs::read_to_string(&folders.kept).unwrap_or_default();
        for (number, line) in kept.lines().enumerate() {
            fs::write(folders.seeds.join(number.to_string()), from_hex(line)?)?;
        }
        Ok(folders)
    }
}

fn empty(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", paths::shown(folder)))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", paths::shown(folder)))
}

fn fuzz(program: &Path, folders: &Folders, target: &Target, seconds: u32) -> Result<()> {
    let begin = Instant::now();
    loop {
        let left = Duration::from_secs(seconds.into()).saturating_sub(begin.elapsed()).as_secs().max(1);
        let mut command = Command::new(program);
        command
            .args([&folders.found, &folders.seeds])
            .arg(format!("-max_total_time={left}"))
            .arg(format!("-max_len={}", target.longest))
            .arg(format!("-artifact_prefix={}", folders.failures.display()))
            .args([TIMEOUT, "-rss_limit_mb=2048", "-verbosity=1", "-print_final_stats=1"]);
        let status =
            command.status().with_context(|| format!("cannot start `{}`", process::shown(&command)))?;
        if status.success() {
            return Ok(());
        }
        ensure!(
            status.code() == Some(TIMED_OUT) && was_paused(program, folders)?,
            "an input fails ({status}); libFuzzer has printed its file, and this runs it again:\n  {} {}…",
            program.display(),
            folders.failures.display()
        );
        println!("the last input is fast when it is run again: the machine was paused");
    }
}

/// Returns whether inputs have failed by their time alone, and are fast when they are run again: libFuzzer measures the time of
/// day, which goes on while the machine sleeps.
fn was_paused(program: &Path, folders: &Folders) -> Result<bool> {
    let prefix = folders.failures.file_name().unwrap_or_default().to_string_lossy().into_owned() + "timeout-";
    let mut paused = false;
    for entry in fs::read_dir(target_dir())? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            let status = Command::new(program).arg(TIMEOUT).arg(entry.path()).status()?;
            if !status.success() {
                return Ok(false);
            }
            fs::remove_file(entry.path())?;
            paused = true;
        }
    }
    Ok(paused)
}

/// Writes the smallest set of inputs with the same coverage.
fn keep(program: &Path, folders: &Folders, target: &Target) -> Result<()> {
    let (longest, total) = target.kept;
    let merged = target_dir().join("merged");
    empty(&merged)?;
    let mut command = Command::new(program);
    command.arg("-merge=1").arg(format!("-max_len={longest}"));
    command.args([&merged, &folders.seeds, &folders.found]);
    process::capture(&mut command)?;
    let mut inputs = Vec::new();
    for entry in fs::read_dir(&merged)? {
        inputs.push(fs::read(entry?.path())?);
    }
    inputs.sort_by_key(|input| (input.len(), input.clone()));
    let mut left = usize::try_from(total)?;
    let small = inputs.iter().take_while(|input| {
        left = left.saturating_sub(input.len());
        left > 0
    });
    let lines: Vec<String> = small.map(|input| to_hex(input)).collect();
    fs::create_dir_all(folders.kept.parent().context("the corpus is in no folder")?)?;
    fs::write(&folders.kept, lines.join("\n") + "\n")?;
    println!("{} inputs are kept in {}", lines.len(), paths::shown(&folders.kept));
    Ok(())
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

fn from_hex(line: &str) -> Result<Vec<u8>> {
    let digits = |at| line.get(at..at + 2).with_context(|| format!("half a byte in {line:?}"));
    (0..line.len()).step_by(2).map(|at| Ok(u8::from_str_radix(digits(at)?, 16)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_kept_as_lines() {
        assert_eq!(to_hex(&[0, 0xAB]), "00AB");
        assert_eq!(from_hex("00AB").unwrap(), [0, 0xAB]);
        assert!(from_hex("").unwrap().is_empty());
        assert!(from_hex("0").is_err() && from_hex("0G").is_err());
    }
}
