//! Samples the stacks of all managed threads, and counts the methods on top.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use corprof::{Error, EventMask, FunctionId, Names, Profiler, ProfilerInfo, Result, StackWalk};

/// The time between two samples.
const INTERVAL: Duration = Duration::from_millis(10);

/// Samples by method.
type Samples = Mutex<BTreeMap<String, u64>>;

pub struct Sampler {
    samples: Arc<Samples>,
    /// The sampling thread ends when its channel is closed.
    thread: Mutex<Option<(Sender<()>, JoinHandle<()>)>>,
}

impl Profiler for Sampler {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::ENABLE_STACK_SNAPSHOT | EventMask::THREADS)?;
        let (stop, stopped) = channel();
        let (samples, names) = (Arc::new(Samples::default()), Names::new(info));
        let kept = Arc::clone(&samples);
        let thread = std::thread::Builder::new().name("@NAME@".to_owned()).spawn(move || {
            while stopped.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                // A sample may fail, for instance while the runtime starts or ends.
                let _ = sample(&names, &kept);
            }
        });
        let thread = thread.map_err(|error| Error::other(error.to_string()))?;
        Ok(Self { samples, thread: Mutex::new(Some((stop, thread))) })
    }

    fn shutdown(&self) {
        if let Some((stop, thread)) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() {
            drop(stop);
            let _ = thread.join();
        }
        let samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        let total: u64 = samples.values().sum();
        let mut most: Vec<_> = samples.iter().collect();
        most.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let mut out = io::stderr().lock();
        let _ = writeln!(out, "@NAME@: {total} samples");
        for (name, count) in most.into_iter().take(20) {
            let _ = writeln!(out, "{count:>8}  {name}");
        }
    }
}

/// Adds the method on top of each thread's stack. Called on a thread of the profiler's own.
fn sample(names: &Names, samples: &Samples) -> Result<()> {
    let mut tops: Vec<FunctionId> = Vec::new();
    let suspension = names.info().suspend_runtime()?;
    for thread in suspension.threads()? {
        let mut top = None;
        // A thread without managed frames, or one that cannot be walked now, has no sample.
        let _ = suspension.walk_stack(thread, StackWalk::default(), |frame| {
            top = top.or(frame.function);
        });
        tops.extend(top);
    }
    // Nothing is looked up while the program is suspended.
    drop(suspension);
    for function in tops {
        let name = names.function(function).map_or_else(|error| error.to_string(), |name| name.to_string());
        *samples.lock().unwrap_or_else(PoisonError::into_inner).entry(name).or_default() += 1;
    }
    Ok(())
}

corprof::export_profiler!("@CLSID@", [Sampler]);

#[cfg(test)]
mod tests {
    use corprof_double::{Runtime, Version};

    use super::*;

    #[test]
    fn the_method_that_runs_is_sampled() {
        let runtime = Runtime::new(Version::NET_9);
        let app = runtime.module("App");
        let busy = app.class("App.Work").method("Busy").is_static().define();
        let session = runtime.start::<Sampler>().unwrap();
        session.load(app);
        let profiler = session.profiler();
        session
            .call(&busy, &[], || {
                let begin = std::time::Instant::now();
                while profiler.samples.lock().unwrap().is_empty() && begin.elapsed().as_secs() < 20 {
                    std::thread::sleep(INTERVAL);
                }
                Ok(().into())
            })
            .unwrap();
        assert!(profiler.samples.lock().unwrap().contains_key("App.Work.Busy"));
        session.shutdown();
    }
}
