//! One run of a hostile program: its launch, the injected fault, its end.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::{Launch, scratch};
use e2e::app::{App, Build};
use e2e::traced::calltrace;

/// The time limit of a run, also of the untraced one: they take seconds, and minutes on a busy machine.
const LIMIT: Duration = Duration::from_secs(300);

/// The runtimes of a check whose outcome depends on them little: the oldest and the newest in the short form.
pub(crate) fn versions() -> impl Iterator<Item = RuntimeVersion> {
    let short = [RuntimeVersion::V3_1, RuntimeVersion::V10_0];
    RuntimeVersion::PINNED.into_iter().filter(move |version| e2e::is_long() || short.contains(version))
}

/// A tracing mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tracing {
    pub(crate) hooks: &'static str,
    pub(crate) format: &'static str,
    pub(crate) methods: Methods,
}

/// The traced methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Methods {
    /// Those of the program.
    Own,
    /// Also those around the system calls of the framework: hooks run between a call and the query of its error.
    Interop,
}

impl Methods {
    /// The patterns for `CALLTRACE_INCLUDE`; without them the program's own methods are traced.
    const fn patterns(self) -> Option<&'static str> {
        match self {
            Self::Own => None,
            Self::Interop => Some("Hostile.*;Interop*;System.Runtime.InteropServices.Marshal.*"),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Interop => "interop",
        }
    }
}

/// All modes for a program's own methods.
pub(crate) const TRACINGS: [Tracing; 6] = {
    const fn tracing(hooks: &'static str, format: &'static str) -> Tracing {
        Tracing { hooks, format, methods: Methods::Own }
    }
    [
        tracing("with-info", "text"),
        tracing("fast", "jsonl"),
        tracing("with-info", "binary"),
        tracing("fast", "text"),
        tracing("with-info", "jsonl"),
        tracing("fast", "binary"),
    ]
};

/// An injected fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Nothing,
    /// The disk is full.
    FullDisk,
    /// No file of the process may grow beyond 64 KiB.
    FileLimit,
    /// `process_vm_readv` is refused, as by sandboxes and emulators: `EPERM`, `ENOSYS`. Values are read from
    /// `/proc/self/mem`.
    NotPermitted,
    NoSystemCall,
    /// Lines go to standard error, which is closed.
    ClosedStream,
    /// Lines go to standard error, which nobody reads.
    BlockedStream,
    /// The output is a FIFO that nobody reads.
    Fifo,
    /// An infinite file as time zone data.
    TimeZone,
}

impl Fault {
    pub(crate) const ALL: [Self; 8] = [
        Self::FullDisk,
        Self::FileLimit,
        Self::NotPermitted,
        Self::NoSystemCall,
        Self::ClosedStream,
        Self::BlockedStream,
        Self::Fifo,
        Self::TimeZone,
    ];

    /// Whether lines go to standard error, so that it is not compared.
    pub(crate) fn is_stream(self) -> bool {
        matches!(self, Self::ClosedStream | Self::BlockedStream)
    }

    /// Whether the untraced run has it too, since the program itself may notice it.
    pub(crate) const fn is_for_both(self) -> bool {
        matches!(self, Self::FileLimit | Self::TimeZone)
    }

    fn to_both(self, launch: Launch) -> Launch {
        match self {
            // A program that asks for the local time runs out of memory.
            Self::TimeZone => launch.env("TZ", "/dev/zero"),
            // With it the runtime's own memory files exceed the limit.
            Self::FileLimit => launch.env("HOSTILE_FILES", "65536").env("DOTNET_EnableWriteXorExecute", "0"),
            _ => launch,
        }
    }
}

/// The end of a program, and its output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A program, compiled once for each runtime.
pub(crate) fn app(version: RuntimeVersion) -> Result<App> {
    static COMPILING: LazyLock<Mutex<()>> = LazyLock::new(Mutex::default);
    let _one = COMPILING.lock().map_err(|_| anyhow::anyhow!("another test failed"))?;
    App::compile("hostile", version, Build::Optimised)
}

/// Adds the settings that a program needs, traced or not.
fn prepared(launch: Launch, program: &str) -> Launch {
    // The crash is intended, and its dump is not needed.
    let launch = launch.env("DOTNET_DbgEnableMiniDump", "0");
    match program {
        "managed-memory" => {
            launch.env("DOTNET_GCHeapHardLimit", "4000000").env("COMPlus_GCHeapHardLimit", "4000000")
        }
        // Without a profiler too, a runtime aborts if its thread for tiered compilation starts while there is no memory:
        // "cannot allocate memory for thread-local data" on 3.1, `std::bad_alloc` on 9.0.
        "memory" => launch.env("DOTNET_TieredCompilation", "0").env("COMPlus_TieredCompilation", "0"),
        _ => launch,
    }
}

/// A program under a tracer, with a fault.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) program: &'static str,
    pub(crate) version: RuntimeVersion,
    pub(crate) tracing: Option<Tracing>,
    pub(crate) fault: Fault,
}

impl core::fmt::Display for Case {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { program, version, tracing, fault } = self;
        match tracing {
            Some(Tracing { hooks, format, methods }) => {
                write!(f, "{program} {version} {hooks} {format} {} {fault:?}", methods.name())
            }
            None => write!(f, "{program} {version} untraced {fault:?}"),
        }
    }
}

