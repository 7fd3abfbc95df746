//! The profiler of pauses of the guide, verbatim: the end-to-end test `guide` compares the two texts.

use corprof::{Names, Profiler, ProfilerInfo, Result};
use corprof_tools::corprof_profile::{Context, Unit, nanoseconds};
use corprof_tools::{Ended, LiveProfile, Pauses, Reporter, Settings, Tool, top};

struct Gc {
    pauses: Pauses,
    profile: LiveProfile,
    reporter: Reporter,
}

impl Gc {
    fn add(&self, ended: Ended) {
        for gc in ended.collections {
            let name = format!("generation {}, induced: {}", gc.generation, gc.is_induced());
            let values = [1, nanoseconds(gc.paused), nanoseconds(gc.suspending)];
            self.profile.add_named(&[], &name, &Context::default(), &values);
        }
    }
}

impl Tool for Gc {
    const PREFIX: &'static str = "GC_";

    fn start(info: &ProfilerInfo, settings: &Settings) -> Result<Self> {
        info.set_event_mask(Pauses::events(info)?)?;
        let time = Unit::Nanoseconds;
        let types = [("collections", Unit::Count), ("paused", time), ("suspending", time)];
        let profile = LiveProfile::of_program(&Names::new(info), &types);
        let reporter = Reporter::of_profile("gc", info, settings, &profile, 1, top(1))?;
        Ok(Self { pauses: Pauses::start(info)?, profile, reporter })
    }

    fn reporter(&self) -> &Reporter {
        &self.reporter
    }
}

impl Profiler for Gc {
    corprof_tools::tool_callbacks!();
    corprof_tools::pause_callbacks!(pauses, add);
}

corprof::export_profiler!("{0B9C5A5E-6C1E-4C55-9D62-1E6E0C7F3A08}", [Gc]);
