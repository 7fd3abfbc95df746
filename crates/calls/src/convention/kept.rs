//! The locations of a function, worked out when it is called.
//!
//! Contract of the unsafe code here: the locations are worked out at a call of one function, whose id is kept with them,
//! and used at calls of that function only, which is checked at each.
#![allow(unsafe_code)]

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use argvalues::ArgumentRange;
use corprof::{EnterArguments, EnterFrame, Error, FunctionId, LeaveFrame, Locations, Result};

use crate::runtime::ClrRuntime;

/// The calls at which locations are worked out while some of them are unknown.
const ATTEMPTS: [u32; 5] = [1, 2, 8, 64, 512];

/// The locations of a function's arguments and result, worked out at its first call.
///
/// For hooks written by hand, with both kinds of hooks: keep one in
/// [`FunctionHooks::Function`](corprof::FunctionHooks::Function).
///
/// Some locations may be unknown at the first call: if the layout of a type is not loaded yet, or `this` is null. Then
/// they are worked out again, at a few more calls at growing distances.
///
/// ```
/// use argvalues::ArgumentRange;
/// use corprof::{EnterFrame, Result};
/// use corprof_calls::{ClrRuntime, FunctionLocations};
///
/// fn ranges(runtime: &ClrRuntime, kept: &FunctionLocations, frame: &EnterFrame<'_>) -> Result<Vec<ArgumentRange>> {
///     kept.arguments(runtime, frame, |arguments| arguments.ranges().collect())
/// }
/// ```
#[derive(Debug, Default)]
pub struct FunctionLocations {
    /// The function whose locations these are.
    function: OnceLock<FunctionId>,
    /// All locations.
    complete: OnceLock<Locations>,
    /// Incomplete locations, of the few functions that have some. Each attempt is kept, since references to it are in use.
    attempts: OnceLock<Box<[OnceLock<Locations>; ATTEMPTS.len()]>>,
    /// The number of calls while some locations were unknown.
    calls: AtomicU32,
}

