//! From signatures to shapes.

use std::sync::Arc;

use argvalues::{Primitive, ResolveError, ShapeKind, SigTypeContext, Target, TypeShape, resolve};
use sigparse::TypeSig;

use crate::heap::{Heap, int, point, primitive};

fn heap() -> Heap {
    let mut heap = Heap::new();
    heap.name_type(1, "Shop.Item", None);
    heap.name_type(2, "Shop.Point", Some(point()));
    heap.name_type(3, "System.Collections.Generic.Dictionary`2", None);
    heap.name_type(4, "System.Nullable`1", None);
    heap
}

fn context() -> SigTypeContext {
    SigTypeContext {
        type_args: Arc::new([int()]),
        method_args: Arc::new([TypeShape::string()]),
        ..SigTypeContext::default()
    }
}

fn shape(blob: &[u8]) -> Result<Arc<TypeShape>, ResolveError> {
    resolve(&heap(), TypeSig::parse(blob).unwrap(), &context())
}

fn name(blob: &[u8]) -> String {
    shape(blob).unwrap().name().to_owned()
}

#[test]
fn primitives_and_references() {
    let elements = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0x18, 0x19];
    for (element, expected) in elements.into_iter().zip(Primitive::ALL) {
        assert!(matches!(shape(&[element]).unwrap().kind(), ShapeKind::Primitive(is) if *is == expected));
    }
    assert!(matches!(shape(&[0x0e]).unwrap().kind(), ShapeKind::String));
    assert!(matches!(shape(&[0x1c]).unwrap().kind(), ShapeKind::Reference));
    assert!(matches!(shape(&[0x01]).unwrap().kind(), ShapeKind::Void));
    assert_eq!(name(&[0x12, 0x04]), "Shop.Item");
    assert_eq!(name(&[0x1d, 0x12, 0x04]), "Shop.Item[]");
    assert_eq!(name(&[0x1d, 0x14, 0x08, 0x02, 0, 0]), "int[][,]");
    // An array of rank 1 that is not a vector, as System.Reflection writes it.
    assert_eq!(name(&[0x14, 0x08, 0x01, 0, 0]), "int[*]");
    // Dictionary<!0, !!0[]>
    assert_eq!(
        name(&[0x15, 0x12, 0x0c, 0x02, 0x13, 0x00, 0x1d, 0x1e, 0x00]),
        "System.Collections.Generic.Dictionary<int, string[]>"
    );
}

#[test]
fn generic_parameters_are_what_they_are_bound_to() {
    assert!(matches!(shape(&[0x13, 0x00]).unwrap().kind(), ShapeKind::Primitive(Primitive::I32)));
    assert!(matches!(shape(&[0x1e, 0x00]).unwrap().kind(), ShapeKind::String));
    assert_eq!(shape(&[0x1e, 0x01]).unwrap_err(), ResolveError::TypeArgument { index: 1, method: true });
    assert_eq!(shape(&[0x13, 0x01]).unwrap_err().to_string(), "the type argument !1 is not known");
}

#[test]
fn value_types_come_from_the_runtime() {
    let point = shape(&[0x11, 0x08]).unwrap();
    assert_eq!((point.name(), point.size()), ("Shop.Point", Some(8)));
    let nullable = shape(&[0x15, 0x11, 0x10, 0x01, 0x13, 0x00]).unwrap();
    assert_eq!((nullable.name(), nullable.size()), ("int?", Some(8)));
    assert_eq!(shape(&[0x11, 0x04]).unwrap_err().to_string(), "Shop.Item: the class is not loaded");
    assert_eq!(shape(&[0x11, 0x7c]).unwrap_err().to_string(), "0x0200001F: no such token");
}

#[test]
fn pointers_defer_structs_only() {
    let pointer = shape(&[0x0f, 0x11, 0x08]).unwrap();
    assert_eq!(pointer.name(), "Shop.Point*");
    assert!(matches!(pointer.kind(), ShapeKind::Pointer(Target::Deferred(_))));
    let pointer = shape(&[0x0f, 0x0f, 0x08]).unwrap();
    assert_eq!(pointer.name(), "int**");
    assert!(matches!(pointer.kind(), ShapeKind::Pointer(Target::Shape(_))));
    assert!(matches!(shape(&[0x0f, 0x01]).unwrap().kind(), ShapeKind::Pointer(Target::Unknown)));
    assert!(matches!(shape(&[0x10, 0x08]).unwrap().kind(), ShapeKind::ByRef(_)));
    // delegate*<int, void>, managed and not.
    assert_eq!(name(&[0x1b, 0x00, 0x01, 0x01, 0x08]), "delegate*<int, void>");
    assert_eq!(name(&[0x1b, 0x09, 0x01, 0x01, 0x08]), "delegate* unmanaged<int, void>");
    assert_eq!(name(&[0x1b, 0x01, 0x01, 0x01, 0x08]), "delegate* unmanaged[Cdecl]<int, void>");
    assert_eq!(shape(&[0x16]).unwrap().size(), Some(2 * size_of::<usize>()));
}

#[test]
fn what_has_no_value_is_an_error() {
    // INTERNAL occurs only in what the runtime makes for itself.
    let internal = [&[0x21][..], &0x1000_usize.to_ne_bytes()].concat();
    assert!(matches!(shape(&internal), Err(ResolveError::ElementType(_))));
    assert_eq!(primitive(Primitive::I8).name(), "sbyte");
}
