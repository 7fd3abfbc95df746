//! Measures the garbage collections and pauses of a .NET program. The README describes the report.

mod report;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::{Mutex, PoisonError};

use corprof::{EventMask, Names, Profiler, ProfilerInfo, Result};
use corprof_tools::corprof_profile::{Context, Unit, nanoseconds};
use corprof_tools::{Ended, LiveProfile, Pauses, Reporter, Settings, Tool};

use crate::report::{Measured, name_of};

#[cfg(feature = "export")]
corprof::export_profiler!("{EB966C6E-9F7C-437B-B116-76D0D632A301}", [Gc]);

/// Lets callbacks finish their work when there is no memory.
#[cfg(feature = "export")]
#[global_allocator]
static MEMORY: corprof::Reserve = corprof::Reserve::new();

/// The values of the profile.
const VALUES: [(&str, Unit); 3] =
    [("collections", Unit::Count), ("paused", Unit::Nanoseconds), ("suspending", Unit::Nanoseconds)];

/// The profiler.
pub struct Gc {
    pauses: Pauses,
    measured: Arc<Mutex<Measured>>,
    /// Collections by generation and cause, for formats of profiles.
    profile: LiveProfile,
    reporter: Reporter,
}

impl Tool for Gc {
    const PREFIX: &'static str = "GC_";
    const SETTINGS: &'static [&'static str] = &["LAST"];

    fn start(info: &ProfilerInfo, settings: &Settings) -> Result<Self> {
        info.set_event_mask(Pauses::events(info)?)?;
        let measured = Arc::new(Mutex::new(Measured::new(settings)?));
        let profile = LiveProfile::of_program(&Names::new(info), &VALUES);
        let (format, copy) = (settings.format(), Arc::clone(&measured));
        let reporter = Reporter::of_profile_with("gc", info, settings, &profile, move |profile, _| {
            // The program must not wait for the report.
            let measured = copy.lock().unwrap_or_else(PoisonError::into_inner).clone();
            measured.report(profile, format)
        })?;
        Ok(Self { pauses: Pauses::start(info)?, measured, profile, reporter })
    }

    fn reporter(&self) -> &Reporter {
        &self.reporter
    }

    fn stop(&self) {
        self.pauses.stop();
    }
}

impl Gc {
    fn add(&self, ended: Ended) {
        if ended == Ended::default() {
            return;
        }
        for collection in &ended.collections {
            let values = [1, nanoseconds(collection.paused), nanoseconds(collection.suspending)];
            self.profile.add_named(&[], &name_of(collection), &Context::default(), &values);
        }
        let mut measured = self.measured.lock().unwrap_or_else(PoisonError::into_inner);
        ended.collections.into_iter().for_each(|collection| measured.collection(collection));
        ended.pause.into_iter().for_each(|pause| measured.pause(pause));
        measured.unpaired = self.pauses.unpaired();
    }
}

impl Profiler for Gc {
    corprof_tools::tool_callbacks!();

    corprof_tools::pause_callbacks!(pauses, add);
}

/// The mask has only flags that a profiler may set after it was attached.
const _: () = assert!(EventMask::ALLOWABLE_AFTER_ATTACH.contains(Pauses::EVENTS));
