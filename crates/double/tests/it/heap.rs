//! Objects and collections.
//!
//! Contract of the unsafe code here: an object id is made of an address that the test's runtime has just given, and
//! which stays until the test collects.
#![allow(unsafe_code)]

use corprof::values::{GcReason, GcRoots, Generations, MovedRanges, SurvivingRanges};
use corprof::{ClassId, EventMask, Names, ObjectId, Profiler, ProfilerInfo, Result};
use corprof_double::{Collection, Runtime, Type, Value, Version};

use crate::Log;

struct Heap {
    names: Names,
    log: Log,
}

impl Heap {
    fn class_of(&self, object: ObjectId<'_>) -> String {
        let class = self.names.info().class_of_object(object).unwrap();
        self.names.class(class).unwrap().to_string()
    }
}

impl Profiler for Heap {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(
            EventMask::GC | EventMask::SUSPENDS | EventMask::MODULE_LOADS | EventMask::CLASS_LOADS,
        )?;
        Ok(Self { names: Names::new(info), log: Log::default() })
    }

    fn runtime_suspend_finished(&self) {
        self.log.line("suspended");
    }
    fn garbage_collection_started(&self, generations: Generations<'_>, reason: GcReason) {
        let which: Vec<usize> = (0..3).filter(|generation| generations.contains(*generation)).collect();
        self.log.line(format!("collects {which:?}, {}", reason == GcReason::INDUCED));
    }
    fn moved_references(&self, ranges: MovedRanges<'_>) {
        for range in ranges.iter() {
            self.log.line(format!("moved {} bytes, {}", range.length, range.old != range.new));
        }
    }
    fn surviving_references(&self, ranges: SurvivingRanges<'_>) {
        self.log.line(format!("{} survive", ranges.iter().count()));
    }
    fn root_references(&self, roots: GcRoots<'_>) {
        for root in roots.iter() {
            self.log.line(format!("root {}", self.class_of(root.object.unwrap())));
        }
    }
    fn object_references(
        &self,
        object: ObjectId<'_>,
        _: ClassId,
        references: &[Option<ObjectId<'_>>],
    ) -> bool {
        let references: Vec<String> = references.iter().flatten().map(|to| self.class_of(*to)).collect();
        self.log.line(format!("{} -> {references:?}", self.class_of(object)));
        true
    }
    fn garbage_collection_finished(&self) {
        self.log.line("collected");
    }
    fn runtime_resume_finished(&self) {
        self.log.line("resumed");
    }
}

#[test]
fn a_collection_moves_frees_and_tells() {
    let runtime = Runtime::new(Version::NET_9);
    let app = runtime.module("App");
    let node = app.class("App.Node");
    node.field("Value", Type::I4);
    node.field("Next", &node);
    let session = runtime.start::<Heap>().unwrap();
    session.load(app);
    let garbage = session.string("garbage");
    let tail = session.object(&node, &[("Value", 2.into())]);
    let head = session.object(&node, &[("Value", 1.into()), ("Next", tail.into())]);
    let nodes = session.array(&node, &[head.into(), Value::NULL]);
    let before = runtime.address(tail);
    session.collect(&Collection::of(0).induced().moving(tail).freeing(garbage).with_root(nodes));
    assert_ne!(runtime.address(tail), before);
    let expected = [
        "suspended",
        "collects [0], true",
        "moved 24 bytes, true",
        "2 survive",
        "root App.Node[]",
        "App.Node -> []",
        "App.Node -> [\"App.Node\"]",
        "App.Node[] -> [\"App.Node\"]",
        "collected",
        "resumed",
    ];
    assert_eq!(session.profiler().log.take(), expected);

    // They are of generation 1 now.
    session.collect(&Collection::of(0));
    assert_eq!(session.profiler().log.take()[1], "collects [0], false");
    let info = session.profiler().names.info();
    // SAFETY: the runtime has just given the address, and no collection is made meanwhile.
    let id = unsafe { ObjectId::from_raw(runtime.address(tail)) }.unwrap();
    // The head, a number with what aligns the reference behind it, and the reference.
    assert_eq!(info.object_size(id).unwrap(), 24);
    assert_eq!(info.object_generation(id).unwrap().start, runtime.address(tail));
    session.shutdown();
    runtime.assert_released();
}

#[test]
fn objects_are_laid_out_as_the_runtime_does() {
    let runtime = Runtime::new(Version::NET_9);
    let app = runtime.module("App");
    let base = app.class("App.Base");
    base.field("Flag", Type::Bool);
    let class = app.class_extending("App.C", base.clone());
    class.field("Number", Type::I8);
    let color = app.enumeration("App.Color", &[("Red", 1), ("Blue", 2)]);
    let session = runtime.start::<Heap>().unwrap();
    session.load(app);
    let info = session.profiler().names.info();
    let object = session.object(&class, &[("Flag", true.into()), ("Number", (-1_i64).into())]);
    let word = |object: corprof_double::Object, index: usize| word(runtime.address(object) + 8 * index);
    assert_eq!(word(object, 0), class.id().as_raw() as u64, "the class's id comes first");
    assert_eq!((word(object, 1), word(object, 2)), (1, u64::MAX));
    let layout = info.class_layout(class.id()).unwrap();
    assert_eq!((layout.size, layout.fields[0].offset), (24, 16));

    let text = session.string("ab");
    let strings = info.string_layout().unwrap();
    assert_eq!((strings.length_offset, strings.buffer_offset), (8, 12));
    assert_eq!(word(text, 1), 2 | u64::from(b'a') << 32 | u64::from(b'b') << 48);

    let table = session.array_of_rank(Type::I4, &[2, 3], &[1, 2, 3, 4, 5, 6].map(Value::from));
    // SAFETY: as above.
    let id = unsafe { ObjectId::from_raw(runtime.address(table)) }.unwrap();
    let array = info.array_object_info(id, 2).unwrap();
    assert_eq!(array.dims(), [2, 3]);
    assert_eq!(crate::heap::word(array.data()), 1 | 2 << 32);
    let class = info.array_class(info.class_of_object(id).unwrap()).unwrap().unwrap();
    assert_eq!((class.rank, class.element_type), (2, corprof::sigparse::ElementType::I4));

    let red = session.boxed(&color, 1.into());
    assert_eq!(info.box_layout(color.id()).unwrap(), Some(8));
    assert_eq!((word(red, 0), word(red, 1)), (color.id().as_raw() as u64, 1));
    session.shutdown();
    runtime.assert_released();
}

/// What is in memory at an address.
#[allow(unsafe_code)]
fn word(address: usize) -> u64 {
    // SAFETY: the objects above are there, and as long as is read here.
    unsafe { core::ptr::with_exposed_provenance::<u64>(address).read() }
}
