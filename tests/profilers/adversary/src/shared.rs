//! What callbacks, hooks and threads share, and how they choose their calls.

use std::any::Any;
use std::cell::{Cell, OnceCell};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use corprof::{Error, EventMask, Names, PartHost, ProfilerInfo, Result};
use serde_json::{Map, json};

use crate::at::At;
use crate::calls::{CALLS, Call};
use crate::journal::{DEEPEST, Journal};
use crate::known::Known;
use crate::left_out::LeftOut;
use crate::place::{Given, Place};
use crate::random::{Random, mixed};

/// The calls of one visit of a place.
const AT_ONCE: u32 = 10;
/// After how many visits calls become rarer; that many visits with calls are in each doubling of the visits.
const OFTEN: u32 = 8;

/// The state of the profiler.
pub(crate) struct Shared {
    pub(crate) me: Weak<Shared>,
    pub(crate) info: ProfilerInfo,
    pub(crate) names: Names,
    pub(crate) host: PartHost,
    pub(crate) known: Known,
    pub(crate) mask: EventMask,
    pub(crate) has_fast_hooks: bool,
    pub(crate) journal: Journal,
    left_out: LeftOut,
    /// Of the threads of the profiler's own.
    pub(crate) unfinished: AtomicU32,
    /// What did not hold.
    pub(crate) wrong: Mutex<Vec<String>>,
    /// Whether calls may set the event mask.
    pub(crate) is_mask_free: AtomicBool,
    seed: u64,
    out: PathBuf,
    threads: AtomicU64,
    places: Vec<Visits>,
    calls: Vec<Outcomes>,
}

/// How often calls were made from a place.
#[derive(Default)]
struct Visits {
    visits: AtomicU32,
    /// Those in callbacks that a call has caused.
    nested: AtomicU32,
    next: AtomicU32,
}

/// What a call has returned, how often.
#[derive(Default)]
struct Outcomes {
    succeeded: AtomicU32,
    failed: AtomicU32,
    /// There was nothing to pass.
    left_out: AtomicU32,
}

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    static THREAD: OnceCell<Thread> = const { OnceCell::new() };
}

/// A thread that makes calls.
struct Thread {
    random: Random,
    number: Option<usize>,
    shared: Weak<Shared>,
}

impl Drop for Thread {
    fn drop(&mut self) {
        if let Some((number, shared)) = self.number.zip(self.shared.upgrade()) {
            shared.journal.remove_thread(number);
        }
    }
}

fn variable(name: &str) -> Result<String> {
    std::env::var(name).map_err(|error| Error::other(format!("{name}: {error}")))
}

/// The runtime's version; .NET Core 3.1 is 4.
fn major(info: &ProfilerInfo) -> u16 {
    info.runtime_info().map(|info| info.major).unwrap_or_default()
}

impl Shared {
    pub(crate) fn new(info: &ProfilerInfo) -> Result<Arc<Self>> {
        let has_fast_hooks = variable("ADVERSARY_HOOKS")? == "fast";
        let seed = variable("ADVERSARY_SEED")?;
        let seed = seed.parse().map_err(|error| Error::other(format!("ADVERSARY_SEED: {error}")))?;
        let out = PathBuf::from(variable("ADVERSARY_OUT")?);
        let journal = Journal::create(&out.with_extension("calls"))
            .map_err(|error| Error::other(format!("ADVERSARY_OUT: {error}")))?;
        // The runtime adds the last flag for slow-path hooks, and refuses later masks without it.
        let slow = EventMask::CALLS_WITH_VALUES | EventMask::DISABLE_OPTIMIZATIONS;
        let mut mask = EVENTS | if has_fast_hooks { EventMask::ENTER_LEAVE } else { slow };
        if info.version() >= 12 {
            mask |= EventMask::EVENT_PIPE;
        }
        Ok(Arc::new_cyclic(|me| Self {
            me: me.clone(),
            info: info.clone(),
            names: Names::new(info),
            host: PartHost::new(info, |_, _| ()),
            known: Known::new(),
            mask,
            has_fast_hooks,
            journal,
            left_out: LeftOut::on(major(info)),
            unfinished: AtomicU32::new(0),
            wrong: Mutex::default(),
            is_mask_free: AtomicBool::new(false),
            seed,
            out,
            threads: AtomicU64::new(0),
            places: Place::ALL.iter().map(|_| Visits::default()).collect(),
            calls: CALLS.iter().map(|_| Outcomes::default()).collect(),
        }))
    }

