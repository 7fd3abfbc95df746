//! Structs, classes, boxes, delegates.

use std::sync::Arc;

use argvalues::{Decoder, Field, JsonWriter, Limits, Primitive, Scratch, Target, TypeShape};

use crate::heap::{Heap, WORD, int, ints, nullable, point, primitive, words};

#[test]
fn structs_in_structs() {
    let mut heap = Heap::new();
    let point = Arc::new(point());
    let line = TypeShape::value_type(
        "Shop.Line",
        "Shop.Line",
        24,
        vec![
            Field::new("from", 0, point.clone()),
            Field::new("to", 8, point),
            Field::new("visible", 16, primitive(Primitive::Bool)),
        ],
    );
    let mut bytes = ints(&[1, 2, 3, -4]);
    bytes.extend([1, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(
        heap.json_of(&line, bytes),
        r#"{"type":"Shop.Line","fields":{"from":{"type":"Shop.Point","fields":{"X":1,"Y":2}},"to":{"type":"Shop.Point","fields":{"X":3,"Y":-4}},"visible":true}}"#
    );
}

#[test]
fn a_struct_without_fields_and_one_with_overlapping_ones() {
    let mut heap = Heap::new();
    let empty = TypeShape::value_type("Shop.Empty", "Shop.Empty", 1, Vec::new());
    assert_eq!(heap.json_of(&empty, [0]), r#"{"type":"Shop.Empty","fields":{}}"#);
    let union = TypeShape::value_type(
        "Shop.Union",
        "Shop.Union",
        4,
        vec![Field::new("number", 0, int()), Field::new("bits", 0, primitive(Primitive::F32))],
    );
    assert_eq!(
        heap.json_of(&union, 1_f32.to_ne_bytes()),
        r#"{"type":"Shop.Union","fields":{"number":1065353216,"bits":1.0}}"#
    );
}

#[test]
fn a_union_is_its_case() {
    let mut heap = Heap::new();
    let cat = heap.class(TypeShape::class(
        "Shop.Cat",
        "Shop.Cat",
        vec![Field::new("<Name>k__BackingField", WORD, TypeShape::string())],
    ));
    let value = |shape| Field::new("<Value>k__BackingField", 0, shape);
    let pet = TypeShape::union("Shop.Pet", WORD, value(TypeShape::object()));
    let name = heap.string("Tom");
    let tom = heap.object(&cat, &[(WORD, &words(&[name]))]);
    let of_tom = r#"{"type":"Shop.Cat","fields":{"Name":"Tom"}}"#;
    assert_eq!(heap.json_of(&pet, words(&[tom])), of_tom);
    assert_eq!(heap.json_of(&pet, words(&[0])), "null");
    // In another value, and without the reference that a union has.
    let pair = vec![Field::new("Left", 0, Arc::new(pet)), Field::new("Right", 8, int())];
    let pair = TypeShape::value_type("Shop.Pair", "Shop.Pair", 16, pair);
    assert_eq!(
        heap.json_of(&pair, words(&[tom, 5])),
        format!(r#"{{"type":"Shop.Pair","fields":{{"Left":{of_tom},"Right":5}}}}"#)
    );
    let other = TypeShape::union("Shop.Number", 4, value(int()));
    assert_eq!(heap.json_of(&other, ints(&[7])), r#"{"type":"Shop.Number","fields":{"Value":7}}"#);
}

#[test]
fn objects_have_the_type_they_have_and_not_the_declared_one() {
    let mut heap = Heap::new();
    let item = heap.class(TypeShape::class(
        "Shop.Item",
        "Shop.Item",
        vec![
            Field::new("_id", 3 * WORD, primitive(Primitive::I64)),
            Field::new("<Name>k__BackingField", WORD, TypeShape::string()),
            Field::new("next", 2 * WORD, Arc::new(TypeShape::reference("Shop.Base"))),
        ],
    ));
    let name = heap.string("apple");
    let last = heap.object(&item, &[(WORD, &words(&[0, 0])), (3 * WORD, &8_i64.to_ne_bytes())]);
    let first = heap.object(&item, &[(WORD, &words(&[name, last])), (3 * WORD, &7_i64.to_ne_bytes())]);
    let slot = heap.put(first.to_ne_bytes());
    assert_eq!(
        heap.json(&TypeShape::reference("Shop.IItem"), slot),
        r#"{"type":"Shop.Item","fields":{"_id":7,"Name":"apple","next":{"type":"Shop.Item","fields":{"_id":8,"Name":null,"next":null}}}}"#
    );
    assert_eq!(
        heap.value(&TypeShape::object(), slot).to_string(),
        r#"Shop.Item { _id: 7, Name: "apple", next: Shop.Item { _id: 8, Name: null, next: null } }"#
    );
}

#[test]
fn an_object_without_fields() {
    let mut heap = Heap::new();
    let object = heap.class(TypeShape::class("System.Object", "object", Vec::new()));
    let reference = heap.object(&object, &[]);
    assert_eq!(heap.object_json(reference), r#"{"type":"object","fields":{}}"#);
}

#[test]
fn boxed_structs() {
    let mut heap = Heap::new();
    let class = heap.class(point());
    let reference = heap.boxed(&class, &ints(&[5, 6]));
    assert_eq!(heap.object_json(reference), r#"{"type":"Shop.Point","fields":{"X":5,"Y":6}}"#);
}

#[test]
fn nullables_are_null_or_the_value() {
    let mut heap = Heap::new();
    let shape = nullable("int?", &int());
    assert_eq!(heap.json_of(&shape, ints(&[0, 9])), "null");
    assert_eq!(heap.json_of(&shape, [&[1, 0, 0, 0][..], &ints(&[9])].concat()), "9");
    let shape = nullable("Shop.Point?", &Arc::new(point()));
    let bytes = [&[1, 0, 0, 0, 0, 0, 0, 0][..], &ints(&[1, 2])].concat();
    assert_eq!(heap.json_of(&shape, bytes), r#"{"type":"Shop.Point","fields":{"X":1,"Y":2}}"#);
}

#[test]
fn an_object_in_itself_is_a_cycle_and_one_that_occurs_twice_is_not() {
    let mut heap = Heap::new();
    let reference = || Arc::new(TypeShape::reference("Shop.Node"));
    let node = heap.class(TypeShape::class(
        "Shop.Node",
        "Shop.Node",
        vec![Field::new("left", WORD, reference()), Field::new("right", 2 * WORD, reference())],
    ));
    let leaf = heap.object(&node, &[(WORD, &words(&[0, 0]))]);
    let shared = heap.object(&node, &[(WORD, &words(&[leaf, leaf]))]);
    let shown = r#"{"type":"Shop.Node","fields":{"left":null,"right":null}}"#;
    assert_eq!(
        heap.object_json(shared),
        format!(r#"{{"type":"Shop.Node","fields":{{"left":{shown},"right":{shown}}}}}"#)
    );

    let parent = heap.object(&node, &[(WORD, &words(&[0, 0]))]);
    let child = heap.object(&node, &[(WORD, &words(&[parent, 0]))]);
    heap.memory.insert(parent + WORD, words(&[child, parent]));
    assert_eq!(
        heap.object_json(parent),
        format!(
            r#"{{"type":"Shop.Node","fields":{{"left":{{"type":"Shop.Node","fields":{{"left":{{"type":"Shop.Node","cycle":"{parent:#x}"}},"right":null}}}},"right":{{"type":"Shop.Node","cycle":"{parent:#x}"}}}}}}"#
        )
    );
}

#[test]
fn a_box_and_an_array_can_be_ancestors_too() {
    let mut heap = Heap::new();
    let holder = TypeShape::value_type(
        "Shop.Holder",
        "Shop.Holder",
        WORD,
        vec![Field::new("held", 0, TypeShape::object())],
    );
    let holder = heap.class(holder);
    let reference = heap.boxed(&holder, &words(&[0]));
    heap.memory.insert(reference + WORD, words(&[reference]));
    assert_eq!(
        heap.object_json(reference),
        format!(
            r#"{{"type":"Shop.Holder","fields":{{"held":{{"type":"Shop.Holder","cycle":"{reference:#x}"}}}}}}"#
        )
    );

    let array = heap.vector(TypeShape::object(), 1, &words(&[0]));
    heap.memory.insert(array + 2 * WORD, words(&[array]));
    assert_eq!(
        heap.object_json(array),
        format!(r#"{{"type":"object[]","length":1,"items":[{{"type":"object[]","cycle":"{array:#x}"}}]}}"#)
    );
}

/// The fields of a delegate in the order of the framework.
fn delegate_fields() -> Vec<Field> {
    let names =
        ["_target", "_methodBase", "_methodPtr", "_methodPtrAux", "_invocationList", "_invocationCount"];
    let field = |(index, name): (usize, &str)| {
        let shape = match name {
            "_methodPtr" | "_methodPtrAux" | "_invocationCount" => primitive(Primitive::ISize),
            _ => TypeShape::object(),
        };
        Field::new(name, (index + 1) * WORD, shape)
    };
    names.into_iter().enumerate().map(field).collect()
}

#[test]
fn delegates_name_their_target_and_method() {
    let mut heap = Heap::new();
    let class = heap.class(TypeShape::delegate("System.Func<int>", delegate_fields()));
    heap.methods.insert(0x1111_0000, "Shop.Cart.<Add>b__0".into());
    heap.methods.insert(0x2222_0000, "Shop.Cart.Make".into());
    let int_box = heap.class(TypeShape::value_type("System.Int32", "int", 4, Vec::new()));
    let target = heap.boxed(&int_box, &3_i32.to_ne_bytes());

    let instance = heap.object(&class, &[(WORD, &words(&[target, 0, 0x1111_0000, 0, 0, 0]))]);
    assert_eq!(
        heap.object_json(instance),
        r#"{"type":"System.Func<int>","target":{"type":"int","value":3},"method":"Shop.Cart.<Add>b__0"}"#
    );

    // A static method: the delegate is its own target, and a stub is called first.
    let fixed = heap.object(&class, &[(WORD, &words(&[0, 0, 0x9999_0000, 0x2222_0000, 0, 0]))]);
    heap.memory.insert(fixed + WORD, words(&[fixed]));
    assert_eq!(
        heap.object_json(fixed),
        r#"{"type":"System.Func<int>","target":null,"method":"Shop.Cart.Make"}"#
    );

    let unknown = heap.object(&class, &[(WORD, &words(&[0, 0, 0x4444_0000, 0, 0, 0]))]);
    assert_eq!(heap.object_json(unknown), r#"{"type":"System.Func<int>","target":null,"method":null}"#);

    // Several at once, in an array that may have room for more. The two fields have other uses, too.
    let list = heap.vector(TypeShape::object(), 3, &words(&[instance, fixed, 0]));
    let combined = heap.object(&class, &[(WORD, &words(&[0, 0, 0x4444_0000, 0, list, 2]))]);
    let (first, second) = (heap.object_json(instance), heap.object_json(fixed));
    assert_eq!(
        heap.object_json(combined),
        format!(r#"{{"type":"System.Func<int>","length":2,"items":[{first},{second}]}}"#)
    );
    let other = heap.object(&class, &[(WORD, &words(&[0, 0, 0x4444_0000, 0, instance, 2]))]);
    assert_eq!(heap.object_json(other), heap.object_json(unknown));
}

#[test]
fn combined_delegates_of_net_11_have_theirs_in_wrappers() {
    let mut heap = Heap::new();
    let names = ["_helperObject", "_target", "_methodPtr", "_methodPtrAux", "_extraData"];
    let fields = names.into_iter().enumerate().map(|(index, name)| {
        let shape = match name {
            "_helperObject" | "_target" => TypeShape::object(),
            _ => primitive(Primitive::ISize),
        };
        Field::new(name, (index + 1) * WORD, shape)
    });
    let class = heap.class(TypeShape::delegate("System.Action", fields.collect()));
    heap.methods.insert(0x1111_0000, "Shop.Cart.Add".into());
    let single = heap.object(&class, &[(WORD, &words(&[0, 0, 0x1111_0000, 0, 0]))]);
    let shown = r#"{"type":"System.Action","target":null,"method":"Shop.Cart.Add"}"#;
    assert_eq!(heap.object_json(single), shown);

    let wrapper = TypeShape::value_type(
        "System.Delegate.Wrapper",
        "System.Delegate.Wrapper",
        WORD,
        vec![Field::new("Value", 0, TypeShape::object())],
    );
    let list = heap.vector(Arc::new(wrapper), 4, &words(&[single, single, 0, 0]));
    let combined = heap.object(&class, &[(WORD, &words(&[list, 0, 0x4444_0000, 0, 2]))]);
    assert_eq!(
        heap.object_json(combined),
        format!(r#"{{"type":"System.Action","length":2,"items":[{shown},{shown}]}}"#)
    );
    // The first field has other uses: an object that keeps the method's code alive, for instance.
    let kept = heap.object(&class, &[(WORD, &words(&[single, 0, 0x1111_0000, 0, 0]))]);
    assert_eq!(heap.object_json(kept), shown);
}

#[test]
fn what_has_no_layout_says_so_with_type_and_address() {
    let mut heap = Heap::new();
    let class = heap.class(TypeShape::opaque("Shop.Item", None, "not decoded"));
    let reference = heap.object(&class, &[]);
    assert_eq!(
        heap.object_json(reference),
        format!(r#"{{"type":"Shop.Item","address":"{reference:#x}","elided":"not decoded"}}"#)
    );
    // A field without a layout does not cost its neighbours.
    let opaque = Arc::new(TypeShape::opaque("Shop.Big", None, "layout not known"));
    let shape = TypeShape::value_type(
        "Shop.S",
        "Shop.S",
        16,
        vec![Field::new("big", 0, opaque), Field::new("number", 12, int())],
    );
    let slot = heap.put(ints(&[0, 0, 0, 4]));
    assert_eq!(
        heap.json(&shape, slot),
        format!(
            r#"{{"type":"Shop.S","fields":{{"big":{{"type":"Shop.Big","address":"{slot:#x}","elided":"layout not known"}},"number":4}}}}"#
        )
    );
}

#[test]
fn a_shape_that_misses_a_type_is_asked_for_again() {
    let mut heap = Heap::new();
    let of_part = |part: TypeShape| {
        TypeShape::class("Shop.Order", "Shop.Order", vec![Field::new("Part", WORD, Arc::new(part))])
    };
    let later = TypeShape::opaque("Shop.Point", Some(8), "not loaded").provisional();
    let order = heap.class(of_part(later));
    let object = heap.object(&order, &[(WORD, &ints(&[3, 4]))]);
    let mut scratch = Scratch::new();
    let mut show = |heap: &Heap| {
        let mut out = String::new();
        Decoder::new(&heap.memory, heap, Limits::default(), &mut scratch)
            .object(object, &mut JsonWriter::new(&mut out));
        out
    };
    assert!(show(&heap).contains(r#""elided":"not loaded""#));
    let shown = r#"{"type":"Shop.Order","fields":{"Part":{"type":"Shop.Point","fields":{"X":3,"Y":4}}}}"#;
    heap.change(&order, of_part(point()));
    assert_eq!(show(&heap), shown);
    // It is complete, and kept.
    heap.change(&order, of_part(TypeShape::opaque("Shop.Point", Some(8), "never")));
    assert_eq!(show(&heap), shown);
}

#[test]
fn whatever_has_a_provisional_type_in_place_is_provisional() {
    let later = || Arc::new(TypeShape::opaque("Shop.Later", None, "not loaded").provisional());
    let field = |shape| vec![Field::new("Part", 0, shape)];
    let holder = TypeShape::value_type("Shop.Holder", "Shop.Holder", 8, field(later()));
    assert!(holder.is_provisional());
    assert!(TypeShape::vector(Arc::new(holder.clone())).is_provisional());
    assert!(TypeShape::class("Shop.Order", "Shop.Order", field(Arc::new(holder))).is_provisional());
    assert!(TypeShape::class("Shop.Cart`1", "Shop.Cart", Vec::new()).with_args([later()]).is_provisional());
    // What a reference or a pointer leads to is looked up when it is met.
    let pointer = TypeShape::pointer("Shop.Later", Target::Shape(later()));
    assert!(!TypeShape::class("Shop.Order", "Shop.Order", field(Arc::new(pointer))).is_provisional());
    assert!(!TypeShape::opaque("Shop.Never", None, "no value").is_provisional());
}

/// A list of two numbers, in a class that is derived from `List<int>`.
fn derived_list(heap: &mut Heap, own: Vec<Field>, more: &[(usize, &[u8])]) -> String {
    let fields = || {
        let items = TypeShape::reference("int[]");
        vec![Field::new("_items", WORD, Arc::new(items)), Field::new("_size", 2 * WORD, int())]
    };
    let list = TypeShape::class(
        "System.Collections.Generic.List`1",
        "System.Collections.Generic.List<int>",
        fields(),
    );
    let class =
        TypeShape::subclass(Arc::new(list), "Shop.Numbers", fields().into_iter().chain(own).collect());
    let class = heap.class(class);
    let items = heap.vector(int(), 4, &ints(&[7, 8, 0, 0]));
    let (items, size) = (words(&[items]), ints(&[2]));
    let fields = [&[(WORD, &items[..]), (2 * WORD, &size[..])], more].concat();
    let object = heap.object(&class, &fields);
    heap.object_json(object)
}

#[test]
fn a_derived_class_is_its_base_class_and_its_own_fields() {
    let mut heap = Heap::new();
    assert_eq!(
        derived_list(&mut heap, Vec::new(), &[]),
        r#"{"type":"Shop.Numbers","length":2,"items":[7,8]}"#
    );
    let own = vec![Field::new("Sum", 3 * WORD, int())];
    assert_eq!(
        derived_list(&mut heap, own, &[(3 * WORD, &ints(&[15]))]),
        concat!(
            r#"{"type":"Shop.Numbers","fields":{"base":{"type":"System.Collections.Generic.List<int>","#,
            r#""length":2,"items":[7,8]},"Sum":15}}"#
        )
    );
}

#[test]
fn items_are_what_the_variable_says() {
    let mut heap = Heap::new();
    let fields = || {
        vec![
            Field::new("_object", 0, TypeShape::object()),
            Field::new("_index", WORD, int()),
            Field::new("_length", WORD + 4, int()),
        ]
    };
    let memory = |of| TypeShape::value_type("System.Memory`1", "M", 2 * WORD, fields()).with_args([of]);
    let items = heap.vector(primitive(Primitive::U32), 2, &ints(&[1, -1]));
    let value = [words(&[items]), ints(&[0, 2])].concat();
    assert_eq!(heap.json_of(&memory(int()), value.clone()), r#"{"type":"M","length":2,"items":[1,-1]}"#);
    // A shared instance does not say it, and another size cannot be.
    let own = r#"{"type":"M","length":2,"items":[1,4294967295]}"#;
    let canon = Arc::new(TypeShape::reference("System.__Canon"));
    assert_eq!(heap.json_of(&memory(canon), value.clone()), own);
    assert_eq!(heap.json_of(&memory(primitive(Primitive::I64)), value), own);
}
