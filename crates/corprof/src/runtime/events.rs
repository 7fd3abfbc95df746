//! The event mask.
#![forbid(unsafe_code)]

use core::sync::atomic::Ordering;

use crate::error::Result;
use crate::event_mask::EventMask;
use crate::runtime::ProfilerInfo;

/// The flags that the crate itself needs, to refuse stale ids.
///
/// Their callbacks are rare, and they change neither code nor collections. They may be set at any time, by attached and by
/// notification-only profilers too.
pub(super) const ENDS: EventMask = EventMask::MODULE_LOADS
    .union(EventMask::ASSEMBLY_LOADS)
    .union(EventMask::THREADS)
    .union(EventMask::DYNAMIC_FUNCTION_UNLOADS);

impl ProfilerInfo {
    /// Sets the event mask.
    ///
    /// `ICorProfilerInfo5::SetEventMask2`, or `ICorProfilerInfo::SetEventMask` on a runtime without it, where the mask has no
    /// high half. In debug builds a `tracing` event lists the callbacks that the mask switches off
    /// ([`EventMask::undelivered_callbacks`]).
    ///
    /// This crate adds [`MODULE_LOADS`](EventMask::MODULE_LOADS), [`ASSEMBLY_LOADS`](EventMask::ASSEMBLY_LOADS),
    /// [`THREADS`](EventMask::THREADS) and [`DYNAMIC_FUNCTION_UNLOADS`](EventMask::DYNAMIC_FUNCTION_UNLOADS), to see when ids
    /// become stale; and [`BASIC_GC`](EventMask::BASIC_GC) while something
    /// [watches collections](Self::watch_collections). With [`ENABLE_REJIT`](EventMask::ENABLE_REJIT) it adds
    /// [`JIT_COMPILATION`](EventMask::JIT_COMPILATION) before .NET 9; see [`request_rejit`](Self::request_rejit). It does not pass these callbacks to a profiler that has not set the flags.
    ///
    /// # Errors
    /// `E_FAIL`: the mask changes flags of [`EventMask::immutable_on`] after `initialize`.
    /// [`Error::RuntimeTooOld`](crate::Error::RuntimeTooOld): high flags on a runtime without version 5. Any other failure of
    /// the call.
    #[doc(alias = "SetEventMask")]
    #[doc(alias = "SetEventMask2")]
    pub fn set_event_mask(&self, mask: EventMask) -> Result<()> {
        self.add_flags(self.flags_for_rejit(mask));
        let sent = mask | self.added_flags();
        if mask.high() == 0 && self.version() < 5 {
            self.raw().set_event_mask_low(sent.low())?;
        } else {
            self.raw().set_event_mask(sent.low(), sent.high())?;
        }
        self.shared.wanted.store(mask.bits(), Ordering::Relaxed);
        if cfg!(debug_assertions) && mask != EventMask::empty() {
            let callbacks = mask.undelivered_callbacks().collect::<Vec<_>>().join(" ");
            tracing::debug!(
                ?mask,
                callbacks,
                "the runtime does not make these callbacks: their flags are not set"
            );
        }
        Ok(())
    }

    /// Returns the event mask, without the flags that this crate has added.
    ///
    /// `ICorProfilerInfo5::GetEventMask2`, or `ICorProfilerInfo::GetEventMask` on a runtime without it.
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
        let added =
            self.added_flags() - EventMask::from_bits_retain(self.shared.wanted.load(Ordering::Relaxed));
        Ok(EventMask::from_halves(low, high) - added)
    }

    /// Has the runtime report the ends of ids, before the profiler has set a mask.
    pub(crate) fn watch_ends(&self) -> Result<()> {
        self.set_event_mask(EventMask::empty())
    }

    /// The flags that this crate adds to each mask.
    fn added_flags(&self) -> EventMask {
        EventMask::from_bits_retain(self.shared.added.load(Ordering::Relaxed))
    }

    /// Adds flags to every later mask.
    pub(super) fn add_flags(&self, flags: EventMask) {
        self.shared.added.fetch_or(flags.bits(), Ordering::Relaxed);
    }

    /// Returns whether the profiler has set a flag that enables a callback; any of `flags` does. Otherwise the runtime makes the
    /// callback for this crate alone.
    pub(crate) fn wants(&self, flags: EventMask) -> bool {
        let wanted = EventMask::from_bits_retain(self.shared.wanted.load(Ordering::Relaxed));
        wanted.intersects(flags) || !self.added_flags().intersects(flags)
    }
}
