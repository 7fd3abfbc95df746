//! Allocated objects by class and site: all of them, or sampled by the runtime.

use core::sync::atomic::{AtomicU64, Ordering};

use corprof::{
    ClassId, Error, EventMask, EventPipeEvent, EventPipeProviderConfig, EventPipeSession, Names, ObjectId,
    Result,
};
use runtime_events::{AllocationSampled, PROVIDER, RuntimeEvent, ids, keywords, levels};
use stack_profile::{Context, Profile, Unit, ValueType};

use crate::profiled::{LiveProfile, own_stack};

/// The .NET version whose runtime has EventPipe for profilers.
const EVENT_PIPE: u16 = 5;

/// The .NET version whose runtime samples allocations at random.
const RANDOM: u16 = 10;

/// A profile of allocated objects: the innermost frame is the class of the object.
///
/// Its values are objects, bytes and samples. The first two are estimates if the allocations are sampled.
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

    /// The flags that the event mask must have to sample allocations.
    pub const SAMPLED: EventMask = EventMask::EVENT_PIPE.union(EventMask::ENABLE_STACK_SNAPSHOT);

    fn new(names: &Names, program: &str, is_exact: bool) -> Self {
        let types = vec![
            ValueType::new("objects", Unit::Count),
            ValueType::new("bytes", Unit::Bytes),
            ValueType::new("samples", Unit::Count),
        ];
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
    /// Up to .NET 9 the runtime reports the allocation after each 100 KB of a heap. Since .NET 10 each byte is sampled with
    /// the same probability.
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
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an estimate"
    )]
    pub fn event_pipe_event_delivered(&self, event: &EventPipeEvent<'_>) {
        if event.id != ids::ALLOCATION_TICK && event.id != ids::ALLOCATION_SAMPLED {
            return;
        }
        let (name, objects, bytes) =
            match RuntimeEvent::decode(event.id, event.version, event.data, size_of::<usize>()) {
                Ok(Some(RuntimeEvent::AllocationTick(tick))) => {
                    // The bytes since the last tick are taken for objects of this class.
                    let size = tick.object_size.unwrap_or(0).max(1);
                    (tick.type_name(), (tick.amount / size).max(1), tick.amount)
                }
                Ok(Some(RuntimeEvent::AllocationSampled(sampled))) => {
                    // The probability that at least one byte of the object is sampled.
                    let size = sampled.object_size as f64;
                    let probability = -(-size / AllocationSampled::MEAN as f64).exp_m1();
                    let objects = 1.0 / probability.max(f64::MIN_POSITIVE);
                    let bytes = (size * objects).round() as u64;
                    (sampled.type_name.to_string(), objects.round() as u64, bytes)
                }
                Ok(_) => return,
                Err(_) => {
                    self.failed.fetch_add(1, Ordering::Relaxed);
                    return;
                }
            };
        let stack = own_stack(self.profile.names());
        self.failed.fetch_add(u64::from(stack.is_err()), Ordering::Relaxed);
        let values = [objects, bytes, 1];
        self.profile.add_named(&stack.unwrap_or_default(), &name, &Context::default(), &values);
    }
}