impl Case {
    /// A folder of its own, for its output.
    pub(crate) fn folder(&self) -> Result<PathBuf> {
        // Several threads may need the untraced run at once.
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let process = std::process::id();
        scratch(&format!("hostile/{}-{process}-{number}", self.to_string().replace([' ', '.'], "-")))
    }

    /// The command, and the path of its trace.
    pub(crate) fn command(&self, folder: &Path) -> Result<(Command, PathBuf)> {
        let app = app(self.version)?;
        let trace = folder.join("trace");
        let mut launch = Launch::new(&runtime(self.version)?, &app.dll).arg(self.program);
        launch = prepared(launch, self.program);
        launch = self.fault.to_both(launch);
        if let Some(Tracing { hooks, format, methods }) = self.tracing {
            launch =
                launch.profiler(&calltrace()?).env("CALLTRACE_HOOKS", hooks).env("CALLTRACE_FORMAT", format);
            if let Some(patterns) = methods.patterns() {
                launch = launch.env("CALLTRACE_INCLUDE", patterns);
            }
            let out = match self.fault {
                Fault::FullDisk => Some(Path::new("/dev/full").to_owned()),
                Fault::ClosedStream | Fault::BlockedStream => None,
                _ => Some(trace.clone()),
            };
            if let Some(out) = out {
                launch = launch.env("CALLTRACE_OUT", out);
            }
            if self.fault == Fault::Fifo {
                ensure!(Command::new("mkfifo").arg(&trace).status()?.success(), "no FIFO");
            }
        }
        let command = launch.command()?;
        let around = match (self.tracing, self.fault) {
            (Some(_), Fault::NotPermitted) => Some((deny()?, "1")),
            (Some(_), Fault::NoSystemCall) => Some((deny()?, "38")),
            _ => None,
        };
        let command = match around {
            Some((deny, errno)) => inside(&deny, &[errno], &command),
            None if self.fault == Fault::ClosedStream => {
                inside(Path::new("/bin/sh"), &["-c", r#"exec "$@" 2>&-"#, "sh"], &command)
            }
            None => command,
        };
        Ok((command, trace))
    }

    /// Runs it to its end.
    pub(crate) fn run(&self) -> Result<(Ended, PathBuf)> {
        let folder = self.folder()?;
        let (mut command, trace) = self.command(&folder)?;
        let [stdout, stderr] = ["stdout", "stderr"].map(|name| folder.join(name));
        command.stdin(Stdio::null()).stdout(File::create(&stdout)?).current_dir(&folder);
        // The other end of a pipe that is not read has to stay open.
        let mut child = match self.fault {
            Fault::BlockedStream if self.tracing.is_some() => command.stderr(Stdio::piped()).spawn()?,
            _ => command.stderr(File::create(&stderr)?).spawn()?,
        };
        let status = wait(&mut child).with_context(|| self.to_string())?;
        let read = |path: &Path| -> Result<String> {
            let mut bytes = Vec::new();
            // A stream that is not read has no output.
            if let Ok(mut file) = File::open(path) {
                file.read_to_end(&mut bytes)?;
            }
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        let ended = Ended {
            code: status.code(),
            signal: status.signal(),
            stdout: read(&stdout)?,
            stderr: read(&stderr)?,
        };
        Ok((ended, trace))
    }
}

/// Waits for a process until the time limit.
pub(crate) fn wait(child: &mut Child) -> Result<std::process::ExitStatus> {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if begin.elapsed() > LIMIT {
            let threads = threads_of(child.id());
            child.kill()?;
            child.wait()?;
            anyhow::bail!("it did not end within {LIMIT:?}; its threads: {}", threads.join(", "));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The threads of a process, each with its name, its state and its processor time, in ticks: one that hangs sleeps, or its
/// processor time is nearly the time limit.
fn threads_of(process: u32) -> Vec<String> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task"));
    let mut threads = Vec::new();
    for task in tasks.into_iter().flatten().flatten() {
        let read = |file| std::fs::read_to_string(task.path().join(file)).unwrap_or_default();
        let (stat, call) = (read("stat"), read("wchan"));
        // The name is in parentheses and may have spaces.
        let Some((name, rest)) = stat.rsplit_once(')') else { continue };
        let words: Vec<_> = rest.split_whitespace().collect();
        let word = |index: usize| words.get(index).copied().unwrap_or_default();
        let name = name.split_once('(').unwrap_or_default().1;
        threads.push(format!("{name} {} in {call} {}+{}", word(0), word(11), word(12)));
    }
    threads
}

/// The same command, started by another program.
pub(crate) fn inside(program: &Path, words: &[&str], command: &Command) -> Command {
    let mut outer = Command::new(program);
    outer.args(words).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => outer.env(name, value),
            None => outer.env_remove(name),
        };
    }
    outer
}

/// `tools/deny.c`, compiled.
fn deny() -> Result<PathBuf> {
    static COMPILED: LazyLock<Mutex<Option<PathBuf>>> = LazyLock::new(Mutex::default);
    let mut compiled = COMPILED.lock().map_err(|_| anyhow::anyhow!("another test failed"))?;
    if let Some(path) = &*compiled {
        return Ok(path.clone());
    }
    let path = scratch("hostile-deny")?.join("deny");
    let source = corprof_testkit::paths::workspace().join("tests/tools/deny.c");
    let status = Command::new("cc").arg("-O1").arg("-o").arg(&path).arg(source).status()?;
    ensure!(status.success(), "tests/tools/deny.c does not compile");
    Ok(compiled.insert(path).clone())
}
