//! Thrown exceptions, each with its throw site and what became of it.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use corprof::{EventMask, FunctionId, Names, ObjectId, Result};

use crate::limits::{MESSAGES, THROWS, TYPES};
use crate::messages::Messages;
use crate::profiled::own_stack;

/// What became of a thrown exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The search for a handler has found this function.
    Caught(FunctionId),
    /// The search has left the outermost frame: the exception ends the program.
    Uncaught,
    /// It was thrown by an exception filter, which ends with it.
    InFilter,
    /// No handler was found in managed code: the runtime's own code has caught it, or the search goes on.
    Unknown,
}

/// A thrown exception.
#[derive(Clone, Debug)]
pub struct Throw {
    /// The class of the exception.
    pub type_name: Arc<str>,
    /// The message; `None` if the exception has none.
    pub message: Option<String>,
    /// The managed functions on the stack of the thread, innermost first.
    pub stack: Vec<FunctionId>,
    /// What became of it.
    pub outcome: Outcome,
}

#[derive(Debug)]
enum Open {
    /// The number of frames that the search has entered, and the last of them.
    Throw(Throw, usize, Option<FunctionId>),
    Filter,
}

/// Pairs each thrown exception with the function that catches it.
///
/// Call its methods in the callbacks with these names: each returns the throws that are complete.
#[derive(Debug)]
pub struct Throws {
    names: Names,
    messages: Messages,
    /// The messages of each type that were kept.
    kept: Mutex<HashMap<Arc<str>, HashSet<String>>>,
    open: Mutex<HashMap<ThreadId, Vec<Open>>>,
}

/// The text for the messages beyond the limit.
const OTHER_MESSAGES: &str = "[other messages]";

impl Throws {
    /// The flags that the event mask must have.
    pub const EVENTS: EventMask =
        EventMask::EXCEPTIONS.union(EventMask::ENABLE_STACK_SNAPSHOT).union(Messages::EVENTS);

    /// Creates a pairing without throws.
    ///
    /// # Errors
    /// Those of [`Messages::new`].
    pub fn new(names: &Names) -> Result<Self> {
        let (kept, open) = (Mutex::default(), Mutex::default());
        Ok(Self { names: names.clone(), messages: Messages::new(names)?, kept, open })
    }

    fn open(&self) -> MutexGuard<'_, HashMap<ThreadId, Vec<Open>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a throw. Returns the oldest one of a thread that has too many open ones.
    pub fn exception_thrown(&self, exception: ObjectId<'_>) -> Option<Throw> {
        let class = self.names.info().class_of_object(exception).and_then(|class| self.names.class(class));
        let type_name = class.unwrap_or_else(|error| format!("[{error}]").into());
        let message = self.messages.of(exception).map(|message| self.kept(&type_name, message));
        let stack = own_stack(&self.names).unwrap_or_default();
        let throw = Throw { type_name, message, stack, outcome: Outcome::Unknown };
        let mut open = self.open();
        let open = open.entry(thread::current().id()).or_default();
        open.push(Open::Throw(throw, 0, None));
        let surplus = (open.len() > THROWS).then(|| open.remove(0));
        match surplus {
            Some(Open::Throw(throw, ..)) => Some(throw),
            _ => None,
        }
    }

    /// Returns a message, or the common text for those beyond the limit of a type.
    fn kept(&self, type_name: &Arc<str>, message: String) -> String {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= TYPES && !kept.contains_key(type_name) {
            return OTHER_MESSAGES.to_owned();
        }
        let messages = kept.entry(Arc::clone(type_name)).or_default();
        if !messages.contains(&message) {
            if messages.len() >= MESSAGES {
                return OTHER_MESSAGES.to_owned();
            }
            messages.insert(message.clone());
        }
        message
    }

    /// Ends the thread's innermost throw.
    fn end(&self, outcome: Outcome) -> Option<Throw> {
        let mut open = self.open();
        let thread = thread::current().id();
        let of_thread = open.get_mut(&thread)?;
        let index = of_thread.iter().rposition(|open| matches!(open, Open::Throw(..)))?;
        // A filter that the search has left without a callback is over too.
        let ended = of_thread.drain(index..).next();
        if of_thread.is_empty() {
            open.remove(&thread);
        }
        match ended {
            Some(Open::Throw(throw, ..)) => Some(Throw { outcome, ..throw }),
            _ => None,
        }
    }

    /// Ends a throw: its handler is found.
    pub fn exception_search_catcher_found(&self, function: FunctionId) -> Option<Throw> {
        self.end(Outcome::Caught(function))
    }

    /// The search enters a frame.
    pub fn exception_search_function_enter(&self, function: FunctionId) {
        if let Some(Open::Throw(_, entered, last)) =
            self.open().get_mut(&thread::current().id()).and_then(|open| open.last_mut())
        {
            *entered += 1;
            *last = Some(function);
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
            Some(Open::Throw(throw, entered, last)) => {
                *entered >= throw.stack.len() && last.is_some() && throw.stack.last() == last.as_ref()
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
        let mut open = self.open();
        let Some(open) = open.get_mut(&thread::current().id()) else { return Vec::new() };
        let Some(index) = open.iter().rposition(|open| matches!(open, Open::Filter)) else {
            return Vec::new();
        };
        let ended = open.drain(index..).filter_map(|open| match open {
            Open::Throw(throw, ..) => Some(Throw { outcome: Outcome::InFilter, ..throw }),
            Open::Filter => None,
        });
        ended.collect()
    }

    /// Ends all throws, when the tool ends.
    pub fn end_all(&self) -> Vec<Throw> {
        let open = core::mem::take(&mut *self.open());
        let throws = open.into_values().flatten().filter_map(|open| match open {
            Open::Throw(throw, ..) => Some(throw),
            Open::Filter => None,
        });
        throws.collect()
    }
}
