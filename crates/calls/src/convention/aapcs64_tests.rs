use std::sync::Arc;

use super::*;
use crate::convention::order::next_location;
use argvalues::{Field, Passed};

fn primitive(primitive: Primitive) -> Arc<TypeShape> {
    TypeShape::primitive(primitive)
}

fn float() -> Arc<TypeShape> {
    primitive(Primitive::F32)
}

fn double() -> Arc<TypeShape> {
    primitive(Primitive::F64)
}

fn long() -> Arc<TypeShape> {
    primitive(Primitive::I64)
}

fn structure(size: usize, fields: &[(usize, Arc<TypeShape>)]) -> Arc<TypeShape> {
    named("Shop.S", size, fields)
}

fn named(name: &str, size: usize, fields: &[(usize, Arc<TypeShape>)]) -> Arc<TypeShape> {
    let fields = fields.iter().map(|(offset, shape)| Field::new("f", *offset, Arc::clone(shape))).collect();
    Arc::new(TypeShape::value_type(name, name, size, fields))
}

/// An aggregate of so many equal fields.
fn row(count: usize, field: &Arc<TypeShape>) -> Arc<TypeShape> {
    let size = field.size().unwrap();
    let fields: Vec<_> = (0..count).map(|index| (index * size, Arc::clone(field))).collect();
    structure(count * size, &fields)
}

/// The locations of arguments of these types.
fn kinds(variant: Variant, shapes: &[&Arc<TypeShape>]) -> Vec<LocationKind> {
    let mut taken = Taken::new(variant);
    shapes.iter().map(|shape| next_location(Passed::Value(shape), &mut taken).unwrap().kind).collect()
}

const fn integer(index: u8) -> LocationKind {
    LocationKind::Register(Register::Integer(index))
}

const fn vector_register(index: u8) -> LocationKind {
    LocationKind::Register(Register::Float(index))
}

#[test]
fn homogeneous_aggregates_have_a_register_for_each_part() {
    for count in 1..=4_u8 {
        assert_eq!(classify(&row(count.into(), &float())), Class::Parts(count, Part::Float));
        assert_eq!(classify(&row(count.into(), &double())), Class::Parts(count, Part::Double));
    }
    assert_eq!(classify(&row(5, &float())), Class::Reference);
    assert_eq!(classify(&row(5, &double())), Class::Reference);
    let nested = structure(12, &[(0, row(2, &float())), (8, float())]);
    assert_eq!(classify(&nested), Class::Parts(3, Part::Float));
    // A field with bytes behind it, as in a fixed buffer or with explicit layout.
    assert_eq!(classify(&structure(16, &[(0, double())])), Class::Parts(2, Part::Double));
    assert_eq!(classify(&structure(12, &[(0, float())])), Class::Parts(3, Part::Float));
}

#[test]
fn what_is_not_homogeneous_is_in_integer_registers_or_behind_a_reference() {
    assert_eq!(classify(&structure(16, &[(0, float()), (8, double())])), Class::Words(2));
    assert_eq!(classify(&structure(16, &[(0, long()), (8, double())])), Class::Words(2));
    assert_eq!(classify(&structure(1, &[])), Class::Words(1));
    // An empty field.
    assert_eq!(classify(&structure(8, &[(0, structure(1, &[])), (4, float())])), Class::Words(1));
    assert_eq!(classify(&structure(16, &[(8, double())])), Class::Words(2));
    assert_eq!(classify(&structure(9, &[(0, primitive(Primitive::U8)), (1, double())])), Class::Words(2));
    assert_eq!(classify(&structure(24, &[(0, long())])), Class::Reference);
    let opaque = |size| Arc::new(TypeShape::opaque("?", Some(size), "not known"));
    assert_eq!(classify(&opaque(16)), Class::Unknown);
    assert_eq!(classify(&opaque(72)), Class::Reference);
}

#[test]
fn vectors_are_parts() {
    let words = [(0, primitive(Primitive::U64)), (8, primitive(Primitive::U64))];
    let short = named("System.Runtime.Intrinsics.Vector64<int>", 8, &words[..1]);
    let full = named("System.Runtime.Intrinsics.Vector128<int>", 16, &words);
    let numerics = named("System.Numerics.Vector<int>", 16, &words);
    assert_eq!(classify(&short), Class::Parts(1, Part::Short));
    assert_eq!(classify(&full), Class::Parts(1, Part::Full));
    assert_eq!(classify(&numerics), Class::Parts(1, Part::Full));
    assert_eq!(classify(&row(2, &full)), Class::Parts(2, Part::Full));
    assert_eq!(classify(&structure(16, &[(0, short), (8, double())])), Class::Words(2));
}

#[test]
fn an_argument_that_does_not_fit_ends_the_registers_of_its_kind() {
    let (pair, large) = (row(2, &long()), row(3, &long()));
    let three = row(3, &double());
    let found = kinds(
        Variant::Standard,
        &[&long(), &pair, &pair, &large, &long(), &pair, &long(), &three, &three, &three, &double(), &large],
    );
    assert_eq!(
        found,
        [
            integer(0),
            LocationKind::Pair(Register::Integer(1), Register::Integer(2)),
            LocationKind::Pair(Register::Integer(3), Register::Integer(4)),
            LocationKind::At(Register::Integer(5)),
            integer(6),
            // One register would be left.
            LocationKind::Stack(0),
            LocationKind::Stack(16),
            LocationKind::Vectors { first: 0, count: 3, size: 8 },
            LocationKind::Vectors { first: 3, count: 3, size: 8 },
            LocationKind::Stack(24),
            LocationKind::Stack(48),
            LocationKind::AtStack(56),
        ]
    );
}

#[test]
fn the_stack_is_packed_on_apples_systems_only() {
    let (byte, short, int) = (primitive(Primitive::U8), primitive(Primitive::I16), primitive(Primitive::I32));
    let mut shapes = vec![long(); 8];
    shapes.extend(vec![double(); 8]);
    let small = structure(3, &[(0, Arc::clone(&byte))]);
    shapes.extend([byte, short, int, float(), row(3, &float()), small, long()]);
    let shapes: Vec<_> = shapes.iter().collect();
    let stack = |offsets: [u32; 7]| offsets.map(LocationKind::Stack).to_vec();
    assert_eq!(kinds(Variant::Standard, &shapes)[16..], stack([0, 8, 16, 24, 32, 48, 56]));
    assert_eq!(kinds(Variant::Apple, &shapes)[16..], stack([0, 2, 4, 8, 12, 24, 32]));
    assert_eq!(kinds(Variant::Apple, &shapes)[..16], kinds(Variant::Standard, &shapes)[..16]);
}

#[test]
fn a_result_is_in_registers_or_in_a_buffer_whose_address_takes_none() {
    assert_eq!(returned(&double()), Returned::In(vector_register(0)));
    assert_eq!(returned(&TypeShape::string()), Returned::In(integer(0)));
    assert_eq!(
        returned(&row(4, &double())),
        Returned::In(LocationKind::Vectors { first: 0, count: 4, size: 8 })
    );
    let two = LocationKind::Pair(Register::Integer(0), Register::Integer(1));
    assert_eq!(returned(&row(2, &long())), Returned::In(two));
    assert_eq!(returned(&row(3, &long())), Returned::Buffer);
    assert_eq!(returned(&TypeShape::opaque("?", None, "not known")), Returned::Unknown);
    let mut taken = Taken::new(Variant::Standard);
    taken.buffer();
    assert_eq!((taken.pointer(), taken.integer_register()), (Some(integer(0)), 1));
}
