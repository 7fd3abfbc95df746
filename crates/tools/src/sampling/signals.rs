//! Samples by signals of the threads' processor time.
//!
//! The handlers write addresses into buffers. A thread of the sampler reads them, finds the methods, and changes the profile.
//! An address is looked up while its code is loaded: the unload of a module waits until all samples have been
//! named, and dynamic methods, whose unload must not wait, are kept by address and time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::stacks::{Capture, Refusal};
use corprof::{Error, FunctionId, Names, ProfilerInfo, Result, ThreadId};
use corprof_profile::Context;

use crate::profiled::LiveProfile;
use crate::sampling::addresses::Addresses;
use crate::sampling::counts::SignalCounts;
use crate::sampling::dynamic_code::DynamicCode;
use crate::sampling::samples::{Samples, frames};
use crate::sampling::threads::{ThreadTimes, Threads};

/// How often the buffers are read. They hold more than what a thread can use of the time.
const READ: Duration = Duration::from_millis(50);

/// How often the threads are compared with those of the runtime.
const COMPARE: Duration = Duration::from_secs(1);

/// How long an unload waits until the samples have been named.
const UNLOAD: Duration = Duration::from_secs(10);

enum Message {
    Drain(SyncSender<()>),
    Stop,
}

/// The state that callbacks and the reading thread share.
#[derive(Debug)]
struct Shared {
    capture: Capture,
    threads: Mutex<Threads>,
    dynamic: Mutex<DynamicCode>,
    counts: Mutex<SignalCounts>,
    /// The number of times that the buffers were read.
    round: AtomicU64,
    unawaited: AtomicU64,
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn begin(&self, thread: ThreadId, os_thread: u32) {
        let key = lock(&self.threads).begin(thread, os_thread);
        if let Some(key) = key.filter(|_| self.capture.is_installed()) {
            // The capture counts the threads that it cannot watch.
            let _ = self.capture.watch(os_thread, key);
        }
    }

    fn end(&self, thread: ThreadId) {
        let round = self.round.load(Ordering::SeqCst);
        let os_thread = lock(&self.threads).end(thread, round);
        if let Some(os_thread) = os_thread {
            self.capture.unwatch(os_thread);
        }
    }
}

