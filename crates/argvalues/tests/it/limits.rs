//! What limits cut says so.

use std::sync::Arc;

use argvalues::{Decoder, Field, JsonWriter, Limits, Scratch, TypeShape};

use crate::heap::{Heap, WORD, ints, point, words};

/// A list of nodes, the last one first in memory.
fn list(heap: &mut Heap, length: usize) -> usize {
    let next = Field::new("next", WORD, Arc::new(TypeShape::reference("Shop.Node")));
    let node = heap.class(TypeShape::class("Shop.Node", "Shop.Node", vec![next]));
    (0..length).fold(0, |next, _| heap.object(&node, &[(WORD, &words(&[next]))]))
}

#[test]
fn objects_below_the_depth_limit_keep_type_and_address() {
    let mut heap = Heap::new();
    let first = list(&mut heap, 3);
    let slot = heap.put(words(&[first]));
    let show = |depth| heap.json_within(Limits { depth, ..Limits::default() }, &TypeShape::object(), slot);
    assert_eq!(show(0), format!(r#"{{"type":"Shop.Node","address":"{first:#x}","elided":"depth"}}"#));
    let json = show(2);
    assert!(json.contains(r#""next":{"type":"Shop.Node","address":"0x"#), "{json}");
    assert!(json.ends_with(r#""elided":"depth"}}}}}"#), "{json}");
    assert!(show(3).ends_with(r#"{"next":null}}}}}}"#));
}

#[test]
fn structs_count_as_levels() {
    let mut heap = Heap::new();
    let slot = heap.put(ints(&[1, 2]));
    assert_eq!(
        heap.json_within(Limits { depth: 0, ..Limits::default() }, &point(), slot),
        format!(r#"{{"type":"Shop.Point","address":"{slot:#x}","elided":"depth"}}"#)
    );
}

#[test]
fn no_limit_is_deeper_than_the_stack_allows() {
    let mut heap = Heap::new();
    let first = list(&mut heap, 5000);
    let slot = heap.put(words(&[first]));
    let limits = Limits {
        depth: usize::MAX,
        items: usize::MAX,
        chars: usize::MAX,
        bytes: usize::MAX,
        ..Limits::default()
    };
    let json = heap.json_within(limits, &TypeShape::object(), slot);
    assert_eq!(json.matches("next").count(), argvalues::MAX_DEPTH);
    assert!(json.contains(r#""elided":"depth""#));
}

#[test]
fn when_the_bytes_are_used_up_every_kind_says_so() {
    let mut heap = Heap::new();
    let text = heap.string("abcdefghij");
    let texts = heap.vector(TypeShape::string(), 3, &words(&[text, text, text]));
    let slot = heap.put(words(&[texts]));
    let show = |bytes| heap.json_within(Limits { bytes, ..Limits::default() }, &TypeShape::object(), slot);
    let whole = show(3 * WORD + WORD + 3 * 24);
    assert_eq!(whole, r#"{"type":"string[]","length":3,"items":["abcdefghij","abcdefghij","abcdefghij"]}"#);
    let cut = show(3 * WORD + WORD + 24 + 4 + 6);
    assert_eq!(
        cut,
        format!(
            r#"{{"type":"string[]","length":3,"items":["abcdefghij",{{"string":"abc","length":10,"truncated":true}},{{"type":"string","address":"{text:#x}","elided":"bytes"}}]}}"#
        )
    );
    assert_eq!(
        show(WORD + WORD),
        r#"{"type":"string[]","length":3,"items":[{"type":"string","address":"#.to_owned()
            + &format!(r#""{text:#x}","elided":"bytes"}}],"truncated":true}}"#)
    );
    assert_eq!(show(WORD), r#"{"type":"string[]","length":3,"items":[],"truncated":true}"#);
    assert_eq!(show(0), format!(r#"{{"type":"object","address":"{texts:#x}","elided":"bytes"}}"#));
}

#[test]
fn arguments_do_not_use_up_the_bytes_of_each_other() {
    let mut heap = Heap::new();
    let slot = heap.put(ints(&[7]));
    let mut scratch = Scratch::new();
    let limits = Limits { bytes: 0, ..Limits::default() };
    let mut decoder = Decoder::new(&heap.memory, &heap, limits, &mut scratch);
    let mut out = String::new();
    for _ in 0..100 {
        decoder.value(&crate::heap::int(), slot, &mut JsonWriter::new(&mut out));
    }
    assert_eq!(out, "7".repeat(100));
}