impl FunctionLocations {
    /// Creates the locations of a function that has not been called.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            function: OnceLock::new(),
            complete: OnceLock::new(),
            attempts: OnceLock::new(),
            calls: AtomicU32::new(0),
        }
    }

    /// The locations found so far.
    #[must_use]
    #[inline]
    pub fn get(&self) -> Option<&Locations> {
        match self.complete.get() {
            Some(complete) => Some(complete),
            None => self.attempts.get()?.iter().rev().find_map(OnceLock::get),
        }
    }

    /// Returns the locations for a call that begins, with fast hooks. Works them out if this is the first call, or one at
    /// which more may be known.
    ///
    /// # Errors
    /// If they could not be worked out yet, with hooks with info, and if an earlier call was one of another function.
    #[inline]
    pub fn locate(&self, runtime: &ClrRuntime, frame: &EnterFrame<'_>) -> Result<&Locations> {
        if *self.function.get_or_init(|| frame.function()) != frame.function() {
            return Err(Error::other("the locations are another function's"));
        }
        self.get_or_locate(|| runtime.locations(frame))
    }

    /// Calls `read` with the arguments of a call, for fast-path and slow-path hooks.
    ///
    /// # Errors
    /// As for [`locate`](Self::locate) with fast-path hooks, and for [`EnterFrame::arguments`] with slow-path hooks.
    #[inline]
    pub fn arguments<R>(
        &self,
        runtime: &ClrRuntime,
        frame: &EnterFrame<'_>,
        read: impl FnOnce(EnterArguments<'_>) -> R,
    ) -> Result<R> {
        let Some(registers) = frame.registers() else { return frame.arguments(read) };
        let locations = self.locate(runtime, frame)?;
        // SAFETY: `locate` has checked that they are those of the function that is called.
        Ok(read(unsafe { registers.arguments(locations) }))
    }

    /// Calls `read` with the memory of a call's result, with either kind of hooks. On .NET Core
    /// 3.1, slow-path hooks have only the first register of a struct that is returned in registers.
    ///
    /// # Errors
    /// With fast-path hooks: no call of the function was seen to begin. With slow-path hooks: those of
    /// [`LeaveFrame::return_value`].
    #[inline]
    pub fn result<R>(&self, frame: &LeaveFrame<'_>, read: impl FnOnce(ArgumentRange) -> R) -> Result<R> {
        let Some(registers) = frame.registers() else {
            return frame.return_value(|value| read(value.range()));
        };
        let locations =
            self.get().ok_or_else(|| Error::other("the locations of the function are unknown"))?;
        Ok(read(registers.result(locations)))
    }

    #[inline]
    fn get_or_locate(&self, locate: impl FnOnce() -> Result<Locations>) -> Result<&Locations> {
        match self.complete.get() {
            Some(complete) => Ok(complete),
            None => self.locate_again(locate),
        }
    }

    #[cold]
    fn locate_again(&self, locate: impl FnOnce() -> Result<Locations>) -> Result<&Locations> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        let known = self.get();
        let attempt = ATTEMPTS.iter().position(|at| *at == call);
        let slot = match (attempt, known) {
            (Some(attempt), _) => attempt,
            (None, Some(known)) => return Ok(known),
            // The attempts so far have failed.
            (None, None) => 0,
        };
        match (locate(), known) {
            (Ok(found), _) if found.is_complete() => Ok(self.complete.get_or_init(|| found)),
            (Ok(found), _) => Ok(self.attempts.get_or_init(Box::default)[slot].get_or_init(|| found)),
            (Err(_), Some(known)) => Ok(known),
            (Err(error), None) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use corprof::{GenericContext, Location, LocationKind, Register};

    fn locations(kind: LocationKind, context: GenericContext) -> Locations {
        let result = Location { kind: LocationKind::Register(Register::Integer(0)), length: 0 };
        Locations { context, arguments: [Location { kind, length: 8 }].into(), result }
    }

    fn known() -> Locations {
        locations(LocationKind::Stack(0), GenericContext::None)
    }

    fn unknown() -> Locations {
        locations(LocationKind::Unknown, GenericContext::None)
    }

    #[test]
    fn complete_locations_are_worked_out_once() {
        let cell = FunctionLocations::new();
        assert_eq!(cell.get(), None);
        assert_eq!(cell.get_or_locate(|| Ok(known())).unwrap(), &known());
        assert_eq!(cell.get_or_locate(|| Err(Error::other("again"))).unwrap(), &known());
        assert_eq!(cell.get(), Some(&known()));
    }

    #[test]
    fn incomplete_locations_are_worked_out_again_at_some_calls() {
        let cell = FunctionLocations::new();
        let mut tried = Vec::new();
        for call in 1..=1_000 {
            let found = cell.get_or_locate(|| {
                tried.push(call);
                Ok(unknown())
            });
            assert_eq!(found.unwrap(), &unknown());
        }
        assert_eq!(tried, ATTEMPTS);
        assert_eq!(cell.get(), Some(&unknown()));
    }

    #[test]
    fn a_later_call_knows_more() {
        let cell = FunctionLocations::new();
        let first =
            cell.get_or_locate(|| Ok(locations(LocationKind::Stack(0), GenericContext::Unknown))).unwrap();
        assert_eq!(cell.get_or_locate(|| Ok(known())).unwrap(), &known());
        // The reference from before is still good.
        assert_eq!(first.context, GenericContext::Unknown);
        assert_eq!(cell.get(), Some(&known()));
    }

    #[test]
    fn an_error_is_not_kept() {
        let cell = FunctionLocations::new();
        for _ in 0..3 {
            assert!(cell.get_or_locate(|| Err(Error::other("not yet"))).is_err());
        }
        assert_eq!(cell.get_or_locate(|| Ok(unknown())).unwrap(), &unknown());
        while cell.calls.load(Ordering::Relaxed) < 7 {
            assert_eq!(cell.get_or_locate(|| Err(Error::other("later"))).unwrap(), &unknown());
        }
        assert_eq!(cell.get_or_locate(|| Err(Error::other("at the eighth"))).unwrap(), &unknown());
    }
}