/// Samples by signals.
#[derive(Debug)]
pub(crate) struct Signals {
    info: ProfilerInfo,
    profile: LiveProfile,
    shared: Arc<Shared>,
    messages: Sender<Message>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Signals {
    pub(crate) fn start(
        names: &Names,
        profile: &LiveProfile,
        interval: Duration,
    ) -> Result<core::result::Result<Self, Refusal>> {
        let capture = match Capture::start(interval) {
            Ok(capture) => capture,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let (counts, threads, dynamic) = Default::default();
        let (round, unawaited) = Default::default();
        let shared = Arc::new(Shared { capture, threads, dynamic, counts, round, unawaited });
        let (messages, received) = channel();
        let mut reading = Reading {
            info: names.info().clone(),
            profile: profile.clone(),
            shared: Arc::clone(&shared),
            addresses: Addresses::new(names),
            samples: Samples::default(),
        };
        let thread = std::thread::Builder::new()
            .name("sampler".to_owned())
            .spawn(move || reading.run(&received))
            .map_err(|error| Error::other(format!("cannot start a thread: {error}")))?;
        let (info, profile) = (names.info().clone(), profile.clone());
        Ok(Ok(Self { info, profile, shared, messages, thread: Mutex::new(Some(thread)) }))
    }

    pub(crate) fn thread_began(&self, thread: ThreadId, os_thread: u32) {
        self.shared.begin(thread, os_thread);
    }

    pub(crate) fn thread_named(&self, thread: ThreadId, name: String) {
        lock(&self.shared.threads).rename(thread, name);
    }

    pub(crate) fn thread_ended(&self, thread: ThreadId) {
        self.shared.end(thread);
    }

    pub(crate) fn dynamic_method_compiled(&self, function: FunctionId) {
        // Without its regions, the runtime finds the method by its address while it is loaded.
        let Ok(regions) = self.info.code_regions(function, None) else { return };
        let name = self.profile.name(function).into();
        lock(&self.shared.dynamic).add(function, &regions, &name, Capture::now());
    }

    pub(crate) fn dynamic_method_unloaded(&self, function: FunctionId) {
        lock(&self.shared.dynamic).unload(function, Capture::now());
    }

    /// A module is being unloaded: its code is still there until this returns.
    pub(crate) fn module_unloaded(&self) {
        if !self.drain() {
            self.shared.unawaited.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until the samples so far have been named; `false` if that takes too long.
    pub(crate) fn drain(&self) -> bool {
        let (done, drained) = sync_channel(1);
        // If the thread has ended, there are no more samples.
        self.messages.send(Message::Drain(done)).is_err()
            || drained.recv_timeout(UNLOAD) != Err(RecvTimeoutError::Timeout)
    }

    pub(crate) fn counts(&self) -> SignalCounts {
        let (capture, lost) = (&self.shared.capture, self.shared.capture.counts());
        SignalCounts {
            period: capture.period(),
            signal: capture.signal(),
            dropped: lost.dropped,
            unwatched: lost.unwatched,
            unawaited: self.shared.unawaited.load(Ordering::Relaxed),
            is_replaced: !capture.is_installed(),
            ..*lock(&self.shared.counts)
        }
    }

    pub(crate) fn threads(&self) -> Vec<ThreadTimes> {
        lock(&self.shared.threads).times()
    }

    pub(crate) fn stop(&self) {
        self.shared.capture.stop();
        let Some(thread) = lock(&self.thread).take() else { return };
        // It ends with the message, or has ended.
        let _ = self.messages.send(Message::Stop);
        let _ = thread.join();
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The state of the thread that reads the buffers.
struct Reading {
    info: ProfilerInfo,
    profile: LiveProfile,
    shared: Arc<Shared>,
    addresses: Addresses,
    samples: Samples,
}

impl Reading {
    fn run(&mut self, messages: &Receiver<Message>) {
        // If this fails, the queries fail.
        let _ = self.info.initialize_current_thread();
        let mut compared = None;
        loop {
            if compared.is_none_or(|compared: Instant| compared.elapsed() > COMPARE) {
                compared = Some(Instant::now());
                self.compare_threads();
            }
            match messages.recv_timeout(READ) {
                Err(RecvTimeoutError::Timeout) => self.drain(),
                Ok(Message::Drain(done)) => {
                    self.drain();
                    // The thread has waited too long.
                    let _ = done.try_send(());
                }
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return self.drain(),
            }
        }
    }

    /// Adds the threads that began before the profiler was loaded, and removes those that have ended unnoticed.
    fn compare_threads(&self) {
        // While the runtime is suspended, the list is not to be had; there is a next time.
        for thread in self.info.threads().unwrap_or_default() {
            // A thread that has not begun has no id.
            if let Some(os_thread) = self.info.os_thread_id(thread).ok().filter(|id| *id != 0) {
                self.shared.begin(thread, os_thread);
            }
        }
        let vanished = lock(&self.shared.threads).vanished();
        vanished.into_iter().for_each(|thread| self.shared.end(thread));
    }

    /// Names the samples so far.
    fn drain(&mut self) {
        let round = self.shared.round.fetch_add(1, Ordering::SeqCst) + 1;
        let begin = Capture::now();
        let Self { shared, samples, addresses, profile, .. } = self;
        samples.clear();
        shared.capture.drain(|sample| samples.push(sample));
        if !shared.capture.is_installed() {
            // The program handles the signal now, and does not expect those of our timers.
            shared.capture.stop();
        }
        let mut counts = *lock(&shared.counts);
        samples.for_each(|sample, words| {
            let Ok(stack) = sample.stack(words, addresses, &shared.dynamic, &mut counts) else {
                counts.late += 1;
                return;
            };
            if stack.is_empty() {
                counts.broken += 1;
                return;
            }
            counts.samples += 1;
            let thread = lock(&shared.threads).of_key(sample.key);
            let context = Context { thread, labels: Vec::new() };
            let time = u64::try_from(sample.time.as_nanos()).unwrap_or(u64::MAX);
            profile.add_stack(&frames(&stack), &context, &[time, 1]);
        });
        *lock(&shared.counts) = counts;
        lock(&shared.threads).forget(round);
        lock(&shared.dynamic).forget(begin);
    }
}
