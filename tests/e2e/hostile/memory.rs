//! The memory that tracing takes for threads that call a few methods each.

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::runtime;
use corprof_testkit::launch::{Launch, scratch};
use e2e::app::{App, Build};
use e2e::traced::calltrace;

use crate::run::{Methods, Tracing, versions};

/// The number of threads, and the number to compare with.
const MANY: u64 = 200;
const FEW: u64 = 4;
/// The limit for a thread, in KiB: chunks of a recording from 4 KiB on, a shadow stack, buffers of the decoder.
const THREAD: u64 = 52;
/// The limit for all of tracing, in KiB: code that is not precompiled, the library, and the threads. A cgroup that leaves
/// the program so much kills nothing. With 512 KiB a thread it was 94 MiB.
const ALL: u64 = 24 << 10;

const TRACINGS: [Tracing; 4] = [
    Tracing { hooks: "with-info", format: "binary", methods: Methods::Own },
    Tracing { hooks: "fast", format: "binary", methods: Methods::Own },
    Tracing { hooks: "with-info", format: "text", methods: Methods::Own },
    Tracing { hooks: "fast", format: "jsonl", methods: Methods::Own },
];

/// How often a program is measured. The peaks of two runs of 10.0 differ by 4 MiB and more, traced or not, when a
/// collection or the compiler of the next tier is late; they are never too small, so the least of them counts.
const RUNS: usize = 3;

/// Returns the least peak of some runs. See [`once`].
fn peak(app: &App, threads: u64, tracing: Option<Tracing>) -> Result<u64> {
    let mut least = u64::MAX;
    for _ in 0..RUNS {
        least = least.min(once(app, threads, tracing)?);
    }
    Ok(least)
}

/// Returns the peak of a process's resident memory with a number of threads, in KiB.
fn once(app: &App, threads: u64, tracing: Option<Tracing>) -> Result<u64> {
    let mut launch = Launch::new(&runtime(app.version)?, &app.dll).arg(threads.to_string());
    // Otherwise the size of the heap depends on the machine's memory.
    launch = launch.env("DOTNET_GCgen0size", "400000").env("COMPlus_GCgen0size", "400000");
    launch = launch.env("DOTNET_gcConcurrent", "0").env("COMPlus_gcConcurrent", "0");
    if let Some(Tracing { hooks, format, .. }) = tracing {
        let name = format!("hostile/peak-{}-{hooks}-{format}-{threads}", app.version.short());
        let trace = scratch(&name)?.join("trace");
        launch = launch.profiler(&calltrace()?).env("CALLTRACE_HOOKS", hooks);
        launch = launch.env("CALLTRACE_FORMAT", format).env("CALLTRACE_OUT", trace);
    }
    let finished = launch.run()?.ok()?;
    let words: Vec<u64> = finished.stdout.split_whitespace().map_while(|word| word.parse().ok()).collect();
    let &[_, peak, sum] = words.as_slice() else { anyhow::bail!("no figures\n{}", finished.report()) };
    ensure!(sum == threads * 15, "the threads have not run\n{}", finished.report());
    Ok(peak)
}

#[test]
fn many_threads_take_little_memory() -> Result<()> {
    println!(
        "| runtime | hooks | format | {FEW} threads, without | with | {MANY} threads, without | with | KiB a thread |\n\
         |---|---|---|---|---|---|---|---|"
    );
    for version in versions() {
        let app = App::compile("parked", version, Build::Optimised)?;
        let bare = [peak(&app, FEW, None)?, peak(&app, MANY, None)?];
        for tracing in TRACINGS {
            let with = [peak(&app, FEW, Some(tracing))?, peak(&app, MANY, Some(tracing))?];
            // Without what the threads take untraced.
            let taken = (with[1].saturating_sub(with[0])).saturating_sub(bare[1].saturating_sub(bare[0]));
            let [few, many] = [0, 1].map(|n| format!("{} | {}", bare[n], with[n]));
            let each = taken / (MANY - FEW);
            println!(
                "| {} | {} | {} | {few} | {many} | {each} |",
                version.short(),
                tracing.hooks,
                tracing.format
            );
            let context = || format!("{version} {tracing:?}: {few}, {many}");
            ensure!(each <= THREAD, "{}: {each} KiB a thread", context());
            let all = with[1].checked_sub(bare[1]).with_context(context)?;
            ensure!(all <= ALL, "{}: {all} KiB in all", context());
        }
    }
    Ok(())
}
