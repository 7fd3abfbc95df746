//! Which ids are alive: stale ids are refused, and an unload waits for the calls about its ids.
//!
//! A profiler's library stays in the process when the profiler is detached, and its statics may keep ids. What is unloaded
//! before the next attach is not reported to the profiler that is attached then. So it has its ids reported anew: those
//! that the runtime has not reported to it are refused ([`Known`]). The same holds for several profilers of one library.
//!
//! Nor are the ids of modules and assemblies whose load has not finished passed on: methods read what the runtime has not written yet.
//!
//! A call counts itself (`inflight`) before it reads the list of stale ids; an unload adds its ids to the list before it
//! reads the counters. A call that the unload overlooks therefore finds the id on the list.
#![forbid(unsafe_code)]

use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicBool;
use std::sync::{OnceLock, PoisonError};
use std::time::Duration;

use corprof_types::{AnyId, FunctionId};

use super::inflight::{Asking, InFlight, Work};
use super::sync::{AtomicUsize, Ordering, RwLock};
use crate::error::{Error, Result};

/// The stale ids, and the calls in flight.
#[derive(Debug, Default)]
pub(crate) struct Alive {
    in_flight: InFlight,
    unloaded: Unloaded,
    loading: Loading,
    /// Whether the runtime has created a profiler of the library before.
    is_later: bool,
    /// For a later profiler that was attached. Before the program runs, nothing can have been unloaded.
    known: OnceLock<Known>,
}

/// Whether the runtime has created a profiler of this library before.
static HAS_BEGUN: AtomicBool = AtomicBool::new(false);

impl Alive {
    /// For a profiler that begins now.
    pub(crate) fn of_this_profiler() -> Self {
        Self::after(HAS_BEGUN.swap(true, Ordering::SeqCst))
    }

    /// For a profiler that comes after another one, or is the first one.
    fn after(another: bool) -> Self {
        Self { is_later: another, ..Self::default() }
    }

    /// The profiler is attached to a running program.
    pub(crate) fn note_attached(&self) {
        if self.is_later {
            self.known.get_or_init(Known::default);
        }
    }

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
        let is_known = self.known.get().is_none_or(|known| known.contains(id));
        if self.unloaded.contains(id) || !is_known { Err(Error::Unloaded { id }) } else { Ok(()) }
    }

    /// The runtime has reported this id: it is alive, or is being unloaded during a call about it.
    pub(crate) fn revive(&self, id: AnyId) {
        self.reported(id);
        self.unloaded.remove(id);
    }

    /// The runtime has reported this id, maybe before it became stale: it is not one of an earlier profiler.
    pub(crate) fn reported(&self, id: AnyId) {
        if let Some(known) = self.known.get() {
            known.add(id);
        }
    }

    /// The load of a module or assembly begins, or has come so far that its id may be used.
    pub(crate) fn set_loading(&self, id: AnyId, is: bool) {
        self.loading.set(id, is);
    }

    /// Fails if the load of an id has not finished.
    pub(crate) fn require_loaded(&self, call: &'static str, id: AnyId) -> Result<()> {
        if self.loading.contains(id) { Err(Error::Loading { call, id }) } else { Ok(()) }
    }

    /// Returns whether an id is refused.
    pub(crate) fn is_unloaded(&self, id: AnyId) -> bool {
        self.unloaded.contains(id)
    }

    /// The running thread calls or compiles this function until the guard is dropped. No unload takes it therefore, and
    /// its id is not refused, also by one in progress.
    pub(crate) fn hold(&self, function: FunctionId) -> Held<'_> {
        self.reported(function.into());
        self.unloaded.hold(function);
        Held { unloaded: &self.unloaded, function }
    }

    /// Returns whether no id is stale.
    pub(crate) fn is_everything_alive(&self) -> bool {
        self.known.get().is_none() && self.unloaded.count.load(Ordering::SeqCst) == 0
    }

    /// Refuses ids from now on; returns whether one of them is new. They stay refused until they are
    /// [settled](Self::settled), whatever the runtime reports.
    pub(crate) fn refuse(&self, ids: impl Iterator<Item = AnyId>) -> bool {
        self.unloaded.add(ids, [].into_iter())
    }

    /// The same, with functions that are possibly unloaded too: those that no thread [holds](Self::hold).
    pub(crate) fn refuse_with_possible(
        &self,
        ids: impl Iterator<Item = AnyId>,
        possible: impl Iterator<Item = FunctionId>,
    ) -> bool {
        self.unloaded.add(ids, possible)
    }

    /// No call about these ids is in progress: when the runtime reports one, it identifies another entity.
    pub(crate) fn settled(&self, ids: impl Iterator<Item = AnyId>) {
        self.unloaded.settled(ids);
    }

    /// Waits until every other thread has ended the work that it began before; `false` if the time was too short.
    pub(crate) fn wait(&self, work: Work, limit: Duration) -> bool {
        self.in_flight.wait(work, limit)
    }
}

