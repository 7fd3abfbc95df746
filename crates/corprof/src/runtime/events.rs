//! The event mask.
#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::error::Result;
use crate::event_mask::{Callback, EventMask, PartId, TakerSet, Takers};
use crate::runtime::ProfilerInfo;

/// The flags that the crate itself needs, to refuse stale ids.
///
/// Their callbacks are rare, and they change neither code nor collections. They may be set at any time, by attached and by
/// notification-only profilers too.
pub(super) const ENDS: EventMask = EventMask::MODULE_LOADS
    .union(EventMask::ASSEMBLY_LOADS)
    .union(EventMask::THREADS)
    .union(EventMask::DYNAMIC_FUNCTION_UNLOADS);

/// The event masks: what each part of the profiler wants, what this crate adds, and the one place that sends their union.
pub(super) struct Masks {
    /// Held while the runtime's mask is set. A thread whose mask was overtaken would take away the flags of another, so that
    /// a collection would not be reported to who relies on it.
    ///
    /// The only lock of the crate that is held across a call of the runtime: that call makes no callback, and waits for
    /// nothing but in `InitializeForAttach`, before the profiler gets callbacks.
    writing: Mutex<()>,
    /// The mask of each part; none for the crate.
    wanted: [AtomicU64; PARTS],
    added: AtomicU64,
    /// Who takes which callback, by these masks.
    takers: Takers,
}

/// The number of parts, and the crate.
const PARTS: usize = PartId::CRATE.index() + 1;

impl Masks {
    pub(super) fn new() -> Self {
        let masks = Self {
            writing: Mutex::new(()),
            wanted: [const { AtomicU64::new(0) }; PARTS],
            added: AtomicU64::new(ENDS.bits()),
            takers: Takers::new(),
        };
        masks.takers.set(PartId::CRATE, ENDS);
        masks
    }

    /// The mask that a part has set.
    fn wanted_by(&self, part: PartId) -> EventMask {
        let mask = self.wanted.get(part.index()).map_or(0, |mask| mask.load(Ordering::Relaxed));
        EventMask::from_bits_retain(mask)
    }

    /// The union of the masks of all parts except one.
    fn wanted_beside(&self, part: PartId) -> EventMask {
        let others = self.wanted.iter().enumerate().filter(|(index, _)| *index != part.index());
        others.map(|(_, mask)| EventMask::from_bits_retain(mask.load(Ordering::Relaxed))).collect()
    }

    /// The flags that this crate adds to each mask.
    fn added(&self) -> EventMask {
        EventMask::from_bits_retain(self.added.load(Ordering::Relaxed))
    }

    /// Who takes a callback.
    pub(super) fn takers(&self) -> &Takers {
        &self.takers
    }

    /// Sends the mask that `change` makes of the part's, with those of the other parts, what this crate adds to them, which `add`
    /// changes. Returns the part's mask. Nothing has changed after an error.
    fn write(
        &self,
        part: PartId,
        change: impl FnOnce(EventMask) -> EventMask,
        add: impl FnOnce(EventMask, EventMask) -> EventMask,
        send: impl FnOnce(EventMask, EventMask) -> Result<()>,
    ) -> Result<EventMask> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let before = [self.wanted_by(part), self.added()];
        let wanted = change(before[0]);
        let all = wanted | self.wanted_beside(part);
        let added = add(all, before[1]);
        // The runtime makes the callbacks before it has returned.
        self.takers.add(part, wanted);
        self.takers.add(PartId::CRATE, added);
        let sent = send(all, added);
        let [wanted, added] = if sent.is_ok() { [wanted, added] } else { before };
        self.takers.set(part, wanted);
        self.takers.set(PartId::CRATE, added);
        self.added.store(added.bits(), Ordering::Relaxed);
        if let Some(mask) = self.wanted.get(part.index()) {
            mask.store(wanted.bits(), Ordering::Relaxed);
        }
        sent.map(|()| wanted)
    }
}

