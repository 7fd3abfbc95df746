//! The messages about the self-test of fast hooks' locations.

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
    /// Says that there are no values yet, if that is so.
    pub(crate) fn begin(info: &ProfilerInfo, settings: &Settings) -> Self {
        let reason = info.runtime_info().ok().and_then(|runtime| {
            let is_measured = settings.hooks.is_measured_on(runtime.major);
            (!is_measured)
                .then(|| format!("fast hooks were not measured on runtime {}", runtime.version_string))
        });
        let reason = match reason {
            _ if settings.hooks != HookKind::Fast => None,
            None if settings.self_test => Some("as CALLTRACE_SELF_TEST says".to_owned()),
            reason => reason,
        };
        if let Some(reason) = &reason {
            complain(&format!(
                "{reason}: there are no values until a self-test has confirmed where they are; {REMEDY}"
            ));
        }
        Self { goes_on: AtomicBool::new(reason.is_some()) }
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
