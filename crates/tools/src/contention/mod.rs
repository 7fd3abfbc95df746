//! Waits for locks: who waits, for how long, and who has the lock.
//!
//! The runtime's events come on the waiting thread: its stack is its own. The stack of the owner is taken by a thread of the tool,
//! which suspends the runtime for a moment if a wait lasts.

use core::ops::ControlFlow;
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{JoinHandle, ThreadId};
use std::time::{Duration, Instant};

use argvalues::{Checked, Memory as _};
use corprof::{
    Error, EventMask, EventPipeEvent, EventPipeProviderConfig, EventPipeSession, FunctionId, Names,
    ProfilerInfo, Result, StackWalk,
};
use nettrace::runtime_events::{ContentionFlags, PROVIDER, RuntimeEvent, ids, keywords, levels};

use crate::contracts::Contracts;
use crate::limits::{FRAMES, STACK, WAITS};
use crate::profiled::own_stack;

/// The .NET version whose runtime has EventPipe for profilers.
const EVENT_PIPE: u16 = 5;

/// How long a wait lasts before the stack of the owner is taken.
const LASTING: Duration = Duration::from_millis(10);

/// The share of time for which the program may be suspended for that: one part in so many.
const SHARE: u32 = 200;

/// A wait for a lock that is over.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Contention {
    /// The time of the wait, as the runtime has measured it, or else as the tool has.
    pub waited: Duration,
    /// The managed functions on the stack of the waiting thread, innermost first.
    pub stack: Vec<FunctionId>,
    /// The class of the object that is locked. Since .NET 8, if its load was seen. Since .NET 11 it is
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

/// The methods that lock an object by its lock.
const MONITOR: &str = "System.Threading.Monitor.";

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

/// A wait that is not over.
struct Open {
    begin: Instant,
    lock: Option<u64>,
    /// The thread that has the lock now, by its number in the events.
    holder: Option<u64>,
    contention: Contention,
}

type Opens = HashMap<ThreadId, Open>;

