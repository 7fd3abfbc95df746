//! Waits of threads: for locks, and since .NET 9 for whatever else a thread waits for.
//!
//! The runtime's events come on the waiting thread: its stack is its own. The stack of a lock's owner is taken by a thread of the tool,
//! which suspends the runtime for a moment if a wait lasts.
//!
//! A wait for a lock ends in a wait for a handle inside the runtime, whose events are ignored. `Monitor.Wait` acquires the lock again:
//! if another thread has it then, that is a wait for a lock, after the other one.

mod headers;
mod kind;
mod owners;

use std::collections::HashMap;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{JoinHandle, ThreadId};
use std::time::{Duration, Instant};

use argvalues::{Checked, Memory as _};
use corprof::{
    Error, EventMask, EventPipeEvent, EventPipeProviderConfig, EventPipeSession, FunctionId, Names,
    ProfilerInfo, Result,
};
use nettrace::runtime_events::{
    ContentionFlags, PROVIDER, RuntimeEvent, WaitHandleWaitStart, WaitSource, ids, keywords, levels,
};

use self::headers::Headers;
pub use self::kind::WaitKind;
use self::owners::Owners;
use crate::contracts::Contracts;
use crate::limits::WAITS;
use crate::profiled::own_stack;
use crate::thinning::Thinning;

/// The .NET version whose runtime has EventPipe for profilers.
const EVENT_PIPE: u16 = 5;

/// The .NET version whose runtime reports waits other than for locks.
const WAIT_EVENTS: u16 = 9;

/// The stacks of waits that take no longer are taken at a bounded rate.
const SHORT: Duration = Duration::from_millis(1);

/// The number of stacks of short waits in a second of processor time.
const STACKS: f64 = 500.0;

/// A wait that is over.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Contention {
    /// What the thread has waited for.
    pub kind: WaitKind,
    /// The number of waits that this one stands for, itself among them: more than one for a short wait when short waits are so
    /// frequent that only some of their stacks are taken.
    pub count: u64,
    /// The time of these waits, as the runtime has measured it, or else as the tool has.
    pub waited: Duration,
    /// The time of the longest.
    pub longest: Duration,
    /// The managed functions on the stack of the waiting thread, innermost first. Empty if the runtime cannot walk the stack.
    pub stack: Vec<FunctionId>,
    /// The class of the object that is locked, or passed to `Monitor.Wait`. Since .NET 8. One that was loaded before the tool was
    /// attached has `…` for its type arguments, and on .NET 8 none if it has any; on versions after 11 none is named. Since .NET 11 it is
    /// `[an object locked by Monitor]` if the runtime names only the lock behind the object, and the object is not found.
    pub class: Option<Arc<str>>,
    /// The managed functions on the stack of the thread that had the lock during the wait, innermost first. Taken once in a wait
    /// that lasts, since .NET 8.
    pub owner_stack: Option<Vec<FunctionId>>,
}

impl Contention {
    /// Stands for the class of an object that `Monitor` locks.
    const LOCKED_OBJECT: &'static str = "[an object locked by Monitor]";
}

/// The class of the lock behind an object since .NET 11, and of the locks that a program creates itself since .NET 9.
const LOCK: &str = "System.Threading.Lock";

/// The numbers of threads in the runtime's events: those of the operating system, and since .NET 11 the managed ids.
#[derive(Clone, Debug)]
struct ThreadNumbers {
    info: ProfilerInfo,
    contracts: Option<Arc<Contracts>>,
}

impl ThreadNumbers {
    fn of(&self, thread: corprof::ThreadId) -> Option<u64> {
        match &self.contracts {
            Some(contracts) => contracts.managed_thread_id(thread.as_raw()).map(Into::into),
            None => self.info.os_thread_id(thread).ok().map(Into::into),
        }
    }
}

/// A wait for a lock that is not over.
struct Open {
    begin: Instant,
    lock: Option<u64>,
    /// The thread that has the lock now, by its number in the events.
    holder: Option<u64>,
    contention: Contention,
}

