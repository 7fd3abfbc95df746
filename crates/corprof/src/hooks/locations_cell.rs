//! The locations of a function, worked out when it is called.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use super::Locations;
use crate::Result;

/// The calls at which locations are worked out as long as something is not known.
const ATTEMPTS: [u32; 5] = [1, 2, 8, 64, 512];

/// Where everything is at a call of a function, worked out at its first call and kept: for what a profiler with fast hooks
/// keeps in [`FunctionHooks::Function`](super::FunctionHooks::Function).
///
/// At the first call something may not be known yet that a later one can tell: the layout of a type that is loaded
/// afterwards, or the type arguments if `this` is null. So locations that are not
/// [complete](Locations::is_complete) are worked out again, at a few more calls and further and further apart.
///
/// ```
/// use corprof::{EnterFrame, Locations, LocationsCell, Result};
///
/// /// What a profiler keeps for a method.
/// #[derive(Default)]
/// struct Function {
///     locations: LocationsCell,
/// }
///
/// fn first_argument(
///     function: &Function,
///     frame: &EnterFrame<'_>,
///     locate: impl FnOnce() -> Result<Locations>,
/// ) -> Result<Option<u64>> {
///     frame.arguments_by(|_| function.locations.get_or_locate(locate), |call| call.word(0))
/// }
/// ```
#[derive(Debug, Default)]
pub struct LocationsCell {
    /// With everything.
    complete: OnceLock<Locations>,
    /// What was known before: each is kept, since it has been lent.
    attempts: [OnceLock<Locations>; ATTEMPTS.len()],
    /// How many calls have asked while not everything was known.
    calls: AtomicU32,
}

impl LocationsCell {
    /// Of a function that has not been called.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            complete: OnceLock::new(),
            attempts: [const { OnceLock::new() }; ATTEMPTS.len()],
            calls: AtomicU32::new(0),
        }
    }

    /// What is known by now: for the end of a call.
    #[must_use]
    #[inline]
    pub fn get(&self) -> Option<&Locations> {
        match self.complete.get() {
            Some(complete) => Some(complete),
            None => self.attempts.iter().rev().find_map(OnceLock::get),
        }
    }

    /// What is known, for a call that begins: worked out with `locate` if this is the first call, or one at which more may
    /// be known.
    ///
    /// # Errors
    /// What `locate` reports, if nothing is known yet. It is called again at the next call then.
    #[inline]
    pub fn get_or_locate(&self, locate: impl FnOnce() -> Result<Locations>) -> Result<&Locations> {
        match self.complete.get() {
            Some(complete) => Ok(complete),
            None => self.locate(locate),
        }
    }

    #[cold]
    fn locate(&self, locate: impl FnOnce() -> Result<Locations>) -> Result<&Locations> {
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
            (Ok(found), _) => Ok(self.attempts[slot].get_or_init(|| found)),
            (Err(_), Some(known)) => Ok(known),
            (Err(error), None) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::hooks::{GenericContext, Location, Place, Register};

    fn locations(place: Place, context: GenericContext) -> Locations {
        let result = Location { place: Place::Register(Register::Integer(0)), length: 0 };
        Locations { context, arguments: [Location { place, length: 8 }].into(), result }
    }

    fn known() -> Locations {
        locations(Place::Stack(0), GenericContext::None)
    }

    fn unknown() -> Locations {
        locations(Place::Unknown, GenericContext::None)
    }

    #[test]
    fn what_is_complete_is_worked_out_once() {
        let cell = LocationsCell::new();
        assert_eq!(cell.get(), None);
        assert_eq!(cell.get_or_locate(|| Ok(known())).unwrap(), &known());
        assert_eq!(cell.get_or_locate(|| Err(Error::other("again"))).unwrap(), &known());
        assert_eq!(cell.get(), Some(&known()));
    }

    #[test]
    fn what_is_not_is_tried_again_at_some_calls() {
        let cell = LocationsCell::new();
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
        let cell = LocationsCell::new();
        let first = cell.get_or_locate(|| Ok(locations(Place::Stack(0), GenericContext::Unknown))).unwrap();
        assert_eq!(cell.get_or_locate(|| Ok(known())).unwrap(), &known());
        // What has been lent is still there.
        assert_eq!(first.context, GenericContext::Unknown);
        assert_eq!(cell.get(), Some(&known()));
    }

    #[test]
    fn an_error_is_no_answer() {
        let cell = LocationsCell::new();
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
