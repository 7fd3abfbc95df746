//! The measurements. Times are those of the thread's processor, not of the clock on the wall: other work on the
//! machine does not count, nor does waiting for a processor.

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::{Arc, Barrier, PoisonError, RwLock};
use std::time::Duration;

use corprof::{FunctionId, Names, ProfilerInfo, Result};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

use crate::MEMORY;

/// How many threads ask at once.
const THREADS: [usize; 3] = [1, 2, 8];

/// How many known names each thread asks for in a round.
const ASKED: usize = 400_000;

/// Everything.
pub(crate) fn all(info: &ProfilerInfo, functions: &[FunctionId], rounds: usize) -> Result<Value> {
    let kinds = Kinds::of(&Names::new(info), functions)?;
    let known: Vec<Value> =
        THREADS.iter().map(|threads| known(info, functions, *threads, rounds)).collect::<Result<_>>()?;
    Ok(json!({
        "methods": functions.len(),
        "ordinary": kinds.ordinary.len(),
        "first": {
            "ordinary": first(info, &kinds.ordinary, rounds)?,
            "generic": first(info, &kinds.generic, rounds)?,
        },
        "known": known,
        "memory": memory(info, functions)?,
    }))
}

struct Kinds {
    ordinary: Vec<FunctionId>,
    generic: Vec<FunctionId>,
}

impl Kinds {
    fn of(names: &Names, functions: &[FunctionId]) -> Result<Self> {
        let mut kinds = Self { ordinary: Vec::new(), generic: Vec::new() };
        for function in functions {
            let is_generic = names.method(*function)?.is_generic();
            if is_generic { &mut kinds.generic } else { &mut kinds.ordinary }.push(*function);
        }
        Ok(kinds)
    }
}

/// The time that the running thread has had a processor.
fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The one that is larger than `share` of all.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a length")]
    let index = (share * sorted.len() as f64) as usize;
    sorted.get(index).or(sorted.last()).copied().unwrap_or(f64::NAN)
}

fn spread(mut times: Vec<f64>) -> Value {
    times.sort_unstable_by(f64::total_cmp);
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    json!({ "median": quantile(&times, 0.5), "p99": quantile(&times, 0.99), "mean": mean, "least": quantile(&times, 0.0) })
}

/// Nanoseconds for the name of a function that was not asked for before, by names that know nothing at first.
fn first(info: &ProfilerInfo, functions: &[FunctionId], rounds: usize) -> Result<Value> {
    let mut times = Vec::with_capacity(functions.len() * rounds);
    for _ in 0..rounds {
        let names = Names::new(info);
        for function in functions {
            let begin = now();
            black_box(names.function(*function)?);
            times.push((now() - begin).as_nanos() as f64);
        }
    }
    Ok(spread(times))
}

/// Something that knows the names of functions.
trait Known: Sync {
    fn get(&self, function: FunctionId) -> Option<Arc<str>>;
}

impl Known for Names {
    fn get(&self, function: FunctionId) -> Option<Arc<str>> {
        self.function(function).ok()
    }
}

/// What one would write at first.
struct Locked(RwLock<HashMap<FunctionId, Arc<str>>>);

impl Known for Locked {
    fn get(&self, function: FunctionId) -> Option<Arc<str>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(&function).cloned()
    }
}

/// Nanoseconds for a known name on so many threads at once, beside a map behind a lock.
fn known(info: &ProfilerInfo, functions: &[FunctionId], threads: usize, rounds: usize) -> Result<Value> {
    let names = Names::new(info);
    let locked = functions.iter().map(|function| Ok((*function, names.function(*function)?)));
    let locked = Locked(RwLock::new(locked.collect::<Result<_>>()?));
    let (mut by_names, mut by_lock) = (Vec::new(), Vec::new());
    let mut allocations = 0;
    for _ in 0..rounds {
        let (times, allocated) = together(&names, functions, threads);
        by_names.extend(times);
        allocations += allocated;
        by_lock.extend(together(&locked, functions, threads).0);
    }
    Ok(json!({
        "threads": threads,
        "names": spread(by_names),
        "locked": spread(by_lock),
        "asked": ASKED * threads * rounds,
        "allocations": allocations,
    }))
}

/// For each thread its time for a name, and how often memory was allocated meanwhile.
fn together(known: &impl Known, functions: &[FunctionId], threads: usize) -> (Vec<f64>, usize) {
    let meet = Barrier::new(threads + 1);
    std::thread::scope(|scope| {
        let ask = || {
            // From now on this thread's place knows them as well.
            for function in functions {
                black_box(known.get(*function));
            }
            meet.wait();
            meet.wait();
            let begin = now();
            for function in functions.iter().cycle().take(ASKED) {
                black_box(known.get(*function));
            }
            let time = (now() - begin).as_nanos() as f64 / ASKED as f64;
            meet.wait();
            time
        };
        let asking: Vec<_> = (0..threads).map(|_| scope.spawn(ask)).collect();
        meet.wait();
        let before = MEMORY.stats().allocations;
        meet.wait();
        meet.wait();
        let allocations = MEMORY.stats().allocations - before;
        (asking.into_iter().filter_map(|thread| thread.join().ok()).collect(), allocations)
    })
}

/// Bytes for each method, on the first thread that asks and on another one.
fn memory(info: &ProfilerInfo, functions: &[FunctionId]) -> Result<Value> {
    let live = || {
        let stats = MEMORY.stats();
        stats.bytes_allocated.wrapping_sub(stats.bytes_deallocated) as f64
    };
    let count = functions.len() as f64;
    let names = Names::new(info);
    // Counted while the thread runs, which has something of its own. What threads before it had is gone with them.
    let resolve = || {
        let before = live();
        functions.iter().try_for_each(|function| names.function(*function).map(drop))?;
        Ok(live() - before)
    };
    let on_a_thread = || -> Result<f64> {
        let joined = std::thread::scope(|scope| scope.spawn(resolve).join());
        joined.map_err(|_| corprof::Error::other("a thread panicked"))?
    };
    let (first, another) = (on_a_thread()?, on_a_thread()?);
    Ok(json!({ "first_thread": first / count, "another_thread": another / count }))
}
