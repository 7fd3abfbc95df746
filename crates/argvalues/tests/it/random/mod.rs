//! Random memory, random shapes, random signatures, random records: no panic, no endless loop, nothing read that is
//! not there, and the events always balanced. The fuzz targets do the same with bytes of the fuzzer's.

mod choices;
mod heaps;
mod shapes;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::time::Duration;

use argvalues::{
    ArgumentRange, Declaring, Decoder, JsonWriter, Limits, Memory, MemoryError, MethodPlan, Mode,
    PlanContext, RecordNames, RecordReader, RecordWriter, Scratch, SigTypeContext, SliceMemory, Visitor,
};

pub(crate) use self::choices::Random;
use self::heaps::make_heap;
use self::shapes::shape;
use crate::balanced::Balanced;
use crate::heap::{Heap, WORD, json_is_well_formed};

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
    let generics = SigTypeContext {
        type_args: [shape(random, 2)].into(),
        method_args: [shape(random, 1)].into(),
        ..SigTypeContext::default()
    };
    let modes: Vec<_> = (0..random.below(4)).map(|_| *random.pick(&MODES)).collect();
    let declaring =
        if random.chance(2) { Declaring::Reference } else { Declaring::ValueType(shape(random, 2)) };
    let context = PlanContext { modes: &modes, ..PlanContext::new(&generics, &declaring) };
    let Ok(plan) = MethodPlan::compile(&heap, &sig, context) else { return false };

    let count = if random.chance(2) { plan.argument_count() } else { random.below(5) };
    let ranges: Vec<_> = (0..count)
        .map(|_| ArgumentRange::new(*random.pick(&addresses), *random.pick(&[0, 1, 4, 8, 8, 16, u32::MAX])))
        .collect();
    let (mut scratch, limits) = (Scratch::new(), limits(random));
    let mut all_at_once = Balanced::default();
    plan.decode(
        ranges.iter().copied(),
        &mut Decoder::new(&heap.memory, &heap, limits, &mut scratch),
        &mut all_at_once,
    );
    all_at_once.has(plan.argument_count());
    all_ways_say_the_same(&heap, &plan, &ranges, limits);

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
    if let Some(result) =
        plan.result(ArgumentRange::new(*random.pick(&addresses), *random.pick(&[0, 1, 2, 4, 8, 16, 17])))
    {
        result.decode(&mut decoder, &mut balanced);
        told += 1;
    }
    balanced.has(told);
    assert!(balanced.explains());
    true
}

/// The events do not depend on whether the arguments are decoded at once, with a decoder that exists or one that
/// is made when it is needed, or one by one.
fn all_ways_say_the_same(heap: &Heap, plan: &MethodPlan, ranges: &[ArgumentRange], limits: Limits) {
    let (mut scratch, mut names) = (Scratch::new(), RecordNames::new());
    let mut records = [const { Vec::new() }; 3];
    // What takes longer at one time than at another would be cut there.
    let limits = Limits { time: Duration::MAX, ..limits };
    let [at_once, when_needed, one_by_one] = &mut records;

    let mut decoder = Decoder::new(&heap.memory, heap, limits, &mut scratch);
    plan.decode(ranges.iter().copied(), &mut decoder, &mut RecordWriter::new(at_once, &mut names));
    plan.decode_with(
        ranges.iter().copied(),
        &heap.memory,
        || Decoder::new(&heap.memory, heap, limits, &mut scratch),
        &mut RecordWriter::new(when_needed, &mut names),
    );
    let mut decoder = Decoder::new(&heap.memory, heap, limits, &mut scratch);
    for argument in plan.arguments(ranges) {
        argument.decode(&mut decoder, &mut RecordWriter::new(one_by_one, &mut names));
    }
    assert_eq!(records[0], records[1]);
    assert_eq!(records[0], records[2]);
}

/// Reads bytes as records. Their events are balanced, or they are refused; the events are written and read back.
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
