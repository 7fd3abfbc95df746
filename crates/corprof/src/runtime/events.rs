//! The event mask.
#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::event_mask::{Callback, EventMask, PartId, TakerSet, Takers};
use crate::runtime::ProfilerInfo;
use corprof_types::HResult;

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
    /// What parts that were removed have left behind, since the runtime does not take it back. Nobody takes these callbacks.
    left: AtomicU64,
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
            left: AtomicU64::new(0),
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

    /// The flags that parts which were removed have left behind.
    fn left(&self) -> EventMask {
        EventMask::from_bits_retain(self.left.load(Ordering::Relaxed))
    }

    /// Removes the mask of a part. `needs` returns what this crate adds to those of the others, and `stays` what the runtime does
    /// not take back. If `send` fails, all of it stays in the runtime's mask, and nobody takes its callbacks.
    fn remove(
        &self,
        part: PartId,
        needs: impl FnOnce(EventMask) -> EventMask,
        stays: impl FnOnce(EventMask) -> EventMask,
        send: impl FnOnce(EventMask, EventMask) -> Result<()>,
    ) -> Result<()> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let (before, others) = (self.wanted_by(part), self.wanted_beside(part));
        self.takers.set(part, EventMask::empty());
        if let Some(mask) = self.wanted.get(part.index()) {
            mask.store(0, Ordering::Relaxed);
        }
        let (added, was_added) = (needs(others), self.added());
        let left = self.left() | stays(before);
        let sent = send(others | left, added);
        self.takers.set(PartId::CRATE, added);
        self.added.store(added.bits(), Ordering::Relaxed);
        let left = if sent.is_ok() { left } else { left | before | was_added };
        self.left.store(left.bits(), Ordering::Relaxed);
        sent
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
        let sent = send(all | self.left(), added);
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
    /// class id changes IL. In a part that a [`PartHost`](crate::PartHost) has added: [`Error::Flags`](crate::Error::Flags) in
    /// place of the first two, and [`Error::Ended`](crate::Error::Ended) after its removal. Any other failure of the call.
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

    /// Removes the event mask of a part that was added, for good; on a thread of the profiler's own.
    pub(super) fn end_mask(&self) {
        let immutable =
            self.runtime_info().map_or(EventMask::IMMUTABLE, |info| EventMask::immutable_on(info.major));
        let had_exceptions = self.shared.masks.added().contains(EventMask::EXCEPTIONS);
        let needs = |others| {
            let watched =
                if self.shared.watchers.are_some() { EventMask::BASIC_GC } else { EventMask::empty() };
            ENDS | watched | self.flags_for_rejit(others) | self.flags_for_exceptions(others)
        };
        let stays = |before: EventMask| match self.shared.has_started.load(Ordering::Acquire) {
            true => before & immutable,
            false => EventMask::empty(),
        };
        let send = |wanted, added| self.send_mask(wanted, added);
        match self.shared.masks.remove(self.part, needs, stays, send) {
            Ok(()) if had_exceptions && !self.shared.masks.added().contains(EventMask::EXCEPTIONS) => {
                self.release_exceptions();
            }
            Ok(()) | Err(Error::Ended { .. }) => {}
            Err(error) => tracing::warn!("the flags of a part that was removed stay set: {error}"),
        }
    }

    /// Fails if the runtime would refuse flags that a part which is being added wants.
    fn check_flags(&self, wanted: EventMask) -> Result<()> {
        let masks = &self.shared.masks;
        let new = wanted - (masks.wanted_beside(PartId::CRATE) | masks.added() | masks.left());
        let major = self.runtime_info()?.major;
        let mut refused = EventMask::empty();
        let mut why = "";
        if self.was_attached() {
            refused = new - EventMask::allowable_after_attach_on(major);
            why = "by a profiler that was attached: start the program with it";
        }
        if refused.is_empty() && self.shared.has_started.load(Ordering::Acquire) {
            refused = new & EventMask::immutable_on(major);
            why = "in a program that runs: it has to be set when the program starts";
        }
        if refused.is_empty() { Ok(()) } else { Err(Error::Flags { flags: names(refused), why }) }
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
            owned = self.check_stays("ProfilerInfo::set_event_mask");
            if owned.is_err() {
                return mask;
            }
            let wanted = change(mask);
            if self.is_hosted() {
                owned = self.check_flags(wanted);
            }
            if owned.is_ok() && wanted.contains(EventMask::ENABLE_REJIT) {
                owned = self.own_il();
            }
            if owned.is_ok() { wanted } else { mask }
        };
        let mask = match self.write_mask_of(self.part, change, EventMask::empty()) {
            Err(Error::Call { hresult: HResult::CORPROF_E_CONCURRENT_GC_NOT_PROFILABLE, .. })
                if self.is_hosted() =>
            {
                let why = "in a program that runs, whose collector is concurrent: it has to be set when the program starts, or by \
                     the first part of a profiler that is attached";
                return Err(Error::Flags { flags: names(EventMask::GC), why });
            }
            written => written?,
        };
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
        let not_own = masks.added() | masks.left() | masks.wanted_beside(self.part);
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

/// The names of flags, for a message.
fn names(flags: EventMask) -> String {
    flags.iter_names().map(|(name, _)| name).collect::<Vec<_>>().join(" | ")
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
    fn a_part_that_is_removed_leaves_what_others_want_and_what_cannot_be_cleared() {
        let (masks, other) = (Masks::new(), PartId::new(1));
        let mut sent = EventMask::empty();
        let mut set = |part, mask| {
            masks.write(
                part,
                |_| mask,
                |_, added| added,
                |wanted, added| {
                    sent = wanted | added;
                    Ok(())
                },
            )
        };
        set(PART, EventMask::EXCEPTIONS | EventMask::GC | EventMask::ENABLE_OBJECT_ALLOCATED).unwrap();
        set(other, EventMask::EXCEPTIONS).unwrap();
        let remove = |part, answer: Result<()>| {
            let mut sent = EventMask::empty();
            let stays = |before| before & EventMask::ENABLE_OBJECT_ALLOCATED;
            let _ = masks.remove(
                part,
                |_| ENDS,
                stays,
                |wanted, added| {
                    sent = wanted | added;
                    answer
                },
            );
            sent
        };
        let left = ENDS | EventMask::ENABLE_OBJECT_ALLOCATED;
        assert_eq!(remove(PART, Ok(())), left | EventMask::EXCEPTIONS);
        let takers = |masks: &Masks| masks.takers().of(Callback::ExceptionThrown);
        assert!(!takers(&masks).has(PART) && takers(&masks).has(other));
        // A refusal is no reason for callbacks to reach it; later masks have the flag, which the runtime has kept.
        assert_eq!(remove(other, Err(Error::other("refused"))), left);
        assert!(takers(&masks).is_empty());
        assert_eq!(masks.wanted_by(other), EventMask::empty());
        masks
            .write(
                PART,
                |_| EventMask::SUSPENDS,
                |_, added| added,
                |wanted, added| {
                    assert_eq!(wanted | added, left | EventMask::EXCEPTIONS | EventMask::SUSPENDS);
                    Ok(())
                },
            )
            .unwrap();
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
