//! Compilations in progress, and methods that the JIT must not inline any more.
//!
//! When the JIT reports that it has inlined a method which ReJIT was requested for, a runtime before .NET 9 requests ReJIT of
//! the caller, and passes a wrong pointer as the caller's module: the process crashes (dotnet/runtime#95653). So on these
//! runtimes a method is requested only when no compilation can report its inlining: from then on `JITInlining` refuses the
//! method, and the request waits for the compilations in which it was accepted before.
//!
//! The inlinings that were accepted are kept. `RequestReJITWithInliners` is not called on these runtimes: it would make
//! versions of inliners, which this crate does not know of and which could be inlined as well.
#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::{HashMap, HashSet};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use corprof_types::{FunctionId, ModuleId};
use sigparse::MethodDef;

use crate::runtime::unload::{Forget, Unload};

/// The time after which compilations that had begun before the profiler was attached are taken to have finished.
const SETTLING: Duration = Duration::from_secs(1);

/// The limit of the time that a request waits for compilations.
const PATIENCE: Duration = Duration::from_secs(10);

/// A method.
pub(super) type Key = (ModuleId, MethodDef);

/// The compilations of the process, on a runtime before .NET 9 with ReJIT.
#[derive(Default)]
pub(crate) struct Compilations {
    is_watched: AtomicBool,
    state: Mutex<State>,
    finished: Condvar,
}

#[derive(Default)]
struct State {
    /// The compilations of each thread, the innermost last.
    open: HashMap<ThreadId, Vec<Compilation>>,
    /// The methods that are not inlined.
    refused: HashSet<Key>,
    /// The methods into which a method was inlined.
    inliners: HashMap<Key, HashSet<Key>>,
    /// The time of the attach.
    attached: Option<Instant>,
}

struct Compilation {
    function: FunctionId,
    /// An address in the callback's frame. A compilation that fails is not reported to finish; it has ended when the thread's
    /// stack is shorter.
    frame: usize,
    /// The methods whose inlining was accepted.
    accepted: Vec<Key>,
}

impl Compilations {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_watched(&self) -> bool {
        self.is_watched.load(Ordering::Relaxed)
    }

    /// Begins to watch compilations. Returns whether they were watched before.
    pub(super) fn watch(&self) -> bool {
        self.is_watched.swap(true, Ordering::Relaxed)
    }

    /// Notes that compilations may have begun that are not watched.
    pub(super) fn attached(&self) {
        self.lock().attached = Some(Instant::now());
    }

    /// Returns the methods into which a method was inlined.
    pub(super) fn inliners(&self, method: Key) -> Vec<Key> {
        let state = self.lock();
        state.inliners.get(&method).map(|inliners| inliners.iter().copied().collect()).unwrap_or_default()
    }

    pub(super) fn started(&self, function: FunctionId) {
        let here = 0_u8;
        let frame = core::ptr::from_ref(&here).addr();
        let mut state = self.lock();
        let open = state.open.entry(thread::current().id()).or_default();
        open.retain(|outer| outer.frame > frame);
        open.push(Compilation { function, frame, accepted: Vec::new() });
    }

    pub(super) fn finished(&self, function: FunctionId) {
        let mut state = self.lock();
        let this = thread::current().id();
        let Some(open) = state.open.get_mut(&this) else { return };
        // Compilations inside of this one have failed.
        if let Some(at) = open.iter().rposition(|compilation| compilation.function == function) {
            open.truncate(at);
        }
        if open.is_empty() {
            state.open.remove(&this);
        }
        drop(state);
        self.finished.notify_all();
    }

    /// Returns the function that the thread compiles.
    pub(super) fn compiling(&self) -> Option<FunctionId> {
        let state = self.lock();
        Some(state.open.get(&thread::current().id())?.last()?.function)
    }

    /// Returns whether a method may be inlined into `root`, which is being compiled, and keeps that.
    pub(super) fn accepts(&self, callee: Key, root: Option<Key>) -> bool {
        let mut state = self.lock();
        if state.refused.contains(&callee) {
            return false;
        }
        let open = state.open.get_mut(&thread::current().id());
        if let Some(compilation) = open.and_then(|open| open.last_mut()) {
            compilation.accepted.push(callee);
        }
        if let Some(root) = root {
            state.inliners.entry(callee).or_default().insert(root);
        }
        true
    }

