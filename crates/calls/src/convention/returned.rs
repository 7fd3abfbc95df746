//! Structs that come back in registers, where the runtime does not put them together itself.

use argvalues::{ArgumentRange, MethodPlan, ShapeKind, TypeShape};
use corprof::{LeaveValue, ReturnRegisters};

use super::sysv::{Class, EIGHTBYTE, Kind, Rules, classify};

/// Calls `read` with the range of a result, and its bytes where they fit a word. A struct that the runtime leaves in
/// registers is assembled first, and is read like the program's memory.
#[inline(always)]
pub(crate) fn with_result<R>(
    plan: Option<&MethodPlan>,
    value: &LeaveValue<'_>,
    read: impl FnOnce(ArgumentRange, Option<u64>) -> R,
) -> R {
    let assembled = value.registers().and_then(|it| returned_struct(plan?, it));
    let mut range = value.range();
    if let Some(bytes) = &assembled {
        range.address = bytes.as_ptr().expose_provenance();
    }
    read(range, value.word())
}

/// The bytes of a struct that a method has returned in these registers.
///
/// `None` if the method returns no struct, or one whose layout is unknown.
fn returned_struct(plan: &MethodPlan, registers: ReturnRegisters) -> Option<[u8; 2 * EIGHTBYTE]> {
    let shape = plan.result_shape()?;
    matches!(shape.kind(), ShapeKind::Struct(_)).then(|| assemble(shape, registers))?
}

/// Assembles a struct by the System V ABI for x86-64 and the runtime's own classification.
fn assemble(shape: &TypeShape, registers: ReturnRegisters) -> Option<[u8; 2 * EIGHTBYTE]> {
    let Class::Registers(kinds) = classify(shape, Rules::V3_1) else { return None };
    let (mut integers, mut floats) = (registers.integer.iter(), registers.float.iter());
    let mut bytes = [0; 2 * EIGHTBYTE];
    for (kind, to) in kinds.iter().zip(bytes.chunks_exact_mut(EIGHTBYTE)) {
        let register = match kind {
            Kind::Integer => integers.next()?,
            Kind::Float => floats.next()?,
        };
        to.copy_from_slice(&register.to_le_bytes());
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use argvalues::{Field, Primitive};

    const REGISTERS: ReturnRegisters = ReturnRegisters { integer: [1, 2], float: [3, 4] };

    fn structure(size: usize, fields: &[(usize, Arc<TypeShape>)]) -> Arc<TypeShape> {
        let fields =
            fields.iter().map(|(offset, shape)| Field::new("f", *offset, Arc::clone(shape))).collect();
        Arc::new(TypeShape::value_type("Shop.S", "Shop.S", size, fields))
    }

    fn words(shape: &TypeShape) -> Option<[u64; 2]> {
        let bytes = assemble(shape, REGISTERS)?;
        let (words, _) = bytes.as_chunks();
        Some([u64::from_le_bytes(words[0]), u64::from_le_bytes(words[1])])
    }

    #[test]
    fn each_eightbyte_takes_the_next_register_of_its_kind() {
        let (long, double) = (TypeShape::primitive(Primitive::I64), TypeShape::primitive(Primitive::F64));
        let pair = |a: &Arc<TypeShape>, b: &Arc<TypeShape>| {
            words(&structure(16, &[(0, Arc::clone(a)), (8, Arc::clone(b))]))
        };
        assert_eq!(pair(&long, &long), Some([1, 2]));
        assert_eq!(pair(&long, &double), Some([1, 3]));
        assert_eq!(pair(&double, &long), Some([3, 1]));
        assert_eq!(pair(&double, &double), Some([3, 4]));
        assert_eq!(pair(&TypeShape::string(), &double), Some([1, 3]));
        assert_eq!(words(&structure(8, &[(0, double)])), Some([3, 0]));
    }

    #[test]
    fn a_number_among_floats_makes_an_integer_register() {
        let (int, float) = (TypeShape::primitive(Primitive::I32), TypeShape::primitive(Primitive::F32));
        let two = structure(8, &[(0, Arc::clone(&float)), (4, Arc::clone(&float))]);
        let mixed = structure(8, &[(0, int), (4, Arc::clone(&float))]);
        assert_eq!(words(&structure(16, &[(0, Arc::clone(&two)), (8, mixed)])), Some([3, 1]));
        assert_eq!(words(&structure(12, &[(0, two), (8, float)])), Some([3, 4]));
    }

    #[test]
    fn what_is_not_known_is_not_put_together() {
        let opaque = Arc::new(TypeShape::opaque("?", Some(8), "not known"));
        assert_eq!(words(&structure(16, &[(0, opaque)])), None);
        assert_eq!(words(&structure(24, &[])), None);
        assert_eq!(words(&structure(1, &[])), None);
    }
}
