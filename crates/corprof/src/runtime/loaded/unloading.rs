//! The order of an unload: ids are refused, evicted from caches, and calls in progress are waited for.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{PoisonError, Weak};
use std::time::Duration;

use super::{Loaded, Maps};
use crate::limits::{SHORT_UNLOAD_PATIENCE, UNLOAD_PATIENCE};
use crate::raw::inflight::Work;
use crate::report;
use crate::runtime::unload::Unload;
use corprof_types::{AnyId, ModuleId, ThreadId};

impl Loaded {
    /// Notes what goes away with some modules; not with those that have been unloaded meanwhile. `possibly` goes away with any of
    /// them, or not.
    pub(crate) fn belongs(&self, id: AnyId, modules: &[ModuleId], possibly: bool) {
        let mut maps = self.write();
        // Unloaded since the runtime reported it.
        if self.alive.is_unloaded(id) {
            return;
        }
        let Maps { modules: loaded, owned, noted, .. } = &mut *maps;
        let mut owners = modules.iter().filter(|module| loaded.contains_key(module)).peekable();
        if owners.peek().is_some() || modules.is_empty() {
            noted.insert(id);
        }
        for module in owners {
            owned.entry(*module).or_default().ids.insert(id);
        }
        let AnyId::Function(function) = id else { return };
        if possibly {
            for (module, _) in loaded.iter().filter(|(_, loaded)| loaded.is_collectible) {
                owned.entry(*module).or_default().deferred.insert(function);
            }
        } else {
            // An unload that was only possible before is certain now.
            for unload in owned.values_mut() {
                unload.deferred.remove(&function);
            }
        }
    }

    /// Something is unloaded: from now on its ids are refused, all caches have evicted it, and no thread calls about it.
    ///
    /// Ids are refused first. A lookup that is let through was counted before, and is waited for at the end; what it
    /// would still cache it does not, since the count of unloads has changed. That follows the maps, not the other way
    /// round: a lookup that begins after it stores what it finds, and what it notes of its ids must stay.
    ///
    /// `find` determines what is unloaded. The maps stay locked until its ids are refused, so that a function whose
    /// lifetime a call determines meanwhile is not among them, or is not refused any more afterwards.
    fn take_away(&self, find: impl FnOnce(&mut Maps) -> Unload, work: &[(Work, Duration)]) {
        let mut maps = self.write();
        let unload = find(&mut maps);
        // A function that may have been unloaded is refused until the runtime reports it again.
        let possible = || unload.deferred.iter().copied();
        let is_new = self.alive.refuse_with_possible(unload.ids.iter().copied(), possible());
        drop(maps);
        if is_new {
            self.forget_and_wait(&unload, work);
        }
        self.alive.settled(unload.ids.iter().copied().chain(possible().map(AnyId::from)));
    }

    fn forget_and_wait(&self, unload: &Unload, work: &[(Work, Duration)]) {
        self.forget(unload);
        // Not after the end, which stays.
        let _ =
            self.unloads.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |unloads| unloads.checked_add(1));
        let all: Vec<_> = self.forgetful.read().unwrap_or_else(PoisonError::into_inner).clone();
        for who in all.iter().filter_map(Weak::upgrade) {
            // The other caches and the calls in flight are the runtime's business, whatever one cache does.
            let forgot = catch_unwind(AssertUnwindSafe(|| {
                who.forget(unload);
                drop(who);
            }));
            if let Err(panic) = forgot {
                // Dropping a payload may panic again.
                core::mem::forget(panic);
                report::failure(
                    "a cache of ids has panicked when something was unloaded, and may have entries that are stale",
                );
            }
        }
        for (work, limit) in work {
            if !self.alive.wait(*work, *limit) {
                report::failure(&format!(
                    "a thread has been asking the runtime for {limit:?} while something is unloaded; it is not \
                     waited for any longer, and may now use ids that are stale"
                ));
            }
        }
    }

    /// Removes the facts about an unloaded id.
    fn forget(&self, unload: &Unload) {
        let mut maps = self.write();
        let Maps { modules, by_name, bound, classes, seen, owned, noted, .. } = &mut *maps;
        // A function that is held has been noted anew, or will be.
        let deferred: Vec<_> =
            unload.deferred.iter().filter(|function| self.alive.is_unloaded((**function).into())).collect();
        for id in &unload.ids {
            noted.remove(id);
        }
        for function in &deferred {
            noted.remove(&AnyId::from(**function));
        }
        for class in unload.classes() {
            seen.remove(&class.as_raw());
        }
        if unload.classes().next().is_some() || unload.module().is_some() {
            classes.retain(|(of, _, args), class| {
                !unload.takes(*of) && !unload.takes(*class) && !args.iter().any(|arg| unload.takes(*arg))
            });
        }
        for others in owned.values_mut() {
            for id in &unload.ids {
                others.ids.remove(id);
            }
            // Everybody forgets these; who asks for one again notes it again.
            for function in &deferred {
                others.deferred.remove(function);
            }
        }
        let Some(module) = unload.module() else { return };
        bound.retain(|(from, to)| *from != module && *to != module);
        let Some(removed) = modules.remove(&module) else { return };
        if removed.is_collectible {
            self.collectible.fetch_sub(1, Ordering::AcqRel);
        }
        if let Some(same_name) = by_name.get_mut(&removed.assembly_name) {
            same_name.retain(|other| *other != module);
            if same_name.is_empty() {
                by_name.remove(&removed.assembly_name);
            }
        }
    }

    /// A module is going away, and with it what belongs to it. The thread does not keep the garbage collector
    /// waiting and holds no lock of the runtime's.
    pub(crate) fn module_unloading(&self, module: ModuleId) {
        // Before lookups are waited for.
        self.has_unloaded.store(true, Ordering::SeqCst);
        let find = |maps: &mut Maps| {
            let mut unload = maps.owned.remove(&module).unwrap_or_default();
            unload.ids.insert(module.into());
            unload
        };
        self.take_away(find, &[(Work::Lookup, UNLOAD_PATIENCE), (Work::Call, UNLOAD_PATIENCE)]);
    }

    /// An assembly or application domain is going away, under the same conditions.
    pub(crate) fn unloading(&self, id: AnyId) {
        self.take_away(
            |_| [id].into_iter().collect(),
            &[(Work::Lookup, UNLOAD_PATIENCE), (Work::Call, UNLOAD_PATIENCE)],
        );
    }

    /// A thread has ended, and is the one that calls this. No cache is about threads.
    pub(crate) fn thread_destroyed(&self, thread: ThreadId) {
        self.alive.refuse([thread.into()].into_iter());
        if !self.alive.wait(Work::Call, SHORT_UNLOAD_PATIENCE) {
            report::failure(
                "a call has been running for a long time while a thread ends, and may use its stale id",
            );
        }
        self.alive.settled([thread.into()].into_iter());
    }

    /// A class or dynamic method is going away, on a thread that may keep the garbage collector waiting, or hold a
    /// lock of the runtime's.
    pub(crate) fn unloading_briefly(&self, id: AnyId) {
        self.take_away(|_| [id].into_iter().collect(), &[(Work::Call, SHORT_UNLOAD_PATIENCE)]);
    }
}