    /// Has methods not be inlined any more. Returns whether no compilation can report the inlining of one.
    pub(super) fn refuse(&self, methods: &[Key]) -> bool {
        let begin = Instant::now();
        let this = thread::current().id();
        let mut state = self.lock();
        state.refused.extend(methods);
        loop {
            let is_inlining = |open: &[Compilation]| {
                open.iter().flat_map(|it| &it.accepted).any(|key| methods.contains(key))
            };
            let settled = state.attached.map_or(Duration::ZERO, |at| SETTLING.saturating_sub(at.elapsed()));
            if settled.is_zero() && !state.open.values().any(|open| is_inlining(open)) {
                return true;
            }
            let left = PATIENCE.saturating_sub(begin.elapsed());
            // The thread would wait for itself.
            let is_own = state.open.get(&this).is_some_and(|open| is_inlining(open));
            if left.is_zero() || is_own {
                return false;
            }
            let wait = if settled.is_zero() { left } else { left.min(settled) };
            state = self.finished.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Forget for Compilations {
    fn forget(&self, unload: &Unload) {
        let Some(module) = unload.module() else { return };
        let mut state = self.lock();
        state.refused.retain(|(of, _)| *of != module);
        state.inliners.retain(|(of, _), inliners| {
            inliners.retain(|(of, _)| *of != module);
            *of != module
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};

    use super::*;
    use crate::test_ids;

    fn key(rid: u32) -> Key {
        (test_ids::module(1), MethodDef::from_rid(rid).unwrap())
    }

    #[test]
    fn a_request_waits_for_the_compilation_that_inlines_the_method() {
        let compilations = Arc::new(Compilations::default());
        compilations.started(test_ids::function(1));
        assert!(compilations.accepts(key(2), Some(key(1))));
        let (done, waits) = mpsc::channel();
        let requester = Arc::clone(&compilations);
        let thread = thread::spawn(move || done.send(requester.refuse(&[key(2)])).unwrap());
        // The request has begun when the method is refused.
        while compilations.accepts(key(2), Some(key(1))) {
            thread::yield_now();
        }
        assert!(waits.recv_timeout(Duration::from_millis(50)).is_err());
        compilations.finished(test_ids::function(1));
        assert!(waits.recv().unwrap());
        thread.join().unwrap();
        assert_eq!(compilations.lock().inliners.get(&key(2)), Some(&HashSet::from([key(1)])));
    }

    #[test]
    fn a_request_waits_for_no_other_compilation() {
        let compilations = Compilations::default();
        compilations.started(test_ids::function(1));
        assert!(compilations.accepts(key(3), None));
        assert!(compilations.refuse(&[key(2)]));
        assert!(!compilations.accepts(key(2), None) && compilations.accepts(key(3), None));
    }

    #[test]
    fn a_thread_does_not_wait_for_its_own_compilation() {
        let compilations = Compilations::default();
        compilations.started(test_ids::function(1));
        assert!(compilations.accepts(key(2), None));
        assert!(!compilations.refuse(&[key(2)]));
    }

    /// A compilation that throws is not reported to finish.
    #[test]
    fn failed_compilations_end_with_the_next_one_that_is_not_inside_of_them() {
        #[inline(never)]
        fn deeper(compilations: &Compilations, inlined: Key) {
            let frame = [0_u8; 4096];
            core::hint::black_box(&frame);
            compilations.started(test_ids::function(2));
            assert!(compilations.accepts(inlined, None));
        }
        let compilations = Compilations::default();
        compilations.started(test_ids::function(1));
        deeper(&compilations, key(3));
        assert!(!compilations.refuse(&[key(3)]));
        compilations.finished(test_ids::function(1));
        assert!(compilations.refuse(&[key(3)]));
        assert!(compilations.lock().open.is_empty());
        deeper(&compilations, key(4));
        compilations.started(test_ids::function(4));
        assert_eq!(compilations.lock().open.values().map(Vec::len).sum::<usize>(), 1);
    }

    #[test]
    fn an_attached_profiler_waits_for_compilations_that_it_has_not_seen() {
        let compilations = Compilations::default();
        let begin = Instant::now();
        compilations.lock().attached = Some(begin);
        assert!(compilations.refuse(&[key(1)]) && begin.elapsed() >= SETTLING);
    }

    #[test]
    fn methods_of_an_unloaded_module_are_forgotten() {
        let compilations = Compilations::default();
        assert!(compilations.accepts(key(1), Some(key(2))) && compilations.refuse(&[key(1)]));
        compilations.forget(&[test_ids::module(1).into()].into_iter().collect());
        let state = compilations.lock();
        assert!(state.refused.is_empty() && state.inliners.is_empty());
    }
}
