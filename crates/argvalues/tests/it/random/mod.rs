//! Random memory, random shapes, random signatures, random records: no panic, no endless loop, nothing read that is
//! not there, and the events always balanced. The fuzz targets do the same with bytes of the fuzzer's.

use std::{cell::Cell, sync::Arc};

use argvalues::{
    ArgumentRange, Declaring, Decoder, Field, GenericContext, JsonWriter, KnownBase, Limits, Memory,
    MemoryError, MethodPlan, Mode, ModuleId, PlanContext, Primitive, RecordNames, RecordReader, RecordWriter,
    Scratch, SliceMemory, Target, TypeShape, Visitor,
};

use crate::balanced::Balanced;
use crate::heap::{Heap, WORD, enumeration, json_is_well_formed, nullable, point, primitive, span};

/// Where choices come from.
pub(crate) enum Random<'b> {
    /// A small generator (splitmix64): the same numbers on every run.
    Numbers(u64),
    /// A fuzzer's bytes, and zeros when they are used up.
    Bytes(&'b [u8]),
}

impl Random<'_> {
    /// A number of so many bytes.
    fn number(&mut self, bytes: usize) -> u64 {
        match self {
            Self::Numbers(state) => {
                *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut mixed = *state;
                mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
                mixed ^ mixed >> 31
            }
            Self::Bytes(rest) => {
                let (now, later) = rest.split_at(bytes.min(rest.len()));
                *rest = later;
                now.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
            }
        }
    }

    fn next(&mut self) -> u64 {
        self.number(8)
    }

    fn below(&mut self, bound: usize) -> usize {
        // A fuzzer gets further with a byte for each choice.
        let number = self.number(if bound <= 0x100 { 1 } else { 2 });
        usize::try_from(number % u64::try_from(bound).unwrap()).unwrap()
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    fn chance(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }
}

/// Counts what is read, so that the byte limit can be held against it.
struct Counting<'a> {
    memory: &'a SliceMemory,
    bytes: Cell<usize>,
}

impl Memory for Counting<'_> {
    fn read(&self, address: usize, buffer: &mut [u8]) -> Result<(), MemoryError> {
        self.bytes.set(self.bytes.get() + buffer.len());
        self.memory.read(address, buffer)
    }
}

/// A random shape of a slot. Offsets and sizes need not fit together.
fn shape(random: &mut Random<'_>, depth: usize) -> Arc<TypeShape> {
    let leaf = depth == 0;
    Arc::new(match random.below(if leaf { 7 } else { 16 }) {
        0 | 1 => return primitive(*random.pick(&Primitive::ALL)),
        2 => return TypeShape::string(),
        3 | 4 => return TypeShape::object(),
        5 => enumeration(
            "E",
            *random.pick(&Primitive::ALL),
            random.chance(2),
            &[(0, "Z"), (1, "A"), (-1, "M")],
        ),
        6 => TypeShape::opaque("O", (!random.chance(3)).then(|| random.below(40)), "not decoded"),
        7 => TypeShape::pointer("p", Target::Shape(shape(random, depth - 1))),
        8 => TypeShape::by_ref("r", Target::Shape(shape(random, depth - 1))),
        9 => {
            let of = shape(random, depth - 1);
            if of.size().is_none() {
                return of;
            }
            nullable("N?", &of)
        }
        10 => span("System.Span`1", "Span", &shape(random, depth - 1)),
        11 => {
            let names =
                ["Decimal", "DateTime", "TimeSpan", "Guid", "Int128", "UInt128", "Half", "DateTimeOffset"];
            let name = format!("System.{}", random.pick(&names));
            let size = *random.pick(&[2, 8, 16, 5]);
            let data = Field::new("_dateTime", 0, primitive(Primitive::U64));
            let offset = Field::new("_offsetMinutes", 8, primitive(Primitive::I16));
            TypeShape::value_type(&name, name.as_str(), size, vec![data, offset])
        }
        12 => point(),
        13 => viewed_struct(random, depth),
        14 => {
            let first = Field::new("first", random.below(2) * 4, shape(random, depth - 1));
            TypeShape::inline_array("Row", random.below(64), first)
        }
        _ => {
            let size = random.below(64);
            TypeShape::value_type("S", "S", size, fields(random, depth, size))
        }
    })
}

