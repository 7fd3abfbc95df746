//! The data of a method.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use corprof::{
    EnterFrame, Error, FunctionId, GenericContext, LocationKind, Locations, Method, Names, Register, Result,
};
use corprof_calls::{ClrRuntime, FunctionLocations};

/// A hooked method.
pub(crate) struct Function {
    pub(crate) id: FunctionId,
    /// The locations at a call, computed at the first one, as a profiler with fast-path hooks does.
    locations: FunctionLocations,
    /// Why some locations are unknown.
    reason: OnceLock<String>,
    /// The number of compared calls.
    seen: AtomicU64,
}

impl Function {
    pub(crate) const fn new(id: FunctionId) -> Self {
        Self { id, locations: FunctionLocations::new(), reason: OnceLock::new(), seen: AtomicU64::new(0) }
    }

    /// Whether a call is one of the first.
    pub(crate) fn is_due(&self, most: u64) -> bool {
        self.seen.fetch_add(1, Ordering::Relaxed) < most
    }

    /// Whether the limit of compared calls is reached.
    pub(crate) fn is_done(&self, most: u64) -> bool {
        self.seen.load(Ordering::Relaxed) > most
    }

    fn method(&self, names: &Names) -> Result<Arc<Method>> {
        names.method(self.id)
    }

    /// The locations at a call for fast-path hooks; wrong ones with `skew`.
    pub(crate) fn locations(
        &self,
        runtime: &ClrRuntime,
        frame: &EnterFrame<'_>,
        skew: bool,
    ) -> Result<Locations> {
        let found = self.locations.locate(runtime, frame)?.clone();
        Ok(if skew { skewed(found) } else { found })
    }

    /// The same at the end of a call.
    pub(crate) fn known_locations(&self, skew: bool) -> Result<Locations> {
        let found = self.locations.get();
        let found = found.ok_or_else(|| Error::other("a call ends that has not been seen to begin"))?.clone();
        Ok(if skew { skewed(found) } else { found })
    }

    pub(crate) fn name(&self, names: &Names) -> String {
        names.function(self.id).map_or_else(|error| error.to_string(), |name| name.to_string())
    }

    /// The reason for an unknown location: the method's signature.
    pub(crate) fn reason(&self, names: &Names) -> &str {
        self.reason.get_or_init(|| {
            let signature = || {
                let found = names.info().function_instance(self.id, None)?;
                let instance = names.instance(&self.method(names)?, found.class, &found.type_args)?;
                Ok::<_, Error>(instance.signature.clone())
            };
            signature().unwrap_or_else(|error| error.to_string())
        })
    }

    /// Whether a structure is returned, or something that may be one: a type parameter.
    pub(crate) fn returns_struct(&self, names: &Names) -> bool {
        use corprof::sigparse::{MethodSig, Type};

        self.method(names).is_ok_and(|method| {
            MethodSig::parse(&method.signature).is_ok_and(|sig| {
                matches!(
                    sig.return_type().ty(),
                    Type::ValueType(_)
                        | Type::GenericInst(_)
                        | Type::Var(_)
                        | Type::MVar(_)
                        | Type::TypedByRef
                )
            })
        })
    }
}

/// Wrong locations: for each argument in an integer register or in a home slot, the next one; for a result in one, the other; and no
/// type arguments.
fn skewed(mut locations: Locations) -> Locations {
    let skewed = |kind: &mut LocationKind, count: u8| {
        match kind {
            LocationKind::Register(Register::Integer(index)) => *index = (*index + 1) % count,
            // There are four home slots at each call.
            LocationKind::Stack(offset @ 0..=16) if cfg!(windows) => *offset += 8,
            _ => {}
        }
    };
    locations.arguments.iter_mut().for_each(|argument| skewed(&mut argument.kind, 6));
    if cfg!(windows) && locations.result.kind == LocationKind::Register(Register::Integer(0)) {
        locations.result.kind = LocationKind::Register(Register::Float(0));
    } else {
        skewed(&mut locations.result.kind, 2);
    }
    locations.context = GenericContext::None;
    locations
}
