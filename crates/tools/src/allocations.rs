//! Allocated objects by class and site: all of them, or sampled by the runtime.

use core::sync::atomic::{AtomicU64, Ordering};

use corprof::{
    ClassId, Error, EventMask, EventPipeEvent, EventPipeProviderConfig, EventPipeSession, Names, ObjectId,
    Result,
};
use corprof_profile::{Context, Profile, Unit, ValueType};
use nettrace::runtime_events::{AllocationSampled, PROVIDER, RuntimeEvent, ids, keywords, levels};

use crate::profiled::{LiveProfile, own_stack};
use crate::thinning::Thinning;
use crate::unnamed::CONTINUATION;

/// The .NET version whose runtime has EventPipe for profilers.
const EVENT_PIPE: u16 = 5;

/// The .NET version whose runtime samples allocations at random.
const RANDOM: u16 = 10;

/// A profile of allocated objects: the innermost frame is the class of the object.
///
/// Its values are objects, bytes and samples. The first two are estimates if the allocations are sampled; then a fourth value is
/// the variance of the bytes, in squares of 1,024 bytes. Variances of different samples add up.
#[derive(Debug)]
pub struct Allocations {
    profile: LiveProfile,
    is_exact: bool,
    thinning: Thinning,
    /// Open for as long as allocations are sampled.
    _session: Option<EventPipeSession>,
    failed: AtomicU64,
}

impl Allocations {
    /// The flags that the event mask must have to see each allocation. They can only be set when the program starts.
    pub const EXACT: EventMask = EventMask::OBJECT_ALLOCATED
        .union(EventMask::ENABLE_OBJECT_ALLOCATED)
        .union(EventMask::ENABLE_STACK_SNAPSHOT);

    /// The flags that the event mask must have to sample allocations.
    pub const SAMPLED: EventMask = EventMask::EVENT_PIPE.union(EventMask::ENABLE_STACK_SNAPSHOT);

    /// The number of samples that are kept in a second of processor time, unless [`with_rate`](Self::with_rate) sets another.
    pub const RATE: f64 = 500.0;

    fn new(names: &Names, program: &str, is_exact: bool) -> Self {
        let mut types = vec![
            ValueType::new("objects", Unit::Count),
            ValueType::new("bytes", Unit::Bytes),
            ValueType::new("samples", Unit::Count),
        ];
        if !is_exact {
            types.push(ValueType::new("variance", Unit::Count));
        }
        let profile = LiveProfile::new(names, Profile::new(program, types));
        let (thinning, failed) = (Thinning::new(Self::RATE), AtomicU64::new(0));
        Self { profile, is_exact, thinning, _session: None, failed }
    }

    /// Creates a profile of all allocations. Needs the flags [`EXACT`](Self::EXACT).
    #[must_use]
    pub fn exact(names: &Names, program: &str) -> Self {
        Self::new(names, program, true)
    }

    /// Creates a profile of sampled allocations, and starts the runtime's sampling. Needs the flags
    /// [`SAMPLED`](Self::SAMPLED), and .NET 5.
    ///
    /// Up to .NET 9 the runtime reports the allocation after each 100 KB of a heap. Since .NET 10 each byte is sampled with
    /// the same probability. The session costs the program some ten milliseconds of processor time once: the runtime describes its
    /// events by reflection.
    ///
    /// # Errors
    /// [`Error::Other`]: the runtime is older. Any failure of the calls.
    pub fn sampled(names: &Names, program: &str) -> Result<Self> {
        let info = names.info();
        let major = info.runtime_info()?.major;
        if major < EVENT_PIPE {
            return Err(Error::other("the runtime samples no allocations for profilers before .NET 5"));
        }
        let is_random = major >= RANDOM;
        let (keywords, level) = match is_random {
            true => (keywords::ALLOCATION_SAMPLING, levels::INFORMATIONAL),
            false => (keywords::GC, levels::VERBOSE),
        };
        let provider = EventPipeProviderConfig { name: PROVIDER, keywords, level, filter: None };
        let session = info.event_pipe_start_session(&[provider], false)?;
        let this = Self::new(names, program, false);
        Ok(Self { _session: Some(session), ..this })
    }

    /// Keeps at most so many samples in a second of the process's processor time, on average, and the first 3,000; all of them if
    /// `rate` is infinite.
    ///
    /// Samples beyond are left out at random, before their stack is walked, and the estimates allow for that. Where the system has no clock
    /// of the processor time, the seconds are those of a wall clock.
    #[must_use]
    pub fn with_rate(self, rate: f64) -> Self {
        Self { thinning: Thinning::new(rate.max(1.0)), ..self }
    }

