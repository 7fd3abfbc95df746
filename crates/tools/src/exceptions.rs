//! Thrown exceptions, each with its throw site and what became of it.

use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Instant;

use corprof::{EventMask, FunctionId, HandleKind, Names, ObjectHandle, ObjectId, Result};

use crate::limits::{SETTLED, THROWS};
use crate::messages::Messages;
use crate::profiled::own_stack;
use crate::unnamed::UNKNOWN_CLASS;

/// What became of a thrown exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The search for a handler has found this function, the last time that the exception was thrown.
    Caught(FunctionId),
    /// The search has left the outermost frame: the exception ends the program.
    Uncaught,
    /// It was thrown by an exception filter, which ends with it.
    InFilter,
    /// No handler was found in managed code: the runtime's own code has caught it, as it does what a type initializer throws, or the
    /// search goes on.
    Unknown,
}

/// A thrown exception.
///
/// An exception that is thrown again, by `throw;` or by `await`, is the same one, as long as it is among the last 256 that were caught: it
/// is returned another time, with its number. Before .NET 8, which has no handles of profilers, it is another one.
#[derive(Clone, Debug)]
pub struct Throw {
    /// The number of the exception, from 1 in the order of first throws.
    pub number: u64,
    /// Whether the exception was returned before, was thrown again, and this is what became of it then: it takes the place of what was
    /// returned. It has no message; the stack is that of the last throw.
    pub is_again: bool,
    /// When it was thrown.
    pub time: Instant,
    /// The class of the exception.
    pub type_name: Arc<str>,
    /// The message; `None` if the exception has none.
    pub message: Option<String>,
    /// The managed functions on the stack of the thread, innermost first.
    pub stack: Vec<FunctionId>,
    /// What became of it.
    pub outcome: Outcome,
}

/// A throw whose search for a handler has not ended.
#[derive(Debug)]
struct Searched {
    throw: Throw,
    /// The exception; `None` if the runtime has no handles.
    handle: Option<ObjectHandle>,
    /// Whether it was thrown before, and is not recognised: then it is returned only if nothing catches it.
    is_known: bool,
    /// The number of frames of this throw, and the outermost.
    frames: usize,
    outermost: Option<FunctionId>,
    /// The number of frames that the search has entered, and the last of them.
    entered: usize,
    last: Option<FunctionId>,
}

impl Searched {
    fn over(self, outcome: Outcome) -> Option<Throw> {
        (!self.is_known || outcome == Outcome::Uncaught).then_some(Throw { outcome, ..self.throw })
    }
}

#[derive(Debug)]
enum Open {
    Throw(Searched),
    Filter,
}

/// An exception that was caught, and may be thrown again.
#[derive(Debug)]
struct Settled {
    number: u64,
    handle: Arc<ObjectHandle>,
    type_name: Arc<str>,
}

/// Pairs each thrown exception with the function that catches it.
///
/// Call its methods in the callbacks with these names: each returns the throws that are complete.
#[derive(Debug)]
pub struct Throws {
    names: Names,
    messages: Messages,
    open: Mutex<HashMap<ThreadId, Vec<Open>>>,
    settled: Mutex<VecDeque<Settled>>,
    /// The number of exceptions that were thrown.
    thrown: AtomicU64,
}

impl Throws {
    /// The flags that the event mask must have.
    pub const EVENTS: EventMask =
        EventMask::EXCEPTIONS.union(EventMask::ENABLE_STACK_SNAPSHOT).union(Messages::EVENTS);

    /// Creates a pairing without throws.
    ///
    /// # Errors
    /// Those of [`Messages::new`].
    pub fn new(names: &Names) -> Result<Self> {
        Ok(Self {
            names: names.clone(),
            messages: Messages::new(names)?,
            open: Mutex::default(),
            settled: Mutex::default(),
            thrown: AtomicU64::new(0),
        })
    }

