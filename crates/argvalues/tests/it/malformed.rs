//! What is wrong in memory, or in what the runtime says, costs one value and no other.

use std::sync::Arc;

use argvalues::{Field, Limits, TypeShape};

use crate::heap::{Heap, WORD, int, ints, words};

#[test]
fn a_wild_reference_in_one_field_leaves_the_others() {
    let mut heap = Heap::new();
    let class = heap.class(TypeShape::class(
        "Shop.Item",
        "Shop.Item",
        vec![
            Field::new("wild", WORD, TypeShape::object()),
            Field::new("name", 2 * WORD, TypeShape::string()),
            Field::new("odd", 3 * WORD, TypeShape::object()),
            Field::new("count", 4 * WORD, int()),
        ],
    ));
    // A reference to nowhere, a string nowhere, and something that is no object.
    let garbage = heap.put(words(&[0xdead_beef, 0]));
    let item = heap.object(&class, &[(WORD, &words(&[0x4242_4240, 0x10, garbage])), (4 * WORD, &ints(&[3]))]);
    assert_eq!(
        heap.object_json(item),
        format!(
            r#"{{"type":"Shop.Item","fields":{{"wild":{{"error":"object: 8 bytes at 0x42424240 cannot be read: not mapped"}},"name":{{"error":"string: 4 bytes at 0x18 cannot be read: not mapped"}},"odd":{{"error":"the class of the object at {garbage:#x}: no such class"}},"count":3}}}}"#
        )
    );
}

#[test]
fn an_object_that_is_cut_off_is_an_error_in_its_place() {
    let mut heap = Heap::new();
    let class = heap.class(TypeShape::class(
        "Shop.Item",
        "Shop.Item",
        vec![Field::new("a", WORD, TypeShape::object())],
    ));
    let short = heap.object(&class, &[]);
    let whole = heap.object(&class, &[(WORD, &words(&[0]))]);
    let array = heap.vector(TypeShape::object(), 2, &words(&[short, whole]));
    assert_eq!(
        heap.object_json(array),
        format!(
            r#"{{"type":"object[]","length":2,"items":[{{"error":"object: 16 bytes at {short:#x} cannot be read: not mapped"}},{{"type":"Shop.Item","fields":{{"a":null}}}}]}}"#
        )
    );
}

#[test]
fn a_string_with_a_wrong_length() {
    let mut heap = Heap::new();
    let text = heap.string("abc");
    heap.memory.insert(text + WORD, (-5_i32).to_ne_bytes().to_vec());
    assert_eq!(heap.object_json(text), format!(r#"{{"error":"the string at {text:#x} has the length -5"}}"#));
    heap.memory.insert(text + WORD, 100_i32.to_ne_bytes().to_vec());
    let json = heap.object_json(text);
    assert!(json.starts_with(r#"{"error":"string: 200 bytes at"#), "{json}");
}

#[test]
fn a_wrong_length_makes_room_for_no_more_than_there_is() {
    let mut heap = Heap::new();
    let text = heap.string(&"x".repeat(5000));
    heap.memory.insert(text + WORD, i32::MAX.to_ne_bytes().to_vec());
    let slot = heap.put(words(&[text]));
    let limits = Limits { chars: usize::MAX, bytes: usize::MAX, ..Limits::default() };
    let json = heap.json_within(limits, &TypeShape::object(), slot);
    assert!(json.starts_with(r#"{"error":"string: 4096 bytes at"#), "{json}");
    heap.memory.insert(text + WORD, 5000_i32.to_ne_bytes().to_vec());
    assert_eq!(heap.json_within(limits, &TypeShape::object(), slot).len(), 5002);
}

#[test]
fn an_optional_reference_is_no_nullable() {
    // No runtime has it; if one did, a chain of them would be deeper than any limit.
    let mut heap = Heap::new();
    let fields = vec![
        Field::new("hasValue", 0, TypeShape::primitive(argvalues::Primitive::Bool)),
        Field::new("value", WORD, TypeShape::object()),
    ];
    let optional = TypeShape::value_type("System.Nullable`1", "object?", 2 * WORD, fields);
    let class = heap.class(optional);
    let chain = (0..3000).fold(0, |next, _| heap.boxed(&class, &words(&[1, next])));
    let slot = heap.put(words(&[chain]));
    let limits = Limits { depth: 100, bytes: usize::MAX, ..Limits::default() };
    let json = heap.json_within(limits, &TypeShape::object(), slot);
    assert_eq!(json.matches("hasValue").count(), argvalues::MAX_DEPTH);
}

#[test]
fn a_runtime_that_contradicts_itself() {
    let mut heap = Heap::new();
    // A field outside of its struct, and one whose end is no number.
    let shape = TypeShape::value_type(
        "Shop.S",
        "Shop.S",
        8,
        vec![
            Field::new("in", 4, int()),
            Field::new("out", 6, int()),
            Field::new("far", usize::MAX - 1, int()),
        ],
    );
    let slot = heap.put(ints(&[1, 2]));
    let error = format!(r#"{{"error":"Shop.S at {slot:#x}: a field lies outside of the value"}}"#);
    assert_eq!(
        heap.json(&shape, slot),
        format!(r#"{{"type":"Shop.S","fields":{{"in":2,"out":{error},"far":{error}}}}}"#)
    );
    // A class that is larger than anything.
    let class =
        heap.class(TypeShape::class("Shop.Huge", "Shop.Huge", vec![Field::new("end", 1 << 40, int())]));
    let huge = heap.object(&class, &[]);
    assert_eq!(
        heap.object_json(huge),
        format!(r#"{{"type":"Shop.Huge","address":"{huge:#x}","elided":"size"}}"#)
    );
    // Items without a size, and with none.
    for size in [None, Some(0)] {
        let element = Arc::new(TypeShape::opaque("Shop.Odd", size, "not decoded"));
        let array = heap.vector(element, 9, &[]);
        assert_eq!(
            heap.object_json(array),
            format!(r#"{{"type":"Shop.Odd[]","address":"{array:#x}","elided":"item layout not known"}}"#)
        );
    }
    // More items than there are numbers.
    let most = u32::MAX;
    let array = heap.array(int(), &[1, 1, 1], &[0; 3], &[]);
    heap.memory.insert(array + 2 * WORD, [most; 3].iter().flat_map(|dim| dim.to_ne_bytes()).collect());
    let json = heap.object_json(array);
    assert!(json.contains("the dimensions are not those of the array"), "{json}");
}

#[test]
fn a_slot_that_is_not_mapped() {
    let heap = Heap::new();
    assert_eq!(
        heap.json(&int(), 0x6666_0000),
        r#"{"error":"value: 4 bytes at 0x66660000 cannot be read: not mapped"}"#
    );
    assert_eq!(
        heap.json(&int(), usize::MAX - 1),
        format!(r#"{{"error":"value: 4 bytes at {:#x} cannot be read: not mapped"}}"#, usize::MAX - 1)
    );
    let nothing = TypeShape::opaque("Shop.Odd", None, "layout not known");
    assert_eq!(
        heap.json(&nothing, 0x6666_0000),
        r#"{"type":"Shop.Odd","address":"0x66660000","elided":"layout not known"}"#
    );
}
