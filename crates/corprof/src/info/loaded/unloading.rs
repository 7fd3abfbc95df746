//! What goes away with what, and the order in which it does: refused, forgotten, waited for.

use std::sync::atomic::Ordering;
use std::sync::{PoisonError, Weak};
use std::time::Duration;

use super::{Loaded, Maps};
use crate::ids::{AnyId, ModuleId};
use crate::info::inflight::Work;
use crate::info::unload::Unload;
use crate::report;

/// How long an unload waits for lookups that other threads have begun. They take microseconds, and nothing that
/// they wait for waits for an unload; if it happens nevertheless, the program goes on, and a message says so.
const PATIENCE: Duration = Duration::from_secs(10);

/// The same on a thread that keeps the garbage collector waiting meanwhile.
const SHORT_PATIENCE: Duration = Duration::from_secs(1);

impl Loaded {
    /// Notes what goes away with some modules; not with those that have gone meanwhile. `doubtful` goes away with
    /// any of them, or not.
    pub(crate) fn belongs(&self, id: AnyId, modules: &[ModuleId], doubtful: bool) {
        let mut maps = self.write();
        for module in modules {
            if maps.modules.contains_key(module) {
                maps.belongings.entry(*module).or_default().ids.insert(id);
            }
        }
        if let (AnyId::Function(function), true) = (id, doubtful) {
            let Maps { modules, belongings, .. } = &mut *maps;
            for (module, _) in modules.iter().filter(|(_, loaded)| loaded.is_collectible) {
                belongings.entry(*module).or_default().doubtful.insert(function);
            }
        }
    }

    /// Something goes away: from now on its ids are refused, everybody has forgotten it, and nobody else is asking
    /// for it.
    ///
    /// Ids are refused first. Whoever is let through was counted before, and is waited for at the end; what it
    /// would still remember it does not, since the count of unloads has changed. That follows the maps, not the
    /// other way round: a lookup that begins after it stores what it finds, and what it notes of its ids must stay.
    fn take_away(&self, unload: &Unload, work: &[(Work, Duration)]) {
        let news = self.gone.add(unload.ids.iter().copied());
        if news || !unload.doubtful.is_empty() {
            self.forget_and_wait(unload, work);
        }
        self.gone.settled(unload.ids.iter().copied());
    }

    fn forget_and_wait(&self, unload: &Unload, work: &[(Work, Duration)]) {
        self.forget(unload);
        self.unloads.fetch_add(1, Ordering::SeqCst);
        let all: Vec<_> = self.forgetful.read().unwrap_or_else(PoisonError::into_inner).clone();
        for who in all.iter().filter_map(Weak::upgrade) {
            who.forget(unload);
        }
        for (work, limit) in work {
            if !self.in_flight.wait(*work, *limit) {
                report::failure(&format!(
                    "a thread has been asking the runtime for {limit:?} while something is unloaded; it is not \
                     waited for any longer, and may now use ids that are stale"
                ));
            }
        }
    }

    /// Takes out what is known of something that goes away.
    fn forget(&self, unload: &Unload) {
        let mut maps = self.write();
        let Maps { modules, by_name, bound, classes, seen, belongings, .. } = &mut *maps;
        for class in unload.classes() {
            seen.remove(&class);
        }
        if unload.classes().next().is_some() || unload.module().is_some() {
            classes.retain(|(of, _, args), class| {
                !unload.takes(*of) && !unload.takes(*class) && !args.iter().any(|arg| unload.takes(*arg))
            });
        }
        for others in belongings.values_mut() {
            for id in &unload.ids {
                others.ids.remove(id);
            }
            // Everybody forgets these; who asks for one again notes it again.
            for function in &unload.doubtful {
                others.doubtful.remove(function);
            }
        }
        let Some(module) = unload.module() else { return };
        bound.retain(|(from, to)| *from != module && *to != module);
        let Some(gone) = modules.remove(&module) else { return };
        if gone.is_collectible {
            self.collectible.fetch_sub(1, Ordering::AcqRel);
        }
        if let Some(same_name) = by_name.get_mut(&gone.assembly_name) {
            same_name.retain(|other| *other != module);
            if same_name.is_empty() {
                by_name.remove(&gone.assembly_name);
            }
        }
    }

    /// A module is going away, and with it what belongs to it. The thread does not keep the garbage collector
    /// waiting and holds no lock of the runtime's.
    pub(crate) fn module_unloading(&self, module: ModuleId) {
        let mut unload = self.write().belongings.remove(&module).unwrap_or_default();
        unload.ids.insert(module.into());
        self.take_away(&unload, &[(Work::Lookup, PATIENCE), (Work::Call, PATIENCE)]);
    }

    /// An assembly or application domain is going away, under the same conditions.
    pub(crate) fn unloading(&self, id: AnyId) {
        let unload = [id].into_iter().collect();
        self.take_away(&unload, &[(Work::Lookup, PATIENCE), (Work::Call, PATIENCE)]);
    }

    /// A class or dynamic method is going away, on a thread that may keep the garbage collector waiting, or hold a
    /// lock of the runtime's.
    pub(crate) fn unloading_briefly(&self, id: AnyId) {
        let unload = [id].into_iter().collect();
        self.take_away(&unload, &[(Work::Call, SHORT_PATIENCE)]);
    }
}
