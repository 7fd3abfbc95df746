//! The helper thread: it repeats calls that the runtime refuses in a fast hook.
//!
//! The compiled code calls a fast hook directly, so the runtime does not know that the profiler is running. It takes a
//! call from there for one from a thread that was stopped anywhere, and returns `CORPROF_E_UNSUPPORTED_CALL_SEQUENCE`. A
//! thread that runs no managed code may call at any time. So the helper thread calls, and the hook waits for it. Nothing
//! happens meanwhile that would not happen if the hook could call itself: a collection cannot begin while the hook's
//! thread does not return, and the helper thread has no part in collections. That holds for calls that neither load nor
//! collect; the others stay refused.
//!
//! Contract of the unsafe code here: a request points to values on the stack of its sender, and the sender does not return
//! before the helper thread has finished with them.
#![allow(unsafe_code)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Condvar, Mutex, PoisonError};

use corprof_sys as sys;

use super::call_site::{Event, Scope};
use crate::error::{Error, Result};
use corprof_in_process::LastError;

/// A thread that makes calls for other threads.
pub(crate) struct HelperThread {
    requests: Mutex<Sender<Request>>,
}

/// A call to make, and where its sender waits.
struct Request {
    call: *mut (dyn FnMut() -> sys::HRESULT + 'static),
    done: *const Done,
}

// SAFETY: the sender waits until the helper has finished, so that only one thread at a time has what is pointed to.
unsafe impl Send for Request {}

#[derive(Default)]
struct Done {
    /// Whether the helper has finished, and the code unless the call panicked.
    state: Mutex<(bool, Option<sys::HRESULT>)>,
    changed: Condvar,
}

impl HelperThread {
    /// Starts the thread.
    pub(crate) fn start() -> Result<Self> {
        let (requests, receiver) = channel();
        std::thread::Builder::new()
            .name("corprof".to_owned())
            .spawn(move || serve(&receiver))
            .map_err(|error| Error::other(format!("no thread could be started for fast hooks: {error}")))?;
        Ok(Self { requests: Mutex::new(requests) })
    }

    /// Has a call made and waits for the answer. `None` when it could not be made.
    pub(crate) fn run(&self, call: &mut dyn FnMut() -> sys::HRESULT) -> Option<sys::HRESULT> {
        let _kept = LastError::keep();
        let done = Done::default();
        let call: *mut (dyn FnMut() -> sys::HRESULT + '_) = call;
        // SAFETY: only the lifetime changes, and this function does not return before the helper has finished.
        let call: *mut (dyn FnMut() -> sys::HRESULT + 'static) = unsafe { core::mem::transmute(call) };
        let request = Request { call, done: &raw const done };
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).send(request).ok()?;
        let mut state = done.state.lock().unwrap_or_else(PoisonError::into_inner);
        while !state.0 {
            state = done.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.1
    }
}

/// The thread: it ends with the last sender.
fn serve(requests: &Receiver<Request>) {
    // The senders are in hooks: what the runtime calls on this thread meanwhile is bound by that.
    let _scope = Scope::callback(Event::Objects);
    while let Ok(Request { call, done }) = requests.recv() {
        // SAFETY: the sender waits, and its values are alive until it is notified.
        let answer = catch_unwind(AssertUnwindSafe(|| unsafe { (*call)() })).ok();
        // SAFETY: as above. The sender cannot go on before the lock is released, which is the last that is done with it
        // here: the waking comes first.
        let done = unsafe { &*done };
        let mut state = done.state.lock().unwrap_or_else(PoisonError::into_inner);
        *state = (true, answer);
        done.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_made_elsewhere_and_answered_here() {
        let helper = HelperThread::start().unwrap();
        let here = std::thread::current().id();
        std::thread::scope(|scope| {
            for number in 0..4 {
                let helper = &helper;
                scope.spawn(move || {
                    for round in 0..100 {
                        let mut thread = None;
                        let answer = helper.run(&mut || {
                            thread = Some(std::thread::current().id());
                            number * 1000 + round
                        });
                        assert_eq!(answer, Some(number * 1000 + round));
                        assert!(thread.is_some_and(|thread| thread != here));
                    }
                });
            }
        });
    }

    #[test]
    fn a_panic_is_no_answer() {
        let helper = HelperThread::start().unwrap();
        assert_eq!(helper.run(&mut || panic!("boom")), None);
        assert_eq!(helper.run(&mut || 1), Some(1));
    }
}
