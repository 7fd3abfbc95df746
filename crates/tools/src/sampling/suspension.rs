//! Samples of all managed threads, at intervals, while the runtime is suspended.
//!
//! A thread of its own suspends the runtime, walks the stacks into memory that was allocated before, and resumes it. Names are
//! looked up and the profile is changed afterwards.
//!
//! Processor time belongs to the stack on which it was used. A thread that is found waiting has used the time since its last sample on
//! stacks that nobody has seen: that time is added to the next stack that the thread is found running on. Since the instants of the samples
//! do not depend on the program, each stack gets its share. A thread runs if its clock advances while the runtime is being suspended:
//! whoever runs managed code has to go on to a safe point, and who waits does nothing.

use core::ops::ControlFlow;
use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::stacks::processor_time;
use corprof::{Error, FunctionId, Names, ProfilerInfo, Result, StackWalk, ThreadId, Walked};
use corprof_profile::{Context, Thread};

use crate::limits::{FRAMES, STACK};
use crate::profiled::LiveProfile;
use crate::sampling::counts::SuspensionCounts;

/// The counts of a sampler.
#[derive(Debug, Default)]
struct Counts {
    rounds: AtomicU64,
    refused: AtomicU64,
    failed: AtomicU64,
    truncated: AtomicU64,
    idle: AtomicU64,
    /// Nanoseconds of processor time of threads that have ended, after their last sample that found them running.
    unmet: AtomicU64,
    /// Nanoseconds until all threads were suspended, and from then on until they were resumed.
    suspending: AtomicU64,
    suspended: AtomicU64,
}

/// What suspensions measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measured {
    /// Wall-clock time: signals sample the processor time.
    Wall,
    Both,
}

/// Samples by suspensions.
#[derive(Debug)]
pub(crate) struct Suspension {
    counts: Arc<Counts>,
    names: Arc<Mutex<ThreadNames>>,
    stop: Sender<()>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// The threads, as callbacks report them.
#[derive(Debug, Default)]
struct ThreadNames {
    names: HashMap<ThreadId, String>,
    /// Threads that have ended since the last round.
    ended: Vec<ThreadId>,
}

impl Suspension {
    /// Starts the thread. The intervals vary by half, so that they do not follow those of the program.
    pub(crate) fn start(
        names: &Names,
        profile: &LiveProfile,
        interval: Duration,
        measured: Measured,
    ) -> Result<Self> {
        let (stop, stopped) = channel();
        let (counts, thread_names) = (Arc::<Counts>::default(), Arc::<Mutex<ThreadNames>>::default());
        let mut rounds = Rounds {
            info: names.info().clone(),
            profile: profile.clone(),
            measured,
            counts: Arc::clone(&counts),
            names: Arc::clone(&thread_names),
            threads: HashMap::new(),
            frames: Vec::with_capacity(FRAMES),
            stacks: Vec::new(),
        };
        let thread = std::thread::Builder::new()
            .name("sampler".to_owned())
            .spawn(move || rounds.run(interval, &stopped))
            .map_err(|error| Error::other(format!("cannot start a thread: {error}")))?;
        Ok(Self { counts, names: thread_names, stop, thread: Mutex::new(Some(thread)) })
    }

    pub(crate) fn counts(&self) -> SuspensionCounts {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let counts = &self.counts;
        SuspensionCounts {
            rounds: count(&counts.rounds),
            refused: count(&counts.refused),
            failed: count(&counts.failed),
            truncated: count(&counts.truncated),
            idle: count(&counts.idle),
            unmet: Duration::from_nanos(count(&counts.unmet)),
            suspending: Duration::from_nanos(count(&counts.suspending)),
            suspended: Duration::from_nanos(count(&counts.suspended)),
        }
    }

    pub(crate) fn thread_named(&self, thread: ThreadId, name: String) {
        self.names.lock().unwrap_or_else(PoisonError::into_inner).names.insert(thread, name);
    }

    pub(crate) fn thread_ended(&self, thread: ThreadId) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.names.remove(&thread);
        names.ended.push(thread);
    }

    pub(crate) fn stop(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(thread) = thread else { return };
        // It ends with the message, or has ended.
        let _ = self.stop.send(());
        let _ = thread.join();
    }
}

