//! The profilers that are compared.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::bench::{cargo, start, target_dir};
use crate::launch::Launch;
use crate::profiler::Profiler;
use crate::{example, paths};

/// The class ids of the profilers in `benches/hooks`, by what their hooks do.
const CLASSES: [(&str, &str); 9] = include!("../../../../benches/hooks/src/classes.rs");

/// What `calltrace` is told where it traces every method: objects as such, and not what they refer to.
const EVERYTHING: [(&str, &str); 4] = [
    ("CALLTRACE_ALL", "1"),
    ("CALLTRACE_MAX_DEPTH", "1"),
    ("CALLTRACE_MAX_ITEMS", "4"),
    ("CALLTRACE_MAX_CHARS", "60"),
];

/// One profiler, as a row of a table wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tracer {
    /// No profiler.
    None,
    /// That in C, with hooks that do what the name says.
    C(&'static str),
    /// That in Rust.
    Rust(&'static str),
    /// `calltrace` with hooks of this kind, writing this format to a file.
    Calltrace(&'static str, &'static str),
    /// The same recording to `/dev/null`, where a file would have gigabytes.
    Discarded(&'static str),
}

/// Has the assembler put jumps where no processor is slow at them, as `.cargo/config.toml` has Rust do it: what is compared is
/// the code, and not where it happens to lie.
const JUMPS: &str = "-Wa,-mbranches-within-32B-boundaries";

/// All of them, built.
pub(super) struct Tracers {
    c: PathBuf,
    rust: PathBuf,
    calltrace: Profiler,
    /// The trace that `calltrace` writes.
    trace: PathBuf,
    /// The C compiler, and how it was called.
    pub(super) compiler: String,
}

impl Tracers {
    pub(super) fn build() -> Result<Self> {
        let folder = paths::workspace().join("benches").join("hooks");
        let target = target_dir("hooks");
        fs::create_dir_all(&target).with_context(|| format!("cannot create {}", target.display()))?;
        eprintln!("building the profilers …");
        start(&mut cargo("build", &folder, &target))?;
        let rust = target.join("release").join("libhooks_bench.so");

        let compiler = std::env::var_os("CC").unwrap_or_else(|| OsString::from("cc"));
        let options =
            ["-O2", "-shared", "-fPIC", "-masm=intel", "-fvisibility=hidden", "-Wall", "-Wextra", JUMPS];
        let c = target.join("profiler.so");
        start(Command::new(&compiler).args(options).arg(folder.join("c/profiler.c")).arg("-o").arg(&c))?;
        let compiler = format!("{} {}", compiler.to_string_lossy(), options[0]);

        let calltrace = example::find("calltrace")?.profiler()?;
        Ok(Self { c, rust, calltrace, trace: target.join("trace"), compiler })
    }

    /// Has a program run under one of them, its own methods traced or all there are.
    pub(super) fn put(&self, tracer: Tracer, launch: Launch, everything: bool) -> Result<Launch> {
        let clsid = |text: &str| text.parse().map_err(anyhow::Error::msg);
        let bench = |launch: Launch, profiler: Profiler| {
            let launch = launch.profiler(&profiler);
            if everything { launch.env("HOOKS_BENCH_ALL", "1") } else { launch }
        };
        Ok(match tracer {
            Tracer::None => launch,
            Tracer::C(way) => {
                // It does not look at what it is asked for.
                let any = clsid(CLASSES[0].1)?;
                bench(launch, Profiler::new(&self.c, any)).env("HOOKS_BENCH_WAY", way)
            }
            Tracer::Rust(way) => {
                let class = CLASSES.iter().find(|(name, _)| *name == way);
                let (_, class) = class.with_context(|| format!("there is no class for {way}"))?;
                bench(launch, Profiler::new(&self.rust, clsid(class)?))
            }
            Tracer::Calltrace(hooks, format) => {
                self.calltrace(launch, hooks, format, &self.trace, everything)
            }
            Tracer::Discarded(hooks) => {
                self.calltrace(launch, hooks, "binary", Path::new("/dev/null"), everything)
            }
        })
    }

    /// Has a program run under `calltrace`.
    fn calltrace(&self, launch: Launch, hooks: &str, format: &str, out: &Path, everything: bool) -> Launch {
        let launch = launch
            .profiler(&self.calltrace)
            .env("CALLTRACE_HOOKS", hooks)
            .env("CALLTRACE_FORMAT", format)
            .env("CALLTRACE_OUT", out);
        let settings = if everything { &EVERYTHING[..] } else { &[] };
        settings.iter().fold(launch, |it, (name, value)| it.env(name, value))
    }

    /// How many enters and leaves a profiler of the benchmark says it has seen; nothing if it does not count.
    pub(super) fn seen(stderr: &str) -> Option<[u64; 2]> {
        let line = stderr.lines().find_map(|line| line.strip_prefix("seen "))?;
        let (enters, leaves) = line.split_once(' ')?;
        Some([enters.parse().ok()?, leaves.parse().ok()?])
    }

    /// How many bytes `calltrace` has written. They are removed.
    pub(super) fn bytes(&self) -> Result<u64> {
        let trace = || format!("no trace {}", self.trace.display());
        let bytes = fs::metadata(&self.trace).with_context(trace)?.len();
        fs::remove_file(&self.trace).with_context(trace)?;
        Ok(bytes)
    }

    /// How many lines `calltrace` has written. They are removed.
    pub(super) fn lines(&self) -> Result<u64> {
        let file = File::open(&self.trace).with_context(|| format!("no trace {}", self.trace.display()))?;
        let mut lines = 0;
        for line in BufReader::new(file).split(b'\n') {
            line?;
            lines += 1;
        }
        fs::remove_file(&self.trace)?;
        Ok(lines)
    }
}