    /// Returns the number of samples that were left out, to keep to the rate.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.thinning.left_out()
    }

    /// Returns the profile.
    #[must_use]
    pub fn profile(&self) -> &LiveProfile {
        &self.profile
    }

    /// Returns whether all allocations are seen.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Returns the number of allocations without a stack or a size.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.failed.load(Ordering::Relaxed)
    }

    /// Adds an allocation, in the callback with this name.
    pub fn object_allocated(&self, object: ObjectId<'_>, class: ClassId) {
        let names = self.profile.names();
        let (size, stack) = (names.info().object_size(object), own_stack(names));
        self.failed.fetch_add(u64::from(size.is_err() || stack.is_err()), Ordering::Relaxed);
        // The heap aligns objects.
        let size = size.map_or(0, |size| size.next_multiple_of(size_of::<usize>()) as u64);
        self.profile.add_object(&stack.unwrap_or_default(), class, &Context::default(), &[1, size, 1]);
    }

    /// Adds a sampled allocation, in the callback with this name. Other events are ignored.
    #[allow(clippy::cast_precision_loss, reason = "estimates")]
    pub fn event_pipe_event_delivered(&self, event: &EventPipeEvent<'_>) {
        if event.id != ids::ALLOCATION_TICK && event.id != ids::ALLOCATION_SAMPLED {
            return;
        }
        let Some(kept) = self.thinning.kept() else { return };
        let (name, values) =
            match RuntimeEvent::decode(event.id, event.version, event.data, size_of::<usize>()) {
                // The bytes since the last tick are taken for objects of this class.
                Ok(Some(RuntimeEvent::AllocationTick(tick))) => {
                    let size = tick.object_size.unwrap_or(0) as f64;
                    (tick.type_name(), estimates(size, tick.amount as f64, 0.0, kept))
                }
                Ok(Some(RuntimeEvent::AllocationSampled(sampled))) => {
                    let size = sampled.object_size as f64;
                    // The probability that at least one byte of the object is sampled.
                    let probability = -(-size / AllocationSampled::MEAN as f64).exp_m1();
                    let bytes = size / probability.max(f64::MIN_POSITIVE);
                    (sampled.type_name.to_string(), estimates(size, bytes, probability, kept))
                }
                Ok(_) => return,
                Err(_) => {
                    self.failed.fetch_add(1, Ordering::Relaxed);
                    return;
                }
            };
        // The runtime reports no name of a class without metadata.
        let name = if name.is_empty() { CONTINUATION.to_owned() } else { name };
        let stack = own_stack(self.profile.names());
        self.failed.fetch_add(u64::from(stack.is_err()), Ordering::Relaxed);
        self.profile.add_named(&stack.unwrap_or_default(), &name, &Context::default(), &values);
    }
}

/// Returns the values of a sample that was kept with a probability, of an object of this size.
///
/// The sample stands for so many bytes if all samples are kept, and its object was sampled with the probability `sampled`, which is 0 if
/// it is not known: then it was a low one.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "estimates, to the largest number"
)]
fn estimates(size: f64, bytes: f64, sampled: f64, kept: f64) -> [u64; 4] {
    let bytes = bytes / kept;
    let objects = (bytes / size.max(1.0)).max(1.0 / kept);
    // That of a sum over samples which are kept independently of each other: Horvitz and Thompson's estimate.
    let variance = (bytes / 1024.0).powi(2) * (1.0 - sampled * kept);
    [objects.round() as u64, bytes.round() as u64, 1, variance.round() as u64]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_those_of_the_inclusion_probabilities() {
        // A tick after 100 KB, of an object of 100 bytes; all are kept, and one of four.
        assert_eq!(estimates(100.0, 102_400.0, 0.0, 1.0), [1_024, 102_400, 1, 10_000]);
        assert_eq!(estimates(100.0, 102_400.0, 0.0, 0.25), [4_096, 409_600, 1, 160_000]);
        // A large object that is always sampled has no error until one of two is kept.
        assert_eq!(estimates(1024e6, 1024e6, 1.0, 1.0), [1, 1_024_000_000, 1, 0]);
        assert_eq!(estimates(1024e6, 1024e6, 1.0, 0.5), [2, 2_048_000_000, 1, 2_000_000_000_000]);
        // The size is not known.
        assert_eq!(estimates(0.0, 0.0, 0.0, 0.5), [2, 0, 1, 0]);
    }
}
