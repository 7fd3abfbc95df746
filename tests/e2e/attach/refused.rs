//! Requests that cannot be met, and processes without a port: each mistake has its own error.

use std::path::Path;

use anyhow::{Result, ensure};
use corprof_testkit::Profiler;
use corprof_testkit::dotnet::RuntimeVersion;
use diagport::{Error, HResult, NoPort, Port};
use e2e::traced::profiler;

use crate::subject::{Subject, as_is};

/// A class id that no library has.
const OTHER: &str = "{11111111-2222-3333-4444-555555555555}";

/// Each mistake has its own error, and the program continues.
pub(crate) fn invalid_requests_are_refused(version: RuntimeVersion) -> Result<()> {
    let subject = Subject::new("refused", version, as_is)?;
    let watch = &subject.watch.clone();
    let code =
        |profiler: &Profiler, data: &str| subject.attach(profiler, data).err().and_then(|e| e.hresult());

    let other = Profiler { clsid: OTHER.parse().map_err(anyhow::Error::msg)?, ..watch.clone() };
    ensure!(code(&other, "") == Some(HResult::CLASS_E_CLASSNOTAVAILABLE), "{}", subject.program.report());
    let missing = Profiler::new(Path::new("/nowhere/libwatch.so"), watch.clsid);
    ensure!(code(&missing, "") == Some(HResult::ERROR_MOD_NOT_FOUND), "{}", subject.program.report());
    // A profiler that needs hooks, and one with invalid settings.
    let hooked = profiler("calltrace")?;
    ensure!(
        code(&hooked, "") == Some(HResult::CORPROF_E_PROFILER_NOT_ATTACHABLE),
        "{}",
        subject.program.report()
    );
    ensure!(code(watch, "WATCH_SECONDS=soon") == Some(HResult::E_FAIL), "{}", subject.program.report());
    let reasons = ["\"soon\" is not a valid setting", "enter and leave hooks", "holds the profiler"];
    let stderr = subject.program.stderr();
    ensure!(reasons.iter().all(|reason| stderr.contains(reason)), "{stderr}");

    let watching = subject.watch("WATCH_EVENTS=gc")?;
    ensure!(
        code(watch, "") == Some(HResult::CORPROF_E_PROFILER_ALREADY_ACTIVE),
        "{}",
        subject.program.report()
    );
    watching.disconnect()?;
    subject.quit()?;

    // A profiler from the start counts too.
    let profiled = Subject::new("profiled", version, |launch| launch.profiler(watch))?;
    let error = profiled.attach(watch, "").err().and_then(|error| error.hresult());
    ensure!(error == Some(HResult::CORPROF_E_PROFILER_ALREADY_ACTIVE), "{error:?}");
    profiled.quit()?;
    Ok(())
}

/// A program without a port, a process id without a program, and a program that has ended.
pub(crate) fn a_missing_port_is_explained(version: RuntimeVersion) -> Result<()> {
    // 3.1 has the old name only; 9.0 has both.
    let variable = if version == RuntimeVersion::V3_1 {
        "COMPlus_EnableDiagnostics"
    } else {
        "DOTNET_EnableDiagnostics"
    };
    let subject = Subject::new("disabled", version, |launch| launch.env(variable, "0"))?;
    let pid = subject.program.pid();
    let expected = NoPort::Disabled { variable: format!("{variable}=0") };
    let port = Port::of(pid);
    ensure!(matches!(&port, Err(Error::NoPort { reason, .. }) if *reason == expected), "{port:?}");
    ensure!(Port::list()?.iter().all(|port| port.pid() != Some(pid)), "it is listed");
    subject.quit()?;
    let port = Port::of(pid);
    ensure!(matches!(port, Err(Error::NoSuchProcess { .. })), "{port:?}");
    Ok(())
}