impl Drop for Suspension {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A thread between two samples.
struct Sighted {
    os_thread: u32,
    cpu: Duration,
    at: Instant,
    /// The processor time when the suspension was about to begin.
    before: Option<Duration>,
    /// The processor time that belongs to no sample yet.
    pending: Duration,
    /// The last stack, and the processor time of the thread when it was walked.
    stack: Vec<FunctionId>,
    walked: Option<Duration>,
}

/// The stack of a thread in a round.
struct Stack {
    thread: ThreadId,
    /// The end of its frames; `None` if the thread has its last stack.
    end: Option<usize>,
    /// The processor time of the thread; `None` if it is unknown, or the walk has failed.
    cpu: Option<Duration>,
}

/// The state of the sampling thread.
struct Rounds {
    info: ProfilerInfo,
    profile: LiveProfile,
    measured: Measured,
    counts: Arc<Counts>,
    names: Arc<Mutex<ThreadNames>>,
    threads: HashMap<ThreadId, Sighted>,
    /// The frames of all stacks of a round.
    frames: Vec<FunctionId>,
    stacks: Vec<Stack>,
}

impl Rounds {
    fn run(&mut self, interval: Duration, stopped: &Receiver<()>) {
        // If this fails, the queries fail.
        let _ = self.info.initialize_current_thread();
        let mut random = 0x9E37_79B9_7F4A_7C15_u64;
        loop {
            // Marsaglia's generator: the period of the samples must not be that of the program.
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let wait = interval / 2
                + interval.mul_f64(f64::from(u32::try_from(random >> 32).unwrap_or(0)) / f64::from(u32::MAX));
            match stopped.recv_timeout(wait) {
                Err(RecvTimeoutError::Timeout) => {}
                _ => break,
            }
            match self.sample() {
                Ok(()) => self.record(),
                Err(_) => {
                    self.counts.refused.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        if self.measured == Measured::Wall {
            return;
        }
        let unmet = self.threads.values().map(|sighted| nanoseconds(sighted.pending)).sum();
        self.counts.unmet.fetch_add(unmet, Ordering::Relaxed);
    }

    /// Walks the stacks of all threads.
    fn sample(&mut self) -> Result<()> {
        self.frames.clear();
        self.stacks.clear();
        for sighted in self.threads.values_mut() {
            sighted.before = processor_time(sighted.os_thread);
        }
        let requested = Instant::now();
        let suspension = self.info.suspend_runtime()?;
        let begin = Instant::now();
        let (frames, counts) = (&mut self.frames, &self.counts);
        for thread in suspension.threads()? {
            // A walk takes far longer than the system's call. A thread that has not run has the same stack.
            let sighted = self.threads.get(&thread);
            let cpu = sighted.and_then(|sighted| processor_time(sighted.os_thread));
            if cpu.is_some() && sighted.is_some_and(|sighted| sighted.walked == cpu) {
                counts.idle.fetch_add(1, Ordering::Relaxed);
                self.stacks.push(Stack { thread, end: None, cpu });
                continue;
            }
            let first = frames.len();
            let walked = suspension.walk_stack(thread, StackWalk::default(), |frame| {
                // The buffer must not grow while the program is suspended.
                if frames.len() - first >= STACK || frames.len() >= FRAMES {
                    return ControlFlow::Break(());
                }
                frames.extend(frame.function);
                ControlFlow::Continue(())
            });
            let (count, cpu) = match walked {
                Ok(Walked::Whole | Walked::NoManagedFrame) => (None, cpu),
                Ok(Walked::Break(())) => (Some(&counts.truncated), cpu),
                Err(_) => (Some(&counts.failed), None),
            };
            count.map(|count| count.fetch_add(1, Ordering::Relaxed));
            self.stacks.push(Stack { thread, end: Some(frames.len()), cpu });
        }
        drop(suspension);
        counts.suspending.fetch_add(nanoseconds(begin - requested), Ordering::Relaxed);
        counts.suspended.fetch_add(nanoseconds(begin.elapsed()), Ordering::Relaxed);
        counts.rounds.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Adds the stacks to the profile, each with the time since the last sample of its thread.
    fn record(&mut self) {
        let now = Instant::now();
        let names = {
            let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
            for ended in names.ended.drain(..) {
                if let Some(ended) = self.threads.remove(&ended)
                    && self.measured == Measured::Both
                {
                    self.counts.unmet.fetch_add(nanoseconds(ended.pending), Ordering::Relaxed);
                }
            }
            names.names.clone()
        };
        let mut begin = 0;
        for Stack { thread, end, cpu: walked } in &self.stacks {
            let stack = end.map(|end| self.frames.get(begin..end).unwrap_or_default());
            begin = end.unwrap_or(begin);
            let sighted = match self.threads.get_mut(thread) {
                Some(sighted) => sighted,
                None => {
                    // The thread may have ended meanwhile.
                    let Ok(os_thread) = self.info.os_thread_id(*thread) else { continue };
                    let cpu = processor_time(os_thread).unwrap_or_default();
                    let (stack, walked, before, pending) = (Vec::new(), None, None, Duration::ZERO);
                    let sighted = Sighted { os_thread, cpu, at: now, before, pending, stack, walked };
                    self.threads.entry(*thread).or_insert(sighted)
                }
            };
            let cpu = processor_time(sighted.os_thread).unwrap_or(sighted.cpu);
            let of_wall = now.saturating_duration_since(sighted.at);
            sighted.pending += cpu.saturating_sub(sighted.cpu);
            let is_waiting =
                matches!((sighted.before, *walked), (Some(before), Some(walked)) if before == walked);
            (sighted.cpu, sighted.at, sighted.walked) = (cpu, now, *walked);
            if let Some(stack) = stack {
                sighted.stack.clear();
                sighted.stack.extend_from_slice(stack);
            }
            if sighted.stack.is_empty() {
                continue;
            }
            let of_cpu = if is_waiting { Duration::ZERO } else { core::mem::take(&mut sighted.pending) };
            let name = names.get(thread).cloned().unwrap_or_default();
            let thread = Thread { id: sighted.os_thread.into(), name };
            let context = Context { thread: Some(thread), labels: Vec::new() };
            let (of_cpu, samples) = match self.measured {
                Measured::Wall => (0, 0),
                Measured::Both => (nanoseconds(of_cpu), 1),
            };
            self.profile.add(&sighted.stack, &context, &[of_cpu, samples, nanoseconds(of_wall)]);
        }
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
