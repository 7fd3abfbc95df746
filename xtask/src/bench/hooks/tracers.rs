//! The profilers that are compared.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use corprof_testkit::Profiler;
use corprof_testkit::launch::Launch;
use corprof_testkit::{example, paths};

use crate::bench::beside::Beside;
use crate::bench::{cargo, library, start, target_dir};

/// The class ids of the profilers in `benches/hooks`, by the work of their hooks.
const CLASSES: [(&str, &str); 9] = include!("../../../../benches/hooks/src/classes.rs");

/// A profiler of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tracer {
    /// No profiler.
    None,
    /// The profiler in C, with hooks of this name.
    C(&'static str),
    /// The profiler in Rust, with hooks of this name.
    Rust(&'static str),
    /// `calltrace` with hooks of this kind, writing a file in this format.
    Calltrace(&'static str, &'static str),
    /// The same recording to `/dev/null`, where a file would have gigabytes.
    Discarded(&'static str),
}

/// Makes the assembler align jumps, as `.cargo/config.toml` makes Rust do: the comparison is of the code and not of its
/// placement.
const JUMPS: &str = "-Wa,-mbranches-within-32B-boundaries";

/// Whose profilers run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// Those of this checkout.
    Ours,
    /// Those of the checkout that is measured in the same run.
    Others,
}

/// The profilers in Rust of a checkout, built.
struct Built {
    hooks: PathBuf,
    calltrace: Profiler,
}

/// All profilers, built.
pub(super) struct Tracers {
    c: PathBuf,
    ours: Built,
    others: Option<Built>,
    /// The path of the trace that `calltrace` writes.
    trace: PathBuf,
    /// The C compiler and its arguments.
    pub(super) compiler: String,
}

impl Tracers {
    pub(super) fn build(beside: Option<&Beside>) -> Result<Self> {
        let folder = paths::workspace().join("benches").join("hooks");
        let target = target_dir("hooks");
        fs::create_dir_all(&target).with_context(|| format!("cannot create {}", target.display()))?;
        eprintln!("building the profilers …");
        start(&mut cargo("build", &folder, &target))?;
        let hooks = library(&target, "hooks-bench")?;

        let compiler = std::env::var_os("CC").unwrap_or_else(|| OsString::from("cc"));
        let options =
            ["-O2", "-shared", "-fPIC", "-masm=intel", "-fvisibility=hidden", "-Wall", "-Wextra", JUMPS];
        let c = target.join("profiler.so");
        start(Command::new(&compiler).args(options).arg(folder.join("c/profiler.c")).arg("-o").arg(&c))?;
        let compiler = format!("{} {}", compiler.to_string_lossy(), options[0]);

        let ours = Built { hooks, calltrace: example::find("calltrace")?.profiler()? };
        let others = beside.map(|beside| {
            let calltrace = beside.library("", "calltrace")?;
            anyhow::Ok(Built {
                hooks: beside.library("benches/hooks", "hooks-bench")?,
                calltrace: Profiler::new(&calltrace, ours.calltrace.clsid),
            })
        });
        Ok(Self { c, ours, others: others.transpose()?, trace: target.join("trace"), compiler })
    }

    /// Whether another checkout is measured.
    pub(super) const fn has_others(&self) -> bool {
        self.others.is_some()
    }

    /// Prepares a program to run under a profiler, with its own methods traced or all methods.
    pub(super) fn put(
        &self,
        tracer: Tracer,
        whose: Whose,
        launch: Launch,
        everything: bool,
    ) -> Result<Launch> {
        let built = match whose {
            Whose::Ours => &self.ours,
            Whose::Others => self.others.as_ref().context("no other checkout was built")?,
        };
        let clsid = |text: &str| text.parse().map_err(anyhow::Error::msg);
        let bench = |launch: Launch, profiler: Profiler| {
            let launch = launch.profiler(&profiler);
            if everything { launch.env("HOOKS_BENCH_ALL", "1") } else { launch }
        };
        Ok(match tracer {
            Tracer::None => launch,
            Tracer::C(way) => {
                // The C profiler does not check the requested class id.
                let any = clsid(CLASSES[0].1)?;
                bench(launch, Profiler::new(&self.c, any)).env("HOOKS_BENCH_WAY", way)
            }
            Tracer::Rust(way) => {
                let class = CLASSES.iter().find(|(name, _)| *name == way);
                let (_, class) = class.with_context(|| format!("there is no class for {way}"))?;
                bench(launch, Profiler::new(&built.hooks, clsid(class)?))
            }
            Tracer::Calltrace(hooks, format) => {
                Self::calltrace(built, launch, hooks, format, &self.trace, everything)
            }
            Tracer::Discarded(hooks) => {
                Self::calltrace(built, launch, hooks, "binary", Path::new("/dev/null"), everything)
            }
        })
    }

    /// Prepares a program to run under `calltrace`.
    fn calltrace(
        built: &Built,
        launch: Launch,
        hooks: &str,
        format: &str,
        out: &Path,
        everything: bool,
    ) -> Launch {
        let launch = launch
            .profiler(&built.calltrace)
            .env("CALLTRACE_HOOKS", hooks)
            .env("CALLTRACE_FORMAT", format)
            .env("CALLTRACE_OUT", out);
        if everything { launch.env("CALLTRACE_ALL", "1") } else { launch }
    }

    /// The numbers of enters and leaves that a profiler of the benchmark reports; `None` if it does not count.
    pub(super) fn seen(stderr: &str) -> Option<[u64; 2]> {
        let line = stderr.lines().find_map(|line| line.strip_prefix("seen "))?;
        let (enters, leaves) = line.split_once(' ')?;
        Some([enters.parse().ok()?, leaves.parse().ok()?])
    }

    /// Removes what a run before has written: to cut a file off takes time, which a program's first run does not spend.
    pub(super) fn clear(&self) {
        let _ = fs::remove_file(&self.trace);
    }

    /// The number of bytes that `calltrace` has written. The files are removed.
    pub(super) fn bytes(&self) -> Result<u64> {
        let trace = || format!("no trace {}", self.trace.display());
        let bytes = fs::metadata(&self.trace).with_context(trace)?.len();
        fs::remove_file(&self.trace).with_context(trace)?;
        Ok(bytes)
    }

    /// The number of lines that `calltrace` has written. The files are removed.
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
