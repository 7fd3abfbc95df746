//! Measures the waits for locks of a .NET program by lock, site and owner. The README describes the report.

mod report;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use corprof::{EventMask, EventPipeEvent, Names, Profiler, ProfilerInfo, Reserve, Result};
use corprof_tools::corprof_profile::{Context, Unit, nanoseconds};
use corprof_tools::{Contention, Contentions, LiveProfile, Reporter, Settings, Tool};

use crate::report::{Report, WAITED};

#[cfg(feature = "export")]
corprof::export_profiler!("{C1D6A5F4-3B0E-4C57-9A52-6E0F7B1D8C34}", [Locks]);

/// Lets callbacks finish their work when there is no memory.
#[cfg_attr(feature = "export", global_allocator)]
static MEMORY: Reserve = Reserve::new();

/// The profiler.
pub struct Locks {
    measured: Arc<Measured>,
    reporter: Reporter,
}

/// The waits so far.
pub(crate) struct Measured {
    pub(crate) contentions: Contentions,
    /// The innermost frame of a stack is the class of the locked object. The values are waits, their time and the longest.
    pub(crate) profile: LiveProfile,
    /// The number of waits that were not looked at, because memory ran out.
    pub(crate) lost: AtomicU64,
}

/// The number of frames of an owner's stack that are kept.
const OWNER: usize = 8;

/// Separates the frames of an owner's stack.
pub(crate) const CALLER: &str = " ← ";

impl Measured {
    fn add(&self, wait: &Contention) {
        let mut labels = Vec::new();
        if let Some(stack) = &wait.owner_stack {
            let names: Vec<String> =
                stack.iter().take(OWNER).map(|function| self.profile.name(*function)).collect();
            labels.push(("owner".to_owned(), names.join(CALLER)));
        }
        let class = wait.class.as_deref().unwrap_or("[unknown lock]");
        let context = Context { thread: None, labels };
        self.profile.add_named(&wait.stack, class, &context, &[1, nanoseconds(wait.waited)]);
    }
}

impl Tool for Locks {
    const PREFIX: &'static str = "LOCKS_";
    const SETTINGS: &'static [&'static str] = &["TOP"];

    fn start(info: &ProfilerInfo, settings: &Settings) -> Result<Self> {
        let names = Names::new(info);
        info.set_event_mask(Contentions::events(info)?)?;
        let types = [("waits", Unit::Count), ("waited", Unit::Nanoseconds)];
        let profile = LiveProfile::of_program(&names, &types);
        let contentions = Contentions::start(&names)?;
        let measured = Arc::new(Measured { contentions, profile, lost: AtomicU64::new(0) });
        let report = Report::new(Arc::clone(&measured), settings)?;
        let profile = &measured.profile;
        let reporter =
            Reporter::of_profile("locks", info, settings, profile, WAITED, move |profile, moment, out| {
                report.write(profile, moment, out)
            })?;
        Ok(Self { measured, reporter })
    }

    fn reporter(&self) -> &Reporter {
        &self.reporter
    }

    fn stop(&self) {
        self.measured.contentions.stop();
    }
}

impl Profiler for Locks {
    corprof_tools::tool_callbacks!();

    fn event_pipe_event_delivered(&self, event: &EventPipeEvent<'_>) {
        if MEMORY.is_low() {
            self.measured.lost.fetch_add(1, Ordering::Relaxed);
        } else if let Some(wait) = self.measured.contentions.event_pipe_event_delivered(event) {
            self.measured.add(&wait);
        }
    }
}

/// The mask has only flags that a profiler may set after it was attached.
const _: () = assert!(EventMask::ALLOWABLE_AFTER_ATTACH.contains(Contentions::EVENTS));
