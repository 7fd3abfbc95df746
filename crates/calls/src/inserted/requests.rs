//! The thread that requests ReJIT for selected methods, and reverts them.
//!
//! A request stops the program's threads, so it is made by a thread of the profiler's own. The thread that has loaded a module waits for
//! the request about its methods, so that none of their calls is missed, but not for ever: it may hold locks of the runtime that others
//! wait for.
#![forbid(unsafe_code)]

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use corprof::{Error, EventMask, ModuleMethod};
use corprof_rewrite::Rewriter;

/// The longest time for which the load of a module is delayed.
const PATIENCE: Duration = Duration::from_secs(5);

/// What the thread does.
enum Request {
    /// Compile these with inserted code. `needs_functions`: the functions are found when they are compiled.
    Insert { methods: Vec<ModuleMethod>, needs_functions: bool, done: SyncSender<Outcome> },
    /// Give these their own code again.
    Revert { methods: Vec<ModuleMethod>, done: SyncSender<Outcome> },
}

/// The methods whose inliners were not requested, or what went wrong.
type Outcome = Result<Vec<ModuleMethod>, String>;

/// The other end of the thread.
pub(crate) struct Requests(Mutex<Sender<Request>>);

impl Requests {
    /// Starts the thread.
    pub(super) fn start(rewriter: Rewriter) -> corprof::Result<Arc<Self>> {
        let (sender, requests) = channel();
        let thread = std::thread::Builder::new().name("corprof-inserted".to_owned());
        let spawned = thread.spawn(move || run(&rewriter, &requests));
        spawned.map_err(|error| Error::other(format!("no thread for requests of ReJIT: {error}")))?;
        Ok(Arc::new(Self(Mutex::new(sender))))
    }

    /// Requests that methods are compiled with inserted code. Returns those whose inliners keep their code, or what went wrong, if that is
    /// known soon.
    pub(crate) fn insert(&self, methods: Vec<ModuleMethod>, needs_functions: bool) -> Outcome {
        self.ask(|done| Request::Insert { methods, needs_functions, done })
    }

    /// Requests that methods get their own code again.
    pub(crate) fn revert(&self, methods: Vec<ModuleMethod>) -> Result<(), String> {
        self.ask(|done| Request::Revert { methods, done }).map(drop)
    }

    fn ask(&self, request: impl FnOnce(SyncSender<Outcome>) -> Request) -> Outcome {
        let (done, answer) = sync_channel(1);
        let sender = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        sender.send(request(done)).map_err(|_| "the thread for requests of ReJIT has ended".to_owned())?;
        // A request that takes longer goes on; its error is lost.
        answer.recv_timeout(PATIENCE).unwrap_or(Ok(Vec::new()))
    }
}

fn run(rewriter: &Rewriter, requests: &Receiver<Request>) {
    let info = rewriter.info();
    // If this fails, the requests fail.
    let _ = info.initialize_current_thread();
    for request in requests {
        let (result, done) = match request {
            Request::Insert { methods, needs_functions, done } => {
                let watched = match needs_functions {
                    true => info.add_to_event_mask(EventMask::JIT_COMPILATION).map_err(Into::into),
                    false => Ok(()),
                };
                let own = watched.and_then(|()| Ok(info.own_thread()?));
                (own.and_then(|own| rewriter.request_rejit(&own, &methods)), done)
            }
            Request::Revert { methods, done } => {
                let own = info.own_thread().map_err(Into::into);
                (own.and_then(|own| rewriter.request_revert(&own, &methods)).map(|_| Vec::new()), done)
            }
        };
        // Nobody waits any more, perhaps.
        let _ = done.try_send(result.map_err(|error| error.to_string()));
    }
}