impl ProfilerInfo {
    /// Sets the event mask.
    ///
    /// Where several profilers are [exported](crate::export_profiler) under one class id, each has an event mask of its own: the
    /// runtime gets the union of all, and each gets the callbacks of its own mask.
    ///
    /// `ICorProfilerInfo5::SetEventMask2`, or `ICorProfilerInfo::SetEventMask` on a runtime without it, where the mask has no
    /// high half. In debug builds a `tracing` event lists the callbacks that the mask switches off
    /// ([`EventMask::undelivered_callbacks`]).
    ///
    /// This crate adds [`MODULE_LOADS`](EventMask::MODULE_LOADS), [`ASSEMBLY_LOADS`](EventMask::ASSEMBLY_LOADS),
    /// [`THREADS`](EventMask::THREADS) and [`DYNAMIC_FUNCTION_UNLOADS`](EventMask::DYNAMIC_FUNCTION_UNLOADS), to see when ids
    /// become stale; and [`BASIC_GC`](EventMask::BASIC_GC) while something
    /// [watches collections](Self::watch_collections). With [`ENABLE_REJIT`](EventMask::ENABLE_REJIT) it adds
    /// [`JIT_COMPILATION`](EventMask::JIT_COMPILATION) before .NET 9; see [`request_rejit`](Self::request_rejit). On .NET 9 to 11
    /// [`EXCEPTIONS`](EventMask::EXCEPTIONS) stays set for the crate once the profiler has set it: an exception that was thrown
    /// without it is not kept in its place when the flag is set again. It does not pass these callbacks to a profiler that has not set the flags.
    ///
    /// # Errors
    /// `E_FAIL`: the mask changes flags of [`EventMask::immutable_on`] after `initialize`.
    /// `CORPROF_E_CONCURRENT_GC_NOT_PROFILABLE`: the mask adds [`GC`](EventMask::GC), and had not had it when `initialize` ended and
    /// the runtime started; the collector is concurrent then.
    /// [`Error::RuntimeTooOld`](crate::Error::RuntimeTooOld): high flags on a runtime without version 5.
    /// [`Error::Conflict`](crate::Error::Conflict): [`ENABLE_REJIT`](EventMask::ENABLE_REJIT), and another profiler of the
    /// class id changes IL. Any other failure of the call.
    #[doc(alias = "SetEventMask")]
    #[doc(alias = "SetEventMask2")]
    pub fn set_event_mask(&self, mask: EventMask) -> Result<()> {
        self.write_mask(|_| mask)
    }

    /// Adds flags to the event mask.
    ///
    /// Unlike [`set_event_mask`](Self::set_event_mask) with flags of [`event_mask`](Self::event_mask), it cannot undo what
    /// another thread sets at the same time.
    ///
    /// # Errors
    /// Those of [`set_event_mask`](Self::set_event_mask).
    pub fn add_to_event_mask(&self, flags: EventMask) -> Result<()> {
        self.write_mask(|mask| mask | flags)
    }

    /// Removes flags from the event mask; see [`add_to_event_mask`](Self::add_to_event_mask).
    ///
    /// # Errors
    /// Those of [`set_event_mask`](Self::set_event_mask).
    pub fn remove_from_event_mask(&self, flags: EventMask) -> Result<()> {
        self.write_mask(|mask| mask - flags)
    }

    /// Adds flags to this event mask and to every later one, without the profiler's knowledge.
    pub(super) fn keep_in_event_mask(&self, flags: EventMask) -> Result<()> {
        self.write_mask_of(PartId::CRATE, |_| EventMask::empty(), flags).map(drop)
    }

    /// Removes flags from the event masks of all parts, and those of this crate too. Returns whether the mask of the runtime had one.
    pub(super) fn end_in_event_mask(&self, flags: EventMask) -> Result<bool> {
        let masks = &self.shared.masks;
        let had = (masks.wanted_beside(PartId::CRATE) | masks.added()).intersects(flags);
        if had {
            let send = |wanted, added| self.send_mask(wanted, added);
            for part in
                (0..PARTS - 1).map(PartId::new).filter(|part| masks.wanted_by(*part).intersects(flags))
            {
                masks.write(part, |mask| mask - flags, |_, added| added, send)?;
            }
            masks.write(PartId::CRATE, |_| EventMask::empty(), |_, added| added - flags, send)?;
        }
        Ok(had)
    }

    fn write_mask_of(
        &self,
        part: PartId,
        change: impl FnOnce(EventMask) -> EventMask,
        kept: EventMask,
    ) -> Result<EventMask> {
        let add =
            |wanted, added| added | kept | self.flags_for_rejit(wanted) | self.flags_for_exceptions(wanted);
        self.shared.masks.write(part, change, add, |wanted, added| self.send_mask(wanted, added))
    }

