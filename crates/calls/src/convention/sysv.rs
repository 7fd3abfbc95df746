//! The locations of a method's arguments in the runtime's variant of the System V ABI for x86-64.
//!
//! A struct of up to 16 bytes is passed in registers, each of its *eightbytes* in the next of its kind: a
//! floating-point register if it consists of `float` and `double` only. If too few registers are left for all of it, it
//! is passed on the stack, like larger structs. The arguments before the parameters take integer registers.
//!
//! The runtime deviates from the ABI of C:
//!
//! - structs with fields that are not aligned, and all that contain vectors of `System.Runtime.Intrinsics` or
//!   `System.Numerics.Vector<T>`, are never in registers;
//! - a struct without fields, by itself or in another, is never in registers before .NET 9, and is treated as padding
//!   since: an eightbyte of only padding is in an integer register;
//! - nothing on the stack is aligned to more than 8 bytes, 128-bit integers neither;
//! - a field that a struct repeats (fixed buffers, inline arrays) counts as often as it fits.
//!
//! The end-to-end tests `differential` and `hooks` compare each case with the runtime's own locations.

use argvalues::{Primitive, ShapeKind, TypeShape};
use corprof::{LocationKind, Register};

use super::assign::{Assign, POINTER, Returned};

/// The size of an eightbyte, which one register holds.
pub(super) const EIGHTBYTE: usize = 8;
const INTEGER_REGISTERS: u8 = 6;
const FLOAT_REGISTERS: u8 = 8;

/// The kind of register that an eightbyte is passed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    Float,
}

/// The class of a value: how it is passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// In one or two registers.
    Registers(Vec<Kind>),
    /// In memory: on the stack as an argument, in a buffer of the caller's as a result.
    Memory,
    /// Unknown.
    Unknown,
}

/// The rules of a runtime for types without a counterpart in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rules {
    /// Before .NET 9: measured on 3.1 and 8.0.
    V3_1,
    /// .NET 9 and newer: measured on 9.0 and 10.0.
    V9_0,
}

impl Rules {
    /// Returns the rules of a runtime with this major version, which is 4 on .NET Core 3.1. A newer runtime than all
    /// measured ones has the newest rules.
    pub(super) fn of(major: u16) -> Self {
        if major < 9 { Self::V3_1 } else { Self::V9_0 }
    }
}

/// Classifies a value of this type.
pub(super) fn classify(shape: &TypeShape, rules: Rules) -> Class {
    let Some(size) = shape.size() else { return Class::Unknown };
    if size > 2 * EIGHTBYTE {
        return Class::Memory;
    }
    let mut eightbytes = [None; 2];
    match add(shape, 0, size, rules, &mut eightbytes) {
        Ok(()) => {}
        Err(class) => return class,
    }
    let used = eightbytes.iter().take(size.div_ceil(EIGHTBYTE));
    // Nothing but padding.
    Class::Registers(used.map(|kind| kind.unwrap_or(Kind::Integer)).collect())
}

/// Adds the kinds of values that a slot at this offset has in each eightbyte. An integer decides for the whole
/// eightbyte.
fn add(
    shape: &TypeShape,
    offset: usize,
    whole: usize,
    rules: Rules,
    eightbytes: &mut [Option<Kind>; 2],
) -> Result<(), Class> {
    let kind = match shape.kind() {
        ShapeKind::Struct(structure) => {
            if is_vector(shape) {
                return Err(Class::Memory);
            }
            if rules == Rules::V3_1 && structure.fields().is_empty() {
                return Err(Class::Memory);
            }
            for field in structure.fields() {
                add(field.shape(), offset + field.offset(), whole, rules, eightbytes)?;
            }
            // A single field that fits more than once is repeated.
            if let [field] = structure.fields()
                && let Some(length @ 1..) = field.shape().size()
                && field.offset() == 0
                && structure.size().is_multiple_of(length)
            {
                for at in (length..structure.size()).step_by(length) {
                    add(field.shape(), offset + at, whole, rules, eightbytes)?;
                }
            }
            return Ok(());
        }
        ShapeKind::Opaque { size: Some(size), .. } if shape.name() == "System.TypedReference" => {
            for eightbyte in eightbytes.iter_mut().skip(offset / EIGHTBYTE).take(size / EIGHTBYTE) {
                *eightbyte = Some(Kind::Integer);
            }
            return Ok(());
        }
        ShapeKind::Primitive(Primitive::F32 | Primitive::F64) => Kind::Float,
        ShapeKind::Opaque { .. } | ShapeKind::Void => return Err(Class::Unknown),
        _ => Kind::Integer,
    };
    let size = shape.size().filter(|size| *size > 0).ok_or(Class::Unknown)?;
    if offset + size > whole || !offset.is_multiple_of(size) {
        return Err(Class::Memory);
    }
    let eightbyte = eightbytes.get_mut(offset / EIGHTBYTE).ok_or(Class::Memory)?;
    *eightbyte = match (*eightbyte, kind) {
        (None | Some(Kind::Float), Kind::Float) => Some(Kind::Float),
        _ => Some(Kind::Integer),
    };
    Ok(())
}

