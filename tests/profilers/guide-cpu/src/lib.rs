//! The profiler of processor time of the guide, verbatim: the end-to-end test `guide` compares the two texts.

use std::time::Duration;

use corprof::{Names, Profiler, ProfilerInfo, Result};
use corprof_tools::{Reporter, Sampler, Settings, Tool, program_name, top};

struct Cpu {
    sampler: Sampler,
    reporter: Reporter,
}

impl Tool for Cpu {
    const PREFIX: &'static str = "CPU_"; // CPU_OUT=cpu.svg

    fn start(info: &ProfilerInfo, settings: &Settings) -> Result<Self> {
        let sampler = Sampler::start(&Names::new(info), &program_name(), Duration::from_millis(10), None)?;
        info.set_event_mask(sampler.events())?;
        let reporter = Reporter::of_profile("cpu", info, settings, sampler.profile(), 0, top(0))?;
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

corprof::export_profiler!("{0B9C5A5E-6C1E-4C55-9D62-1E6E0C7F3A05}", [Cpu]);