    fn write_mask(&self, change: impl FnOnce(EventMask) -> EventMask) -> Result<()> {
        let mut owned = Ok(());
        let change = |mask| {
            let wanted = change(mask);
            if wanted.contains(EventMask::ENABLE_REJIT) {
                owned = self.own_il();
            }
            if owned.is_ok() { wanted } else { mask }
        };
        let mask = self.write_mask_of(self.part, change, EventMask::empty())?;
        owned?;
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

    /// A runtime whose masks have no high half makes no callback of the high flags that this crate adds.
    fn send_mask(&self, wanted: EventMask, added: EventMask) -> Result<()> {
        let mask = wanted | added;
        if wanted.high() == 0 && self.version() < 5 {
            self.raw().set_event_mask_low(mask.low())
        } else {
            self.raw().set_event_mask(mask.low(), mask.high())
        }
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
        let masks = &self.shared.masks;
        let not_own = masks.added() | masks.wanted_beside(self.part);
        Ok(self.whole_event_mask()? - (not_own - masks.wanted_by(self.part)))
    }

    /// Returns the event mask of the runtime: that of all parts, and what this crate adds.
    pub(super) fn whole_event_mask(&self) -> Result<EventMask> {
        let (low, high) = match self.version() {
            0..5 => (self.raw().event_mask_low()?, 0),
            _ => self.raw().event_mask()?,
        };
        Ok(EventMask::from_halves(low, high))
    }

    /// Has the runtime report the ends of ids, before the profiler has set a mask.
    pub(crate) fn watch_ends(&self) -> Result<()> {
        self.keep_in_event_mask(ENDS)
    }

    /// Returns who takes a callback: the parts that have set its flags, and this crate.
    #[inline]
    pub(crate) fn takers(&self, callback: Callback) -> TakerSet {
        self.shared.masks.takers().of(callback)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    const PART: PartId = PartId::new(0);

    /// A writer that was overtaken would send a mask without the flag that another has added meanwhile.
    #[test]
    fn a_slow_writer_takes_no_flag_away() {
        let (masks, runtime) = (Masks::new(), Mutex::new(EventMask::empty()));
        let (begun, has_begun) = mpsc::channel();
        let set = |wanted: EventMask, added: EventMask| {
            *runtime.lock().unwrap() = wanted | added;
            Ok(())
        };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let slowly = |wanted, added| {
                    begun.send(()).unwrap();
                    std::thread::sleep(Duration::from_millis(50));
                    set(wanted, added)
                };
                masks.write(PART, |_| EventMask::EXCEPTIONS, |_, added| added, slowly).unwrap();
            });
            has_begun.recv().unwrap();
            masks.write(PartId::CRATE, |mask| mask, |_, added| added | EventMask::BASIC_GC, set).unwrap();
        });
        assert_eq!(*runtime.lock().unwrap(), ENDS | EventMask::EXCEPTIONS | EventMask::BASIC_GC);
    }

    #[test]
    fn a_refused_mask_changes_nothing() {
        let masks = Masks::new();
        let refuse = |_, _| Err(crate::error::Error::other("refused"));
        assert!(
            masks.write(PART, |_| EventMask::GC, |_, added| added | EventMask::BASIC_GC, refuse).is_err()
        );
        assert_eq!((masks.wanted_by(PART), masks.added()), (EventMask::empty(), ENDS));
        assert!(masks.takers().of(Callback::GarbageCollectionStarted).is_empty());
    }

    /// The runtime may make a callback on another thread before it has returned from `SetEventMask2`.
    #[test]
    fn callbacks_are_taken_from_when_the_mask_is_sent() {
        let masks = Masks::new();
        let taken = |masks: &Masks| masks.takers().of(Callback::ExceptionThrown).has(PART);
        let send = |_, _| {
            assert!(taken(&masks));
            Ok(())
        };
        masks.write(PART, |_| EventMask::EXCEPTIONS, |_, added| added, send).unwrap();
        assert!(taken(&masks));
        masks.write(PART, |_| EventMask::empty(), |_, added| added, |_, _| Ok(())).unwrap();
        assert!(!taken(&masks));
    }

    #[test]
    fn the_runtime_gets_the_masks_of_all_parts() {
        let (masks, other) = (Masks::new(), PartId::new(1));
        let mut sent = EventMask::empty();
        let mut set = |part, mask| {
            let send = |wanted: EventMask, added| {
                sent = wanted | added;
                Ok(())
            };
            masks.write(part, |_| mask, |_, added| added, send).unwrap();
            sent
        };
        assert_eq!(set(PART, EventMask::EXCEPTIONS), ENDS | EventMask::EXCEPTIONS);
        assert_eq!(set(other, EventMask::GC), ENDS | EventMask::EXCEPTIONS | EventMask::GC);
        assert_eq!(set(PART, EventMask::empty()), ENDS | EventMask::GC);
    }
}