/// Pairs the beginnings and the ends of waits for locks of the program.
#[derive(Debug)]
pub struct Contentions {
    names: Names,
    memory: Option<Checked>,
    numbers: ThreadNumbers,
    open: Arc<Mutex<State>>,
    session: Mutex<Option<EventPipeSession>>,
    wake: Sender<Message>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct State {
    open: Opens,
    failed: u64,
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

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
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
        let this = Self {
            names: names.clone(),
            memory: Checked::new().ok(),
            numbers,
            open,
            session: Mutex::default(),
            wake,
            thread: Mutex::new(Some(thread)),
        };
        let level = levels::INFORMATIONAL;
        let provider =
            EventPipeProviderConfig { name: PROVIDER, keywords: keywords::CONTENTION, level, filter: None };
        let session = info.event_pipe_start_session(&[provider], false)?;
        *this.session.lock().unwrap_or_else(PoisonError::into_inner) = Some(session);
        Ok(this)
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

    /// Returns the number of waits without a stack, and of those whose end was not seen.
    #[must_use]
    pub fn failed(&self) -> u64 {
        lock(&self.open).failed
    }

    /// Returns the number of waits that are not over.
    #[must_use]
    pub fn open(&self) -> usize {
        lock(&self.open).open.len()
    }

    /// Begins or ends a wait, in the callback with this name. Returns a wait that is over. Other events are ignored.
    pub fn event_pipe_event_delivered(&self, event: &EventPipeEvent<'_>) -> Option<Contention> {
        if event.id != ids::CONTENTION_START && event.id != ids::CONTENTION_STOP {
            return None;
        }
        let thread = std::thread::current().id();
        match RuntimeEvent::decode(event.id, event.version, event.data, size_of::<usize>()) {
            Ok(Some(RuntimeEvent::ContentionStart(start))) if start.flags == ContentionFlags::MANAGED => {
                let stack = own_stack(&self.names);
                let class = start.object.and_then(|object| self.locked_class(object, stack.as_deref().ok()));
                let owner = start.owner.filter(|owner| *owner != 0);
                let failed = u64::from(stack.is_err());
                let contention = Contention {
                    waited: Duration::ZERO,
                    stack: stack.unwrap_or_default(),
                    class,
                    owner_stack: None,
                };
                let open = Open { begin: Instant::now(), lock: start.lock, holder: owner, contention };
                let mut state = lock(&self.open);
                let is_lost = state.open.len() >= WAITS || state.open.insert(thread, open).is_some();
                state.failed += failed + u64::from(is_lost);
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
                Some(Contention { waited, ..open.contention })
            }
            _ => None,
        }
    }

    /// Returns the name of the class of the object that is locked, or of its lock.
    fn locked_class(&self, object: u64, stack: Option<&[FunctionId]>) -> Option<Arc<str>> {
        let class = self.class(object)?;
        let Some(contracts) = self.numbers.contracts.as_ref().filter(|_| *class == *LOCK) else {
            return Some(class);
        };
        let locked = usize::try_from(object).ok().and_then(|lock| contracts.locked_object(lock));
        if let Some(locked) = locked.and_then(|object| self.class(object as u64)) {
            return Some(locked);
        }
        // A lock that the program has created, or whose object a collection has moved meanwhile.
        let is_monitor = |function: &FunctionId| {
            self.names.function(*function).is_ok_and(|name| name.to_string().starts_with(MONITOR))
        };
        let is_of_object = stack.is_some_and(|stack| stack.iter().take(4).any(is_monitor));
        Some(if is_of_object { Contention::LOCKED_OBJECT.into() } else { class })
    }

    /// Returns the name of the class of an object, whose header is the class's id.
    fn class(&self, object: u64) -> Option<Arc<str>> {
        let mut header = [0; size_of::<usize>()];
        self.memory.as_ref()?.read(usize::try_from(object).ok()?, &mut header).ok()?;
        // A collection marks objects in the lowest bits of their header.
        let header = usize::from_ne_bytes(header) & !0b111;
        let class = self.names.info().class_by_number(header)?;
        self.names.class(class).ok()
    }
}

impl Drop for Contentions {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The thread that takes the stacks of owners.
struct Owners {
    info: ProfilerInfo,
    numbers: ThreadNumbers,
    open: Arc<Mutex<State>>,
    /// When the program may be suspended again.
    next: Instant,
}

impl Owners {
    fn run(&mut self, woken: &Receiver<Message>) {
        // If this fails, the queries fail.
        let _ = self.info.initialize_current_thread();
        let mut due = None;
        loop {
            let message = match due {
                Some(due) => woken.recv_timeout(Instant::now().max(due) - Instant::now()),
                None => woken.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match message {
                Ok(Message::Begun) => {}
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => self.take(),
            }
            due = self.due();
        }
    }

    /// Returns when the oldest wait whose owner's stack is wanted has lasted.
    fn due(&self) -> Option<Instant> {
        let state = lock(&self.open);
        let begins = state.open.values().filter(|open| is_wanted(open)).map(|open| open.begin + LASTING);
        begins.min().map(|due| due.max(self.next))
    }

    /// Takes the stacks of the threads that have locks.
    fn take(&mut self) {
        let begin = Instant::now();
        let lasting = |open: &Open| is_wanted(open) && open.begin + LASTING <= begin;
        let wanted: Vec<(u64, Instant)> = {
            let state = lock(&self.open);
            let open = state.open.values().filter(|open| lasting(open));
            open.filter_map(|open| Some((open.holder?, open.begin))).collect()
        };
        let stacks = if wanted.is_empty() { Ok(HashMap::new()) } else { self.stacks(&wanted) };
        self.next = Instant::now() + (begin.elapsed() * SHARE).max(LASTING);
        // The runtime was suspended by a collection: at the next time.
        let Ok(stacks) = stacks else { return };
        let mut state = lock(&self.open);
        for open in state.open.values_mut() {
            let Some(holder) = open.holder.filter(|holder| wanted.contains(&(*holder, open.begin))) else {
                continue;
            };
            // A thread that is not managed, or has ended, has an empty stack.
            open.contention.owner_stack = Some(stacks.get(&holder).cloned().unwrap_or_default());
        }
    }

    /// Walks the stacks of all threads, and returns those of these.
    fn stacks(&self, wanted: &[(u64, Instant)]) -> Result<HashMap<u64, Vec<FunctionId>>> {
        let mut frames: Vec<FunctionId> = Vec::with_capacity(FRAMES);
        let mut ends = Vec::with_capacity(1_000);
        let suspension = self.info.suspend_runtime()?;
        for thread in suspension.threads()? {
            let first = frames.len();
            // A thread that cannot be walked has no stack here.
            let _ = suspension.walk_stack(thread, StackWalk::default(), |frame| {
                // The buffer must not grow while the program is suspended.
                if frames.len() - first >= STACK || frames.len() >= FRAMES {
                    return ControlFlow::Break(());
                }
                frames.extend(frame.function);
                ControlFlow::Continue(())
            });
            if ends.len() == ends.capacity() {
                break;
            }
            ends.push((thread, first, frames.len()));
        }
        drop(suspension);
        let mut stacks = HashMap::new();
        for (thread, first, end) in ends {
            // The thread may have ended meanwhile.
            let Some(number) = self.numbers.of(thread) else { continue };
            if wanted.iter().any(|(holder, _)| *holder == number) {
                stacks.insert(number, frames.get(first..end).unwrap_or_default().to_vec());
            }
        }
        Ok(stacks)
    }
}

fn is_wanted(open: &Open) -> bool {
    open.holder.is_some() && open.contention.owner_stack.is_none()
}
