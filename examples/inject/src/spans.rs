//! Spans: calls of selected methods, from their begin to their end, and the log of them.
//!
//! The begin and the end of a call are on one thread, so open spans are on a stack of the thread. A span of an `async` method
//! whose task has not completed leaves the stack and ends with the task, on any thread. A span of a method that the runtime itself suspends is on no
//! stack: its call is resumed on any thread, and nothing says when it leaves this one.
#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use corprof::StringLayout;
use corprof_in_process::outlet::Outlet;
use corprof_in_process::printable::Printable;

use crate::lines::Lines;
use crate::locked;

/// The limit of completions whose spans have not been seen: of calls that began before the code was inserted.
const MAX_EARLY: usize = 1024;

/// The state of the functions: inserted code calls them until the process ends.
static LOG: OnceLock<Log> = OnceLock::new();

/// The log, and the spans that are on no thread's stack.
pub(crate) struct Log {
    begin: Instant,
    pub(crate) strings: StringLayout,
    out: Mutex<Out>,
    /// The number of lines that could not be written, or for which there was no memory.
    missing: AtomicU64,
    methods: RwLock<Vec<Named>>,
    last_span: AtomicI64,
    tasks: Mutex<Tasks>,
    /// The open spans of methods that the runtime suspends, by their ids.
    moving: Mutex<HashMap<i64, Span>>,
}

/// Where the log goes.
pub(crate) enum Out {
    Outlet(Outlet),
    Client(Lines),
    /// The client has gone, or has what it wanted.
    Nobody,
}

/// A method with spans.
struct Named {
    name: String,
    /// Whether its calls end on any thread.
    moves: bool,
}

/// Spans that end with a task.
#[derive(Default)]
struct Tasks {
    /// By the id of the task.
    open: HashMap<i32, Span>,
    /// Completions that were reported before their spans: the task id, the time, and whether the task has failed.
    early: VecDeque<(i32, Duration, bool)>,
}

/// An open span.
struct Span {
    id: i64,
    method: i64,
    begin: Duration,
}

/// How a span ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Returned,
    Failed,
}

thread_local! {
    /// The arguments of the beginning call.
    static ARGUMENTS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    /// The open spans of the thread, the innermost last.
    static OPEN: RefCell<Vec<Span>> = const { RefCell::new(Vec::new()) };
}

/// Opens the log: a file, standard error, or a client.
pub(crate) fn begin(strings: StringLayout, out: Out) {
    let log = LOG.get_or_init(|| Log {
        begin: Instant::now(),
        strings,
        out: Mutex::new(Out::Nobody),
        missing: AtomicU64::new(0),
        methods: RwLock::default(),
        last_span: AtomicI64::new(0),
        tasks: Mutex::default(),
        moving: Mutex::default(),
    });
    *locked(&log.out) = out;
}

/// Returns the log; `None` before [`begin`].
pub(crate) fn log() -> Option<&'static Log> {
    LOG.get()
}

/// Reports the number of missing lines, and to a client that there are no more, and why the library stays, if it does. Without a
/// client, the log goes on.
pub(crate) fn end(why: &'static str, stays: Option<String>) {
    let Some(log) = log() else { return };
    let missing = log.missing.load(Ordering::Relaxed);
    let line = format!("inject: {missing} lines are missing\n");
    let client = {
        let mut out = locked(&log.out);
        match core::mem::replace(&mut *out, Out::Nobody) {
            Out::Client(client) => Some(client),
            other => {
                *out = other;
                None
            }
        }
    };
    match client {
        // Not under the lock: it waits for the client, for a limited time.
        Some(client) => {
            if missing > 0 {
                client.write(line);
            }
            client.end(why, stays);
        }
        None if missing > 0 && stays.is_none() => {
            let _ = Outlet::standard_error().write_line(line.as_bytes());
        }
        None => {}
    }
}

/// Adds the name of a method. Returns its number.
pub(crate) fn name(name: String) -> i64 {
    let Some(log) = log() else { return -1 };
    let mut methods = log.methods.write().unwrap_or_else(PoisonError::into_inner);
    methods.push(Named { name, moves: false });
    i64::try_from(methods.len() - 1).unwrap_or(-1)
}

/// Returns the name of a method with a number.
pub(crate) fn name_of(number: i64) -> String {
    log().map(|log| log.method(number).0).unwrap_or_default()
}

/// The calls of a method end on any thread.
pub(crate) fn moves(number: i64) {
    let Some(log) = log() else { return };
    let mut methods = log.methods.write().unwrap_or_else(PoisonError::into_inner);
    let method = usize::try_from(number).ok().and_then(|number| methods.get_mut(number));
    method.into_iter().for_each(|method| method.moves = true);
}

/// Writes a line.
pub(crate) fn write(line: &str) {
    if let Some(log) = log() {
        log.write(log.begin.elapsed(), line);
    }
}

