//! The profiler of exceptions of the guide, verbatim: the end-to-end test `guide` compares the two texts.

use corprof::{Names, Profiler, ProfilerInfo, Result};
use corprof_tools::corprof_profile::{Context, Unit};
use corprof_tools::{LiveProfile, Outcome, Reporter, Settings, Throw, Throws, Tool, top};

struct Exceptions {
    throws: Throws,
    profile: LiveProfile,
    reporter: Reporter,
}

impl Exceptions {
    fn add(&self, throw: Throw) {
        if !throw.is_again {
            self.profile.add_named(&throw.stack, &throw.type_name, &Context::default(), &[1]);
        }
        if throw.outcome == Outcome::Uncaught {
            self.reporter.write_now(); // the runtime ends the program
        }
    }
}

impl Tool for Exceptions {
    const PREFIX: &'static str = "EXCEPTIONS_";

    fn start(info: &ProfilerInfo, settings: &Settings) -> Result<Self> {
        info.set_event_mask(Throws::EVENTS)?;
        let names = Names::new(info);
        let profile = LiveProfile::of_program(&names, &[("exceptions", Unit::Count)]);
        let reporter = Reporter::of_profile("exceptions", info, settings, &profile, 0, top(0))?;
        Ok(Self { throws: Throws::new(&names)?, profile, reporter })
    }

    fn reporter(&self) -> &Reporter {
        &self.reporter
    }

    fn stop(&self) {
        self.throws.end_all().into_iter().for_each(|throw| self.add(throw));
    }
}

impl Profiler for Exceptions {
    corprof_tools::tool_callbacks!();
    corprof_tools::throw_callbacks!(throws, add);
}

corprof::export_profiler!("{0B9C5A5E-6C1E-4C55-9D62-1E6E0C7F3A07}", [Exceptions]);
