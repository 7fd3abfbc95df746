//! The end of the runtime, while other threads still call.
//!
//! After `Shutdown`, .NET Core 3.1 releases the profiler's interface, and its `ProfileEnter`, `ProfileLeave` and
//! `ProfileTailcall` read it at the next call of a hooked method: the process ends with SIGSEGV instead of its exit code.
//! Newer runtimes keep the interface. Fast-path hooks are called without those functions.
#![forbid(unsafe_code)]

use std::thread;
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::limits::SUSPENSION_PATIENCE;
use crate::report;
use crate::runtime::ProfilerInfo;
use corprof_types::HResult;

/// The newest interface of .NET Core 3.0 and 3.1.
const LAST_THAT_RELEASES: u8 = 11;
impl ProfilerInfo {
    /// Keeps all managed threads from running until the process has ended, where a call of theirs would crash it. Called
    /// as the last thing in `Shutdown`, on its thread, which continues to end the process.
    pub(crate) fn hold_threads_at_the_end(&self) {
        if !self.raw().has_slow_path_hooks() || self.version() > LAST_THAT_RELEASES {
            return;
        }
        let deadline = Instant::now() + SUSPENSION_PATIENCE;
        loop {
            // The runtime is never resumed.
            match self.raw().suspend_runtime() {
                Ok(()) => return,
                Err(Error::Call { hresult: HResult::CORPROF_E_SUSPENSION_IN_PROGRESS, .. })
                    if Instant::now() < deadline =>
                {
                    thread::sleep(Duration::from_millis(1));
                }
                Err(error) => {
                    report::failure(&format!("the program may crash while it ends: {error}"));
                    return;
                }
            }
        }
    }
}
