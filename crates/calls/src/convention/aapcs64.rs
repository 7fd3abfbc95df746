//! The locations of a method's arguments in the runtime's variant of the procedure call standard for arm64 (AAPCS64).
//!
//! A *homogeneous aggregate*, a struct of one to four `float`s, `double`s or short vectors, is passed in as many vector
//! registers, one part in each. Any other struct of up to 16 bytes is passed in one or two integer registers, a larger one by
//! reference. If too few registers of its kind are left for an argument, it is passed on the stack, and so are all later ones of
//! that kind. The address of a buffer for a large result has a register of its own, `x8`, and takes none from the arguments.
//!
//! The runtime deviates from the standard of C:
//!
//! - a struct with a field that is empty is not homogeneous, nor is one without a field at its beginning;
//! - explicit layout makes no difference, even with bytes behind the last field;
//! - the number of parts follows from the size, not from the fields (fixed buffers, inline arrays);
//! - nothing is aligned to more than 8 bytes, 128-bit integers neither.
//!
//! On Apple's systems, arguments on the stack take only as many bytes as they have, at their own alignment: numbers and
//! references, and aggregates of `float`. That was read in the runtime's sources (`OSX_ARM64_ABI`) and never run.
//!
//! The end-to-end test `differential` compares structs of all kinds of passing with the runtime's own locations, on Linux, on
//! .NET 10.0. Whole programs were not compared yet: until then all locations are self-tested.

use argvalues::{Primitive, ShapeKind, StructShape, TypeShape};
use corprof::{LocationKind, Register};

use super::assign::{Assign, POINTER, Returned};

/// The number of registers of each kind that carry arguments.
const REGISTERS: u8 = 8;
/// The size of an integer register.
const WORD: usize = 8;
/// The largest struct in integer registers.
const MOST_IN_REGISTERS: usize = 2 * WORD;
/// The largest number of parts of a homogeneous aggregate.
const MOST_PARTS: usize = 4;
/// The largest homogeneous aggregate.
const LARGEST_AGGREGATE: usize = MOST_PARTS * 16;

/// The variants of the convention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variant {
    /// Linux.
    Standard,
    /// Apple's systems.
    Apple,
}

impl Variant {
    /// The variant of this platform.
    pub(super) const HERE: Self = if cfg!(target_vendor = "apple") { Self::Apple } else { Self::Standard };
}

/// The part of a homogeneous aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Float,
    Double,
    /// A vector of 8 bytes.
    Short,
    /// A vector of 16 bytes.
    Full,
}

impl Part {
    const fn size(self) -> usize {
        match self {
            Self::Float => 4,
            Self::Double | Self::Short => 8,
            Self::Full => 16,
        }
    }
}

/// The class of a value: how it is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// In so many vector registers, a part in each.
    Parts(u8, Part),
    /// In so many integer registers.
    Words(u8),
    /// By reference.
    Reference,
    /// Unknown.
    Unknown,
}

/// The layout of a type is unknown.
struct Unknown;

/// Classifies a value of this type.
fn classify(shape: &TypeShape) -> Class {
    let Some(size) = shape.size() else { return Class::Unknown };
    let part = match part(shape) {
        Ok(part) => part,
        Err(Unknown) if size > LARGEST_AGGREGATE => None,
        Err(Unknown) => return Class::Unknown,
    };
    match part.and_then(|part| Some((count_of(size, part)?, part))) {
        Some((count, part)) => Class::Parts(count, part),
        None if size > MOST_IN_REGISTERS => Class::Reference,
        None if size > WORD => Class::Words(2),
        None => Class::Words(1),
    }
}

/// The number of parts of a homogeneous aggregate of this size.
fn count_of(size: usize, part: Part) -> Option<u8> {
    if !size.is_multiple_of(part.size()) {
        return None;
    }
    u8::try_from(size / part.size()).ok().filter(|count| (1..=MOST_PARTS).contains(&usize::from(*count)))
}

/// The parts of a value, if they are all alike.
fn part(shape: &TypeShape) -> Result<Option<Part>, Unknown> {
    match shape.kind() {
        ShapeKind::Primitive(Primitive::F32) => Ok(Some(Part::Float)),
        ShapeKind::Primitive(Primitive::F64) => Ok(Some(Part::Double)),
        ShapeKind::Struct(structure) => match vector(shape) {
            Some(part) => Ok(Some(part)),
            None => part_of_fields(structure),
        },
        ShapeKind::Opaque { .. } if shape.name() == "System.TypedReference" => Ok(None),
        ShapeKind::Opaque { .. } | ShapeKind::Void => Err(Unknown),
        _ => Ok(None),
    }
}