/// A struct that is shown as what it stands for, if its fields are where they may be.
fn viewed_struct(random: &mut Random<'_>, depth: usize) -> TypeShape {
    const VIEWS: [(&str, &[&str]); 9] = [
        ("System.Memory`1", &["_object", "_index", "_length"]),
        ("System.Collections.Immutable.ImmutableArray`1", &["array"]),
        ("System.Threading.Tasks.ValueTask`1", &["_obj", "_result"]),
        ("System.RuntimeTypeHandle", &["m_type"]),
        ("System.RuntimeMethodHandle", &["m_value"]),
        ("System.RuntimeFieldHandle", &["m_ptr"]),
        ("System.TypedReference", &["_value", "_type"]),
        ("System.Numerics.Vector`1", &["_00"]),
        ("System.Runtime.Intrinsics.Vector128`1", &["_00"]),
    ];
    let (name, fields) = *random.pick(&VIEWS);
    let fields = known_fields(random, depth, fields);
    let size = if random.chance(8) { 7 } else { fields.len() * WORD };
    TypeShape::value_type(name, name, size, fields).with_args([shape(random, depth - 1)])
}

/// An object that is shown as what it stands for, if its fields are where they may be.
fn viewed_class(random: &mut Random<'_>) -> TypeShape {
    const VIEWS: [(&str, &[&str]); 10] = [
        ("System.Collections.Generic.List`1", &["_items", "_size"]),
        ("System.Collections.Generic.Stack`1", &["_array", "_size"]),
        ("System.Collections.Generic.Queue`1", &["_array", "_head", "_size"]),
        ("System.Collections.Generic.Dictionary`2", &["_entries", "_count", "_freeCount"]),
        ("System.Collections.Generic.HashSet`1", &["_slots", "_lastIndex", "_count"]),
        ("System.RuntimeType", &["m_handle"]),
        ("System.Reflection.RuntimeMethodInfo", &["m_handle", "m_declaringType"]),
        ("System.Reflection.RtFieldInfo", &["m_fieldHandle", "m_declaringType"]),
        ("System.Reflection.RuntimePropertyInfo", &["m_token", "m_declaringType"]),
        ("System.Reflection.RuntimeModule", &["m_pData"]),
    ];
    const BASES: [(KnownBase, &[&str]); 3] = [
        (
            KnownBase::Delegate,
            &["_target", "_methodPtr", "_methodPtrAux", "_invocationCount", "_invocationList"],
        ),
        (KnownBase::Exception, &["_message", "_innerException", "_HResult"]),
        (KnownBase::Task, &["m_stateFlags", "m_result", "m_contingentProperties", "own"]),
    ];
    if random.chance(3) {
        let (base, names) = *random.pick(&BASES);
        let fields = known_fields(random, 2, names);
        return TypeShape::derived(base, random.below(fields.len() + 2), "V", fields);
    }
    let (name, names) = *random.pick(&VIEWS);
    let fields = known_fields(random, 2, names);
    TypeShape::class(name, name, fields).with_args([shape(random, 1), shape(random, 1)])
}

/// Fields with these names, mostly of the shape and in a place that they may have.
fn known_fields(random: &mut Random<'_>, depth: usize, names: &[&str]) -> Vec<Field> {
    const NUMBERS: [&str; 10] = [
        "_index",
        "_length",
        "_size",
        "_head",
        "_count",
        "_freeCount",
        "_lastIndex",
        "m_stateFlags",
        "_HResult",
        "m_token",
    ];
    let begin = random.below(2) * WORD;
    let field = |(index, name): (usize, &&str)| {
        let of = match () {
            () if random.chance(12) => shape(random, depth - 1),
            () if NUMBERS.contains(name) => primitive(Primitive::I32),
            () if name.ends_with("andle") || *name == "m_pData" || name.starts_with("_method") => {
                primitive(Primitive::ISize)
            }
            () => TypeShape::object(),
        };
        let offset = if random.chance(8) { random.below(10) * 4 } else { begin + index * WORD };
        Field::new(name, offset, of)
    };
    names.iter().enumerate().map(field).collect()
}

