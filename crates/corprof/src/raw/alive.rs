//! Which ids are alive: stale ids are refused, and an unload waits for the calls about its ids.
//!
//! A call counts itself (`inflight`) before it reads the list of stale ids; an unload adds its ids to the list before it
//! reads the counters. A call that the unload overlooks therefore finds the id on the list.
#![forbid(unsafe_code)]

use std::collections::{HashMap, HashSet};
use std::sync::PoisonError;
use std::time::Duration;

use corprof_types::{AnyId, FunctionId};

use super::inflight::{Asking, InFlight, Work};
use super::sync::{AtomicUsize, Ordering, RwLock};
use crate::error::{Error, Result};

/// The stale ids, and the calls in flight.
#[derive(Debug, Default)]
pub(crate) struct Alive {
    in_flight: InFlight,
    gone: Gone,
}

impl Alive {
    /// Begins work that unloads wait for.
    pub(crate) fn begin(&self, work: Work) -> Asking<'_> {
        self.in_flight.begin(work)
    }

    /// Begins work about an id, which unloads wait for.
    ///
    /// # Errors
    /// [`Error::Unloaded`]: the id is stale.
    pub(crate) fn begin_about(&self, work: Work, id: AnyId) -> Result<Asking<'_>> {
        let asking = self.in_flight.begin(work);
        // After it has been counted: see above.
        self.check(id)?;
        Ok(asking)
    }

    /// Fails if an id is stale. It may become stale at any time afterwards, unless something else keeps it alive.
    pub(crate) fn check(&self, id: AnyId) -> Result<()> {
        if self.gone.contains(id) { Err(Error::Unloaded { id }) } else { Ok(()) }
    }

    /// The runtime has reported this id: it is alive, or is being unloaded during a call about it.
    pub(crate) fn revive(&self, id: AnyId) {
        self.gone.remove(id);
    }

    /// Returns whether an id is refused.
    pub(crate) fn is_gone(&self, id: AnyId) -> bool {
        self.gone.contains(id)
    }

    /// The running thread calls or compiles this function until the guard is dropped. No unload takes it therefore, and
    /// its id is not refused, also by one in progress.
    pub(crate) fn hold(&self, function: FunctionId) -> Held<'_> {
        self.gone.hold(function);
        Held { gone: &self.gone, function }
    }

    /// Returns whether no id is stale.
    pub(crate) fn is_everything_alive(&self) -> bool {
        self.gone.count.load(Ordering::SeqCst) == 0
    }

    /// Refuses ids from now on; returns whether one of them is new. They stay refused until they are
    /// [settled](Self::settled), whatever the runtime reports.
    pub(crate) fn refuse(&self, ids: impl Iterator<Item = AnyId>) -> bool {
        self.gone.add(ids, [].into_iter())
    }

    /// The same, with functions that are possibly unloaded too: those that no thread [holds](Self::hold).
    pub(crate) fn refuse_with_possible(
        &self,
        ids: impl Iterator<Item = AnyId>,
        possible: impl Iterator<Item = FunctionId>,
    ) -> bool {
        self.gone.add(ids, possible)
    }

    /// No call about these ids is in progress: when the runtime reports one, it identifies another entity.
    pub(crate) fn settled(&self, ids: impl Iterator<Item = AnyId>) {
        self.gone.settled(ids);
    }

    /// Waits until every other thread has ended the work that it began before; `false` if the time was too short.
    pub(crate) fn wait(&self, work: Work, limit: Duration) -> bool {
        self.in_flight.wait(work, limit)
    }
}

/// The ids that the runtime has invalidated and not reported again.
///
/// An entry takes 17 bytes, and with the free places of the table 20 to 40. An entry stays until the runtime reports the
/// number again.
#[derive(Debug, Default)]
struct Gone {
    /// Their number: 0 in most programs, and then nothing is looked up.
    count: AtomicUsize,
    ids: RwLock<Ids>,
}