/// The ids whose load has begun and not finished.
#[derive(Debug, Default)]
struct Loading {
    /// Their number: 0 most of the time, and then nothing is looked up.
    count: AtomicUsize,
    ids: RwLock<HashSet<AnyId>>,
}

impl Loading {
    fn set(&self, id: AnyId, is: bool) {
        if !is && !self.contains(id) {
            return;
        }
        let mut ids = self.ids.write().unwrap_or_else(PoisonError::into_inner);
        if is {
            ids.insert(id);
        } else {
            ids.remove(&id);
        }
        self.count.store(ids.len(), Ordering::SeqCst);
    }

    fn contains(&self, id: AnyId) -> bool {
        self.count.load(Ordering::SeqCst) > 0
            && self.ids.read().unwrap_or_else(PoisonError::into_inner).contains(&id)
    }
}

/// The ids that the runtime has reported since the profiler began. An entry takes 20 to 40 bytes.
#[derive(Debug, Default)]
struct Known(RwLock<HashSet<AnyId>>);

impl Known {
    fn add(&self, id: AnyId) {
        if !self.contains(id) {
            self.0.write().unwrap_or_else(PoisonError::into_inner).insert(id);
        }
    }

    fn contains(&self, id: AnyId) -> bool {
        // There is one, which ends with the process.
        matches!(id, AnyId::AppDomain(_))
            || self.0.read().unwrap_or_else(PoisonError::into_inner).contains(&id)
    }
}

/// The ids that the runtime has invalidated and not reported again.
///
/// An entry takes 17 bytes, and with the free places of the table 20 to 40. An entry stays until the runtime reports the
/// number again.
#[derive(Debug, Default)]
struct Unloaded {
    /// Their number: 0 in most programs, and then nothing is looked up.
    count: AtomicUsize,
    ids: RwLock<Ids>,
}

#[derive(Debug, Default)]
struct Ids {
    unloaded: HashSet<AnyId>,
    /// Those that an unload still waits for: a call that began before may report them, which makes them no news.
    unloading: HashSet<AnyId>,
    /// How often each function is held.
    held: HashMap<FunctionId, usize>,
}

/// Holds a function; see [`Alive::hold`].
#[must_use]
#[derive(Debug)]
pub(crate) struct Held<'a> {
    unloaded: &'a Unloaded,
    function: FunctionId,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.unloaded.release(self.function);
    }
}

impl Unloaded {
    fn add(&self, ids: impl Iterator<Item = AnyId>, possible: impl Iterator<Item = FunctionId>) -> bool {
        let mut all = self.ids.write().unwrap_or_else(PoisonError::into_inner);
        let Ids { unloaded, unloading, held } = &mut *all;
        let possible = possible.filter(|function| !held.contains_key(function)).map(AnyId::from);
        let is_new = ids.chain(possible).fold(false, |is_new, id| {
            unloading.insert(id);
            unloaded.insert(id) || is_new
        });
        // In the order of all, as the counters of the calls in flight: see `inflight`.
        self.count.store(all.unloaded.len(), Ordering::SeqCst);
        is_new
    }

