//! Arrays of everything, in any number of dimensions, and spans.

use std::sync::Arc;

use argvalues::{Limits, Primitive, TypeShape};

use crate::heap::{Heap, enumeration, int, ints, point, primitive, span, words};

#[test]
fn vectors_of_primitives() {
    let mut heap = Heap::new();
    let mut show = |of: Primitive, length, items: &[u8]| {
        let array = heap.vector(primitive(of), length, items);
        heap.object_json(array)
    };
    assert_eq!(
        show(Primitive::I32, 3, &ints(&[1, -2, 3])),
        r#"{"type":"int[]","length":3,"items":[1,-2,3]}"#
    );
    assert_eq!(show(Primitive::I32, 0, &[]), r#"{"type":"int[]","length":0,"items":[]}"#);
    assert_eq!(show(Primitive::Bool, 2, &[1, 0]), r#"{"type":"bool[]","length":2,"items":[true,false]}"#);
    assert_eq!(show(Primitive::U8, 2, &[255, 0]), r#"{"type":"byte[]","length":2,"items":[255,0]}"#);
    assert_eq!(
        show(Primitive::Char, 2, &[0x61, 0, 0x22, 0]),
        r#"{"type":"char[]","length":2,"items":["a","\""]}"#
    );
    assert_eq!(show(Primitive::ISize, 1, &words(&[7])), r#"{"type":"nint[]","length":1,"items":[7]}"#);
    assert_eq!(
        show(Primitive::F64, 1, &0.5_f64.to_ne_bytes()),
        r#"{"type":"double[]","length":1,"items":[0.5]}"#
    );
}

#[test]
fn vectors_of_enums_strings_and_structs() {
    let mut heap = Heap::new();
    let color = Arc::new(enumeration("Shop.Color", Primitive::U8, false, &[(1, "Red")]));
    let array = heap.vector(color, 2, &[1, 2]);
    assert_eq!(
        heap.object_json(array),
        r#"{"type":"Shop.Color[]","length":2,"items":[{"enum":"Shop.Color.Red","value":1},{"enum":"Shop.Color","value":2}]}"#
    );
    let (a, b) = (heap.string("a"), heap.string(""));
    let array = heap.vector(TypeShape::string(), 3, &words(&[a, 0, b]));
    assert_eq!(heap.object_json(array), r#"{"type":"string[]","length":3,"items":["a",null,""]}"#);
    let array = heap.vector(Arc::new(point()), 2, &ints(&[1, 2, 3, 4]));
    assert_eq!(
        heap.object_json(array),
        r#"{"type":"Shop.Point[]","length":2,"items":[{"type":"Shop.Point","fields":{"X":1,"Y":2}},{"type":"Shop.Point","fields":{"X":3,"Y":4}}]}"#
    );
}

#[test]
fn jagged_arrays_and_arrays_of_objects() {
    let mut heap = Heap::new();
    let inner = heap.class(TypeShape::vector(int()));
    let first = heap.vector_of(&inner, 2, &ints(&[1, 2]));
    let empty = heap.vector_of(&inner, 0, &[]);
    let outer = heap.vector(Arc::new(TypeShape::reference("int[]")), 3, &words(&[first, 0, empty]));
    assert_eq!(
        heap.object_json(outer),
        r#"{"type":"int[][]","length":3,"items":[{"type":"int[]","length":2,"items":[1,2]},null,{"type":"int[]","length":0,"items":[]}]}"#
    );
    let text = heap.string("x");
    let mixed = heap.vector(TypeShape::object(), 2, &words(&[text, first]));
    assert_eq!(
        heap.object_json(mixed),
        r#"{"type":"object[]","length":2,"items":["x",{"type":"int[]","length":2,"items":[1,2]}]}"#
    );
}

#[test]
fn several_dimensions_in_row_order_with_lower_bounds() {
    let mut heap = Heap::new();
    let table = heap.array(int(), &[2, 3], &[0, 0], &ints(&[1, 2, 3, 4, 5, 6]));
    assert_eq!(
        heap.object_json(table),
        r#"{"type":"int[,]","length":6,"dims":[2,3],"lower":[0,0],"items":[1,2,3,4,5,6]}"#
    );
    let from_one = heap.array(int(), &[2], &[-1], &ints(&[7, 8]));
    assert_eq!(
        heap.object_json(from_one),
        r#"{"type":"int[*]","length":2,"dims":[2],"lower":[-1],"items":[7,8]}"#
    );
    let nothing = heap.array(int(), &[2, 0, 4], &[0, 1, 2], &[]);
    assert_eq!(
        heap.object_json(nothing),
        r#"{"type":"int[,,]","length":0,"dims":[2,0,4],"lower":[0,1,2],"items":[]}"#
    );
}

#[test]
fn a_long_array_is_cut_and_says_so() {
    let mut heap = Heap::new();
    let array = heap.vector(int(), 1_000_000, &ints(&(0..2000).collect::<Vec<_>>()));
    let slot = heap.put(array.to_ne_bytes());
    let limits = Limits { items: 2, ..Limits::default() };
    assert_eq!(
        heap.json_within(limits, &TypeShape::object(), slot),
        r#"{"type":"int[]","length":1000000,"items":[0,1],"truncated":true}"#
    );
    let limits = Limits { items: 0, ..Limits::default() };
    assert_eq!(
        heap.json_within(limits, &TypeShape::object(), slot),
        r#"{"type":"int[]","length":1000000,"items":[],"truncated":true}"#
    );
    // More items than are read at a time.
    let limits = Limits { items: 2000, bytes: 100_000, ..Limits::default() };
    let json = heap.json_within(limits, &TypeShape::object(), slot);
    assert!(json.ends_with(r#",1998,1999],"truncated":true}"#), "{json}");
}

#[test]
fn an_array_that_runs_out_of_memory_shows_what_there_is() {
    let mut heap = Heap::new();
    // The first chunk is there, the second is not.
    let array = heap.vector(int(), 3000, &ints(&(0..1024).collect::<Vec<_>>()));
    let slot = heap.put(array.to_ne_bytes());
    let limits = Limits { items: 3000, bytes: 100_000, ..Limits::default() };
    let json = heap.json_within(limits, &TypeShape::object(), slot);
    assert!(json.contains(r#",1023,{"error":"items: 4096 bytes at"#), "{json}");
    assert!(json.ends_with(r#"not mapped"}],"truncated":true}"#), "{json}");
}

#[test]
fn spans_are_arrays_with_their_own_type() {
    let mut heap = Heap::new();
    let shape = span("System.Span`1", "System.Span<int>", &int());
    let data = heap.put(ints(&[4, 5]));
    let with = |data: usize, length: i32| [words(&[data]), ints(&[length, 0])].concat();
    assert_eq!(
        heap.json_of(&shape, with(data, 2)),
        r#"{"type":"System.Span<int>","length":2,"items":[4,5]}"#
    );
    assert_eq!(heap.json_of(&shape, with(0, 0)), r#"{"type":"System.Span<int>","length":0,"items":[]}"#);
    // The framework's own sentinel for "no elements".
    assert_eq!(heap.json_of(&shape, with(1, 0)), r#"{"type":"System.Span<int>","length":0,"items":[]}"#);
    let wild = heap.json_of(&shape, with(0x1234_5678, 1));
    assert!(wild.contains(r#""items":[{"error":"items: 4 bytes at 0x12345678"#), "{wild}");
    let negative = heap.json_of(&shape, with(data, -1));
    assert!(negative.contains("the length is negative"), "{negative}");
}