fn part_of_fields(structure: &StructShape) -> Result<Option<Part>, Unknown> {
    if structure.fields().iter().all(|field| field.offset() != 0) {
        return Ok(None);
    }
    let mut all = None;
    for field in structure.fields() {
        let Some(part) = part(field.shape())? else { return Ok(None) };
        let is_number = matches!(field.shape().kind(), ShapeKind::Primitive(_));
        if is_number && !field.offset().is_multiple_of(part.size()) || all.is_some_and(|all| all != part) {
            return Ok(None);
        }
        all = Some(part);
    }
    Ok(all.filter(|part| count_of(structure.size(), *part).is_some()))
}

/// The vectors that are parts themselves.
fn vector(shape: &TypeShape) -> Option<Part> {
    let is = |prefix: &str| shape.name().starts_with(prefix);
    if is("System.Runtime.Intrinsics.Vector64<") {
        return Some(Part::Short);
    }
    let is_full = is("System.Runtime.Intrinsics.Vector128<")
        || is("System.Numerics.Vector<") && shape.size() == Some(Part::Full.size());
    is_full.then_some(Part::Full)
}

/// The registers and stack bytes that are taken.
pub(super) struct Taken {
    variant: Variant,
    integers: u8,
    floats: u8,
    stack: u32,
}

impl Taken {
    pub(super) fn new(variant: Variant) -> Self {
        Self { variant, integers: 0, floats: 0, stack: 0 }
    }

    /// The next integer registers. If there are too few, none is left for later arguments either.
    fn integers(&mut self, count: u8) -> Option<LocationKind> {
        let first = next(&mut self.integers, count)?;
        let register = Register::Integer;
        Some(match count {
            1 => LocationKind::Register(register(first)),
            _ => LocationKind::Pair(register(first), register(first + 1)),
        })
    }

    /// The next vector registers, in the same way.
    fn floats(&mut self, count: u8, part: Part) -> Option<LocationKind> {
        let first = next(&mut self.floats, count)?;
        let size = u8::try_from(part.size()).ok()?;
        Some(match count {
            1 => LocationKind::Register(Register::Float(first)),
            _ => LocationKind::Vectors { first, count, size },
        })
    }

    /// The next bytes on the stack.
    fn on_stack(&mut self, size: u32, natural: Option<u32>) -> Option<u32> {
        let alignment = match self.variant {
            Variant::Standard => POINTER,
            Variant::Apple => natural.unwrap_or(POINTER),
        };
        let offset = self.stack.checked_next_multiple_of(alignment)?;
        self.stack = offset.checked_add(size.checked_next_multiple_of(alignment)?)?;
        Some(offset)
    }
}

/// Takes registers of a kind, all or none.
fn next(taken: &mut u8, count: u8) -> Option<u8> {
    let first = *taken;
    let after = first.checked_add(count).filter(|after| *after <= REGISTERS);
    *taken = after.unwrap_or(REGISTERS);
    after.map(|_| first)
}

impl Assign for Taken {
    fn pointer(&mut self) -> Option<LocationKind> {
        match self.integers(1) {
            Some(kind) => Some(kind),
            None => self.on_stack(POINTER, None).map(LocationKind::Stack),
        }
    }

    fn integer_register(&mut self) -> u8 {
        self.integers += 1;
        self.integers - 1
    }

    fn buffer(&mut self) {}

    fn value(&mut self, shape: &TypeShape, length: u32) -> Option<LocationKind> {
        let is_struct = matches!(shape.kind(), ShapeKind::Struct(_) | ShapeKind::Opaque { .. });
        match classify(shape) {
            Class::Parts(count, part) => {
                if let Some(kind) = self.floats(count, part) {
                    return Some(kind);
                }
                let natural = match part {
                    Part::Float => Some(4),
                    _ => None,
                };
                self.on_stack(length, natural).map(LocationKind::Stack)
            }
            Class::Words(count) => {
                if let Some(kind) = self.integers(count) {
                    return Some(kind);
                }
                self.on_stack(length, (!is_struct).then_some(length.min(POINTER))).map(LocationKind::Stack)
            }
            Class::Reference => match self.integers(1) {
                Some(LocationKind::Register(register)) => Some(LocationKind::At(register)),
                _ => self.on_stack(POINTER, None).map(LocationKind::AtStack),
            },
            Class::Unknown => None,
        }
    }
}

/// Where a value of this type is when it is returned.
pub(super) fn returned(shape: &TypeShape) -> Returned {
    let mut taken = Taken::new(Variant::Standard);
    let kind = match classify(shape) {
        Class::Parts(count, part) => taken.floats(count, part),
        Class::Words(count) => taken.integers(count),
        Class::Reference => return Returned::Buffer,
        Class::Unknown => None,
    };
    kind.map_or(Returned::Unknown, Returned::In)
}

#[cfg(test)]
#[path = "aapcs64_tests.rs"]
mod tests;
