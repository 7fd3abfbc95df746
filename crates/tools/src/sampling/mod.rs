//! Samples of the threads of the program: by signals of their processor time, or while the runtime is suspended.

mod addresses;
mod call_sites;
mod counts;
mod dynamic_code;
mod native_code;
mod samples;
mod signals;
mod suspension;
mod threads;

use core::fmt;
use std::time::Duration;

use crate::stacks::Refusal;
use corprof::widestring::U16Str;
use corprof::{EventMask, FunctionId, HResult, Names, Result, ThreadId};
use corprof_profile::{Profile, Unit, ValueType};

use crate::profiled::LiveProfile;
use crate::sampling::signals::Signals;
use crate::sampling::suspension::{Measured, Suspension};

pub use crate::sampling::counts::{Sampled, SignalCounts, SuspensionCounts};
pub use crate::sampling::threads::ThreadTimes;

/// How threads are sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SampledBy {
    /// A signal of each thread's own processor time, and frame pointers: Linux on x86-64 and arm64. Threads are not stopped, and those
    /// that do not run are not sampled.
    Signals,
    /// `SuspendRuntime` and `DoStackSnapshot`, for all threads at once, at any system: also where threads wait.
    Suspension,
}

impl SampledBy {
    /// Returns the one of a name: `signals` or `suspension`.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        match name {
            "signals" => Some(Self::Signals),
            "suspension" => Some(Self::Suspension),
            _ => None,
        }
    }
}

impl fmt::Display for SampledBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Signals => "signals",
            Self::Suspension => "suspension",
        })
    }
}

/// Samples the stacks of all managed threads.
///
/// The values of its profile are processor time, samples, and, with suspension, wall-clock time: the time of a thread since its last
/// sample counts for its stack. By suspension alone, the processor time counts for the stack that the thread is found running on, and is 0
/// where the system has no clock of other threads.
///
/// [`sampler_callbacks!`](crate::sampler_callbacks) defines the callbacks of the profiler.
#[derive(Debug)]
pub struct Sampler {
    profile: LiveProfile,
    /// One of both at least.
    signals: Option<Signals>,
    suspension: Option<Suspension>,
    refusal: Option<Refusal>,
}

impl Sampler {
    /// Starts a sampler, by signals where that is possible if `by` is `None`. The caller then sets the event mask
    /// ([`Sampler::events`]).
    ///
    /// The intervals of suspensions vary by half, so that they do not follow those of the program.
    ///
    /// # Errors
    /// `by` is not possible, or a thread cannot be started.
    pub fn start(names: &Names, program: &str, interval: Duration, by: Option<SampledBy>) -> Result<Self> {
        Self::start_for(names, program, interval, by, false)
    }

    /// Starts a sampler that measures wall-clock time too, for which it suspends the runtime, whatever `by` is. As [`start`](Self::start).
    ///
    /// # Errors
    /// As for [`start`](Self::start).
    pub fn start_with_wall(
        names: &Names,
        program: &str,
        interval: Duration,
        by: Option<SampledBy>,
    ) -> Result<Self> {
        Self::start_for(names, program, interval, by, true)
    }

    fn start_for(
        names: &Names,
        program: &str,
        interval: Duration,
        by: Option<SampledBy>,
        with_wall: bool,
    ) -> Result<Self> {
        let with = |wall: Option<ValueType>| {
            let types = [ValueType::new("cpu", Unit::Nanoseconds), ValueType::new("samples", Unit::Count)];
            LiveProfile::new(names, Profile::new(program, types.into_iter().chain(wall).collect()))
        };
        let with_wall_column = || with(Some(ValueType::new("wall", Unit::Nanoseconds)));
        let mut refusal = None;
        if by != Some(SampledBy::Suspension) {
            let profile = if with_wall { with_wall_column() } else { with(None) };
            match Signals::start(names, &profile, interval)? {
                Ok(signals) => {
                    let suspension = with_wall
                        .then(|| Suspension::start(names, &profile, interval, Measured::Wall))
                        .transpose()?;
                    return Ok(Self { profile, signals: Some(signals), suspension, refusal });
                }
                Err(refused) if by.is_some() => return Err(corprof::Error::other(refused.to_string())),
                Err(refused) => refusal = Some(refused),
            }
        }
        let profile = with_wall_column();
        let suspension = Suspension::start(names, &profile, interval, Measured::Both)?;
        Ok(Self { profile, signals: None, suspension: Some(suspension), refusal })
    }