    fn hold(&self, function: FunctionId) {
        let mut all = self.ids.write().unwrap_or_else(PoisonError::into_inner);
        *all.held.entry(function).or_default() += 1;
        let id = function.into();
        all.unloading.remove(&id);
        if all.unloaded.remove(&id) {
            self.count.store(all.unloaded.len(), Ordering::SeqCst);
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
            all.unloading.remove(&id);
        }
    }

    fn remove(&self, id: AnyId) {
        if self.contains(id) {
            let mut all = self.ids.write().unwrap_or_else(PoisonError::into_inner);
            if !all.unloading.contains(&id) {
                all.unloaded.remove(&id);
                self.count.store(all.unloaded.len(), Ordering::SeqCst);
            }
        }
    }

    fn contains(&self, id: AnyId) -> bool {
        self.count.load(Ordering::SeqCst) > 0
            && self.ids.read().unwrap_or_else(PoisonError::into_inner).unloaded.contains(&id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_ids::{class, function, module};

    #[test]
    fn an_id_is_gone_until_it_is_given_out_again() {
        let unloaded = Unloaded::default();
        let id = AnyId::Function(function(8));
        assert!(unloaded.add([id].into_iter(), [].into_iter()));
        assert!(!unloaded.add([id].into_iter(), [].into_iter()));
        assert!(unloaded.contains(id));
        // The same number is another kind's as well.
        assert!(!unloaded.contains(class(8).into()));
        // The result of a call that began before.
        unloaded.remove(id);
        assert!(unloaded.contains(id));
        unloaded.settled([id].into_iter());
        unloaded.remove(id);
        assert!(!unloaded.contains(id));
    }

    #[test]
    fn a_held_function_is_not_refused_as_possibly_unloaded() {
        let alive = Alive::default();
        let ids = [function(8), function(16)];
        let refused = || ids.map(|function| alive.is_unloaded(function.into()));
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
    fn ids_of_an_earlier_profiler_are_refused_until_they_are_reported_again() {
        let id = AnyId::Function(function(8));
        let first = Alive::after(false);
        first.note_attached();
        assert!(first.check(id).is_ok());
        let alive = Alive::after(true);
        assert!(alive.check(id).is_ok(), "one that was there from the start");
        alive.note_attached();
        assert!(!alive.is_everything_alive());
        assert!(alive.check(id).is_err());
        assert!(alive.begin_about(Work::Call, id).is_err());
        alive.revive(id);
        assert!(alive.check(id).is_ok());
        // The same number is another kind's as well.
        assert!(alive.check(class(8).into()).is_err());
        // A report from before an unload does not count.
        alive.refuse([id].into_iter());
        alive.revive(id);
        assert!(alive.check(id).is_err());
        // A call or a compilation of it does.
        drop(alive.hold(function(16)));
        assert!(alive.check(function(16).into()).is_ok());
    }

    #[test]
    fn a_module_is_refused_until_its_load_has_finished() {
        let alive = Alive::default();
        let (loading, other) = (AnyId::Module(module(8)), AnyId::Module(module(16)));
        let is_loaded = |id| alive.require_loaded("ICorProfilerInfo::GetModuleMetaData", id);
        alive.set_loading(loading, true);
        assert_eq!(
            is_loaded(loading).unwrap_err().to_string(),
            format!(
                "ICorProfilerInfo::GetModuleMetaData is not called: {loading} is being loaded; call it in module_load_finished or \
                 later"
            )
        );
        assert!(is_loaded(other).is_ok() && alive.check(loading).is_ok());
        alive.set_loading(loading, false);
        assert!(is_loaded(loading).is_ok());
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
