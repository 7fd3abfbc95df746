//! Expected locations are those of the System V ABI, section 3.2.3, and where the runtime deviates those of its
//! `ClassifyEightBytesWithManagedLayout`. The end-to-end tests hold them against running programs.

use std::sync::Arc;

use super::super::order::next_location;
use super::*;
use argvalues::{Field, Passed};

/// Returns the class of a value on .NET 9.0.
fn class_of(shape: &TypeShape) -> Class {
    classify(shape, Rules::V9_0)
}

fn structure(size: usize, fields: &[(usize, Arc<TypeShape>)]) -> Arc<TypeShape> {
    named("Shop.S", size, fields)
}

fn named(name: &str, size: usize, fields: &[(usize, Arc<TypeShape>)]) -> Arc<TypeShape> {
    let fields = fields.iter().map(|(offset, shape)| Field::new("f", *offset, Arc::clone(shape))).collect();
    Arc::new(TypeShape::value_type(name, name, size, fields))
}

fn int() -> Arc<TypeShape> {
    TypeShape::primitive(Primitive::I32)
}

fn long() -> Arc<TypeShape> {
    TypeShape::primitive(Primitive::I64)
}

fn float() -> Arc<TypeShape> {
    TypeShape::primitive(Primitive::F32)
}

fn double() -> Arc<TypeShape> {
    TypeShape::primitive(Primitive::F64)
}

#[test]
fn structs_of_up_to_16_bytes_are_in_registers() {
    use Kind::{Float, Integer};

    let registers = |kinds: &[Kind]| Class::Registers(kinds.to_vec());
    assert_eq!(class_of(&long()), registers(&[Integer]));
    assert_eq!(class_of(&float()), registers(&[Float]));
    assert_eq!(class_of(&structure(16, &[(0, long()), (8, double())])), registers(&[Integer, Float]));
    assert_eq!(
        class_of(&structure(12, &[(0, float()), (4, float()), (8, float())])),
        registers(&[Float, Float])
    );
    assert_eq!(class_of(&structure(8, &[(0, float()), (4, int())])), registers(&[Integer]));
    let inner = structure(8, &[(0, double())]);
    assert_eq!(
        class_of(&structure(16, &[(0, TypeShape::string()), (8, inner)])),
        registers(&[Integer, Float])
    );
    // A union.
    assert_eq!(class_of(&structure(8, &[(0, double()), (0, long())])), registers(&[Integer]));
    // Fixed buffers and inline arrays.
    assert_eq!(class_of(&structure(16, &[(0, int())])), registers(&[Integer, Integer]));
    assert_eq!(class_of(&structure(16, &[(0, float())])), registers(&[Float, Float]));
}

#[test]
fn larger_ones_and_those_that_the_runtime_does_not_like_are_in_memory() {
    assert_eq!(class_of(&structure(24, &[(0, long()), (8, long()), (16, long())])), Class::Memory);
    assert_eq!(class_of(&structure(12, &[(0, int()), (4, long())])), Class::Memory);
    let vector = named("System.Runtime.Intrinsics.Vector128<int>", 16, &[(0, long()), (8, long())]);
    assert_eq!(class_of(&vector), Class::Memory);
    assert_eq!(
        class_of(&structure(8, &[(0, named("System.Numerics.Vector<int>", 8, &[(0, long())]))])),
        Class::Memory
    );
}

#[test]
fn what_is_not_known_is_not_guessed() {
    let opaque = |size| Arc::new(TypeShape::opaque("?", size, "not known"));
    assert_eq!(class_of(&opaque(None)), Class::Unknown);
    assert_eq!(class_of(&structure(16, &[(0, opaque(Some(8))), (8, long())])), Class::Unknown);
    assert_eq!(class_of(&opaque(Some(24))), Class::Memory);
    for rules in [Rules::V3_1, Rules::V9_0] {
        assert_ne!(classify(&int128(), rules), Class::Unknown);
        assert_ne!(classify(&structure(1, &[]), rules), Class::Unknown);
    }
}

#[test]
fn rules_are_those_of_the_version_that_the_runtime_reports() {
    for major in [4, 5, 8] {
        assert_eq!(Rules::of(major), Rules::V3_1, "{major}");
    }
    for major in [9, 10, 11] {
        assert_eq!(Rules::of(major), Rules::V9_0, "{major}");
    }
}

fn int128() -> Arc<TypeShape> {
    let half = || TypeShape::primitive(Primitive::U64);
    let fields = vec![Field::new("_lower", 0, half()), Field::new("_upper", 8, half())];
    Arc::new(TypeShape::value_type("System.Int128", "System.Int128", 16, fields))
}

#[test]
fn what_has_no_fields_is_in_memory_or_like_padding() {
    use Kind::{Float, Integer};

    let empty = structure(1, &[]);
    let with_empty = structure(16, &[(0, double()), (8, Arc::clone(&empty))]);
    assert_eq!(classify(&empty, Rules::V3_1), Class::Memory);
    assert_eq!(classify(&with_empty, Rules::V3_1), Class::Memory);
    assert_eq!(classify(&empty, Rules::V9_0), Class::Registers(vec![Integer]));
    assert_eq!(classify(&with_empty, Rules::V9_0), Class::Registers(vec![Float, Integer]));
    let before = structure(8, &[(0, empty), (4, float())]);
    assert_eq!(classify(&before, Rules::V9_0), Class::Registers(vec![Float]));
}

#[test]
fn padding_is_in_an_integer_register() {
    let halves = structure(16, &[(0, int()), (4, int())]);
    assert_eq!(class_of(&halves), Class::Registers(vec![Kind::Integer, Kind::Integer]));
}

#[test]
fn registers_run_out_for_whole_structs_and_smaller_ones_behind_still_fit() {
    let mut taken = Taken { integers: 5, ..Taken::new(Rules::V9_0) };
    let pair = structure(16, &[(0, long()), (8, long())]);
    let next =
        |taken: &mut Taken, shape: &TypeShape| next_location(Passed::Value(shape), taken).unwrap().kind;
    assert_eq!(next(&mut taken, &pair), LocationKind::Stack(0));
    assert_eq!(next(&mut taken, &long()), LocationKind::Register(Register::Integer(5)));
    assert_eq!(next(&mut taken, &int()), LocationKind::Stack(16));
    assert_eq!(next(&mut taken, &double()), LocationKind::Register(Register::Float(0)));
    assert_eq!(next(&mut taken, &structure(24, &[(0, long())])), LocationKind::Stack(24));
    assert_eq!(next(&mut taken, &int()), LocationKind::Stack(48));
}
