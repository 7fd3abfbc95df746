//! Decoding allocates nothing once the scratch has grown.
//!
//! # Safety contract of this file
//!
//! The one unsafe act is a global allocator that forwards every call unchanged to the system's and counts it.
#![allow(unsafe_code)]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    borrow::Cow,
    cell::Cell,
    sync::Arc,
};

use argvalues::{
    ArgumentRange, ArrayInfo, Declaring, Decoder, EnumShape, Field, JsonWriter, Limits, MethodPlan, ModuleId,
    ObjectRef, PlanContext, Primitive, RecordNames, RecordWriter, Runtime, RuntimeError, Scratch,
    SigTypeContext, SliceMemory, StringLayout, TypeShape, ValueTypeQuery,
};

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: each call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// An object of one class at 0x1000_0000, an array of ints at 0x2000_0000, a string elsewhere.
struct Fixed {
    item: Arc<TypeShape>,
    numbers: Arc<TypeShape>,
    color: Arc<TypeShape>,
}

impl Runtime for Fixed {
    fn string_layout(&self) -> StringLayout {
        StringLayout { length_offset: 8, buffer_offset: 12 }
    }

    fn object_type(&self, object: ObjectRef) -> Result<Arc<TypeShape>, RuntimeError> {
        match object.header {
            1 => Ok(Arc::clone(&self.item)),
            2 => Ok(Arc::clone(&self.numbers)),
            _ => Err(RuntimeError::new("no such class")),
        }
    }

    fn array(&self, object: ObjectRef, _: usize) -> Result<ArrayInfo, RuntimeError> {
        Ok(ArrayInfo::vector(object.address + 16, 16))
    }

    fn full_name(
        &self,
        _: Option<ModuleId>,
        _: sigparse::TypeDefOrRef,
    ) -> Result<Cow<'_, str>, RuntimeError> {
        Ok("Shop.Color".into())
    }

    fn value_type(&self, _: &ValueTypeQuery<'_>) -> Result<Arc<TypeShape>, RuntimeError> {
        Ok(Arc::clone(&self.color))
    }
}

#[test]
fn a_decoded_call_allocates_nothing() {
    let names = ["A", "B", "C", "D", "E"];
    let fields = names.into_iter().zip(1..).map(|(name, at)| {
        Field::new(
            name,
            8 * at,
            if at == 1 { TypeShape::string() } else { TypeShape::primitive(Primitive::I64) },
        )
    });
    let members = [(1, "A".into()), (2, "B".into())];
    let runtime = Fixed {
        item: Arc::new(TypeShape::class("Shop.Item", "Shop.Item", fields.collect())),
        numbers: Arc::new(TypeShape::vector(TypeShape::primitive(Primitive::I32))),
        color: Arc::new(TypeShape::enumeration("Shop.Color", EnumShape::new(Primitive::I32, true, members))),
    };
    let mut memory = SliceMemory::new();
    let words = |words: &[u64]| words.iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<u8>>();
    memory.insert(0x1000_0000, words(&[1, 0x3000_0000, 2, 3, 4, 5]));
    memory.insert(0x2000_0000, words(&[2, 16, 1, 2, 3, 4, 5, 6, 7, 8]));
    memory.insert(0x3000_0000, words(&[9, 3 | 0x61 << 32 | 0x62 << 48, 0x63]));
    memory.insert(0x4000_0000, words(&[42, 3, 0x3000_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000]));

    // (int, Shop.Color, string, object, object, ref int)
    let blob = [0x00, 0x06, 0x01, 0x08, 0x11, 0x04, 0x0e, 0x1c, 0x1c, 0x10, 0x08];
    let sig = sigparse::MethodSig::parse(&blob).unwrap();
    let generics = SigTypeContext::default();
    let context = PlanContext::new(&generics, &Declaring::Reference);
    let plan = MethodPlan::compile(&runtime, &sig, context).unwrap();
    let ranges = [(0, 4), (8, 4), (16, 8), (24, 8), (32, 8), (40, 8)]
        .map(|(at, length)| ArgumentRange::new(0x4000_0000 + at, length));

    let mut scratch = Scratch::new();
    let mut out = String::with_capacity(4096);
    let (mut record, mut names) = (Vec::with_capacity(4096), RecordNames::new());
    let mut call = || {
        out.clear();
        record.clear();
        let mut decoder = Decoder::new(&memory, &runtime, Limits::default(), &mut scratch);
        plan.decode(ranges, &mut decoder, &mut RecordWriter::new(&mut record, &mut names));
        let mut decoder = Decoder::new(&memory, &runtime, Limits::default(), &mut scratch);
        for argument in plan.arguments(&ranges) {
            argument.decode(&mut decoder, &mut JsonWriter::new(&mut out));
            out.push('\n');
        }
        let saved = plan.save_refs(&memory, &ranges, 0);
        for argument in plan.outs(&saved, 0) {
            argument.decode(&mut decoder, &mut JsonWriter::new(&mut out));
        }
    };
    call();
    let before = COUNT.get();
    call();
    assert_eq!(COUNT.get() - before, 0);
    assert_eq!(
        out,
        "42\n{\"enum\":\"Shop.Color.A, Shop.Color.B\",\"value\":3}\n\"abc\"\n\
         {\"type\":\"Shop.Item\",\"fields\":{\"A\":\"abc\",\"B\":2,\"C\":3,\"D\":4,\"E\":5}}\n\
         {\"type\":\"int[]\",\"length\":16,\"items\":[1,0,2,0,3,0,4,0,5,0,6,0,7,0,8,0]}\n42\n42"
    );
}
