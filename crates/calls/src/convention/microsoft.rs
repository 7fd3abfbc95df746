//! The locations of a method's arguments in the runtime's variant of Microsoft's convention for x86-64.
//!
//! Each argument has one slot of 8 bytes. The first four are passed in registers, and the compiled code stores them to their
//! home slots before it calls an enter hook; so all arguments are in one row in memory. A value of 1, 2, 4 or 8 bytes is in its
//! slot; of any other, the slot has the address of a copy that belongs to the caller.
//!
//! A result of 1, 2, 4 or 8 bytes is in `rax`, also a struct of floating-point numbers only or a vector; `float` and `double`
//! themselves are in `xmm0`. Any other is in a buffer of the caller's, whose address is returned in `rax`.
//!
//! The end-to-end test `differential` compares each case with the runtime's own locations.

use argvalues::{Primitive, ShapeKind, TypeShape};
use corprof::{LocationKind, Register};

use super::assign::{Assign, POINTER, Returned};

/// The slots that are taken.
#[derive(Default)]
pub(super) struct Taken {
    slots: u8,
}

impl Taken {
    /// The offset of the next slot.
    fn slot(&mut self) -> Option<u32> {
        let offset = u32::from(self.slots) * POINTER;
        self.slots = self.slots.checked_add(1)?;
        Some(offset)
    }
}

impl Assign for Taken {
    fn pointer(&mut self) -> Option<LocationKind> {
        self.slot().map(LocationKind::Stack)
    }

    fn integer_register(&mut self) -> u8 {
        self.slots += 1;
        self.slots - 1
    }

    fn value(&mut self, _: &TypeShape, length: u32) -> Option<LocationKind> {
        let kind = if fits(length as usize) { LocationKind::Stack } else { LocationKind::AtStack };
        self.slot().map(kind)
    }
}

/// Where a value of this type is when it is returned.
pub(super) fn returned(shape: &TypeShape) -> Returned {
    match (shape.kind(), shape.size()) {
        (_, None) => Returned::Unknown,
        (ShapeKind::Primitive(Primitive::F32 | Primitive::F64), _) => {
            Returned::In(LocationKind::Register(Register::Float(0)))
        }
        (_, Some(size)) if fits(size) => Returned::In(LocationKind::Register(Register::Integer(0))),
        _ => Returned::Buffer,
    }
}

/// Whether a slot or a register has a value of this size itself.
const fn fits(size: usize) -> bool {
    matches!(size, 1 | 2 | 4 | 8)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::convention::order::next_location;
    use argvalues::{Field, Passed};

    fn structure(size: usize) -> TypeShape {
        let fields = (0..size).map(|at| Field::new("f", at, TypeShape::primitive(Primitive::U8))).collect();
        TypeShape::value_type("Shop.S", "Shop.S", size, fields)
    }

    fn double() -> Arc<TypeShape> {
        TypeShape::primitive(Primitive::F64)
    }

    #[test]
    fn each_argument_has_one_slot() {
        let mut taken = Taken::default();
        let mut next = |shape: &TypeShape| next_location(Passed::Value(shape), &mut taken).unwrap().kind;
        assert_eq!(next(&double()), LocationKind::Stack(0));
        assert_eq!(next(&structure(16)), LocationKind::AtStack(8));
        assert_eq!(next(&structure(8)), LocationKind::Stack(16));
        assert_eq!(next(&structure(3)), LocationKind::AtStack(24));
        assert_eq!(next(&structure(40)), LocationKind::AtStack(32));
        assert_eq!(next(&structure(1)), LocationKind::Stack(40));
        assert_eq!(taken.pointer(), Some(LocationKind::Stack(48)));
        assert_eq!(taken.integer_register(), 7);
    }

    #[test]
    fn there_may_be_no_more_slots() {
        let mut taken = Taken { slots: u8::MAX };
        assert_eq!(taken.pointer(), None);
    }

    #[test]
    fn a_result_is_in_a_register_or_in_a_buffer() {
        let [rax, xmm0] =
            [Register::Integer(0), Register::Float(0)].map(|it| Returned::In(LocationKind::Register(it)));
        assert_eq!(returned(&double()), xmm0);
        assert_eq!(returned(&TypeShape::string()), rax);
        let one = TypeShape::value_type("S", "S", 8, vec![Field::new("f", 0, double())]);
        assert_eq!(returned(&one), rax);
        for size in [1, 2, 4, 8] {
            assert_eq!(returned(&structure(size)), rax, "{size}");
        }
        for size in [3, 5, 6, 7, 9, 16, 24] {
            assert_eq!(returned(&structure(size)), Returned::Buffer, "{size}");
        }
        assert_eq!(returned(&TypeShape::opaque("?", None, "not known")), Returned::Unknown);
    }
}
