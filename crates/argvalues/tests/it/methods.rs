//! Plans: arguments in ranges, by reference, after the call, and results.

use std::sync::Arc;

use argvalues::{
    ArgumentRange, Declaring, Decoder, JsonWriter, Limits, MethodPlan, Mode, PlanContext, Position, Scratch,
    SigTypeContext, TypeShape,
};
use sigparse::MethodSig;

use crate::heap::{Heap, WORD, ints, point, words};

const BOOL: u8 = 0x02;
const INT: u8 = 0x08;
const LONG: u8 = 0x0a;
const STRING: u8 = 0x0e;
const BYREF: u8 = 0x10;
const VALUETYPE: u8 = 0x11;
const VAR: u8 = 0x13;
const OBJECT: u8 = 0x1c;

fn static_sig(result: &[u8], params: &[&[u8]]) -> Vec<u8> {
    let mut blob = vec![0x00, u8::try_from(params.len()).unwrap()];
    blob.extend(result);
    blob.extend(params.concat());
    blob
}

fn instance_sig(result: &[u8], params: &[&[u8]]) -> Vec<u8> {
    let mut blob = static_sig(result, params);
    blob[0] = 0x20;
    blob
}

fn plan(heap: &Heap, blob: &[u8], declaring: &Declaring, modes: &[Mode]) -> MethodPlan {
    let generics = SigTypeContext::default();
    let context = PlanContext { modes, ..PlanContext::new(&generics, declaring) };
    MethodPlan::compile(heap, &MethodSig::parse(blob).unwrap(), context).unwrap()
}

fn static_plan(heap: &Heap, result: &[u8], params: &[&[u8]], modes: &[Mode]) -> MethodPlan {
    plan(heap, &static_sig(result, params), &Declaring::Reference, modes)
}

/// The arguments as JSON, each with its position and mode.
fn show(heap: &Heap, plan: &MethodPlan, ranges: &[ArgumentRange]) -> Vec<String> {
    let mut scratch = Scratch::new();
    let mut decoder = Decoder::new(&heap.memory, heap, Limits::default(), &mut scratch);
    plan.arguments(ranges).map(|argument| render(&argument, &mut decoder)).collect()
}

fn render(
    argument: &argvalues::Argument<'_>,
    decoder: &mut Decoder<'_, argvalues::SliceMemory, Heap>,
) -> String {
    let mut out = match argument.position() {
        Position::This => "this ".to_owned(),
        Position::Parameter(index) => format!("{index} {} ", argument.mode().as_str()),
        Position::Return => "return ".to_owned(),
    };
    argument.decode(decoder, &mut JsonWriter::new(&mut out));
    out
}

/// A range of its own for some bytes.
fn range(heap: &mut Heap, bytes: &[u8]) -> ArgumentRange {
    ArgumentRange::new(heap.put(bytes), u32::try_from(bytes.len()).unwrap())
}

