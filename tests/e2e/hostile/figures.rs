//! The recursion depth with and without hooks: the stack usage of slow-path and fast-path hooks.

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::{Launch, scratch};
use e2e::traced::{calltrace, optimised_at_once};

use crate::run::app;

/// The recursion depth of a thread with a stack of so many KiB, until the framework reports insufficient stack.
fn reached(version: RuntimeVersion, kibibytes: u32, hooks: Option<&str>) -> Result<u64> {
    let size = kibibytes.to_string();
    let launch = Launch::new(&runtime(version)?, &app(version)?.dll).args(["reached", &size]);
    let mut launch = optimised_at_once(launch);
    if let Some(hooks) = hooks {
        let trace = scratch(&format!("hostile/reached-{}-{hooks}-{size}", version.short()))?.join("trace");
        launch = launch.profiler(&calltrace()?).env("CALLTRACE_HOOKS", hooks);
        launch = launch.env("CALLTRACE_FORMAT", "binary").env("CALLTRACE_OUT", trace);
    }
    let finished = launch.run()?.ok()?;
    finished.stdout.trim().parse().with_context(|| finished.report())
}

#[test]
fn hooks_leave_most_of_a_stack_to_the_program() -> Result<()> {
    println!(
        "| runtime | stack | without hooks | slow-path hooks | fast-path hooks |\n|---|---|---|---|---|"
    );
    for version in RuntimeVersion::PINNED {
        for (name, kibibytes) in [("small stack, 256 KiB", 256), ("deep recursion, 16 MiB", 16 << 10)] {
            let bare = reached(version, kibibytes, None)?;
            let [slow, fast] = ["with-info", "fast"].map(|hooks| reached(version, kibibytes, Some(hooks)));
            let (slow, fast) = (slow?, fast?);
            println!("| {} | {name} | {bare} | {slow} | {fast} |", version.short());
            ensure!(
                slow * 6 > bare && fast * 3 > bare,
                "{version} {name}: {bare} calls deep, {slow}, {fast}"
            );
        }
    }
    Ok(())
}
