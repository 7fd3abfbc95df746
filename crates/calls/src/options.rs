//! Options of a tracer.

use core::num::NonZeroU32;

use argvalues::Limits;

use crate::limits::{NEWEST_MEASURED, OLDEST_MEASURED};
use crate::runtime::Redact;
use crate::selection::{CallBudget, CallSwitch, SelectedCalls};

/// Options of a tracer.
#[derive(Default)]
pub struct Options {
    /// The kind of hooks.
    pub hooks: HookKind,
    /// Whether the locations of fast-path hooks are confirmed by a self-test, on any runtime: on one on which they
    /// [were not measured](HookKind::is_measured_on), [`HookKind::Fast`] is used with it only. There are no values before it ends:
    /// see [`CallTracer::self_tested`](crate::CallTracer::self_tested).
    pub self_test: bool,
    /// The traced calls of a selected method; all of them if absent. x86-64 and arm64 only.
    pub calls: Option<SelectedCalls>,
    /// The share of its time that a thread traces calls in, beyond the first ones of each method; every call is traced if absent.
    /// x86-64 and arm64 only.
    pub budget: Option<CallBudget>,
    /// Turns tracing off and on while the program runs. x86-64 and arm64 only.
    pub switch: Option<CallSwitch>,
    /// The limits on decoded values.
    pub limits: Limits,
    /// The number of calls of each method whose values are read with their parts; those of all calls if absent. Of later calls
    /// only scalars, strings and enums are read, which bounds what a method costs that is called often.
    pub full_calls: Option<NonZeroU32>,
    /// Whether collections, tasks, exceptions and reflection objects are read as their fields.
    pub raw: bool,
    /// The offset of a local time from UTC; see [`Runtime::utc_offset`](argvalues::Runtime::utc_offset).
    pub local_time: Option<LocalTime>,
    /// The secret values, which are not read.
    pub redact: Option<Box<dyn Redact>>,
}

/// Returns the offset from UTC, in minutes, of a local time in ticks; with `true`, of the first of two equal clock times.
pub type LocalTime = Box<dyn Fn(u64, bool) -> Option<i32> + Send + Sync>;

impl core::fmt::Debug for Options {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Options")
            .field("hooks", &self.hooks)
            .field("self_test", &self.self_test)
            .field("calls", &self.calls)
            .field("budget", &self.budget)
            .field("switch", &self.switch)
            .field("limits", &self.limits)
            .field("full_calls", &self.full_calls)
            .field("raw", &self.raw)
            .field("local_time", &self.local_time.is_some())
            .field("redact", &self.redact.is_some())
            .finish()
    }
}

/// The hooks that report the calls: enter, leave and tailcall (ELT) hooks, or inserted code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HookKind {
    /// Fast-path hooks where they exist, [were measured](Self::is_measured_on) and find the values of every method; slow-path
    /// hooks elsewhere, as on .NET Core 3.1, where spans in methods that are called early are not located.
    #[default]
    Best,
    /// Fast-path hooks, called by the compiled code ([`Hooks::fast`](corprof::Hooks::fast)). Not for every
    /// platform: [`Hooks::ARE_FAST_AVAILABLE`](corprof::Hooks::ARE_FAST_AVAILABLE).
    /// On a runtime on which they were not measured, slow-path hooks are used, unless there is a [self-test](Options::self_test).
    Fast,
    /// Calls by code that is inserted into the selected methods ([`InsertedHooks`](corprof::InsertedHooks)), by ReJIT. The rest of the
    /// program keeps its precompiled code, its inlining and its tiers, so that a few methods cost the program next to nothing; the
    /// other hooks have all its code compiled again. For an [attached](crate::CallTracer::initialize_for_attach) profiler these are the only
    /// ones.
    ///
    /// Since .NET 8; before it, [`Best`](Self::Best). On every platform. Methods that cannot have such code are
    /// [refused](crate::CallTracer::refused). A method that was inlined into code that never returns is not seen there, and neither are
    /// methods that are emitted at run time.
    Inserted,
    /// Slow-path hooks, called through the runtime ([`Hooks::with_info`](corprof::Hooks::with_info)). On x86-64 outside of
    /// Windows the program is compiled without optimisations.
    WithInfo,
}

impl HookKind {
    /// The oldest runtime since .NET Core 3.1, whose number is 4.
    const OLDEST_COMPLETE: u16 = 5;

    /// Returns whether values are where these hooks look for them on a runtime with this major version, as far as that was
    /// measured: up to .NET 11 for fast-path hooks, on Windows .NET Core 3.1 and .NET 10; on arm64 .NET 10 alone. With
    /// slow-path hooks the runtime itself reports the locations.
    #[must_use]
    pub const fn is_measured_on(self, major: u16) -> bool {
        matches!(self, Self::WithInfo | Self::Inserted)
            || OLDEST_MEASURED <= major && major <= NEWEST_MEASURED
    }

    /// The oldest runtime with what inserted code calls: .NET 8, whose predecessors are not tested.
    const OLDEST_INSERTED: u16 = 8;

    /// The hooks on a runtime with this major version, if it is known.
    pub(crate) fn on(self, major: Option<u16>, self_test: bool) -> Self {
        let of = if self == Self::Inserted { Self::Best } else { self };
        let is_measured = major.is_some_and(|major| of.is_measured_on(major));
        match self {
            Self::Inserted if major >= Some(Self::OLDEST_INSERTED) => Self::Inserted,
            Self::Best | Self::Inserted if is_measured && major >= Some(Self::OLDEST_COMPLETE) => Self::Best,
            Self::Fast if is_measured || self_test => Self::Fast,
            _ => Self::WithInfo,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runtime_that_was_not_measured_reports_locations_itself() {
        for major in [8, 9, 10] {
            let is_measured = !cfg!(target_arch = "aarch64") || major == 10;
            let best = if is_measured { HookKind::Best } else { HookKind::WithInfo };
            assert_eq!(HookKind::Best.on(Some(major), false), best, "{major}");
        }
        for major in [Some(OLDEST_MEASURED - 1), Some(NEWEST_MEASURED + 1), Some(99), None] {
            for kind in [HookKind::Best, HookKind::Fast, HookKind::WithInfo] {
                assert_eq!(kind.on(major, false), HookKind::WithInfo, "{kind:?} {major:?}");
            }
            assert_eq!(HookKind::Fast.on(major, true), HookKind::Fast, "{major:?}");
        }
        for major in [OLDEST_MEASURED, NEWEST_MEASURED] {
            assert_eq!(HookKind::Fast.on(Some(major), false), HookKind::Fast, "{major}");
        }
        // 4 is .NET Core 3.1, where fast-path hooks do not find all values.
        assert_eq!(HookKind::Best.on(Some(4), false), HookKind::WithInfo);
        assert!(HookKind::WithInfo.is_measured_on(NEWEST_MEASURED + 1));
    }
}