/// Keeps an argument of the call that begins next on this thread.
pub(crate) fn argument(text: String) {
    // At the end of a thread, its thread-local arguments have been dropped.
    let _ = ARGUMENTS.try_with(|arguments| arguments.borrow_mut().push(text));
}

/// Takes the arguments of the beginning call, also if it is not logged: they do not belong to the next one.
pub(crate) fn take_arguments() -> Vec<String> {
    ARGUMENTS.try_with(|arguments| core::mem::take(&mut *arguments.borrow_mut())).unwrap_or_default()
}

impl Log {
    /// Counts a line for which there was no memory.
    pub(crate) fn miss(&self) {
        self.missing.fetch_add(1, Ordering::Relaxed);
    }

    fn write(&self, at: Duration, line: &str) {
        let line = format!("{:>10.3}  {}\n", at.as_secs_f64(), Printable(line));
        // A failure to write the log must not stop the program.
        let is_written = match &mut *locked(&self.out) {
            Out::Outlet(outlet) => outlet.write_line(line.as_bytes()).is_ok(),
            Out::Client(client) => client.write(line),
            Out::Nobody => true,
        };
        if !is_written {
            self.miss();
        }
    }

    /// Returns the name of a method, and whether its calls end on any thread.
    fn method(&self, number: i64) -> (String, bool) {
        let methods = self.methods.read().unwrap_or_else(PoisonError::into_inner);
        let method = usize::try_from(number).ok().and_then(|number| methods.get(number));
        method.map(|method| (method.name.clone(), method.moves)).unwrap_or_default()
    }

    /// Opens a span. Returns its id, or 0 if the thread is ending.
    pub(crate) fn entered(&self, method: i64, arguments: &[String]) -> i64 {
        let id = self.last_span.fetch_add(1, Ordering::Relaxed) + 1;
        let begin = self.begin.elapsed();
        let (name, moves) = self.method(method);
        let mut span = Some(Span { id, method, begin });
        let opened = OPEN.try_with(|open| {
            let mut open = open.borrow_mut();
            let parent = open.last().map(|span| span.id);
            open.extend(span.take_if(|_| !moves));
            parent
        });
        let Ok(parent) = opened else { return 0 };
        if let Some(span) = span {
            locked(&self.moving).insert(id, span);
        }
        let parent = parent.map_or_else(String::new, |parent| format!(" in #{parent}"));
        self.write(begin, &format!("> #{id}{parent} {name}({})", arguments.join(", ")));
        id
    }

    /// Takes a span from the thread's stack, with those inside of it that are still open: their ends were not seen.
    fn close(id: i64) -> Option<Span> {
        let closed = OPEN.try_with(|open| {
            let mut open = open.borrow_mut();
            let at = open.iter().rposition(|span| span.id == id)?;
            open.drain(at..).next()
        });
        closed.ok().flatten()
    }

    /// Ends a span.
    pub(crate) fn left(&self, id: i64, ending: Ending) {
        let moving = || locked(&self.moving).remove(&id);
        if let Some(span) = Self::close(id).or_else(moving) {
            self.ended(&span, self.begin.elapsed(), ending);
        }
    }

    fn ended(&self, span: &Span, at: Duration, ending: Ending) {
        let sign = if ending == Ending::Returned { '<' } else { '!' };
        let microseconds = at.saturating_sub(span.begin).as_micros();
        self.write(at, &format!("{sign} #{} {}  {microseconds} µs", span.id, self.method(span.method).0));
    }

    /// The call of a span has returned a task. The span ends now if the task has completed, else with the task.
    pub(crate) fn suspended(&self, id: i64, task: i32, completed: Option<Ending>) {
        let Some(span) = Self::close(id) else { return };
        let mut tasks = locked(&self.tasks);
        // Another thread may have completed the task already: it reports that before the task is completed.
        let early = tasks.early.iter().position(|(early, ..)| *early == task);
        let early = early.and_then(|at| tasks.early.remove(at));
        match (early, completed) {
            (Some((_, at, has_failed)), _) => {
                drop(tasks);
                self.ended(&span, at, if has_failed { Ending::Failed } else { Ending::Returned });
            }
            (None, Some(ending)) => {
                drop(tasks);
                self.ended(&span, self.begin.elapsed(), ending);
            }
            (None, None) => {
                tasks.open.insert(task, span);
            }
        }
    }

    /// A task that was returned incomplete is about to be completed.
    pub(crate) fn completed(&self, task: i32, ending: Ending) {
        let at = self.begin.elapsed();
        let mut tasks = locked(&self.tasks);
        match tasks.open.remove(&task) {
            Some(span) => {
                drop(tasks);
                self.ended(&span, at, ending);
            }
            None => {
                if tasks.early.len() == MAX_EARLY {
                    tasks.early.pop_front();
                }
                tasks.early.push_back((task, at, ending == Ending::Failed));
            }
        }
    }
}
