//! The time of records.
//!
//! Contract of the unsafe code here: the time stamp counter is read only where the processor has one.
#![allow(unsafe_code)]

use std::time::Instant;

/// The clock of a recording's times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockKind {
    /// The processor's time stamp counter (`rdtsc` on x86-64). Pairs of ticks and nanoseconds are recorded throughout,
    /// so that a reader can convert.
    TimeStampCounter,
    /// Nanoseconds of the operating system's monotonic clock (`CLOCK_MONOTONIC` on Linux).
    Monotonic,
}

impl ClockKind {
    /// The fastest one that can be relied on: the time stamp counter if it runs at one speed whatever the processor
    /// does, and the monotonic clock otherwise.
    #[must_use]
    pub fn best() -> Self {
        if has_invariant_counter() { Self::TimeStampCounter } else { Self::Monotonic }
    }

    /// Returns the name in the file.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TimeStampCounter => "tsc",
            Self::Monotonic => "monotonic",
        }
    }
}

/// A clock that runs: that of a recording, or one of its own.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    kind: ClockKind,
    begin: Instant,
}

impl Clock {
    /// Starts a clock of the requested kind, or the monotonic one if this machine has no such clock.
    #[must_use]
    pub fn start(kind: ClockKind) -> Self {
        let kind = match kind {
            ClockKind::TimeStampCounter if !has_invariant_counter() => ClockKind::Monotonic,
            kind => kind,
        };
        Self { kind, begin: Instant::now() }
    }

    /// Returns the kind of clock.
    #[must_use]
    pub const fn kind(&self) -> ClockKind {
        self.kind
    }

    /// The time, in ticks. Takes some 10 ns with the time stamp counter, and 25 with the monotonic clock.
    #[inline]
    #[must_use]
    pub fn now(&self) -> u64 {
        match self.kind {
            ClockKind::TimeStampCounter => counter(),
            ClockKind::Monotonic => self.nanoseconds(),
        }
    }

    /// The time, if no function has to be called for it.
    #[inline]
    pub(crate) fn now_at_once(&self) -> Option<u64> {
        (self.kind == ClockKind::TimeStampCounter).then(counter)
    }

    /// Nanoseconds since the clock was started.
    #[must_use]
    pub fn nanoseconds(&self) -> u64 {
        u64::try_from(self.begin.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn counter() -> u64 {
    // SAFETY: every processor of this architecture has the instruction; it touches no memory.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
fn counter() -> u64 {
    0
}

/// Returns whether the counter runs at one speed (`CPUID` 8000_0007h, bit 8 of `EDX`).
#[cfg(target_arch = "x86_64")]
fn has_invariant_counter() -> bool {
    use core::arch::x86_64::__cpuid;
    const POWER: u32 = 0x8000_0007;
    const INVARIANT: u32 = 1 << 8;
    #[allow(unused_unsafe, reason = "the intrinsic is safe to call since Rust 1.94")]
    // SAFETY: every processor of this architecture has the instruction, and the leaf is queried only if it exists.
    unsafe {
        __cpuid(0x8000_0000).eax >= POWER && __cpuid(POWER).edx & INVARIANT != 0
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn has_invariant_counter() -> bool {
    false
}

/// Ticks and nanoseconds: how one becomes the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timeline {
    /// The first and the last pair that has been read, if there was one.
    known: Option<[(u64, u64); 2]>,
    begin: (u64, u64),
    /// The nanoseconds of a tick: whole ones, and the rest in 2⁻⁶⁴ of one, rounded up.
    slope: (u64, u64),
}

impl Default for Timeline {
    /// Without a pair, a tick counts as a nanosecond.
    fn default() -> Self {
        Self { known: None, begin: (0, 0), slope: (1, 0) }
    }
}

impl Timeline {
    /// Nanoseconds from the beginning of the recording to a time in ticks. What was before the beginning is at 0.
    #[must_use]
    #[inline]
    pub fn nanoseconds(&self, ticks: u64) -> u64 {
        let (first_ticks, first) = self.begin;
        let since = ticks.saturating_sub(first_ticks);
        let (whole, rest) = self.slope;
        let rest = (u128::from(since) * u128::from(rest)) >> 64;
        let converted = since.saturating_mul(whole).saturating_add(u64::try_from(rest).unwrap_or(u64::MAX));
        first.saturating_add(converted)
    }

    pub(crate) const fn known(&self) -> Option<[(u64, u64); 2]> {
        self.known
    }

    pub(crate) fn add(&mut self, ticks: u64, nanoseconds: u64) {
        let last = (ticks, nanoseconds);
        let first = self.known.map_or(last, |[first, _]| first);
        self.known = Some([first, last]);
        self.begin = first;
        // Without a second pair: as if a tick were a nanosecond.
        let spanned = ticks.saturating_sub(first.0);
        let passed = if spanned == 0 { 0 } else { nanoseconds.saturating_sub(first.1) };
        let (whole, left) =
            (passed.checked_div(spanned).unwrap_or(1), passed.checked_rem(spanned).unwrap_or(0));
        let rest = (u128::from(left) << 64).div_ceil(u128::from(spanned.max(1)));
        self.slope = (whole, u64::try_from(rest).unwrap_or(u64::MAX));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_does_not_go_back() {
        for kind in [ClockKind::best(), ClockKind::Monotonic] {
            let clock = Clock::start(kind);
            assert_eq!(clock.kind(), kind);
            let first = clock.now();
            assert!(clock.now() >= first);
        }
    }

    #[test]
    fn ticks_become_nanoseconds() {
        let mut line = Timeline::default();
        line.add(1000, 0);
        line.add(2000, 700);
        line.add(4000, 1000);
        assert_eq!(line.nanoseconds(1000), 0);
        assert_eq!(line.nanoseconds(2500), 500);
        assert_eq!(line.nanoseconds(7000), 2000);
        assert_eq!(line.nanoseconds(10), 0);
        assert_eq!(Timeline::default().nanoseconds(5), 5);
    }
}
