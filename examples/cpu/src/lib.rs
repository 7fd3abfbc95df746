//! Samples the processor and wall-clock time of the methods of a .NET program. The README describes the report.

mod report;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use corprof::{Names, Profiler, ProfilerInfo, Result};
use corprof_tools::{Reporter, SampledBy, Sampler, Settings, Tool, program_name};

use crate::report::Report;

#[cfg(feature = "export")]
corprof::export_profiler!("{C19AEC15-5251-4E81-92E9-5CD48BCBAE2D}", [Cpu]);

/// Lets callbacks finish their work when there is no memory.
#[cfg(feature = "export")]
#[global_allocator]
static MEMORY: corprof::Reserve = corprof::Reserve::new();

/// The profiler.
pub struct Cpu {
    sampler: Arc<Sampler>,
    reporter: Reporter,
}

impl Tool for Cpu {
    const PREFIX: &'static str = "CPU_";
    const SETTINGS: &'static [&'static str] = &["TOP", "HZ", "BY", "WALL"];

    fn start(info: &ProfilerInfo, settings: &Settings) -> Result<Self> {
        const EXPECTED: &str = "it is a number from 1 to 1000";
        let with_wall = settings.is_on("WALL")?;
        let by = settings.text("BY").map(|name| {
            SampledBy::of_name(name).ok_or(settings.invalid("BY", "it is signals or suspension"))
        });
        let by = by.transpose()?;
        // A suspension costs the program much more than a signal.
        let usual = if with_wall || by == Some(SampledBy::Suspension) { 50.0 } else { 100.0 };
        let hz = settings.parsed::<f64>("HZ", EXPECTED)?.unwrap_or(usual);
        if !(1.0..=1000.0).contains(&hz) {
            return Err(settings.invalid("HZ", EXPECTED).into());
        }
        let names = Names::new(info);
        let interval = Duration::from_secs_f64(1.0 / hz);
        let start = if with_wall { Sampler::start_with_wall } else { Sampler::start };
        let sampler = Arc::new(start(&names, &program_name(), interval, by)?);
        info.set_event_mask(sampler.events())?;
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
    corprof_tools::sampler_callbacks!(sampler);
}