#[test]
fn one_range_for_each_argument() {
    let mut heap = Heap::new();
    let plan = static_plan(&heap, &[0x01], &[&[INT], &[STRING], &[BOOL]], &[]);
    let text = heap.string("apple");
    let ranges = [range(&mut heap, &ints(&[-1])), range(&mut heap, &words(&[text])), range(&mut heap, &[1])];
    assert_eq!(show(&heap, &plan, &ranges), ["0 in -1", r#"1 in "apple""#, "2 in true"]);
    assert!(!plan.returns());
    assert_eq!(plan.argument_count(), 3);
}

#[test]
fn this_of_a_class_and_of_a_struct() {
    let mut heap = Heap::new();
    let class = heap.class(TypeShape::class("Shop.Cart", "Shop.Cart", Vec::new()));
    let cart = heap.object(&class, &[]);
    let blob = instance_sig(&[0x01], &[&[INT]]);
    let ranges = [range(&mut heap, &words(&[cart])), range(&mut heap, &ints(&[4]))];
    let class_plan = plan(&heap, &blob, &Declaring::Reference, &[]);
    assert_eq!(show(&heap, &class_plan, &ranges), [r#"this {"type":"Shop.Cart","fields":{}}"#, "0 in 4"]);

    let value = heap.put(ints(&[1, 2]));
    let ranges = [range(&mut heap, &words(&[value])), range(&mut heap, &ints(&[4]))];
    let struct_plan = plan(&heap, &blob, &Declaring::ValueType(Arc::new(point())), &[]);
    assert_eq!(
        show(&heap, &struct_plan, &ranges),
        [r#"this {"type":"Shop.Point","fields":{"X":1,"Y":2}}"#, "0 in 4"]
    );
    assert!(!struct_plan.has_outs());
}

#[test]
fn a_type_name_that_is_known_is_not_queried() {
    const CLASS: u8 = 0x12;
    let mut heap = Heap::new();
    let class = heap.class(TypeShape::class("Shop.Cart", "Shop.Cart", Vec::new()));
    let cart = heap.object(&class, &[]);
    let ranges = [range(&mut heap, &words(&[cart])), range(&mut heap, &words(&[usize::MAX - 7]))];
    // The runtime knows no type with this token.
    let unknown = [CLASS, 0x7c];
    let blob = static_sig(&unknown, &[&unknown, &unknown]);
    let names: Arc<str> = "Shop.Named".into();
    let generics = SigTypeContext::default();
    let with = |names: &[&Arc<str>]| {
        let declaring = &Declaring::Reference;
        let return_type = names.first().copied();
        let context =
            PlanContext { type_names: names, return_type, ..PlanContext::new(&generics, declaring) };
        MethodPlan::compile(&heap, &MethodSig::parse(&blob).unwrap(), context).unwrap()
    };
    let [first, second] = show(&heap, &with(&[&names]), &ranges).try_into().unwrap();
    assert_eq!(first, r#"0 in {"type":"Shop.Cart","fields":{}}"#);
    assert!(second.contains("no such token"), "{second}");
    assert!(show(&heap, &with(&[]), &ranges)[0].contains("no such token"));
    assert_eq!(with(&[&names]).result_shape().map(TypeShape::name), Some("Shop.Named"));
    assert_eq!(with(&[]).result_shape().map(TypeShape::name), None);
}

#[test]
fn an_awaited_task_is_its_result() {
    const CLASS: u8 = 0x12;
    const GENERICINST: u8 = 0x15;
    let heap = Heap::new();
    let generics = SigTypeContext::default();
    let awaited = |result: &[u8]| {
        let blob = static_sig(result, &[&[INT]]);
        let context = PlanContext { awaited: true, ..PlanContext::new(&generics, &Declaring::Reference) };
        let plan = MethodPlan::compile(&heap, &MethodSig::parse(&blob).unwrap(), context).unwrap();
        assert_eq!(plan.argument_count(), 1);
        (plan.returns(), plan.result_shape().map(|shape| shape.name().to_owned()))
    };
    // Task<int>, ValueTask<string>, Task.
    assert_eq!(awaited(&[GENERICINST, CLASS, 0x08, 1, INT]), (true, Some("int".into())));
    assert_eq!(awaited(&[GENERICINST, VALUETYPE, 0x08, 1, STRING]), (true, Some("string".into())));
    assert_eq!(awaited(&[CLASS, 0x08]), (false, None));
}

#[test]
fn an_explicit_this_is_a_parameter() {
    let mut heap = Heap::new();
    let blob = [0x60, 0x01, 0x01, OBJECT];
    let plan = plan(&heap, &blob, &Declaring::Reference, &[]);
    let ranges = [range(&mut heap, &words(&[0]))];
    assert_eq!(show(&heap, &plan, &ranges), ["0 in null"]);
}

#[test]
fn by_reference_before_and_after_the_call() {
    let mut heap = Heap::new();
    let params: [&[u8]; 4] = [&[BYREF, INT], &[BYREF, STRING], &[BYREF, INT], &[BYREF, INT]];
    let plan = static_plan(&heap, &[INT], &params, &[Mode::Ref, Mode::Out, Mode::In]);
    let (old, new) = (heap.string("old"), heap.string("new"));
    let (count, name, limit) = (heap.put(ints(&[2])), heap.put(words(&[old])), heap.put(ints(&[10])));
    let ranges = [count, name, limit, 0].map(|target| range(&mut heap, &words(&[target])));

    let out = format!(r#"1 out {{"type":"string","address":"{:#x}","elided":"out"}}"#, ranges[1].address);
    assert_eq!(show(&heap, &plan, &ranges), ["0 ref 2", &out, "2 in 10", "3 ref null"]);

    let saved = plan.save_refs(&heap.memory, &ranges, 7);
    assert_eq!(saved.len(), 3);
    // The method runs: the targets change, and so do the slots that the arguments were in.
    heap.memory.insert(count, ints(&[3]));
    heap.memory.insert(name, words(&[new]));
    for range in ranges {
        heap.memory.insert(range.address, words(&[0xdead_beef]));
    }
    let after = |collections, trusted| {
        let mut scratch = Scratch::new();
        let mut decoder = Decoder::new(&heap.memory, &heap, Limits::default(), &mut scratch).trust(trusted);
        plan.outs(&saved, collections).map(|out| render(&out, &mut decoder)).collect::<Vec<_>>()
    };
    assert_eq!(after(7, 0..0), ["0 ref 3", r#"1 out "new""#, "3 ref null"]);

    // A collection in between: what is on the stack is still where it was, anything else may not be.
    let stale = format!(
        r#"1 out {{"error":"the reference at {name:#x} may have been moved by a garbage collection during the call"}}"#
    );
    assert_eq!(after(8, count..count + 4), ["0 ref 3", &stale, "3 ref null"]);
}

#[test]
fn references_can_be_followed_through_a_collection() {
    let mut heap = Heap::new();
    let plan = static_plan(&heap, &[0x01], &[&[BYREF, INT], &[BYREF, INT]], &[]);
    let (before, after) = (heap.put(ints(&[1])), heap.put(ints(&[2])));
    let ranges = [before, before + 1].map(|target| range(&mut heap, &words(&[target])));
    let mut saved = plan.save_refs(&heap.memory, &ranges, 1);
    saved.relocate(2, |address| (address == before).then_some(after));
    let mut scratch = Scratch::new();
    let mut decoder = Decoder::new(&heap.memory, &heap, Limits::default(), &mut scratch);
    let outs: Vec<_> = plan.outs(&saved, 2).map(|out| render(&out, &mut decoder)).collect();
    assert_eq!(outs[0], "0 ref 2");
    assert!(outs[1].contains("may have been moved"), "{}", outs[1]);
}

#[test]
fn merged_ranges_are_walked_by_size() {
    let mut heap = Heap::new();
    heap.name_type(1, "Shop.Point", Some(point()));
    let params: [&[u8]; 4] = [&[LONG], &[VALUETYPE, 0x04], &[INT], &[STRING]];
    let plan = static_plan(&heap, &[0x01], &params, &[]);
    let text = heap.string("x");
    let long = 5_i64.to_ne_bytes().to_vec();
    let point_json = r#"1 in {"type":"Shop.Point","fields":{"X":1,"Y":2}}"#;

    let all = [long.clone(), ints(&[1, 2, 3]), words(&[text])].concat();
    let ranges = [range(&mut heap, &all)];
    assert_eq!(show(&heap, &plan, &ranges), ["0 in 5", point_json, "2 in 3", r#"3 in "x""#]);

    let ranges = [
        range(&mut heap, &[long, ints(&[1, 2])].concat()),
        range(&mut heap, &ints(&[3])),
        range(&mut heap, &words(&[text])),
    ];
    assert_eq!(show(&heap, &plan, &ranges), ["0 in 5", point_json, "2 in 3", r#"3 in "x""#]);
}

#[test]
fn a_range_of_the_wrong_length_is_an_error_of_that_argument() {
    let mut heap = Heap::new();
    let plan = static_plan(&heap, &[0x01], &[&[INT], &[INT], &[INT]], &[]);
    let ranges = [range(&mut heap, &ints(&[1])), range(&mut heap, &[1, 2]), range(&mut heap, &ints(&[3]))];
    let error =
        format!(r#"1 in {{"error":"int takes 4 bytes, but the range at {:#x} has 2"}}"#, ranges[1].address);
    assert_eq!(show(&heap, &plan, &ranges), ["0 in 1", &error, "2 in 3"]);
    let longer = [ranges[0], range(&mut heap, &[0; 8]), ranges[2]];
    assert!(show(&heap, &plan, &longer)[1].contains("int takes 4 bytes, but the range"));
}

#[test]
fn a_merged_range_that_ends_too_early() {
    let mut heap = Heap::new();
    let plan = static_plan(&heap, &[0x01], &[&[INT], &[LONG], &[INT], &[INT]], &[]);
    // The long has only 4 bytes left; the next range belongs to the last argument.
    let ranges = [range(&mut heap, &ints(&[1, 2])), range(&mut heap, &ints(&[9]))];
    let shown = show(&heap, &plan, &ranges);
    assert_eq!(shown[0], "0 in 1");
    assert!(shown[1].contains("long takes 8 bytes"), "{}", shown[1]);
    assert!(shown[2].contains("its location in the range"), "{}", shown[2]);
    assert_eq!(shown[3], "3 in 9");
}

#[test]
fn missing_and_superfluous_ranges() {
    let mut heap = Heap::new();
    let plan = static_plan(&heap, &[0x01], &[&[INT], &[INT]], &[]);
    let none = r#"{"error":"the runtime returned 0 ranges for 2 arguments"}"#;
    assert_eq!(show(&heap, &plan, &[]), [format!("0 in {none}"), format!("1 in {none}")]);
    let one = range(&mut heap, &ints(&[1]));
    assert!(show(&heap, &plan, &[one, one, one])[0].contains("3 ranges for 2 arguments"));
    assert_eq!(
        show(&heap, &plan, &[one])[1],
        r#"1 in {"error":"the runtime returned 1 ranges for 2 arguments"}"#
    );
}

#[test]
fn a_parameter_whose_type_is_not_known_costs_no_other() {
    let mut heap = Heap::new();
    heap.name_type(2, "Shop.Unloaded", None);
    let params: [&[u8]; 4] = [&[INT], &[VALUETYPE, 0x08], &[VAR, 0x03], &[STRING]];
    let plan = static_plan(&heap, &[VALUETYPE, 0x08], &params, &[]);
    let ranges = [
        range(&mut heap, &ints(&[1])),
        range(&mut heap, &[0; 24]),
        range(&mut heap, &[0; 8]),
        range(&mut heap, &words(&[0])),
    ];
    assert_eq!(
        show(&heap, &plan, &ranges),
        [
            "0 in 1",
            r#"1 in {"error":"the type is not known: Shop.Unloaded: the class is not loaded"}"#,
            r#"2 in {"error":"the type is not known: the type argument !3 is not known"}"#,
            "3 in null"
        ]
    );
    // By reference its place is known, and in a merged range nothing behind it is lost.
    let by_ref = static_plan(&heap, &[0x01], &[&[BYREF, VALUETYPE, 0x08], &[INT]], &[]);
    let merged = range(&mut heap, &[words(&[0]), ints(&[6])].concat());
    assert_eq!(show(&heap, &by_ref, &[merged])[1], "1 in 6");
    // In place it is not, and what follows in the range says so.
    let in_place = static_plan(&heap, &[0x01], &[&[VALUETYPE, 0x08], &[INT]], &[]);
    assert!(show(&heap, &in_place, &[merged])[1].contains("its location in the range"));
}

#[test]
fn results() {
    let mut heap = Heap::new();
    let show = |heap: &Heap, plan: &MethodPlan, range| {
        let mut scratch = Scratch::new();
        let mut decoder = Decoder::new(&heap.memory, heap, Limits::default(), &mut scratch);
        render(&plan.result(range).unwrap(), &mut decoder)
    };
    let number = range(&mut heap, &ints(&[42]));
    let plan = static_plan(&heap, &[INT], &[], &[]);
    assert!(plan.returns());
    assert_eq!(show(&heap, &plan, number), "return 42");
    let plan = static_plan(&heap, &[LONG], &[], &[]);
    assert!(show(&heap, &plan, number).contains("long takes 8 bytes"));
    let plan = static_plan(&heap, &[BYREF, INT], &[], &[]);
    let reference = range(&mut heap, &words(&[number.address]));
    assert_eq!(show(&heap, &plan, reference), "return 42");
    assert!(static_plan(&heap, &[0x01], &[], &[]).result(number).is_none());
    // The setter of an init-only property returns `modreq void`.
    assert!(!static_plan(&heap, &[0x1f, 0x05, 0x01], &[], &[]).returns());
}

#[test]
fn a_malformed_signature_gives_no_plan() {
    let heap = Heap::new();
    let generics = SigTypeContext::default();
    let context = PlanContext::new(&generics, &Declaring::Reference);
    // Two parameters are announced, and one is there.
    let sig = MethodSig::parse(&[0x00, 0x02, 0x01, INT]).unwrap();
    assert!(MethodPlan::compile(&heap, &sig, context).is_err());
}

#[test]
fn words_are_as_long_as_addresses() {
    assert_eq!(WORD, argvalues::POINTER_SIZE);
}