fn is_vector(shape: &TypeShape) -> bool {
    const VECTORS: [&str; 5] = [
        "System.Runtime.Intrinsics.Vector64<",
        "System.Runtime.Intrinsics.Vector128<",
        "System.Runtime.Intrinsics.Vector256<",
        "System.Runtime.Intrinsics.Vector512<",
        "System.Numerics.Vector<",
    ];
    VECTORS.iter().any(|vector| shape.name().starts_with(vector))
}

/// The registers and stack bytes that are taken.
pub(super) struct Taken {
    rules: Rules,
    integers: u8,
    floats: u8,
    stack: u32,
}

impl Taken {
    pub(super) fn new(rules: Rules) -> Self {
        Self { rules, integers: 0, floats: 0, stack: 0 }
    }

    /// The next location for a value in registers, if there are enough of them.
    fn registers(&mut self, kinds: &[Kind]) -> Option<LocationKind> {
        let (mut integers, mut floats) = (self.integers, self.floats);
        let mut take = |kind: &Kind| {
            let (taken, count) = match kind {
                Kind::Integer => (&mut integers, INTEGER_REGISTERS),
                Kind::Float => (&mut floats, FLOAT_REGISTERS),
            };
            let index = *taken;
            *taken += 1;
            (index < count).then_some(match kind {
                Kind::Integer => Register::Integer(index),
                Kind::Float => Register::Float(index),
            })
        };
        let location = match kinds {
            [one] => LocationKind::Register(take(one)?),
            [first, second] => LocationKind::Pair(take(first)?, take(second)?),
            _ => return None,
        };
        (self.integers, self.floats) = (integers, floats);
        Some(location)
    }

    fn on_stack(&mut self, size: u32) -> Option<LocationKind> {
        let location = LocationKind::Stack(self.stack);
        self.stack = self.stack.checked_add(size.checked_next_multiple_of(8)?)?;
        Some(location)
    }

    fn of(&mut self, kinds: &[Kind], length: u32) -> Option<LocationKind> {
        match self.registers(kinds) {
            Some(location) => Some(location),
            None => self.on_stack(length),
        }
    }
}

impl Assign for Taken {
    fn pointer(&mut self) -> Option<LocationKind> {
        self.of(&[Kind::Integer], POINTER)
    }

    fn integer_register(&mut self) -> u8 {
        self.integers += 1;
        self.integers - 1
    }

    fn value(&mut self, shape: &TypeShape, length: u32) -> Option<LocationKind> {
        match classify(shape, self.rules) {
            Class::Registers(kinds) => self.of(&kinds, length),
            Class::Memory => self.on_stack(length),
            Class::Unknown => None,
        }
    }
}

/// Where a value of this type is when it is returned.
pub(super) fn returned(shape: &TypeShape, rules: Rules) -> Returned {
    match classify(shape, rules) {
        Class::Registers(kinds) => {
            Taken::new(rules).registers(&kinds).map_or(Returned::Unknown, Returned::In)
        }
        Class::Memory => Returned::Buffer,
        Class::Unknown => Returned::Unknown,
    }
}

#[cfg(test)]
#[path = "sysv_tests.rs"]
mod tests;