/// What a hash table has for an entry.
fn entry(random: &mut Random<'_>) -> Arc<TypeShape> {
    let names: [&[&str]; 2] = [&["key", "value", "next"], &["value", "hashCode"]];
    let fields = random.pick(&names).iter().map(|name| {
        let of = match *name {
            "key" | "value" => shape(random, 1),
            _ => primitive(Primitive::I32),
        };
        Field::new(name, random.below(6) * 4, of)
    });
    let fields = fields.collect();
    Arc::new(TypeShape::value_type("Entry", "Entry", 8 + random.below(4) * 8, fields))
}

fn fields(random: &mut Random<'_>, depth: usize, size: usize) -> Vec<Field> {
    (0..random.below(6))
        .map(|index| {
            let offset =
                if random.chance(20) { usize::MAX - random.below(16) } else { random.below(size + 8) };
            Field::new(&format!("f{index}"), offset, shape(random, depth - 1))
        })
        .collect()
}

/// A heap of classes and regions that refer to each other, with wrong addresses among them.
fn make_heap(random: &mut Random<'_>) -> (Heap, Vec<usize>) {
    let mut heap = Heap::new();
    let mut headers = vec![0x5000_0000, 0xdead_beef, 0];
    for _ in 0..8 {
        let class = match random.below(9) {
            0 => TypeShape::vector(shape(random, 2)),
            6 | 7 => viewed_class(random),
            8 => TypeShape::vector(entry(random)),
            1 => TypeShape::array(shape(random, 2), 1 + random.below(3)),
            2 => TypeShape::clone(&shape(random, 2)),
            _ => TypeShape::class("C", "C", fields(random, 3, 64)),
        };
        headers.push(heap.class(class).header);
    }
    let mut addresses = vec![0, 1, 0x1_0000, usize::MAX - 7];
    for _ in 0..24 {
        let address = 0x7000_0000 + random.below(0x800) * 4;
        addresses.push(address);
    }
    for index in 4..addresses.len() {
        let mut bytes = random.pick(&headers).to_ne_bytes().to_vec();
        for _ in 0..random.below(16) {
            let word = match random.below(5) {
                0 => usize::try_from(random.next()).unwrap(),
                1 | 2 => random.below(20),
                _ => *random.pick(&addresses),
            };
            bytes.extend(word.to_ne_bytes());
        }
        bytes.truncate(bytes.len() - random.below(3));
        heap.memory.insert(addresses[index], bytes);
    }
    (heap, addresses)
}

fn limits(random: &mut Random<'_>) -> Limits {
    let mut limits = Limits {
        depth: random.below(6),
        items: random.below(40),
        chars: random.below(100),
        bytes: random.below(5000),
        ..Limits::default()
    };
    if random.chance(10) {
        limits.items = usize::MAX;
        limits.chars = usize::MAX;
    }
    limits
}

/// What a record says, as JSON.
fn retold(record: &[u8], names: &RecordNames) -> String {
    let mut json = String::new();
    let mut reader = RecordReader::new(record, names);
    reader.value(&mut JsonWriter::new(&mut json)).unwrap();
    assert!(reader.is_at_end());
    json
}

/// Decodes slots of random shapes in a random heap: into balanced events, within the limits, to JSON that is well
/// formed, and to a record that says the same.
pub(crate) fn heap(random: &mut Random<'_>, slots: usize) {
    let (heap, addresses) = make_heap(random);
    let mut names = RecordNames::new();
    let mut scratch = Scratch::new();
    for _ in 0..slots {
        let slot = shape(random, 4);
        let limits = limits(random);
        let address = *random.pick(&addresses);
        let memory = Counting { memory: &heap.memory, bytes: Cell::new(0) };
        let raw = random.chance(4);

        let mut balanced = Balanced::default();
        Decoder::new(&memory, &heap, limits, &mut scratch).raw(raw).value(&slot, address, &mut balanced);
        balanced.has(1);
        assert!(balanced.explains());
        assert!(memory.bytes.get() <= limits.bytes + 2 * WORD, "read {}", memory.bytes.get());

        let mut json = String::new();
        let mut writer = JsonWriter::new(&mut json);
        Decoder::new(&memory, &heap, limits, &mut scratch).raw(raw).value(&slot, address, &mut writer);
        assert!(json_is_well_formed(&json), "{json}");

        let mut record = Vec::new();
        let mut writer = RecordWriter::new(&mut record, &mut names);
        Decoder::new(&memory, &heap, limits, &mut scratch).raw(raw).value(&slot, address, &mut writer);
        assert_eq!(retold(&record, &names), json);
    }
}