type Opens = HashMap<ThreadId, Open>;

/// Another wait that is not over.
#[derive(Debug)]
struct Waiting {
    begin: Instant,
    /// The header of the object that is passed to `Monitor.Wait`.
    header: Option<usize>,
}

/// Short waits whose stacks were not taken since the last one that was.
#[derive(Debug, Default)]
struct Skipped {
    count: u64,
    waited: Duration,
    longest: Duration,
}

/// Pairs the beginnings and the ends of waits of the program.
#[derive(Debug)]
pub struct Contentions {
    names: Names,
    memory: Option<Checked>,
    numbers: ThreadNumbers,
    has_wait_events: bool,
    headers: Headers,
    open: Arc<Mutex<State>>,
    waiting: Mutex<HashMap<ThreadId, Waiting>>,
    short: Thinning,
    skipped: Mutex<Skipped>,
    session: Mutex<Option<EventPipeSession>>,
    wake: Sender<Message>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct State {
    open: Opens,
    lost: u64,
}

impl core::fmt::Debug for State {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} waits", self.open.len())
    }
}

enum Message {
    /// A wait has begun.
    Begun,
    Stop,
}

fn lock<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Contentions {
    /// The flags that the event mask must have.
    pub const EVENTS: EventMask = EventMask::EVENT_PIPE
        .union(EventMask::ENABLE_STACK_SNAPSHOT)
        .union(EventMask::CLASS_LOADS)
        .union(EventMask::MODULE_LOADS);

    /// Returns [`EVENTS`](Self::EVENTS) for a runtime that has these events.
    ///
    /// # Errors
    /// [`Error::Other`]: the runtime is older than .NET 5. Any failure of the query for its version.
    pub fn events(info: &ProfilerInfo) -> Result<EventMask> {
        if info.runtime_info()?.major < EVENT_PIPE {
            return Err(Error::other("the runtime reports no waits for locks to profilers before .NET 5"));
        }
        Ok(Self::EVENTS)
    }

    /// Starts the session, and the thread that takes the stacks of owners. Needs the flags [`EVENTS`](Self::EVENTS).
    ///
    /// The session costs the program some ten milliseconds of processor time once: the runtime describes its events by reflection.
    ///
    /// # Errors
    /// Any failure of the calls; the thread cannot be started.
    pub fn start(names: &Names) -> Result<Self> {
        let info = names.info();
        let open = Arc::<Mutex<State>>::default();
        let (wake, woken) = channel();
        let contracts = Contracts::of_runtime(info)?.map(Arc::new);
        let numbers = ThreadNumbers { info: info.clone(), contracts };
        let mut owners = Owners {
            info: info.clone(),
            numbers: numbers.clone(),
            open: Arc::clone(&open),
            next: Instant::now(),
        };
        let thread = std::thread::Builder::new()
            .name("lock owners".to_owned())
            .spawn(move || owners.run(&woken))
            .map_err(|error| Error::other(format!("cannot start a thread: {error}")))?;
        let major = info.runtime_info()?.major;
        let has_wait_events = major >= WAIT_EVENTS;
        let this = Self {
            names: names.clone(),
            memory: Checked::new().ok(),
            numbers,
            has_wait_events,
            headers: Headers::new(major),
            open,
            waiting: Mutex::default(),
            short: Thinning::new(STACKS),
            skipped: Mutex::default(),
            session: Mutex::default(),
            wake,
            thread: Mutex::new(Some(thread)),
        };
        let (level, keywords) = if has_wait_events {
            (levels::VERBOSE, keywords::CONTENTION | keywords::WAIT_HANDLE)
        } else {
            (levels::INFORMATIONAL, keywords::CONTENTION)
        };
        let provider = EventPipeProviderConfig { name: PROVIDER, keywords, level, filter: None };
        let session = info.event_pipe_start_session(&[provider], false)?;
        *this.session.lock().unwrap_or_else(PoisonError::into_inner) = Some(session);
        Ok(this)
    }

    /// Lists the modules whose classes the tool has not seen to be loaded, in the callback `profiler_attach_complete`. Without it, their classes
    /// have no names.
    pub fn profiler_attach_complete(&self) {
        self.headers.attached(&self.names);
    }

    /// Ends the session and the thread. When this returns, the thread runs none of the profiler's code.
    pub fn stop(&self) {
        drop(self.session.lock().unwrap_or_else(PoisonError::into_inner).take());
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(thread) = thread else { return };
        // It ends with the message, or has ended.
        let _ = self.wake.send(Message::Stop);
        let _ = thread.join();
    }

    /// Returns whether the runtime reports waits other than for locks: since .NET 9.
    #[must_use]
    pub fn has_wait_events(&self) -> bool {
        self.has_wait_events
    }

    /// Returns the number of waits so far whose end was not seen.
    #[must_use]
    pub fn lost(&self) -> u64 {
        lock(&self.open).lost
    }

    /// Returns the number of waits that are not over: those for locks, and others.
    #[must_use]
    pub fn open(&self) -> (usize, usize) {
        (lock(&self.open).open.len(), lock(&self.waiting).len())
    }

    /// Returns the short waits that no [`Contention`] stands for yet: their number, their time, and the longest; and counts them from
    /// then on as returned.
    pub fn take_skipped(&self) -> (u64, Duration, Duration) {
        let Skipped { count, waited, longest } = core::mem::take(&mut *lock(&self.skipped));
        (count, waited, longest)
    }

    /// Begins or ends a wait, in the callback with this name. Returns a wait that is over. Other events are ignored.
    pub fn event_pipe_event_delivered(&self, event: &EventPipeEvent<'_>) -> Option<Contention> {
        if ![
            ids::CONTENTION_START,
            ids::CONTENTION_STOP,
            ids::WAIT_HANDLE_WAIT_START,
            ids::WAIT_HANDLE_WAIT_STOP,
        ]
        .contains(&event.id)
        {
            return None;
        }
        let thread = std::thread::current().id();
        match RuntimeEvent::decode(event.id, event.version, event.data, size_of::<usize>()) {
            Ok(Some(RuntimeEvent::ContentionStart(start))) if start.flags == ContentionFlags::MANAGED => {
                let stack = self.stack();
                let kind = WaitKind::of_acquisition(self.function_names(&stack));
                let class = start.object.and_then(|object| self.locked_class(object, kind));
                let contention = Contention {
                    kind,
                    count: 1,
                    waited: Duration::ZERO,
                    longest: Duration::ZERO,
                    stack,
                    class,
                    owner_stack: None,
                };
                let holder = start.owner.filter(|owner| *owner != 0);
                let open = Open { begin: Instant::now(), lock: start.lock, holder, contention };
                let mut state = lock(&self.open);
                let is_lost = state.open.len() >= WAITS || state.open.insert(thread, open).is_some();
                state.lost += u64::from(is_lost);
                drop(state);
                // The thread has ended with the tool.
                let _ = self.wake.send(Message::Begun);
                None
            }
            Ok(Some(RuntimeEvent::ContentionStop(stop))) => {
                let this_thread = event.thread.and_then(|thread| self.numbers.of(thread));
                let mut state = lock(&self.open);
                let open = state.open.remove(&thread)?;
                // Others that wait for the lock wait for this thread from now on.
                for other in state.open.values_mut().filter(|other| other.lock.is_some()) {
                    if other.lock == open.lock {
                        other.holder = this_thread;
                    }
                }
                drop(state);
                let measured = stop.duration.filter(|duration| *duration > 0.0);
                let waited = match measured.map(|nanoseconds| Duration::try_from_secs_f64(nanoseconds / 1e9))
                {
                    Some(Ok(waited)) => waited,
                    _ => open.begin.elapsed(),
                };
                Some(Contention { waited, longest: waited, ..open.contention })
            }
            Ok(Some(RuntimeEvent::WaitHandleWaitStart(start))) => {
                self.begin_wait(thread, start);
                None
            }
            Ok(Some(RuntimeEvent::WaitHandleWaitStop(_))) => self.end_wait(thread),
            _ => None,
        }
    }

    fn begin_wait(&self, thread: ThreadId, start: WaitHandleWaitStart) {
        let is_monitor = start.source == WaitSource::MONITOR_WAIT;
        // The last part of a wait for a lock, which has its own events.
        if !is_monitor && lock(&self.open).open.contains_key(&thread) {
            return;
        }
        let header = if is_monitor { self.header(start.object) } else { None };
        let mut waiting = lock(&self.waiting);
        let wait = Waiting { begin: Instant::now(), header };
        let is_lost = waiting.len() >= WAITS || waiting.insert(thread, wait).is_some();
        drop(waiting);
        if is_lost {
            lock(&self.open).lost += 1;
        }
    }

    fn end_wait(&self, thread: ThreadId) -> Option<Contention> {
        let wait = lock(&self.waiting).remove(&thread)?;
        let waited = wait.begin.elapsed();
        let mut all = Skipped { count: 1, waited, longest: waited };
        if waited < SHORT {
            let mut skipped = lock(&self.skipped);
            skipped.count += 1;
            skipped.waited += waited;
            skipped.longest = skipped.longest.max(waited);
            self.short.kept()?;
            all = core::mem::take(&mut *skipped);
        }
        let stack = self.stack();
        let kind = WaitKind::of_stack(self.function_names(&stack));
        let class = match kind {
            WaitKind::MonitorWait => wait.header.and_then(|header| self.class_of_header(header)),
            _ => None,
        };
        let Skipped { count, waited, longest } = all;
        Some(Contention { kind, count, waited, longest, stack, class, owner_stack: None })
    }

    /// Returns the name of the class of the object that is locked, or of its lock.
    fn locked_class(&self, object: u64, kind: WaitKind) -> Option<Arc<str>> {
        let class = self.class(object)?;
        let Some(contracts) = self.numbers.contracts.as_ref().filter(|_| *class == *LOCK) else {
            return Some(class);
        };
        let locked = usize::try_from(object).ok().and_then(|lock| contracts.locked_object(lock));
        if let Some(locked) = locked.and_then(|object| self.class(object as u64)) {
            return Some(locked);
        }
        // A lock that the program has created, or whose object a collection has moved meanwhile.
        Some(if kind == WaitKind::MonitorEnter { Contention::LOCKED_OBJECT.into() } else { class })
    }

    /// Returns the stack of this thread, without the method by which the runtime writes the event. A stack that cannot be walked is empty.
    fn stack(&self) -> Vec<FunctionId> {
        let mut stack = own_stack(&self.names).unwrap_or_default();
        let innermost = stack.first().and_then(|function| self.names.function(*function).ok());
        if innermost.is_some_and(|name| name.starts_with(kind::WRITER)) {
            stack.remove(0);
        }
        stack
    }

    /// Returns the names of functions, without those that have none.
    fn function_names(&self, stack: &[FunctionId]) -> impl Iterator<Item = Arc<str>> {
        stack.iter().filter_map(|function| self.names.function(*function).ok())
    }

    /// Returns the name of the class of an object.
    fn class(&self, object: u64) -> Option<Arc<str>> {
        self.class_of_header(self.header(object)?)
    }

    /// Returns the header of an object: its class's id.
    fn header(&self, object: u64) -> Option<usize> {
        let mut header = [0; size_of::<usize>()];
        self.memory.as_ref()?.read(usize::try_from(object).ok()?, &mut header).ok()?;
        // A collection marks objects in the lowest bits of their header.
        Some(usize::from_ne_bytes(header) & !0b111)
    }

    fn class_of_header(&self, header: usize) -> Option<Arc<str>> {
        match self.names.info().class_by_number(header) {
            Some(class) => self.names.class(class).ok(),
            None => self.headers.class(&self.names, self.memory.as_ref()?, header),
        }
    }
}

impl Drop for Contentions {
    fn drop(&mut self) {
        self.stop();
    }
}
