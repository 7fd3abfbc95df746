//! The decoded calls, in memory of this process with the layout of the runtime's heap.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use argvalues::{
    ArgumentRange, ArrayInfo, Declaring, Direct, Field, MethodPlan, ModuleId, ObjectRef, PlanContext,
    Primitive, Runtime, RuntimeError, SigTypeContext, StringLayout, TypeShape, ValueTypeQuery,
};

use crate::baseline;

/// Element types of signatures.
const BOOLEAN: u8 = 0x02;
const I2: u8 = 0x06;
const I4: u8 = 0x08;
const I8: u8 = 0x0A;
const STRING: u8 = 0x0E;
const VALUE_TYPE: u8 = 0x11;
const OBJECT: u8 = 0x1C;
const SZ_ARRAY: u8 = 0x1D;

/// The value type, as a token and in signature encoding.
const POINT: (u32, u8) = (0x0200_0001, 0x04);

/// The headers of the objects: they stand for the ids of their classes.
const STRING_CLASS: usize = 0x5000_0100;
const POINT_CLASS: usize = 0x5000_0200;
const ITEM_CLASS: usize = 0x5000_0300;
const INTS_CLASS: usize = 0x5000_0400;

/// The classes of the runtime.
pub struct Scripted {
    classes: HashMap<usize, Arc<TypeShape>>,
    point: Arc<TypeShape>,
}

impl Runtime for Scripted {
    fn string_layout(&self) -> StringLayout {
        StringLayout { length_offset: 8, buffer_offset: 12 }
    }

    fn object_type(&self, object: ObjectRef) -> Result<Arc<TypeShape>, RuntimeError> {
        self.classes.get(&object.header).cloned().ok_or(RuntimeError::new("no such class"))
    }

    fn epoch(&self) -> Option<u64> {
        Some(0)
    }

    fn array(&self, object: ObjectRef, _: usize) -> Result<ArrayInfo, RuntimeError> {
        let length = core::ptr::with_exposed_provenance::<u32>(object.address + 8);
        // SAFETY: the arrays of the heap below have their lengths there.
        Ok(ArrayInfo::vector(object.address + 16, unsafe { length.read() }))
    }

    fn full_name(
        &self,
        _: Option<ModuleId>,
        _: sigparse::TypeDefOrRef,
    ) -> Result<Cow<'_, str>, RuntimeError> {
        Ok("Shop.Point".into())
    }

    fn value_type(&self, _: &ValueTypeQuery<'_>) -> Result<Arc<TypeShape>, RuntimeError> {
        Ok(Arc::clone(&self.point))
    }
}

/// A call, for both decoders.
pub struct Case {
    /// The name of the case.
    pub name: &'static str,
    /// The names of the parameters.
    pub parameters: Vec<&'static str>,
    /// The plan of argvalues.
    pub plan: MethodPlan,
    /// The ranges of the arguments.
    pub ranges: Vec<ArgumentRange>,
    /// The method of the C++ decoder.
    pub baseline: baseline::Call,
}

/// Bytes that live as long as the process: returns their address.
fn put(bytes: Vec<u8>) -> usize {
    // Objects are aligned to words.
    let mut words = vec![0_u64; bytes.len().div_ceil(8) + 1];
    for (word, bytes) in words.iter_mut().zip(bytes.chunks(8)) {
        let mut all = [0; 8];
        all[..bytes.len()].copy_from_slice(bytes);
        *word = u64::from_ne_bytes(all);
    }
    words.leak().as_ptr().expose_provenance()
}

