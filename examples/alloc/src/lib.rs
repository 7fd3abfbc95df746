//! Measures the allocations of a .NET program by class and site. The README describes the report.

mod report;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use corprof::{
    ClassId, Error, EventMask, EventPipeEvent, Names, ObjectId, Profiler, ProfilerInfo, Reserve, Result,
};
use corprof_tools::{Allocations, Reporter, Settings, Tool, program_name};

use crate::report::{BYTES, Report};

#[cfg(feature = "export")]
corprof::export_profiler!("{02D70BEE-8632-4987-8641-86EE52CC13D3}", [Alloc]);

/// Lets callbacks finish their work when there is no memory.
#[cfg_attr(feature = "export", global_allocator)]
static MEMORY: Reserve = Reserve::new();

/// The profiler.
pub struct Alloc {
    measured: Arc<Measured>,
    reporter: Reporter,
}

/// The allocations so far.
pub(crate) struct Measured {
    pub(crate) allocations: Allocations,
    /// The number of allocations that were not looked at, because memory ran out.
    pub(crate) lost: AtomicU64,
}

impl Tool for Alloc {
    const PREFIX: &'static str = "ALLOC_";
    const SETTINGS: &'static [&'static str] = &["TOP", "MODE"];

    fn start(info: &ProfilerInfo, settings: &Settings) -> Result<Self> {
        let names = Names::new(info);
        let allocations = match settings.text("MODE") {
            None | Some("sampled") => {
                info.set_event_mask(Allocations::SAMPLED)?;
                Allocations::sampled(&names, &program_name()).map_err(|error| {
                    Error::other(format!("{error}; ALLOC_MODE=exact sees all allocations from the start"))
                })?
            }
            Some("exact") if settings.is_attached() => {
                let expected = "the runtime reports all allocations only of a program that was started with the tool, by \
                                `corprof run alloc --mode exact -- app.dll`; attached, it is sampled";
                return Err(settings.invalid("MODE", expected).into());
            }
            Some("exact") => {
                info.set_event_mask(Allocations::EXACT)?;
                Allocations::exact(&names, &program_name())
            }
            Some(_) => return Err(settings.invalid("MODE", "it is sampled or exact").into()),
        };
        let measured = Arc::new(Measured { allocations, lost: AtomicU64::new(0) });
        let report = Report::new(Arc::clone(&measured), settings)?;
        let profile = measured.allocations.profile();
        let reporter =
            Reporter::of_profile("alloc", info, settings, profile, BYTES, move |profile, moment, out| {
                report.write(profile, moment, out)
            })?;
        Ok(Self { measured, reporter })
    }

    fn reporter(&self) -> &Reporter {
        &self.reporter
    }
}

impl Alloc {
    /// Calls `work` if there is memory.
    fn with_memory(&self, work: impl FnOnce(&Allocations)) {
        if MEMORY.is_low() {
            self.measured.lost.fetch_add(1, Ordering::Relaxed);
        } else {
            work(&self.measured.allocations);
        }
    }
}

impl Profiler for Alloc {
    corprof_tools::tool_callbacks!();

    fn object_allocated(&self, object: ObjectId<'_>, class: ClassId) {
        self.with_memory(|allocations| allocations.object_allocated(object, class));
    }

    fn event_pipe_event_delivered(&self, event: &EventPipeEvent<'_>) {
        self.with_memory(|allocations| allocations.event_pipe_event_delivered(event));
    }
}

/// The mask of sampling has only flags that a profiler may set after it was attached.
const _: () = assert!(EventMask::ALLOWABLE_AFTER_ATTACH.contains(Allocations::SAMPLED));
