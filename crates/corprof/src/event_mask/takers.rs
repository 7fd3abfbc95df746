//! Who takes which callback: the table that every callback looks into first.
#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicU32, Ordering};

use super::EventMask;
use super::callbacks::Callback;
use crate::limits::{MAX_HOSTED, MAX_PARTS};

/// The number of a part of a profiler; or the crate itself, which takes callbacks too. The parts of the class id come first, and
/// then those that are added while the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartId(u8);

impl PartId {
    /// The crate itself: it follows the ends of ids, whatever the parts take.
    pub(crate) const CRATE: Self = Self(MAX_PARTS + MAX_HOSTED);
    /// The first of the parts that are added.
    pub(crate) const FIRST_HOSTED: Self = Self(MAX_PARTS);

    /// The part with an index; the crate for those beyond the limit, which no profiler has.
    pub(crate) const fn new(index: usize) -> Self {
        #[allow(clippy::cast_possible_truncation, reason = "it is below the limit")]
        if index < Self::CRATE.index() { Self(index as u8) } else { Self::CRATE }
    }

    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) const fn bit(self) -> u32 {
        1 << self.0
    }
}

/// The takers of one callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TakerSet(u32);

impl TakerSet {
    /// Returns whether nobody takes the callback.
    #[inline]
    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[inline]
    pub(crate) const fn has(self, part: PartId) -> bool {
        self.0 & part.bit() != 0
    }

    /// Returns the indexes, among the parts that are added, of those that take the callback.
    #[inline]
    pub(crate) fn hosted(self) -> impl Iterator<Item = usize> {
        let mut bits = (self.0 & !PartId::CRATE.bit()) >> PartId::FIRST_HOSTED.0;
        core::iter::from_fn(move || {
            let index = bits.trailing_zeros();
            bits &= bits.checked_sub(1)?;
            Some(index as usize)
        })
    }
}

/// The takers of each callback. They follow from the event masks of the parts, so that a callback whose flag is missing reaches
/// a part never, rather than when another part has set the flag.
pub(crate) struct Takers([AtomicU32; Callback::ALL.len()]);

impl Takers {
    pub(crate) const fn new() -> Self {
        Self([const { AtomicU32::new(0) }; Callback::ALL.len()])
    }

    /// Returns the takers of a callback.
    #[inline]
    pub(crate) fn of(&self, callback: Callback) -> TakerSet {
        self.0.get(callback as usize).map_or(TakerSet(0), |takers| TakerSet(takers.load(Ordering::Relaxed)))
    }

    /// The part takes the callbacks of this mask, in addition to those that it takes.
    pub(crate) fn add(&self, part: PartId, mask: EventMask) {
        for (callback, takers) in Callback::ALL.iter().zip(&self.0) {
            if callback.is_enabled_by(mask) {
                takers.fetch_or(part.bit(), Ordering::Relaxed);
            }
        }
    }

    /// The part takes the callbacks of this mask, and no others.
    pub(crate) fn set(&self, part: PartId, mask: EventMask) {
        self.add(part, mask);
        for (callback, takers) in Callback::ALL.iter().zip(&self.0) {
            if !callback.is_enabled_by(mask) {
                takers.fetch_and(!part.bit(), Ordering::Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_takes_the_callbacks_of_its_own_mask() {
        let (takers, [first, second]) = (Takers::new(), [0, 1].map(PartId::new));
        takers.set(first, EventMask::GC);
        takers.set(second, EventMask::BASIC_GC | EventMask::EXCEPTIONS);
        let started = takers.of(Callback::GarbageCollectionStarted);
        assert!(started.has(first) && started.has(second) && !started.has(PartId::CRATE));
        let thrown = takers.of(Callback::ExceptionThrown);
        assert!(!thrown.has(first) && thrown.has(second));
        assert!(takers.of(Callback::ModuleLoadFinished).is_empty());
        takers.set(second, EventMask::MODULE_LOADS);
        assert!(takers.of(Callback::ExceptionThrown).is_empty());
        assert!(!takers.of(Callback::GarbageCollectionStarted).has(second));
        assert!(takers.of(Callback::ModuleLoadFinished).has(second));
    }

    #[test]
    fn parts_that_are_added_follow_those_of_the_class_id() {
        let (takers, hosted) = (Takers::new(), [0, 3, usize::from(MAX_HOSTED) - 1]);
        let first = PartId::FIRST_HOSTED.index();
        for index in [first - 1].into_iter().chain(hosted.map(|index| first + index)) {
            takers.set(PartId::new(index), EventMask::GC);
        }
        takers.set(PartId::CRATE, EventMask::GC);
        assert!(takers.of(Callback::GarbageCollectionStarted).hosted().eq(hosted));
        assert_eq!(takers.of(Callback::ExceptionThrown).hosted().count(), 0);
    }

    #[test]
    fn callbacks_of_several_groups_of_flags_need_one_of_each() {
        let (takers, part) = (Takers::new(), PartId::new(3));
        takers.set(part, EventMask::ENABLE_REJIT);
        assert!(takers.of(Callback::GetReJITParameters).has(part));
        assert!(takers.of(Callback::ReJITCompilationStarted).is_empty());
        takers.add(part, EventMask::ENABLE_REJIT | EventMask::JIT_COMPILATION);
        assert!(takers.of(Callback::ReJITCompilationStarted).has(part));
    }
}