fn words(words: &[usize]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

fn string(text: &str) -> usize {
    let units: Vec<u16> = text.encode_utf16().collect();
    let mut bytes = words(&[STRING_CLASS]);
    bytes.extend(u32::try_from(units.len()).expect("a short string").to_ne_bytes());
    bytes.extend(units.iter().flat_map(|unit| unit.to_ne_bytes()));
    bytes.extend([0, 0]);
    put(bytes)
}

/// The fields of a type: name, offset, element type, shape.
type Fields = [(&'static str, usize, u8, Arc<TypeShape>)];

fn fields(id: usize, tokens: u32, fields: &Fields) -> Vec<Field> {
    let fields = fields.iter().zip(tokens..).map(|((name, offset, element_type, shape), token)| {
        baseline::field(id, token, name, *offset, *element_type);
        Field::new(name, *offset, Arc::clone(shape))
    });
    fields.collect()
}

/// The runtime, the memory, and all calls.
pub fn all() -> (Scripted, Direct, Vec<Case>) {
    let primitive = TypeShape::primitive;
    baseline::class(STRING_CLASS, 0, "string", 0);
    baseline::class(POINT_CLASS, POINT.0, "Shop.Point", 0);
    baseline::class(ITEM_CLASS, 0, "Shop.Item", 0);
    baseline::class(INTS_CLASS, 0, "int[]", I4);
    let point = [
        ("X", 0, I4, primitive(Primitive::I32)),
        ("Y", 4, I4, primitive(Primitive::I32)),
        ("Id", 8, I8, primitive(Primitive::I64)),
        ("Kind", 16, I2, primitive(Primitive::I16)),
    ];
    let item = [
        ("Name", 8, STRING, TypeShape::string()),
        ("Next", 16, OBJECT, TypeShape::object()),
        ("Price", 24, I8, primitive(Primitive::I64)),
        ("Count", 32, I4, primitive(Primitive::I32)),
        ("Kind", 36, I2, primitive(Primitive::I16)),
        ("Active", 38, BOOLEAN, primitive(Primitive::Bool)),
    ];
    let point = fields(POINT_CLASS, 0x0400_0001, &point);
    let item = fields(ITEM_CLASS, 0x0400_0101, &item);
    let point = Arc::new(TypeShape::value_type("Shop.Point", "Shop.Point", 24, point));
    let item = Arc::new(TypeShape::class("Shop.Item", "Shop.Item", item));
    let ints = Arc::new(TypeShape::vector(primitive(Primitive::I32)));
    let classes = [(STRING_CLASS, TypeShape::string()), (ITEM_CLASS, item), (INTS_CLASS, ints)];
    let runtime = Scripted { classes: classes.into(), point };

    let name = string("a string of 32 characters, ASCII");
    let mut object = words(&[ITEM_CLASS, name, 0, 1_250_000]);
    object.extend(12_345_i32.to_ne_bytes());
    object.extend(7_i16.to_ne_bytes());
    object.extend([1, 0]);
    let object = put(object);
    let mut items = words(&[INTS_CLASS, 16]);
    items.extend((0..16).flat_map(|index: i32| (index * index * 100 - 3000).to_ne_bytes()));
    let items = put(items);
    let mut struct_of_4 = Vec::new();
    struct_of_4.extend((-1_i32).to_ne_bytes());
    struct_of_4.extend(70_000_i32.to_ne_bytes());
    struct_of_4.extend(1_234_567_890_123_i64.to_ne_bytes());
    struct_of_4.extend(300_i16.to_ne_bytes());
    struct_of_4.resize(24, 0);
    let two_ints = put([42_i32.to_ne_bytes(), [0; 4], (-123_456_i32).to_ne_bytes(), [0; 4]].concat());

    let mut cases = Vec::new();
    let mut case =
        |name, signature: &[u8], parameters: &[(&'static str, u8, u32)], ranges: &[(usize, u32)]| {
            let count = u8::try_from(parameters.len()).expect("few parameters");
            let blob = [&[0x00, count, 0x01], signature].concat();
            let sig = sigparse::MethodSig::parse(&blob).expect("a signature");
            let generics = SigTypeContext::default();
            let context = PlanContext::new(&generics, &Declaring::Reference);
            let plan = MethodPlan::compile(&runtime, &sig, context).expect("a plan");
            let ranges: Vec<_> =
                ranges.iter().map(|&(address, length)| ArgumentRange::new(address, length)).collect();
            cases.push(Case {
                name,
                parameters: parameters.iter().map(|parameter| parameter.0).collect(),
                plan,
                baseline: baseline::Call::new(parameters, &ranges),
                ranges,
            });
        };
    let two = [("a", I4, 0), ("b", I4, 0)];
    case("(int, int)", &[I4, I4], &two, &[(two_ints, 4), (two_ints + 8, 4)]);
    case("(string)", &[STRING], &[("name", STRING, 0)], &[(put(words(&[name])), 8)]);
    case(
        "(struct of 4)",
        &[VALUE_TYPE, POINT.1],
        &[("point", VALUE_TYPE, POINT.0)],
        &[(put(struct_of_4), 24)],
    );
    case("(object of 6 fields)", &[OBJECT], &[("item", OBJECT, 0)], &[(put(words(&[object])), 8)]);
    case("(int[16])", &[SZ_ARRAY, I4], &[("items", SZ_ARRAY, 0)], &[(put(words(&[items])), 8)]);
    // SAFETY: every address that these calls lead to was made by `put`, and lives as long as the process.
    let memory = unsafe { Direct::new() };
    (runtime, memory, cases)
}