/// Compiles a random signature and decodes a call of it, its results and what its references refer to after it, from
/// random ranges. `false` if the signature is none.
pub(crate) fn call(random: &mut Random<'_>, with_heap: bool) -> bool {
    const ELEMENTS: [u8; 27] = [
        1, 2, 3, 4, 8, 10, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 24, 25, 27, 28, 29, 30, 31, 32, 0x41,
        0x45,
    ];
    const MODES: [Mode; 4] = [Mode::Value, Mode::Ref, Mode::In, Mode::Out];
    let (heap, addresses) = if with_heap { make_heap(random) } else { (Heap::new(), vec![0x7000_0000]) };
    let mut blob = vec![*random.pick(&[0x00, 0x20, 0x60, 0x10]), u8::try_from(random.below(6)).unwrap()];
    for _ in 0..random.below(16) {
        blob.push(if random.chance(4) {
            u8::try_from(random.below(256)).unwrap()
        } else {
            *random.pick(&ELEMENTS)
        });
    }
    let Ok(sig) = sigparse::MethodSig::parse(&blob) else { return false };
    let generics = GenericContext {
        type_args: [shape(random, 2)].into(),
        method_args: [shape(random, 1)].into(),
        ..GenericContext::new(ModuleId(1))
    };
    let modes: Vec<_> = (0..random.below(4)).map(|_| *random.pick(&MODES)).collect();
    let declaring =
        if random.chance(2) { Declaring::Reference } else { Declaring::ValueType(shape(random, 2)) };
    let context = PlanContext { generics: &generics, declaring: &declaring, modes: &modes };
    let Ok(plan) = MethodPlan::compile(&heap, &sig, context) else { return false };

    let count = if random.chance(2) { plan.argument_count() } else { random.below(5) };
    let ranges: Vec<_> = (0..count)
        .map(|_| ArgumentRange::new(*random.pick(&addresses), *random.pick(&[0, 1, 4, 8, 8, 16, usize::MAX])))
        .collect();
    let (mut scratch, limits) = (Scratch::new(), limits(random));
    let mut all_at_once = Balanced::default();
    plan.decode(&ranges, &mut Decoder::new(&heap.memory, &heap, limits, &mut scratch), &mut all_at_once);
    all_at_once.has(plan.argument_count());

    let mut decoder = Decoder::new(&heap.memory, &heap, limits, &mut scratch);
    let mut balanced = Balanced::default();
    let mut told = 0;
    for argument in plan.arguments(&ranges) {
        argument.decode(&mut decoder, &mut balanced);
        told += 1;
    }
    assert_eq!(told, plan.argument_count());
    let saved = plan.save_refs(&heap.memory, &ranges, 0);
    for out in plan.outs(&saved, random.next() % 2) {
        out.decode(&mut decoder, &mut balanced);
        told += 1;
    }
    if let Some(result) = plan.result(ArgumentRange::new(*random.pick(&addresses), random.below(17))) {
        result.decode(&mut decoder, &mut balanced);
        told += 1;
    }
    balanced.has(told);
    assert!(balanced.explains());
    true
}

/// Reads bytes as records. They are told in balance, or refused; and what is told is written and read back.
pub(crate) fn record(bytes: &[u8]) {
    let mut names = RecordNames::new();
    let mut known = Vec::new();
    let mut writer = RecordWriter::new(&mut known, &mut names);
    for type_name in ["Shop.Item", "Shop.Cart"] {
        writer.begin_object(type_name);
        for (index, field) in ["Name", "Count", "Next"].into_iter().enumerate() {
            writer.field(index, field);
            writer.null();
        }
        writer.end_object(3);
    }
    let mut names_of_copy = RecordNames::new();
    let mut reader = RecordReader::new(bytes, &names);
    while !reader.is_at_end() {
        let (mut second, mut third) = (reader.clone(), reader.clone());
        let (before, mut balanced) = (reader.offset(), Balanced::default());
        let told = reader.value(&mut balanced);
        assert!(reader.offset() > before, "it goes on");
        let mut json = String::new();
        assert_eq!(second.value(&mut JsonWriter::new(&mut json)), told);
        let mut copy = Vec::new();
        assert_eq!(third.value(&mut RecordWriter::new(&mut copy, &mut names_of_copy)), told);
        if told.is_err() {
            return;
        }
        balanced.has(1);
        assert_eq!(retold(&copy, &names_of_copy), json);
    }
}

