//! The messages about fast-path hooks on a runtime that was not measured, and about the self-test of their locations.

use core::sync::atomic::{AtomicBool, Ordering};

use corprof::ProfilerInfo;
use corprof_calls::HookKind;

use crate::settings::Settings;
use crate::sink::complain;

const REMEDY: &str = "CALLTRACE_HOOKS=with-info has them";

/// Whether a self-test goes on, before which there are no values.
#[derive(Debug, Default)]
pub(crate) struct SelfTest {
    goes_on: AtomicBool,
}

impl SelfTest {
    /// Says which hooks are used on a runtime on which fast-path hooks were not measured, and that there are no values yet if a
    /// self-test goes on.
    pub(crate) fn begin(info: &ProfilerInfo, settings: &Settings) -> Self {
        if settings.self_test {
            complain(&format!(
                "as CALLTRACE_SELF_TEST says, there are no values until a self-test has confirmed where they are; {REMEDY}"
            ));
        } else if let Ok(runtime) = info.runtime_info()
            && settings.hooks != HookKind::WithInfo
            && !HookKind::Fast.is_measured_on(runtime.major)
        {
            let version = &runtime.version_string;
            complain(&format!(
                "fast-path hooks were not measured on runtime {version}: slow-path hooks are used, with which calls take longer"
            ));
        }
        Self { goes_on: AtomicBool::new(settings.self_test) }
    }

    /// Says how it has ended.
    pub(crate) fn end(&self, hold: bool) {
        self.goes_on.store(false, Ordering::Relaxed);
        if hold {
            complain("the self-test has confirmed where values are: from here on there are values");
        } else {
            complain(&format!(
                "the self-test has found other values than expected, so there are none; {REMEDY}"
            ));
        }
    }

    /// Says so if it has not ended when the process ends.
    pub(crate) fn shutdown(&self) {
        if self.goes_on.load(Ordering::Relaxed) {
            complain(&format!("the self-test has seen too few calls, so there are no values; {REMEDY}"));
        }
    }
}
