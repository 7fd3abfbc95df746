//! All stacks, sampled every millisecond while threads start and end and objects are collected.

use core::ops::ControlFlow;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use corprof::{Error, ProfilerInfo, Result, RuntimeSuspension, StackWalk, ThreadId, Walked};

use crate::facts::Facts;
use crate::{State, locked};

/// The number of threads of earlier lists that are walked again in each sample.
const OLD: usize = 32;

/// The sampler, while it runs.
#[derive(Debug, Default)]
pub(crate) struct Sampler {
    ends: AtomicBool,
    thread: Mutex<Option<JoinHandle<Counts>>>,
}

/// The counts of samples, and of walks by outcome.
#[derive(Debug, Default)]
struct Counts {
    samples: u32,
    without_sample: BTreeMap<String, u32>,
    walks: u32,
    outcomes: BTreeMap<String, u32>,
    old_threads_refused: u32,
}

/// Starts it.
pub(crate) fn start(state: &'static State) -> String {
    let thread = std::thread::spawn(move || {
        let (mut counts, mut old) = (Counts::default(), Vec::new());
        while !state.sampler.ends.load(Ordering::Relaxed) {
            match sample(&state.info, &mut old, &mut counts) {
                Ok(()) => counts.samples += 1,
                Err(error) => *counts.without_sample.entry(error.to_string()).or_default() += 1,
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        counts
    });
    *locked(&state.sampler.thread) = Some(thread);
    let mut facts = Facts::of("sampling.start");
    facts.say("runs", true);
    facts.finish()
}

/// One sample: every listed thread, and some of earlier lists that may have ended.
fn sample(info: &ProfilerInfo, old: &mut Vec<ThreadId>, counts: &mut Counts) -> Result<()> {
    let suspension = info.suspend_runtime()?;
    let threads = suspension.threads()?;
    for thread in &threads {
        let _ = walk(&suspension, *thread, counts);
    }
    for thread in old.iter().rev().take(OLD) {
        if let Err(Error::Unloaded { .. }) = walk(&suspension, *thread, counts) {
            counts.old_threads_refused += 1;
        }
    }
    drop(suspension);
    old.extend(threads);
    let surplus = old.len().saturating_sub(10 * OLD);
    old.drain(..surplus);
    Ok(())
}

fn walk(suspension: &RuntimeSuspension<'_>, thread: ThreadId, counts: &mut Counts) -> Result<()> {
    let walked: Result<Walked> =
        suspension.walk_stack(thread, StackWalk::default(), |_| ControlFlow::Continue(()));
    counts.walks += 1;
    let outcome = match &walked {
        Ok(outcome) => format!("{outcome:?}"),
        Err(Error::Unloaded { .. }) => "the thread has ended".to_owned(),
        Err(error) => error.hresult().to_string(),
    };
    *counts.outcomes.entry(outcome).or_default() += 1;
    walked.map(drop)
}

/// Stops it, and prints the counts.
pub(crate) fn stop(state: &State) -> Result<String> {
    state.sampler.ends.store(true, Ordering::Relaxed);
    let thread = locked(&state.sampler.thread).take();
    let counts = thread.and_then(|thread| thread.join().ok());
    let counts = counts.ok_or_else(|| Error::other("the sampler did not run, or panicked"))?;
    eprintln!("{counts:?}");
    let mut facts = Facts::of("sampling.stop");
    facts.say("sampled", counts.samples >= 100);
    facts.say("walked", counts.outcomes.get("Whole").is_some_and(|whole| *whole >= 1000));
    facts.say("ended_threads_refused", counts.old_threads_refused > 0);
    facts.say("counted", counts.outcomes.values().sum::<u32>() == counts.walks);
    Ok(facts.finish())
}
