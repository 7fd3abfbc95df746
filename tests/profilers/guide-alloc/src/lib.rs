//! The profiler of allocations of the guide, verbatim: the end-to-end test `guide` compares the two texts.

use corprof::{EventPipeEvent, Names, Profiler, ProfilerInfo, Result};
use corprof_tools::{Allocations, Reporter, Settings, Tool, program_name, top};

struct Alloc {
    allocations: Allocations,
    reporter: Reporter,
}

impl Tool for Alloc {
    const PREFIX: &'static str = "ALLOC_";

    fn start(info: &ProfilerInfo, settings: &Settings) -> Result<Self> {
        info.set_event_mask(Allocations::SAMPLED)?;
        let allocations = Allocations::sampled(&Names::new(info), &program_name())?;
        let reporter = Reporter::of_profile("alloc", info, settings, allocations.profile(), 1, top(1))?;
        Ok(Self { allocations, reporter })
    }

    fn reporter(&self) -> &Reporter {
        &self.reporter
    }
}

impl Profiler for Alloc {
    corprof_tools::tool_callbacks!();

    fn event_pipe_event_delivered(&self, event: &EventPipeEvent<'_>) {
        self.allocations.event_pipe_event_delivered(event);
    }
}

corprof::export_profiler!("{0B9C5A5E-6C1E-4C55-9D62-1E6E0C7F3A06}", [Alloc]);