#[test]
fn random_heaps_under_random_shapes() {
    let mut random = Random::Numbers(0x0005_eed0);
    for _ in 0..4000 {
        heap(&mut random, 8);
    }
}

/// One such object, with what it may refer to around it. Returns a slot that refers to it.
fn viewed_object(random: &mut Random<'_>) -> (Heap, usize) {
    let mut heap = Heap::new();
    let mut addresses = vec![0x7000_0000, 0];
    for _ in 0..2 {
        let item = if random.chance(2) { entry(random) } else { shape(random, 1) };
        let length = u32::try_from(random.below(12)).unwrap();
        let items: Vec<u8> = (0..random.below(300)).map(|_| u8::try_from(random.below(4)).unwrap()).collect();
        addresses.push(heap.vector(item, length, &items));
    }
    addresses.push(heap.string("text"));
    let class = match random.below(4) {
        0 => viewed_struct(random, 2),
        _ => viewed_class(random),
    };
    let class = heap.class(class);
    let mut bytes = class.header.to_ne_bytes().to_vec();
    for _ in 0..8 {
        let word = match random.below(8) {
            0 => usize::try_from(random.next()).unwrap(),
            1..=3 => random.below(6),
            _ => *random.pick(&addresses),
        };
        bytes.extend(word.to_ne_bytes());
    }
    let object = heap.put(bytes);
    let slot = heap.put(object.to_ne_bytes());
    (heap, slot)
}

#[test]
fn random_objects_that_are_shown_as_what_they_stand_for() {
    let views = [
        r#"List`1","length":"#,
        r#"Stack`1","length":"#,
        r#"Queue`1","length":"#,
        r#"Dictionary`2","length":"#,
        r#"HashSet`1","length":"#,
        r#"Memory`1","length":"#,
        r#"ImmutableArray`1","length":"#,
        r#"Vector`1","length":"#,
        r#""Status":"#,
        r#""value":"Type("#,
        r#""value":"Method("#,
        r#""target":"#,
    ];
    let mut seen = [0; 12];
    let mut random = Random::Numbers(0x00b1_ec75);
    for round in 0..30_000 {
        let (heap, slot) = viewed_object(&mut random);
        let limits = limits(&mut random);
        let memory = Counting { memory: &heap.memory, bytes: Cell::new(0) };
        let mut scratch = Scratch::new();
        let mut balanced = Balanced::default();
        Decoder::new(&memory, &heap, limits, &mut scratch).value(&TypeShape::object(), slot, &mut balanced);
        balanced.has(1);
        assert!(memory.bytes.get() <= limits.bytes + 2 * WORD, "round {round}: read {}", memory.bytes.get());

        let json = heap.json_within(limits, &TypeShape::object(), slot);
        assert!(json_is_well_formed(&json), "round {round}: {json}");
        for (view, seen) in views.iter().zip(&mut seen) {
            *seen += usize::from(json.contains(view));
        }
    }
    assert!(seen.iter().all(|&times| times > 20), "{seen:?}");
}

#[test]
fn random_signatures_against_random_ranges() {
    let mut random = Random::Numbers(0x0051_9000);
    let mut compiled = 0;
    for _ in 0..60_000 {
        compiled += usize::from(call(&mut random, compiled % 200 == 0));
    }
    assert!(compiled > 1000, "only {compiled} of the signatures were any");
}

#[test]
fn random_bytes_as_records() {
    let mut random = Random::Numbers(0x0002_ec02);
    for _ in 0..100_000 {
        let length = random.below(40);
        let bytes: Vec<u8> = (0..length)
            .map(|_| {
                let bound = *random.pick(&[0x40, 0x100]);
                u8::try_from(random.below(bound)).unwrap()
            })
            .collect();
        record(&bytes);
    }
}
