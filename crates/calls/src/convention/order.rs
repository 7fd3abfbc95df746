//! The order in which the arguments of a method take their locations, which is the same in all conventions: `this`, the address of
//! a buffer for a large result, the hidden argument of shared generic code, the continuation of an async variant, the parameters.
//!
//! A convention's own file says which location is the next.

use argvalues::{MethodPlan, Passed, TypeShape};
use corprof::{GenericContext, Location, LocationKind, Locations, Register};

use super::assign::{Assign, POINTER, Returned};
use super::{aapcs64, microsoft, sysv};

/// A calling convention, as a runtime has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Convention {
    /// System V for x86-64.
    SystemV(sysv::Rules),
    /// Microsoft's for x86-64.
    Microsoft,
    /// AAPCS64, for arm64.
    Arm64(aapcs64::Variant),
}

/// The hidden argument of shared generic code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hidden {
    None,
    Class,
    Method,
}

/// The arguments of a function that its signature does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unseen {
    pub(super) has_this: bool,
    pub(super) hidden: Hidden,
    /// Whether there is a continuation: in the async variant of a method.
    pub(super) continuation: bool,
}

impl Convention {
    /// That of this platform, for a runtime with this major version.
    pub(super) fn of(major: u16) -> Self {
        if cfg!(target_arch = "aarch64") {
            Self::Arm64(aapcs64::Variant::HERE)
        } else if cfg!(windows) {
            Self::Microsoft
        } else {
            Self::SystemV(sysv::Rules::of(major))
        }
    }

    fn returned(self, shape: &TypeShape) -> Returned {
        match self {
            Self::SystemV(rules) => sysv::returned(shape, rules),
            Self::Microsoft => microsoft::returned(shape),
            Self::Arm64(_) => aapcs64::returned(shape),
        }
    }

    /// Returns whether the address of a buffer for the result is passed before the hidden argument, in a register of the same
    /// kind.
    pub(super) fn passes_buffer_as_argument(self) -> bool {
        !matches!(self, Self::Arm64(_))
    }

    /// Returns whether the address of a buffer for the result is passed. `None` if unknown.
    pub(super) fn returns_in_memory(self, plan: &MethodPlan) -> Option<bool> {
        match plan.passed_back() {
            None | Some(Passed::Pointer) => Some(false),
            Some(Passed::Unknown) => None,
            Some(Passed::Value(shape)) => match self.returned(shape) {
                Returned::In(_) => Some(false),
                Returned::Buffer => Some(true),
                Returned::Unknown => None,
            },
        }
    }

    /// Returns the integer register of the continuation, of a function that has one. `None` if unknown.
    pub(super) fn continuation(self, plan: &MethodPlan, unseen: Unseen) -> Option<u8> {
        let in_memory = self.returns_in_memory(plan)? && self.passes_buffer_as_argument();
        let before = [unseen.has_this, in_memory, unseen.hidden != Hidden::None];
        Some(before.map(u8::from).iter().sum())
    }

    /// Returns the locations of the arguments and the result of a method. `context` is the generic context of its code,
    /// unless that is a hidden argument.
    pub(super) fn locate(self, plan: &MethodPlan, unseen: Unseen, context: GenericContext) -> Locations {
        let in_memory = self.returns_in_memory(plan);
        let mut locations = match self {
            Self::SystemV(rules) => locate(sysv::Taken::new(rules), plan, in_memory, unseen, context),
            Self::Microsoft => locate(microsoft::Taken::default(), plan, in_memory, unseen, context),
            Self::Arm64(variant) => locate(aapcs64::Taken::new(variant), plan, in_memory, unseen, context),
        };
        locations.result = self.result_location(plan);
        locations
    }

    fn result_location(self, plan: &MethodPlan) -> Location {
        let first = Register::Integer(0);
        let (shape, length) = match plan.passed_back() {
            None => return Location { kind: LocationKind::Register(first), length: 0 },
            Some(Passed::Pointer) => {
                return Location { kind: LocationKind::Register(first), length: POINTER };
            }
            Some(Passed::Value(shape)) => (shape, length_of(shape)),
            Some(Passed::Unknown) => return Location::UNKNOWN,
        };
        match (self.returned(shape), length) {
            (Returned::In(kind), Some(length)) => Location { kind, length },
            (Returned::Buffer, Some(length)) => Location { kind: LocationKind::At(first), length },
            _ => Location::UNKNOWN,
        }
    }
}

/// The locations without that of the result.
fn locate(
    mut taken: impl Assign,
    plan: &MethodPlan,
    in_memory: Option<bool>,
    Unseen { has_this, hidden, continuation }: Unseen,
    context: GenericContext,
) -> Locations {
    let mut arguments = Vec::with_capacity(plan.argument_count());
    let mut passed = plan.passed();
    if has_this && passed.next().is_some() {
        arguments.push(pointer(&mut taken).unwrap_or(Location::UNKNOWN));
    }
    if in_memory == Some(true) {
        taken.buffer();
    }
    let mut lost = in_memory.is_none();
    let context = match hidden {
        Hidden::None => context,
        _ if lost => GenericContext::Unknown,
        Hidden::Class => GenericContext::Class(taken.integer_register()),
        Hidden::Method => GenericContext::Method(taken.integer_register()),
    };
    if continuation {
        taken.integer_register();
    }
    for argument in passed {
        let location = if lost { None } else { next_location(argument, &mut taken) };
        lost |= location.is_none();
        arguments.push(location.unwrap_or(Location::UNKNOWN));
    }
    Locations { context, arguments: arguments.into(), result: Location::UNKNOWN }
}

fn pointer(taken: &mut impl Assign) -> Option<Location> {
    Some(Location { kind: taken.pointer()?, length: POINTER })
}

/// Returns the location of the next argument. `None` if unknown; those of all later arguments are then unknown too.
pub(super) fn next_location(passed: Passed<'_>, taken: &mut impl Assign) -> Option<Location> {
    match passed {
        Passed::Pointer => pointer(taken),
        Passed::Value(shape) => {
            let length = length_of(shape)?;
            Some(Location { kind: taken.value(shape, length)?, length })
        }
        Passed::Unknown => None,
    }
}

fn length_of(shape: &TypeShape) -> Option<u32> {
    u32::try_from(shape.size()?).ok()
}
