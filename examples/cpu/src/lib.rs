//! Samples the processor and wall-clock time of the methods of a .NET program. The README describes the report.

mod report;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use corprof::widestring::U16Str;
use corprof::{EventMask, Names, Profiler, ProfilerInfo, Reserve, Result, ThreadId, export_profiler};
use corprof_tools::{Reporter, Sampler, Settings, Tool, program_name};

use crate::report::Report;

export_profiler!(Cpu, "{C19AEC15-5251-4E81-92E9-5CD48BCBAE2D}");

/// Lets callbacks finish their work when there is no memory.
#[global_allocator]
static MEMORY: Reserve = Reserve::new();

/// The profiler.
struct Cpu {
    sampler: Arc<Sampler>,
    reporter: Reporter,
}

impl Tool for Cpu {
    const PREFIX: &'static str = "CPU_";
    const SETTINGS: &'static [&'static str] = &["TOP", "HZ", "WALL"];

    fn start(info: &ProfilerInfo, settings: &Settings) -> Result<Self> {
        const EXPECTED: &str = "it is a number from 1 to 1000";
        let hz = settings.parsed::<f64>("HZ", EXPECTED)?.unwrap_or(50.0);
        if !(1.0..=1000.0).contains(&hz) {
            return Err(settings.invalid("HZ", EXPECTED).into());
        }
        info.set_event_mask(Sampler::EVENTS)?;
        let names = Names::new(info);
        let interval = Duration::from_secs_f64(1.0 / hz);
        let sampler = Arc::new(Sampler::start(&names, &program_name(), interval)?);
        let report = Report::new(Arc::clone(&sampler), settings)?;
        let (profile, value) = (sampler.profile(), report.value);
        let reporter =
            Reporter::of_profile("cpu", info, settings, profile, value, move |profile, moment, out| {
                report.text(profile, moment, out)
            })?;
        Ok(Self { sampler, reporter })
    }

    fn reporter(&self) -> &Reporter {
        &self.reporter
    }

    fn stop(&self) {
        self.sampler.stop();
    }
}

impl Profiler for Cpu {
    corprof_tools::tool_callbacks!();

    fn thread_name_changed(&self, thread: ThreadId, name: &U16Str) {
        if !MEMORY.is_low() {
            self.sampler.thread_name_changed(thread, name.to_string_lossy());
        }
    }

    fn thread_destroyed(&self, thread: ThreadId) {
        self.sampler.thread_destroyed(thread);
    }
}

/// The mask has only flags that a profiler may set after it was attached.
const _: () = assert!(EventMask::ALLOWABLE_AFTER_ATTACH.contains(Sampler::EVENTS));