    /// Calls `work` with the thread's random numbers, unless the thread is ending.
    pub(crate) fn with_random<R>(&self, work: impl FnOnce(&Random) -> R) -> Option<R> {
        self.with_thread(|thread| work(&thread.random))
    }

    fn with_thread<R>(&self, work: impl FnOnce(&Thread) -> R) -> Option<R> {
        let new = || {
            let number = self.threads.fetch_add(1, Ordering::Relaxed);
            let random = Random::new(mixed(self.seed ^ mixed(number)));
            Thread { random, number: self.journal.add_thread(), shared: self.me.clone() }
        };
        THREAD.try_with(|thread| work(thread.get_or_init(new))).ok()
    }

    /// Whether the next visit of a place makes calls; counts one that makes none.
    pub(crate) fn is_due(&self, place: Place) -> bool {
        let Some(visits) = self.places.get(place as usize) else { return false };
        let is_due = due(place, visits.visits.load(Ordering::Relaxed)) != 0;
        if !is_due {
            visits.visits.fetch_add(1, Ordering::Relaxed);
        }
        is_due
    }

    /// Whether calls were made from a place.
    pub(crate) fn has_visited(&self, place: Place) -> bool {
        self.places.get(place as usize).is_some_and(|visits| visits.visits.load(Ordering::Relaxed) > 0)
    }

    /// A file for metadata.
    pub(crate) fn file(&self, number: usize) -> PathBuf {
        self.out.with_extension(format!("{number}.metadata"))
    }

    /// Something did not hold.
    pub(crate) fn note_wrong(&self, what: String) {
        let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        if wrong.len() < 100 {
            wrong.push(what);
        }
    }

    /// Makes calls from a place, unless it was visited often.
    pub(crate) fn attack(&self, place: Place, given: Given<'_>) {
        let Some(visits) = self.places.get(place as usize) else { return };
        let depth = DEPTH.get();
        if depth >= DEEPEST {
            return;
        }
        let count = if depth == 0 || place.is_visit() { &visits.visits } else { &visits.nested };
        let due = due(place, count.fetch_add(1, Ordering::Relaxed));
        if due == 0 {
            return;
        }
        DEPTH.set(depth + 1);
        self.with_thread(|thread| {
            let Some(number) = thread.number else { return };
            for _ in 0..due {
                let next = visits.next.fetch_add(1, Ordering::Relaxed);
                self.make(self.chosen(place, next), (place, number, depth), given, &thread.random);
            }
        });
        DEPTH.set(depth);
    }

    /// The call that a place makes next: each once, in an order of its own, and then again.
    fn chosen(&self, place: Place, next: u32) -> usize {
        let order = mixed(self.seed ^ mixed(place as u64 + 1));
        let count = CALLS.len() as u64;
        let step = (1 + order % count..).find(|step| greatest_divisor(*step, count) == 1).unwrap_or(1);
        let at = (u64::from(next) * step + (order >> 32)) % count;
        usize::try_from(at).unwrap_or_default()
    }

