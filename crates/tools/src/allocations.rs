//! Allocated objects by class and site: all of them, or sampled by the runtime.

use core::sync::atomic::{AtomicU64, Ordering};

use corprof::{
    ClassId, Error, EventMask, EventPipeEvent, EventPipeProviderConfig, EventPipeSession, Names, ObjectId,
    Result,
};
use corprof_profile::{Context, Profile, Unit, ValueType};
use nettrace::runtime_events::{
    AllocationKind, AllocationSampled, PROVIDER, RuntimeEvent, ids, keywords, levels,
};

use crate::profiled::{LiveProfile, own_stack};
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
    /// Open for as long as allocations are sampled.
    _session: Option<EventPipeSession>,
    failed: AtomicU64,
}

impl Allocations {
    /// The flags that the event mask must have to see each allocation. They can only be set when the program starts.
    pub const EXACT: EventMask = EventMask::OBJECT_ALLOCATED
        .union(EventMask::ENABLE_OBJECT_ALLOCATED)
        .union(EventMask::ENABLE_STACK_SNAPSHOT);

    /// The flags that the event mask must have to sample allocations. Large objects are all seen.
    pub const SAMPLED: EventMask = EventMask::EVENT_PIPE
        .union(EventMask::LARGE_OBJECT_ALLOCATED)
        .union(EventMask::ENABLE_STACK_SNAPSHOT);

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
        Self { profile, is_exact, _session: None, failed: AtomicU64::new(0) }
    }

    /// Creates a profile of all allocations. Needs the flags [`EXACT`](Self::EXACT).
    #[must_use]
    pub fn exact(names: &Names, program: &str) -> Self {
        Self::new(names, program, true)
    }

    /// Creates a profile of sampled allocations, and starts the runtime's sampling. Needs the flags
    /// [`SAMPLED`](Self::SAMPLED), and .NET 5.
    ///
    /// Objects of the large object heap are all counted. Of the others, up to .NET 9 the runtime reports the allocation after each
    /// 100 KB of a heap; since .NET 10 each byte is sampled with the same probability. Every sample counts, with its stack. The session
    /// costs the program some ten milliseconds of processor time once: the runtime describes its events by reflection.
    ///
    /// # Errors
    /// [`Error::Other`]: the runtime is older. Any failure of the calls.
    pub fn sampled(names: &Names, program: &str) -> Result<Self> {
        let info = names.info();
        let major = info.runtime_info()?.major;
        if major < EVENT_PIPE {
            return Err(Error::other("the runtime samples no allocations for profilers before .NET 5"));
        }
        let (keywords, level) = match major >= RANDOM {
            true => (keywords::ALLOCATION_SAMPLING, levels::INFORMATIONAL),
            false => (keywords::GC, levels::VERBOSE),
        };
        let provider = EventPipeProviderConfig { name: PROVIDER, keywords, level, filter: None };
        let session = info.event_pipe_start_session(&[provider], false)?;
        let this = Self::new(names, program, false);
        Ok(Self { _session: Some(session), ..this })
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
        let (kind, values, name) =
            match RuntimeEvent::decode(event.id, event.version, event.data, size_of::<usize>()) {
                // The bytes since the last tick are taken for objects of this class.
                Ok(Some(RuntimeEvent::AllocationTick(tick))) => {
                    let size = tick.object_size.unwrap_or(0) as f64;
                    (tick.kind, estimates(size, tick.amount as f64, 0.0), tick.type_name)
                }
                Ok(Some(RuntimeEvent::AllocationSampled(sampled))) => {
                    let size = sampled.object_size as f64;
                    // The probability that at least one byte of the object is sampled.
                    let probability = -(-size / AllocationSampled::MEAN as f64).exp_m1();
                    let bytes = size / probability.max(f64::MIN_POSITIVE);
                    (sampled.kind, estimates(size, bytes, probability), Some(sampled.type_name))
                }
                Ok(_) => return,
                Err(_) => {
                    self.failed.fetch_add(1, Ordering::Relaxed);
                    return;
                }
            };
        // Large objects are counted when they are allocated.
        if kind == AllocationKind::LARGE {
            return;
        }
        let names = self.profile.names();
        let stack = own_stack(names);
        self.failed.fetch_add(u64::from(stack.is_err()), Ordering::Relaxed);
        let (stack, context) = (stack.unwrap_or_default(), Context::default());
        match names.info().allocated_class(event) {
            Ok(Some(class)) => self.profile.add_object(&stack, class, &context, &values),
            // The runtime has no name either for a class without metadata.
            _ => {
                let name = name.map_or_else(String::new, |name| name.to_string());
                let name = if name.is_empty() { CONTINUATION } else { &name };
                self.profile.add_named(&stack, name, &context, &values);
            }
        }
    }
}

/// Returns the values of a sample that stands for so many bytes, of an object of this size.
///
/// The object was sampled with the probability `sampled`, which is 0 if it is not known: then it was a low one.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "estimates, to the largest number"
)]
fn estimates(size: f64, bytes: f64, sampled: f64) -> [u64; 4] {
    let objects = (bytes / size.max(1.0)).max(1.0);
    // That of a sum over samples which are independent of each other: Horvitz and Thompson's estimate.
    let variance = (bytes / 1024.0).powi(2) * (1.0 - sampled);
    [objects.round() as u64, bytes.round() as u64, 1, variance.round() as u64]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_those_of_the_inclusion_probabilities() {
        // A tick after 100 KB, of an object of 100 bytes.
        assert_eq!(estimates(100.0, 102_400.0, 0.0), [1_024, 102_400, 1, 10_000]);
        // An object that is sampled with a probability of a half counts twice.
        assert_eq!(estimates(51_200.0, 102_400.0, 0.5), [2, 102_400, 1, 5_000]);
        // One that is always sampled has no error.
        assert_eq!(estimates(1024e6, 1024e6, 1.0), [1, 1_024_000_000, 1, 0]);
        // The size is not known.
        assert_eq!(estimates(0.0, 0.0, 0.0), [1, 0, 1, 0]);
    }
}
