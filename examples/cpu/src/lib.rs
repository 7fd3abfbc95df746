//! Samples the processor and wall-clock time of the methods of a .NET program. The README describes the report.

mod report;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use corprof::widestring::U16Str;
use corprof::{EventMask, Names, Profiler, ProfilerInfo, Reserve, Result, ThreadId, export_profiler};
use corprof_tools::{Reporter, Sampler, Settings, program_name};

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

impl Cpu {
    fn new(info: &ProfilerInfo, settings: &Settings) -> Result<Self> {
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
        let reporter = Reporter::start("cpu", info, settings, move |moment| report.write(moment))?;
        Ok(Self { sampler, reporter })
    }

    fn end(&self) {
        self.sampler.stop();
        self.reporter.end();
    }
}

const SETTINGS: [&str; 3] = ["TOP", "HZ", "WALL"];

impl Profiler for Cpu {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        let this = Self::new(info, &Settings::from_environment("CPU_", &SETTINGS)?)?;
        this.reporter.ready();
        Ok(this)
    }

    fn initialize_for_attach(info: &ProfilerInfo, client_data: &[u8]) -> Result<Self> {
        Self::new(info, &Settings::from_client_data("CPU_", &SETTINGS, client_data)?)
    }

    fn profiler_attach_complete(&self) {
        self.reporter.ready();
    }

    fn profiler_detach_succeeded(&self) {
        self.end();
    }

    fn shutdown(&self) {
        self.end();
    }

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
