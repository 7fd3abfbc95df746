//! `heap` is attached to a program that unloads an assembly.

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::RuntimeVersion;
use e2e::traced::profiler;

use crate::subject::{PATIENCE, Subject, as_is};

const MISSING: &str = "static fields of classes that were loaded before the attach have no names: ";

/// .NET Core 3.1 may not be queried for compiled methods after an unload: the report says what it has not, and why.
pub(crate) fn missing_names_are_reported(version: RuntimeVersion) -> Result<()> {
    let mut subject = Subject::new("heaps", version, as_is)?;
    let [out, when] = ["heap.txt", "when"].map(|name| subject.folder.join(name));
    let settings = format!("HEAP_OUT={}\nHEAP_WHEN={}", out.display(), when.display());
    subject.attach_when_free(&profiler("heap")?, &settings)?;
    let begin = Instant::now();
    let report = || -> Result<String> {
        fs::write(&when, "")?;
        while when.exists() {
            ensure!(begin.elapsed() < PATIENCE, "no report is written");
            std::thread::sleep(Duration::from_millis(20));
        }
        fs::read_to_string(&out).with_context(|| out.display().to_string())
    };
    let before = report()?;
    ensure!(before.contains(" objects, ") && !before.contains(MISSING), "{before}");
    // A copy is unloaded when the collector has found that nothing uses it.
    loop {
        subject.program.request("copy")?;
        subject.program.request("collect 2")?;
        let after = report()?;
        if let Some((_, why)) = after.split_once(MISSING) {
            ensure!(why.starts_with("ICorProfilerInfo4::EnumJITedFunctions2 is not called"), "{after}");
            break;
        }
        ensure!(begin.elapsed() < PATIENCE, "an unload is not mentioned\n{after}");
    }
    subject.quit().map(drop)
}