    fn make(
        &self,
        index: usize,
        (place, thread, depth): (Place, usize, usize),
        given: Given<'_>,
        random: &Random,
    ) {
        let (Some((name, call)), Some(outcomes)) = (CALLS.get(index), self.calls.get(index)) else { return };
        if self.left_out.has(index, place, depth) {
            outcomes.left_out.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let entry = self.journal.begin(thread, depth, &format!("{place:?}: {name}"));
        let at = At { shared: self, given, place, random: Random::new(random.next()), entry };
        let outcome = match made(*call, &at) {
            Ok(Some(true)) => &outcomes.succeeded,
            Ok(Some(false)) => &outcomes.failed,
            Ok(None) => &outcomes.left_out,
            Err(panic) => {
                self.note_wrong(format!("{place:?}: {name} panicked: {}", text_of(&*panic)));
                &outcomes.failed
            }
        };
        outcome.fetch_add(1, Ordering::Relaxed);
    }

    /// Writes the numbers of visits and calls.
    pub(crate) fn write_report(&self) {
        let mut places = Map::new();
        for (place, visits) in Place::ALL.iter().zip(&self.places) {
            let [visits, nested, calls] =
                [&visits.visits, &visits.nested, &visits.next].map(|count| count.load(Ordering::Relaxed));
            places
                .insert(format!("{place:?}"), json!({ "visits": visits, "nested": nested, "calls": calls }));
        }
        let mut calls = Map::new();
        for ((name, _), outcomes) in CALLS.iter().zip(&self.calls) {
            let [succeeded, failed, left_out] = [&outcomes.succeeded, &outcomes.failed, &outcomes.left_out]
                .map(|count| count.load(Ordering::Relaxed));
            calls.insert((*name).to_owned(), json!([succeeded, failed, left_out]));
        }
        let report = json!({
            "seed": self.seed,
            "calls": self.journal.calls(),
            "unfinished": self.unfinished.load(Ordering::SeqCst),
            "wrong": *self.wrong.lock().unwrap_or_else(PoisonError::into_inner),
            "places": places,
            "functions": calls,
        });
        // An error cannot be reported here; the test notices the missing file.
        let _ = fs::write(&self.out, report.to_string());
    }
}

/// All that is reported, except what makes another program of the program.
const EVENTS: EventMask = EventMask::FUNCTION_UNLOADS
    .union(EventMask::CLASS_LOADS)
    .union(EventMask::MODULE_LOADS)
    .union(EventMask::ASSEMBLY_LOADS)
    .union(EventMask::APP_DOMAIN_LOADS)
    .union(EventMask::JIT_COMPILATION)
    .union(EventMask::EXCEPTIONS)
    .union(EventMask::GC)
    .union(EventMask::OBJECT_ALLOCATED)
    .union(EventMask::ENABLE_OBJECT_ALLOCATED)
    .union(EventMask::THREADS)
    .union(EventMask::CODE_TRANSITIONS)
    .union(EventMask::CCW)
    .union(EventMask::SUSPENDS)
    .union(EventMask::CACHE_SEARCHES)
    .union(EventMask::ENABLE_REJIT)
    .union(EventMask::CLR_EXCEPTIONS)
    .union(EventMask::ENABLE_STACK_SNAPSHOT)
    .union(EventMask::ADD_ASSEMBLY_REFERENCES)
    .union(EventMask::IN_MEMORY_SYMBOLS_UPDATED)
    .union(EventMask::DYNAMIC_FUNCTION_UNLOADS);

/// How many calls a visit makes.
fn due(place: Place, visit: u32) -> u32 {
    let all = u32::try_from(CALLS.len()).unwrap_or(u32::MAX);
    match (place, visit) {
        (Place::Initialize | Place::Hooks | Place::Shutdown, _) => all,
        (Place::OwnThread | Place::OwnThreadInitialized, _) | (_, ..OFTEN) => AT_ONCE,
        (_, visit) if visit % (visit / OFTEN).next_power_of_two() == 0 => AT_ONCE,
        _ => 0,
    }
}

fn greatest_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}

fn made(call: Call, at: &At<'_>) -> Result<Option<bool>, Box<dyn Any + Send>> {
    catch_unwind(AssertUnwindSafe(|| call(at)))
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}
