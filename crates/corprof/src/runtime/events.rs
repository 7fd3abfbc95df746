//! The event mask.
#![forbid(unsafe_code)]

use core::sync::atomic::Ordering;

use crate::error::Result;
use crate::event_mask::EventMask;
use crate::runtime::ProfilerInfo;

/// The events that the library itself needs, to refuse ids of what has been unloaded or has ended.
///
/// They are sent when something is loaded, unloaded, started or ended, and at no other time; they change neither code nor
/// collections. They may be set at any time, by attached and by notification-only profilers too.
const ENDS: EventMask = EventMask::MODULE_LOADS
    .union(EventMask::ASSEMBLY_LOADS)
    .union(EventMask::THREADS)
    .union(EventMask::DYNAMIC_FUNCTION_UNLOADS);

impl ProfilerInfo {
    /// Sets the events that the runtime sends (`ICorProfilerInfo5::SetEventMask2`, or
    /// `ICorProfilerInfo::SetEventMask` on a runtime without it, where the mask has no high half).
    ///
    /// The library adds [`MODULE_LOADS`](EventMask::MODULE_LOADS), [`ASSEMBLY_LOADS`](EventMask::ASSEMBLY_LOADS),
    /// [`THREADS`](EventMask::THREADS) and [`DYNAMIC_FUNCTION_UNLOADS`](EventMask::DYNAMIC_FUNCTION_UNLOADS), by which it sees
    /// the ends of ids. It does not
    /// deliver them to a profiler that has not set them.
    ///
    /// # Errors
    /// `E_FAIL` for a change of flags of [`EventMask::immutable_on`] after `initialize`;
    /// [`Error::RuntimeTooOld`](crate::Error::RuntimeTooOld) for high flags on a runtime without version 5.
    #[doc(alias = "SetEventMask")]
    #[doc(alias = "SetEventMask2")]
    pub fn set_event_mask(&self, mask: EventMask) -> Result<()> {
        let sent = mask | ENDS;
        if mask.high() == 0 && self.version() < 5 {
            self.raw().set_event_mask_low(sent.low())?;
        } else {
            self.raw().set_event_mask(sent.low(), sent.high())?;
        }
        self.shared.wanted.store(mask.bits(), Ordering::Relaxed);
        Ok(())
    }

    /// Returns the events that the runtime sends (`ICorProfilerInfo5::GetEventMask2`, or
    /// `ICorProfilerInfo::GetEventMask` on a runtime without it), except those that it sends for the library alone.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetEventMask")]
    #[doc(alias = "GetEventMask2")]
    pub fn event_mask(&self) -> Result<EventMask> {
        let (low, high) = match self.version() {
            0..5 => (self.raw().event_mask_low()?, 0),
            _ => self.raw().event_mask()?,
        };
        let added = ENDS - EventMask::from_bits_retain(self.shared.wanted.load(Ordering::Relaxed));
        Ok(EventMask::from_halves(low, high) - added)
    }

    /// Has the runtime report the ends of ids, before the profiler has set a mask.
    pub(crate) fn watch_ends(&self) -> Result<()> {
        self.set_event_mask(EventMask::empty())
    }

    /// Whether the profiler has set a flag: the runtime may send the event for the library alone.
    pub(crate) fn wants(&self, flag: EventMask) -> bool {
        EventMask::from_bits_retain(self.shared.wanted.load(Ordering::Relaxed)).contains(flag)
            || !ENDS.contains(flag)
    }
}
