//! The counts of a sampler: samples taken and lost.

use core::fmt;
use std::time::Duration;

/// The samples taken and lost so far. As text, it is the first lines of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampled {
    /// By signals.
    pub signals: Option<SignalCounts>,
    /// By suspensions.
    pub suspension: Option<SuspensionCounts>,
}

/// The counts of a sampler by signals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SignalCounts {
    /// The number of samples in the profile.
    pub samples: u64,
    /// The processor time for which a sample stands.
    pub period: Duration,
    /// The number of the signal.
    pub signal: i32,
    /// Samples that found the buffer of their thread full. Their time is in the next sample of the thread.
    pub dropped: u64,
    /// Threads that could not be sampled.
    pub unwatched: u64,
    /// Samples with native frames only.
    pub native: u64,
    /// Stacks that end with a managed frame, because a function keeps something else than a frame in the frame pointer.
    pub broken: u64,
    /// Stacks that end with a managed frame, because the memory of the next one could not be read.
    pub unreadable: u64,
    /// Stacks without their outermost frames, because there are too many.
    pub too_deep: u64,
    /// Samples that came too late to be named.
    pub late: u64,
    /// Unloads of modules that did not wait until their samples were named.
    pub unawaited: u64,
    /// Whether the program has replaced the signal's handler, which ends the sampling.
    pub is_replaced: bool,
}

/// The counts of a sampler by suspensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SuspensionCounts {
    /// The number of times that all threads were sampled.
    pub rounds: u64,
    /// The number of times that the runtime could not be suspended, because a collection had suspended it.
    pub refused: u64,
    /// The number of stacks that could not be walked.
    pub failed: u64,
    /// The number of stacks without their outermost frames.
    pub truncated: u64,
    /// The number of stacks that were not walked again, because their thread had not run since its last sample.
    pub idle: u64,
    /// The processor time of threads after their last sample that found them running, which is in no stack.
    pub unmet: Duration,
    /// The time until all threads were suspended. Each of them runs until it reaches a safe point.
    pub suspending: Duration,
    /// The time from then on, until they were resumed.
    pub suspended: Duration,
}

impl fmt::Display for Sampled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.signals.iter().try_for_each(|counts| fmt::Display::fmt(counts, f))?;
        self.suspension.iter().try_for_each(|counts| fmt::Display::fmt(counts, f))
    }
}

impl fmt::Display for SignalCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let period = self.period.as_secs_f64() * 1000.0;
        let (samples, signal) = (self.samples, self.signal);
        writeln!(f, "{samples} samples by signal {signal}, one for {period:.1} ms of processor time")?;
        if self.is_replaced {
            writeln!(f, "sampling has ended, because the program has replaced the signal's handler")?;
        }
        lines(
            f,
            &[
                (self.dropped, "samples found a full buffer; their time is in the next ones"),
                (self.unwatched, "threads were not sampled, because the system had no timer for them"),
                (self.native, "samples have native frames only"),
                (self.broken, "stacks are truncated where a function has no frame pointer"),
                (self.unreadable, "stacks are truncated at memory that cannot be read"),
                (self.too_deep, "stacks are truncated, because they have too many frames"),
                (self.late, "samples came too late to be named"),
                (self.unawaited, "unloads of modules did not wait for their samples"),
            ],
        )
    }
}

impl fmt::Display for SuspensionCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [suspending, suspended] =
            [self.suspending, self.suspended].map(|time| time.as_secs_f64() * 1000.0);
        let rounds = self.rounds;
        writeln!(
            f,
            "{rounds} rounds by suspension; suspended {suspended:.1} ms, and {suspending:.1} ms until it was"
        )?;
        lines(
            f,
            &[
                (self.refused, "rounds are missing, because the runtime was suspended"),
                (self.failed, "stacks could not be walked"),
                (self.truncated, "stacks are truncated"),
                (
                    u64::try_from(self.unmet.as_millis()).unwrap_or(u64::MAX),
                    "ms of processor time are in no stack: of threads that no later sample found running",
                ),
            ],
        )
    }
}

/// Writes the counts that are not 0.
fn lines(f: &mut fmt::Formatter<'_>, counts: &[(u64, &str)]) -> fmt::Result {
    counts.iter().filter(|(count, _)| *count > 0).try_for_each(|(count, what)| writeln!(f, "{count} {what}"))
}
