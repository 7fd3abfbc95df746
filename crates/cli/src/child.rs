//! The program that was started: its signals and its end.

use std::process::{Child, ExitCode, ExitStatus};

use anyhow::{Context as _, Result};

/// Waits for the program, and forwards the signals that were sent to us alone. `signalled` gets the number of each.
#[cfg(unix)]
pub(crate) fn wait(child: &mut Child, mut signalled: impl FnMut(i32) + Send + 'static) -> Result<ExitStatus> {
    use rustix::process::{Pid, Signal, kill_process};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
    use signal_hook::iterator::SignalsInfo;
    use signal_hook::iterator::exfiltrator::WithOrigin;

    let passed = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];
    let mut signals = SignalsInfo::<WithOrigin>::new(passed).context("cannot watch for signals")?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let handle = signals.handle();
    let forward = std::thread::spawn(move || {
        for origin in signals.forever() {
            signalled(origin.signal);
            // A terminal also sends its signals to the program; they have no sender.
            let signal = Signal::from_named_raw(origin.signal);
            if let (Some(_), Some(pid), Some(signal)) = (origin.process, pid, signal) {
                // It may have ended in the meantime.
                let _ = kill_process(pid, signal);
            }
        }
    });
    let status = child.wait().context("cannot wait for the program");
    handle.close();
    // The thread has no reason to panic, and the program's status is known by now.
    drop(forward.join());
    status
}

#[cfg(not(unix))]
pub(crate) fn wait(child: &mut Child, _: impl FnMut(i32)) -> Result<ExitStatus> {
    child.wait().context("cannot wait for the program")
}

/// Returns the exit code of a program, or 128 + n when signal n ended it.
pub(crate) fn exit_code(status: ExitStatus) -> ExitCode {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal: Option<i32> = None;
    let code = match (status.code(), signal) {
        (Some(code), _) => code,
        (None, Some(signal)) => 128 + signal,
        (None, None) => 1,
    };
    u8::try_from(code).map_or_else(|_| std::process::exit(code), ExitCode::from)
}
