//! The measurements. Times are CPU times of the thread, not wall-clock times: other work on the
//! machine does not count, nor does waiting for a processor.

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::{Arc, Barrier, PoisonError, RwLock};
use std::time::Duration;

use corprof::{FunctionId, Names, ProfilerInfo, Result};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

use crate::MEMORY;

/// The numbers of threads that look up names at once.
const THREADS: [usize; 3] = [1, 2, 8];

/// The number of cached names that each thread looks up in a round.
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

/// The CPU time of the running thread.
fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The quantile `share`.
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

/// Nanoseconds for the first lookup of a function, in an empty cache.
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

/// A cache of function names.
trait Known: Sync {
    fn get(&self, function: FunctionId) -> Option<Arc<str>>;
}

impl Known for Names {
    fn get(&self, function: FunctionId) -> Option<Arc<str>> {
        self.function(function).ok()
    }
}

/// The obvious alternative.
struct Locked(RwLock<HashMap<FunctionId, Arc<str>>>);

impl Known for Locked {
    fn get(&self, function: FunctionId) -> Option<Arc<str>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(&function).cloned()
    }
}

/// Nanoseconds for a cached name on so many threads at once, and for a map behind a lock.
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

/// For each thread its time for a lookup, and the number of allocations meanwhile.
fn together(known: &impl Known, functions: &[FunctionId], threads: usize) -> (Vec<f64>, usize) {
    let meet = Barrier::new(threads + 1);
    std::thread::scope(|scope| {
        let ask = || {
            // Fills the cache of this thread.
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

/// Bytes for each method, on the first thread that looks it up and on another one.
fn memory(info: &ProfilerInfo, functions: &[FunctionId]) -> Result<Value> {
    let live = || {
        let stats = MEMORY.stats();
        stats.bytes_allocated.wrapping_sub(stats.bytes_deallocated) as f64
    };
    let count = functions.len() as f64;
    let names = Names::new(info);
    // Counted while the thread runs, because its cache is freed at its end. Those of earlier threads have been freed.
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
