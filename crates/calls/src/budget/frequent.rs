//! Methods that are called so often that counting their calls is slow: they are compiled again, without hooks.
//!
//! A thread looks for the methods with the most omitted calls in an interval, and requests ReJIT of them, so that no more than
//! [`MAX_COUNTED`] are left. From then on the mapper of functions refuses hooks for them. The calls of the code that they have
//! are counted to the last.

use core::cmp::Reverse;
use core::time::Duration;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};
use std::thread;

use corprof::{Error, FunctionId, ModuleFlags, ModuleMethod, ProfilerInfo, Result};

use super::{Budget, lock};
use crate::limits::{COUNTING_INTERVAL, MAX_COUNTED, MIN_FREQUENT};
use crate::traced::Traced;

/// The functions that get no hooks any more.
pub(super) struct Unhooked<M>(Mutex<HashMap<FunctionId, Code<M>>>);

/// The code of such a function.
enum Code<M> {
    /// It has hooks, and is requested without.
    Requested(Arc<Traced<M>>),
    /// There is some without hooks.
    Compiled,
}

impl<M> Default for Unhooked<M> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

/// Returns what is requested of the runtime for a method. A module that may be unloaded meanwhile must not be named to it.
pub(super) fn request_for<M>(method: &Traced<M>) -> Option<ModuleMethod> {
    let definition = method.called.definition();
    let is_collectible = definition.module_info.flags.contains(ModuleFlags::COLLECTIBLE);
    let method = definition.token.filter(|_| !is_collectible)?;
    Some(ModuleMethod { module: definition.module, method })
}

impl<M> Budget<M> {
    /// Returns whether a function that is compiled again gets no hooks, unless it needs them. `first` is called with its method if it
    /// has had some until now.
    pub(crate) fn is_unhooked(
        &self,
        function: FunctionId,
        needs_hooks: impl FnOnce() -> bool,
        first: impl FnOnce(&Traced<M>),
    ) -> bool {
        if !lock(&self.unhooked.0).contains_key(&function) || needs_hooks() {
            return false;
        }
        let mut all = lock(&self.unhooked.0);
        let Some(code) = all.get_mut(&function) else { return false };
        let before = core::mem::replace(code, Code::Compiled);
        drop(all);
        // The tracer's own code runs without the lock.
        if let Code::Requested(method) = before {
            first(&method);
        }
        true
    }

    /// Requests the methods that are frequent since the last call of this.
    fn unhook_frequent(&self, info: &ProfilerInfo) {
        let mut frequent = self.frequent();
        frequent.retain(|(_, request)| info.may_request_rejit(*request).unwrap_or(false));
        if frequent.is_empty() {
            return;
        }
        let (functions, requests): (Vec<_>, Vec<_>) =
            frequent.iter().map(|(traced, request)| (traced.called.function(), *request)).unzip();
        let code = frequent.into_iter().map(|(traced, _)| Code::Requested(traced));
        lock(&self.unhooked.0).extend(functions.iter().copied().zip(code));
        if info.request_rejit(&requests).is_err() {
            // They keep their hooks, which count their calls.
            lock(&self.unhooked.0).retain(|function, _| !functions.contains(function));
        }
    }

    /// Returns the methods that are frequent since the last call of this, each once, and what is requested for them.
    fn frequent(&self) -> Vec<(Arc<Traced<M>>, ModuleMethod)> {
        let mut methods = lock(&self.methods);
        let totals = lock(&self.counts).totals(methods.len());
        let mut called = Vec::new();
        for (limited, total) in methods.iter_mut().zip(totals) {
            let new = total - limited.seen;
            limited.seen = total;
            if new > 0 && limited.request.is_some() {
                called.push((new, limited));
            }
        }
        called.sort_unstable_by_key(|(new, _)| Reverse(*new));
        let number = most_called(called.iter().map(|(new, _)| *new));
        let frequent = called.into_iter().take(number);
        frequent.filter_map(|(_, limited)| Some((limited.method.clone()?, limited.request.take()?))).collect()
    }
}

/// Returns how many methods are frequent, from their numbers of calls in an interval, in descending order: as many as it takes for the
/// others to have few.
fn most_called(calls: impl Iterator<Item = u64> + Clone) -> usize {
    let mut left: u64 = calls.clone().sum();
    let is_frequent = |calls: &u64| {
        let is_frequent = left > MAX_COUNTED && *calls >= MIN_FREQUENT;
        left -= calls;
        is_frequent
    };
    calls.take_while(is_frequent).count()
}

/// Starts the thread that looks for frequent methods. It ends when the budget is dropped.
pub(crate) fn start<M: Send + Sync + 'static>(budget: &Arc<Budget<M>>, info: &ProfilerInfo) -> Result<()> {
    let (budget, info) = (Arc::downgrade(budget), info.clone());
    thread::Builder::new().name("corprof budget".to_owned()).spawn(move || run(&budget, &info)).map_err(
        |error| Error::other(format!("the thread for the budget of calls cannot be started: {error}")),
    )?;
    Ok(())
}

fn run<M>(budget: &Weak<Budget<M>>, info: &ProfilerInfo) {
    // Without it, requests take their chance: the runtime makes its data of the thread at the first one.
    let _ = info.initialize_current_thread();
    loop {
        thread::sleep(Duration::from_millis(COUNTING_INTERVAL));
        match budget.upgrade() {
            Some(budget) => budget.unhook_frequent(info),
            None => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_methods_are_frequent_as_it_takes() {
        let frequent = |calls: &[u64]| most_called(calls.iter().copied());
        assert_eq!(frequent(&[]), 0);
        assert_eq!(frequent(&[MAX_COUNTED]), 0);
        assert_eq!(frequent(&[MAX_COUNTED + 1]), 1);
        assert_eq!(frequent(&[MAX_COUNTED, 1]), 1);
        assert_eq!(frequent(&[MAX_COUNTED + 1, MAX_COUNTED, 1]), 2);
        // Many methods with as many calls.
        assert_eq!(frequent(&[500; 200]), 100);
        // So few calls of each method are counted in less time than it takes to compile them.
        assert_eq!(frequent(&[MIN_FREQUENT - 1; 100_000]), 0);
    }
}
