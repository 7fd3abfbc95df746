//! Measures the waits of a .NET program's threads by kind, lock, site and owner. The README describes the report.

mod longest;
mod report;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use corprof::{
    Error, EventMask, EventPipeEvent, FunctionId, Names, Profiler, ProfilerInfo, Reserve, Result, UnloadCache,
};
use corprof_tools::corprof_profile::{Context, Unit, nanoseconds};
use corprof_tools::{Contention, Contentions, LiveProfile, Reporter, Settings, Tool, WaitKind};
use method_filter::OwnCode;

use crate::longest::Longest;
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
    /// The innermost frame of a stack is the class of the locked object, where the kind of the wait has one. The values are waits and
    /// their time. The labels are the kind of the wait, and the method of the program that waits.
    pub(crate) profile: LiveProfile,
    pub(crate) longest: Longest,
    /// What the program's own methods are.
    own: OwnCode,
    own_functions: UnloadCache<FunctionId, bool>,
    /// The number of waits that were not looked at, because memory ran out.
    pub(crate) lost: AtomicU64,
}

/// The number of frames of an owner's stack that are kept.
const OWNER: usize = 8;

/// Separates the frames of an owner's stack.
pub(crate) const CALLER: &str = " ← ";

/// The names of labels.
pub(crate) const KIND: &str = "kind";
pub(crate) const SITE: &str = "in";
pub(crate) const HELD: &str = "owner";

/// The setting with the file names of own code, without the prefix.
const OWN: &str = "OWN";

/// The kind of short waits that no wait with a stack stands for.
pub(crate) const SHORT: &str = "[short waits]";

/// Returns whether the innermost frame of a kind's waits is the class of an object.
pub(crate) fn has_class(kind: &str) -> bool {
    [WaitKind::MonitorEnter, WaitKind::Lock, WaitKind::MonitorWait].iter().any(|with| with.name() == kind)
}

impl Measured {
    fn add(&self, wait: &Contention) {
        let own = wait.stack.iter().find(|function| self.is_own(**function));
        let own = own.map(|function| self.profile.name(*function));
        self.longest.add(wait.kind.name(), own.as_deref(), wait.longest);
        let mut labels = vec![(KIND.to_owned(), wait.kind.name().to_owned())];
        labels.extend(own.map(|own| (SITE.to_owned(), own)));
        if let Some(stack) = &wait.owner_stack {
            let names: Vec<String> =
                stack.iter().take(OWNER).map(|function| self.profile.name(*function)).collect();
            labels.push((HELD.to_owned(), names.join(CALLER)));
        }
        let context = Context { thread: None, labels };
        let values = [wait.count, nanoseconds(wait.waited)];
        if has_class(wait.kind.name()) {
            let class = wait.class.as_deref().unwrap_or("[unknown lock]");
            self.profile.add_named(&wait.stack, class, &context, &values);
        } else {
            self.profile.add(&wait.stack, &context, &values);
        }
    }

    /// Adds the short waits that no other wait stands for.
    fn add_skipped(&self) {
        let (count, waited, longest) = self.contentions.take_skipped();
        if count > 0 {
            self.longest.add(SHORT, None, longest);
            let context = Context { thread: None, labels: vec![(KIND.to_owned(), SHORT.to_owned())] };
            self.profile.add(&[], &context, &[count, nanoseconds(waited)]);
        }
    }

    /// Returns whether a function is of the user's own code.
    fn is_own(&self, function: FunctionId) -> bool {
        let own: Result<bool> = self.own_functions.get_or_find(function, || {
            let method = self.profile.names().method(function)?;
            Ok(self.own.has(&method.module_info.path))
        });
        own.unwrap_or(false)
    }
}

impl Tool for Locks {
    const PREFIX: &'static str = "LOCKS_";
    const SETTINGS: &'static [&'static str] = &["TOP", OWN];

    fn start(info: &ProfilerInfo, settings: &Settings) -> Result<Self> {
        let names = Names::new(info);
        info.set_event_mask(Contentions::events(info)?)?;
        let types = [("waits", Unit::Count), ("waited", Unit::Nanoseconds)];
        let profile = LiveProfile::of_program(&names, &types);
        let contentions = Contentions::start(&names)?;
        let setting = format!("{}{OWN}", Self::PREFIX);
        let own = OwnCode::running((&setting, settings.text(OWN).unwrap_or_default()))
            .map_err(|error| Error::Setting { name: setting, message: error.to_string() })?;
        let own_functions = UnloadCache::new(info, |functions: &mut corprof::IdMap<_, _>, unload| {
            functions.retain(|function, _| !unload.takes(*function));
        });
        let longest = Longest::default();
        let lost = AtomicU64::new(0);
        let measured = Arc::new(Measured { contentions, profile, longest, own, own_functions, lost });
        let adding = Arc::downgrade(&measured);
        measured.profile.before_reports(move || {
            if let Some(measured) = adding.upgrade() {
                measured.add_skipped();
            }
        });
        let mut report = Report::new(Arc::clone(&measured), settings)?;
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

    fn attached(&self) {
        self.measured.contentions.profiler_attach_complete();
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
