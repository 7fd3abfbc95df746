//! Pointers and managed references.

use std::sync::Arc;

use argvalues::{
    Decoder, DeferredType, Field, JsonWriter, Limits, Scratch, SigTypeContext, Target, TypeShape,
};

use crate::heap::{Heap, WORD, int, ints, words};

#[test]
fn pointers_show_their_targets() {
    let mut heap = Heap::new();
    let number = heap.put(ints(&[5]));
    let shape = TypeShape::pointer("int", Target::Shape(int()));
    assert_eq!(heap.json_of(&shape, words(&[number])), format!(r#"{{"pointer":"{number:#x}","target":5}}"#));
    assert_eq!(heap.json_of(&shape, words(&[0])), "null");
    let wild = heap.json_of(&shape, words(&[0x1234_5678]));
    assert!(
        wild.starts_with(r#"{"pointer":"0x12345678","target":{"error":"target: 4 bytes at 0x12345678"#),
        "{wild}"
    );

    let pointer = heap.put(words(&[number]));
    let twice = TypeShape::pointer("int*", Target::Shape(Arc::new(shape)));
    assert_eq!(twice.name(), "int**");
    assert_eq!(
        heap.json_of(&twice, words(&[pointer])),
        format!(r#"{{"pointer":"{pointer:#x}","target":{{"pointer":"{number:#x}","target":5}}}}"#)
    );
}

#[test]
fn void_and_code_have_no_target() {
    let mut heap = Heap::new();
    let shape = TypeShape::pointer("void", Target::Unknown);
    assert_eq!(heap.json_of(&shape, words(&[0x7fff_1234])), r#"{"pointer":"0x7fff1234"}"#);
    assert_eq!(heap.json_of(&shape, words(&[0])), "null");
    let shape = TypeShape::function_pointer("delegate*<int, void>");
    assert_eq!(heap.json_of(&shape, words(&[0x7fff_1234])), r#"{"pointer":"0x7fff1234"}"#);
}

#[test]
fn a_struct_that_points_to_itself_ends_at_the_depth_limit() {
    let mut heap = Heap::new();
    // struct Node { Node* next; }: the signature of the target is VALUETYPE, TypeDef row 1.
    let signature = sigparse::TypeSig::parse(&[0x11, 0x04]).unwrap();
    let target = DeferredType::new(signature, &SigTypeContext::default());
    let next = TypeShape::pointer("Shop.Node", Target::Deferred(Box::new(target)));
    let node =
        TypeShape::value_type("Shop.Node", "Shop.Node", WORD, vec![Field::new("next", 0, Arc::new(next))]);
    heap.name_type(1, "Shop.Node", Some(node.clone()));
    let first = heap.put(words(&[0]));
    heap.memory.insert(first, words(&[first]));
    let limits = Limits { depth: 3, ..Limits::default() };
    assert_eq!(
        heap.json_within(limits, &node, first),
        format!(
            r#"{{"type":"Shop.Node","fields":{{"next":{{"pointer":"{first:#x}","target":{{"type":"Shop.Node","fields":{{"next":{{"type":"Shop.Node*","address":"{first:#x}","elided":"depth"}}}}}}}}}}}}"#
        )
    );
}

#[test]
fn ref_fields_show_what_they_refer_to() {
    let mut heap = Heap::new();
    let number = heap.put(ints(&[5]));
    let by_ref = TypeShape::by_ref("int", Target::Shape(int()));
    let shape =
        TypeShape::value_type("Shop.R", "Shop.R", WORD, vec![Field::new("value", 0, Arc::new(by_ref))]);
    assert_eq!(heap.json_of(&shape, words(&[number])), r#"{"type":"Shop.R","fields":{"value":5}}"#);
    assert_eq!(heap.json_of(&shape, words(&[0])), r#"{"type":"Shop.R","fields":{"value":null}}"#);
}

#[test]
fn what_a_pointer_leads_to_is_not_vouched_for() {
    let mut heap = Heap::new();
    let object = heap.class(TypeShape::class("System.Object", "object", Vec::new()));
    let object = heap.object(&object, &[]);
    let place = heap.put(words(&[object]));
    let show = |trusted: core::ops::Range<usize>| {
        heap.asked_untrusted.set(false);
        let mut scratch = Scratch::new();
        let mut out = String::new();
        Decoder::new(&heap.memory, &heap, Limits::default(), &mut scratch).trust(trusted).target(
            &TypeShape::object(),
            place,
            &mut JsonWriter::new(&mut out),
        );
        assert_eq!(out, r#"{"type":"object","fields":{}}"#);
        heap.asked_untrusted.get()
    };
    assert!(show(0..0));
    assert!(!show(place..place + WORD));
}
