//! Parts that are added and removed.

use corprof::{EventMask, PartHost, Profiler, ProfilerInfo, Result};

use super::Calls;
use super::process::changed;
use crate::at::{shown, value};

/// The flags of parts. The profiler itself changes IL, and sets those that cannot be set later.
const FLAGS: &[EventMask] = &[
    EventMask::CLASS_LOADS,
    EventMask::MODULE_LOADS,
    EventMask::THREADS,
    EventMask::SUSPENDS,
    EventMask::JIT_COMPILATION,
    EventMask::GC,
    EventMask::BASIC_GC,
    EventMask::EXCEPTIONS,
    EventMask::ENABLE_OBJECT_ALLOCATED,
];

/// A part that does nothing in its callbacks.
struct Guest(ProfilerInfo);

impl Profiler for Guest {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        Ok(Self(info.clone()))
    }

    fn profiler_detach_succeeded(&self) {
        // Refused: the part has left.
        value(self.0.set_event_mask(EventMask::all()));
    }
}

pub(super) const CALLS: Calls = &[
    ("PartHost::new", |it| value(PartHost::new(it.info(), |_, _| ()))),
    ("PartHost::add", |it| {
        changed(it)?;
        let flags = it.drawn(it.random.one_of(FLAGS))?;
        let is_made = it.is();
        shown(it.shared.host.add("guest", |info| {
            info.set_event_mask(flags)?;
            if is_made { Guest::initialize(info) } else { Err(corprof::Error::other("no")) }
        }))
    }),
    ("PartHost::remove", |it| {
        let parts = it.shared.host.parts();
        let key = it.drawn(it.random.one_of(&parts))?;
        shown(it.shared.host.remove(key))
    }),
    ("PartHost::parts", |it| value(it.shared.host.parts())),
];
