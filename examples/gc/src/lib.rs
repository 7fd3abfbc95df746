//! Measures the garbage collections and pauses of a .NET program. The README describes the report.

mod report;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::{Mutex, MutexGuard, PoisonError};

use corprof::values::{GcReason, Generations, SuspendReason};
use corprof::{EventMask, Profiler, ProfilerInfo, Reserve, Result, export_profiler};
use corprof_tools::{Pauses, Reporter, Settings, Tool};

use crate::report::Measured;

export_profiler!(Gc, "{EB966C6E-9F7C-437B-B116-76D0D632A301}");

/// Lets callbacks finish their work when there is no memory.
#[global_allocator]
static MEMORY: Reserve = Reserve::new();

/// The profiler.
struct Gc {
    pauses: Pauses,
    measured: Arc<Mutex<Measured>>,
    reporter: Reporter,
}

impl Tool for Gc {
    const PREFIX: &'static str = "GC_";
    const SETTINGS: &'static [&'static str] = &["LAST"];

    fn start(info: &ProfilerInfo, settings: &Settings) -> Result<Self> {
        info.set_event_mask(Pauses::EVENTS)?;
        let measured = Arc::new(Mutex::new(Measured::new(settings)?));
        let (format, copy) = (settings.format(), Arc::clone(&measured));
        let reporter = Reporter::start("gc", info, settings, move |moment| {
            // The program must not wait for the report.
            let measured = copy.lock().unwrap_or_else(PoisonError::into_inner).clone();
            measured.report(moment, format)
        })?;
        Ok(Self { pauses: Pauses::new(info), measured, reporter })
    }

    fn reporter(&self) -> &Reporter {
        &self.reporter
    }
}

impl Gc {
    fn measured(&self) -> MutexGuard<'_, Measured> {
        self.measured.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Profiler for Gc {
    corprof_tools::tool_callbacks!();

    fn runtime_suspend_started(&self, reason: SuspendReason) {
        self.pauses.runtime_suspend_started(reason);
    }

    fn runtime_suspend_finished(&self) {
        self.pauses.runtime_suspend_finished();
    }

    fn runtime_suspend_aborted(&self) {
        self.pauses.runtime_suspend_aborted();
    }

    fn runtime_resume_finished(&self) {
        let ended = self.pauses.runtime_resume_finished();
        let mut measured = self.measured();
        ended.collections.into_iter().for_each(|collection| measured.collection(collection));
        ended.pause.into_iter().for_each(|pause| measured.pause(pause));
        measured.unpaired = self.pauses.unpaired();
    }

    fn garbage_collection_started(&self, generations: Generations<'_>, reason: GcReason) {
        self.pauses.garbage_collection_started(generations, reason);
    }

    fn garbage_collection_finished(&self) {
        let ended = self.pauses.garbage_collection_finished();
        ended.into_iter().for_each(|collection| self.measured().collection(collection));
    }
}

/// The mask has only flags that a profiler may set after it was attached.
const _: () = assert!(EventMask::ALLOWABLE_AFTER_ATTACH.contains(Pauses::EVENTS));