#[derive(Debug, Default)]
struct Ids {
    gone: HashSet<AnyId>,
    /// Those that an unload still waits for: a call that began before may report them, which makes them no news.
    going: HashSet<AnyId>,
    /// How often each function is held.
    held: HashMap<FunctionId, usize>,
}

/// Holds a function; see [`Alive::hold`].
#[must_use]
#[derive(Debug)]
pub(crate) struct Held<'a> {
    gone: &'a Gone,
    function: FunctionId,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.gone.release(self.function);
    }
}

impl Gone {
    fn add(&self, ids: impl Iterator<Item = AnyId>, possible: impl Iterator<Item = FunctionId>) -> bool {
        let mut all = self.ids.write().unwrap_or_else(PoisonError::into_inner);
        let Ids { gone, going, held } = &mut *all;
        let possible = possible.filter(|function| !held.contains_key(function)).map(AnyId::from);
        let is_new = ids.chain(possible).fold(false, |is_new, id| {
            going.insert(id);
            gone.insert(id) || is_new
        });
        // In the order of all, as the counters of the calls in flight: see `inflight`.
        self.count.store(all.gone.len(), Ordering::SeqCst);
        is_new
    }

    fn hold(&self, function: FunctionId) {
        let mut all = self.ids.write().unwrap_or_else(PoisonError::into_inner);
        *all.held.entry(function).or_default() += 1;
        let id = function.into();
        all.going.remove(&id);
        if all.gone.remove(&id) {
            self.count.store(all.gone.len(), Ordering::SeqCst);
        }
    }

    fn release(&self, function: FunctionId) {
        let mut all = self.ids.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(times) = all.held.get_mut(&function) {
            *times -= 1;
            if *times == 0 {
                all.held.remove(&function);
            }
        }
    }

    fn settled(&self, ids: impl Iterator<Item = AnyId>) {
        let mut all = self.ids.write().unwrap_or_else(PoisonError::into_inner);
        for id in ids {
            all.going.remove(&id);
        }
    }

    fn remove(&self, id: AnyId) {
        if self.contains(id) {
            let mut all = self.ids.write().unwrap_or_else(PoisonError::into_inner);
            if !all.going.contains(&id) {
                all.gone.remove(&id);
                self.count.store(all.gone.len(), Ordering::SeqCst);
            }
        }
    }

    fn contains(&self, id: AnyId) -> bool {
        self.count.load(Ordering::SeqCst) > 0
            && self.ids.read().unwrap_or_else(PoisonError::into_inner).gone.contains(&id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_ids::{class, function};

    #[test]
    fn an_id_is_gone_until_it_is_given_out_again() {
        let gone = Gone::default();
        let id = AnyId::Function(function(8));
        assert!(gone.add([id].into_iter(), [].into_iter()));
        assert!(!gone.add([id].into_iter(), [].into_iter()));
        assert!(gone.contains(id));
        // The same number is another kind's as well.
        assert!(!gone.contains(class(8).into()));
        // The result of a call that began before.
        gone.remove(id);
        assert!(gone.contains(id));
        gone.settled([id].into_iter());
        gone.remove(id);
        assert!(!gone.contains(id));
    }

    #[test]
    fn a_held_function_is_not_refused_as_possibly_unloaded() {
        let alive = Alive::default();
        let ids = [function(8), function(16)];
        let refused = || ids.map(|function| alive.is_gone(function.into()));
        let held = alive.hold(function(8));
        alive.refuse_with_possible([].into_iter(), ids.into_iter());
        assert_eq!(refused(), [false, true]);
        // A call proves that the other one is alive too, while the unload is in progress.
        drop(alive.hold(function(16)));
        assert_eq!(refused(), [false, false]);
        drop(held);
        alive.refuse_with_possible([].into_iter(), ids.into_iter());
        assert_eq!(refused(), [true, true]);
    }

    #[test]
    fn an_id_is_refused_however_many_went_after_it() {
        let alive = Alive::default();
        for raw in 1..=100_000 {
            alive.refuse([AnyId::Function(function(raw))].into_iter());
        }
        assert!((1..=100_000).all(|raw| alive.check(function(raw).into()).is_err()));
    }
}
