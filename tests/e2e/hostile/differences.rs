//! The accepted differences between a traced and an untraced run. `SAFETY.md` has the reasons.

use std::sync::LazyLock;

use corprof_testkit::dotnet::RuntimeVersion;

use crate::run::{Case, Ended, Fault};

/// Lines of the tracer itself.
const OWN: [&str; 2] = ["calltrace: ", "corprof: "];

/// The compared parts of a run.
pub(crate) fn compared(case: &Case, ended: &Ended) -> Ended {
    let mut ended = ended.clone();
    if case.fault.is_stream() {
        ended.stderr.clear();
    }
    ended.stderr =
        ended.stderr.lines().filter(|line| !is_own(line)).map(|line| format!("{line}\n")).collect();
    match case.program {
        // Stack traces have frames that are inlined without a profiler, and stubs of native calls.
        "frames" => ended.stdout = only_ours(&ended.stdout),
        "throw" | "failfast" | "abort" => ended.stderr = without_frames(&ended.stderr),
        // The depth depends on the size of frames.
        "overflow" => ended.stderr = ended.stderr.lines().next().unwrap_or_default().to_owned(),
        _ => {}
    }
    ended
}

fn is_own(line: &str) -> bool {
    OWN.iter().any(|own| line.starts_with(own))
}

fn only_ours(stdout: &str) -> String {
    stdout.split(' ').filter(|name| ["Main", "Frames"].contains(name)).collect::<Vec<_>>().join(" ")
}

fn without_frames(stderr: &str) -> String {
    stderr.lines().filter(|line| !line.trim_start().starts_with("at ")).collect::<Vec<_>>().join("\n")
}

/// Whether the profiler refuses to run in this case, so that there is no trace.
pub(crate) fn is_refused(case: &Case) -> bool {
    case.fault == Fault::Fifo
        || case.fault == Fault::FullDisk && case.tracing.is_some_and(|tracing| tracing.format == "binary")
}

/// Programs that a runtime cannot run.
pub(crate) fn runs(program: &str, version: RuntimeVersion) -> bool {
    static ONLY_NEW: LazyLock<Vec<&str>> = LazyLock::new(|| vec!["managed-memory"]);
    version != RuntimeVersion::V3_1 || !ONLY_NEW.contains(&program)
}