    fn open(&self) -> MutexGuard<'_, HashMap<ThreadId, Vec<Open>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn settled(&self) -> MutexGuard<'_, VecDeque<Settled>> {
        self.settled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a throw, which `complete` may change: it is called when an exception is thrown for the first time, in the order in which
    /// a thread throws them. The order in which throws are returned is another one, above all with several threads.
    ///
    /// Returns the oldest throw of a thread that has too many open ones.
    pub fn exception_thrown(
        &self,
        exception: ObjectId<'_>,
        complete: impl FnOnce(&mut Throw),
    ) -> Option<Throw> {
        let time = Instant::now();
        let class = self.names.info().class_of_object(exception).and_then(|class| self.names.class(class));
        let type_name = class.unwrap_or_else(|_| UNKNOWN_CLASS.into());
        let (message, is_again) = self.messages.details(exception);
        let stack = own_stack(&self.names).unwrap_or_default();
        let (frames, outermost) = (stack.len(), stack.last().copied());
        // The runtime may be older.
        let handle = self.names.info().create_handle(exception, HandleKind::Weak).ok();
        let before = (is_again && handle.is_some()).then(|| self.thrown_before(exception, &type_name));
        let is_known = matches!(before, Some(None));
        let outcome = Outcome::Unknown;
        let throw = match before.flatten() {
            Some(number) => Throw { number, is_again: true, time, type_name, message: None, stack, outcome },
            None => {
                let number = self.thrown.fetch_add(1, Ordering::Relaxed) + 1;
                let mut throw = Throw { number, is_again: false, time, type_name, message, stack, outcome };
                complete(&mut throw);
                throw
            }
        };
        let searched = Searched { throw, handle, is_known, frames, outermost, entered: 0, last: None };
        let surplus = {
            let mut open = self.open();
            let open = open.entry(thread::current().id()).or_default();
            open.push(Open::Throw(searched));
            (open.len() > THROWS).then(|| open.remove(0))
        };
        match surplus {
            Some(Open::Throw(searched)) => searched.over(Outcome::Unknown),
            _ => None,
        }
    }

    /// Takes the number of an exception that was caught and is thrown again.
    fn thrown_before(&self, exception: ObjectId<'_>, type_name: &str) -> Option<u64> {
        let of_type: Vec<(u64, Arc<ObjectHandle>)> = {
            let settled = self.settled();
            let of_type = settled.iter().rev().filter(|settled| *settled.type_name == *type_name);
            of_type.map(|settled| (settled.number, Arc::clone(&settled.handle))).collect()
        };
        let is_it = |handle: &ObjectHandle| {
            let object = handle.object(exception).ok().flatten();
            object.is_some_and(|object| object.as_raw() == exception.as_raw())
        };
        let (number, _) = of_type.into_iter().find(|(_, handle)| is_it(handle))?;
        let mut settled = self.settled();
        let index = settled.iter().position(|settled| settled.number == number)?;
        Some(settled.remove(index)?.number)
    }

    /// Ends the thread's innermost throw.
    fn end(&self, outcome: Outcome) -> Option<Throw> {
        let ended = {
            let mut open = self.open();
            let thread = thread::current().id();
            let of_thread = open.get_mut(&thread)?;
            let index = of_thread.iter().rposition(|open| matches!(open, Open::Throw(..)))?;
            // A filter that the search has left without a callback is over too.
            let ended = of_thread.drain(index..).next();
            if of_thread.is_empty() {
                open.remove(&thread);
            }
            ended
        };
        let Some(Open::Throw(mut searched)) = ended else { return None };
        if let (Some(handle), Outcome::Caught(_), false) =
            (searched.handle.take(), outcome, searched.is_known)
        {
            let (number, type_name) = (searched.throw.number, Arc::clone(&searched.throw.type_name));
            let mut settled = self.settled();
            settled.push_back(Settled { number, handle: Arc::new(handle), type_name });
            let oldest = (settled.len() > SETTLED).then(|| settled.pop_front());
            drop(settled);
            // The handle is destroyed while no lock is held.
            drop(oldest);
        }
        searched.over(outcome)
    }

    /// Ends a throw: its handler is found.
    pub fn exception_search_catcher_found(&self, function: FunctionId) -> Option<Throw> {
        self.end(Outcome::Caught(function))
    }

    /// The search enters a frame.
    pub fn exception_search_function_enter(&self, function: FunctionId) {
        if let Some(Open::Throw(searched)) =
            self.open().get_mut(&thread::current().id()).and_then(|open| open.last_mut())
        {
            searched.entered += 1;
            searched.last = Some(function);
        }
    }

    /// Returns the throw if the search has left the outermost frame: nothing will catch it.
    ///
    /// Since .NET 9 the runtime does not report that the search has left that frame;
    /// see [`exception_unwind_function_enter`](Self::exception_unwind_function_enter).
    pub fn exception_search_function_leave(&self) -> Option<Throw> {
        self.end_if_searched()
    }

    /// Returns the throw if frames are unwound though the search has found no handler in any frame: nothing will catch it.
    ///
    /// Since .NET 9 the runtime unwinds the thread before it ends the program.
    pub fn exception_unwind_function_enter(&self) -> Option<Throw> {
        self.end_if_searched()
    }

    /// Ends the thread's innermost throw if its search has entered the outermost frame, and has found no handler there.
    fn end_if_searched(&self) -> Option<Throw> {
        let is_over = match self.open().get(&thread::current().id()).and_then(|open| open.last()) {
            Some(Open::Throw(Searched { frames, outermost, entered, last, .. })) => {
                entered >= frames && last.is_some() && outermost == last
            }
            _ => false,
        };
        if is_over { self.end(Outcome::Uncaught) } else { None }
    }

    /// A filter begins.
    pub fn exception_search_filter_enter(&self) {
        if let Some(open) = self.open().get_mut(&thread::current().id()) {
            open.push(Open::Filter);
        }
    }

    /// A filter has ended. Returns the throws that have ended it.
    pub fn exception_search_filter_leave(&self) -> Vec<Throw> {
        let ended: Vec<Open> = {
            let mut open = self.open();
            let Some(open) = open.get_mut(&thread::current().id()) else { return Vec::new() };
            let Some(index) = open.iter().rposition(|open| matches!(open, Open::Filter)) else {
                return Vec::new();
            };
            open.drain(index..).collect()
        };
        throws(ended, Outcome::InFilter)
    }

    /// Ends all throws, when the tool ends.
    pub fn end_all(&self) -> Vec<Throw> {
        let open = core::mem::take(&mut *self.open());
        // The handles are destroyed while the runtime is there, and no lock is held.
        let settled = core::mem::take(&mut *self.settled());
        drop(settled);
        throws(open.into_values().flatten(), Outcome::Unknown)
    }
}

fn throws(open: impl IntoIterator<Item = Open>, outcome: Outcome) -> Vec<Throw> {
    let throws = open.into_iter().filter_map(|open| match open {
        Open::Throw(searched) => searched.over(outcome),
        Open::Filter => None,
    });
    throws.collect()
}