    /// Returns whether samples have wall-clock time.
    #[must_use]
    pub const fn has_wall(&self) -> bool {
        self.suspension.is_some()
    }

    /// Returns why signals are not used, if they would have been used.
    #[must_use]
    pub const fn refusal(&self) -> Option<Refusal> {
        self.refusal
    }

    /// Returns the flags that the event mask must have. A profiler may set them after it was attached.
    #[must_use]
    pub fn events(&self) -> EventMask {
        let mut events = EventMask::THREADS;
        if self.signals.is_some() {
            // The JIT's for dynamic methods; modules for the addresses in those that are unloaded.
            events |=
                EventMask::JIT_COMPILATION | EventMask::MODULE_LOADS | EventMask::DYNAMIC_FUNCTION_UNLOADS;
        }
        if self.suspension.is_some() {
            events |= EventMask::ENABLE_STACK_SNAPSHOT;
        }
        events
    }

    /// Returns the profile. It may lack the samples of the last 50 ms until the sampler is stopped.
    #[must_use]
    pub fn profile(&self) -> &LiveProfile {
        &self.profile
    }

    /// Returns what the sampler has done so far.
    #[must_use]
    pub fn sampled(&self) -> Sampled {
        Sampled {
            signals: self.signals.as_ref().map(Signals::counts),
            suspension: self.suspension.as_ref().map(Suspension::counts),
        }
    }

    /// Returns the times of the threads by their clocks; `None` if they are only in the profile.
    #[must_use]
    pub fn threads(&self) -> Option<Vec<ThreadTimes>> {
        self.signals.as_ref().map(Signals::threads)
    }

    /// A thread runs on a thread of the operating system, in the callback with this name.
    pub fn thread_assigned_to_os_thread(&self, thread: ThreadId, os_thread: u32) {
        if let Some(signals) = &self.signals {
            signals.thread_began(thread, os_thread);
        }
    }

    /// A thread has a name, in the callback with this name.
    pub fn thread_name_changed(&self, thread: ThreadId, name: &U16Str) {
        let name = name.to_string_lossy();
        if let Some(suspension) = &self.suspension {
            suspension.thread_named(thread, name.clone());
        }
        if let Some(signals) = &self.signals {
            signals.thread_named(thread, name);
        }
    }

    /// A thread has ended, in the callback with this name.
    pub fn thread_destroyed(&self, thread: ThreadId) {
        if let Some(signals) = &self.signals {
            signals.thread_ended(thread);
        }
        if let Some(suspension) = &self.suspension {
            suspension.thread_ended(thread);
        }
    }

    /// A dynamic method has been compiled, in the callback with this name.
    pub fn dynamic_method_jit_compilation_finished(&self, function: FunctionId, status: Result<(), HResult>) {
        if let (Some(signals), Ok(())) = (&self.signals, status) {
            signals.dynamic_method_compiled(function);
        }
    }

    /// A dynamic method is unloaded, in the callback with this name.
    pub fn dynamic_method_unloaded(&self, function: FunctionId) {
        if let Some(signals) = &self.signals {
            signals.dynamic_method_unloaded(function);
        }
    }

    /// A module is being unloaded, in the callback with this name: samples in its code are named before it ends.
    pub fn module_unload_started(&self) {
        if let Some(signals) = &self.signals {
            signals.module_unloaded();
        }
    }

    /// Ends the sampling. When this returns, no thread of the sampler runs.
    pub fn stop(&self) {
        if let Some(suspension) = &self.suspension {
            suspension.stop();
        }
        if let Some(signals) = &self.signals {
            signals.stop();
        }
    }
}
