//! A heap built by hand, and the runtime that knows its classes.
//!
//! Objects are laid out as in a 64-bit runtime: a header word, then fields; strings with the length behind the header;
//! arrays with the length behind the header, then sizes and lower bounds if they are not vectors, then the items.

use std::{borrow::Cow, cell::Cell, collections::HashMap, sync::Arc};

use argvalues::{
    ArrayInfo, Decoder, EnumShape, Field, Handle, JsonWriter, Limits, Memory, ModuleId, ObjectRef, Primitive,
    Runtime, RuntimeError, Scratch, ShapeKind, SliceMemory, StringLayout, TypeShape, Value, ValueBuilder,
    ValueTypeQuery,
};
use sigparse::TypeDefOrRef;

pub(crate) const WORD: usize = size_of::<usize>();

pub(crate) struct Heap {
    pub(crate) memory: SliceMemory,
    next: usize,
    /// By header word.
    classes: HashMap<usize, Arc<TypeShape>>,
    /// By token: the name in metadata, and for value types the shape.
    types: HashMap<u32, (String, Option<Arc<TypeShape>>)>,
    /// What stands for the offset of local times.
    pub(crate) utc_offset: Option<i32>,
    /// What delegates call.
    pub(crate) methods: HashMap<usize, Arc<str>>,
    /// Whether it was asked about an object that nobody vouches for.
    pub(crate) asked_untrusted: Cell<bool>,
}

/// A class of the heap.
#[derive(Clone)]
pub(crate) struct Class {
    pub(crate) header: usize,
    pub(crate) shape: Arc<TypeShape>,
}

impl Heap {
    pub(crate) fn new() -> Self {
        let mut heap = Self {
            memory: SliceMemory::new(),
            next: 0x7000_0000,
            classes: HashMap::new(),
            types: HashMap::new(),
            utc_offset: None,
            methods: HashMap::new(),
            asked_untrusted: Cell::new(false),
        };
        heap.class(TypeShape::class("System.String", "string", Vec::new()));
        heap
    }

    /// Bytes somewhere.
    pub(crate) fn put(&mut self, bytes: impl Into<Vec<u8>>) -> usize {
        let bytes = bytes.into();
        let address = self.next;
        // A gap, so that nothing reads on into its neighbour unseen.
        self.next = (self.next + bytes.len()).next_multiple_of(16) + 16;
        self.memory.insert(address, bytes);
        address
    }

    pub(crate) fn class(&mut self, shape: TypeShape) -> Class {
        let class = Class { header: 0x5000_0000 + self.classes.len() * 0x100, shape: Arc::new(shape) };
        self.classes.insert(class.header, class.shape.clone());
        class
    }

    /// Objects of a class have another shape from now on.
    pub(crate) fn change(&mut self, class: &Class, shape: TypeShape) {
        self.classes.insert(class.header, Arc::new(shape));
    }

    /// A type by token: `0x0200_0000` and the row.
    pub(crate) fn name_type(&mut self, row: u32, full_name: &str, shape: Option<TypeShape>) -> u32 {
        let token = 0x0200_0000 | row;
        self.types.insert(token, (full_name.to_owned(), shape.map(Arc::new)));
        token
    }

    /// An object: values at offsets behind the header.
    pub(crate) fn object(&mut self, class: &Class, fields: &[(usize, &[u8])]) -> usize {
        let size = fields.iter().map(|(offset, bytes)| offset + bytes.len()).max().unwrap_or(0).max(WORD);
        let mut bytes = vec![0; size];
        bytes[..WORD].copy_from_slice(&class.header.to_ne_bytes());
        for (offset, field) in fields {
            bytes[*offset..offset + field.len()].copy_from_slice(field);
        }
        self.put(bytes)
    }

    /// A value in a box.
    pub(crate) fn boxed(&mut self, class: &Class, value: &[u8]) -> usize {
        self.object(class, &[(WORD, value)])
    }

    pub(crate) fn string(&mut self, text: &str) -> usize {
        self.units(&text.encode_utf16().collect::<Vec<_>>())
    }

    pub(crate) fn units(&mut self, units: &[u16]) -> usize {
        let header = self.header_of("string");
        let mut bytes = header.to_ne_bytes().to_vec();
        bytes.extend(u32::try_from(units.len()).unwrap().to_ne_bytes());
        bytes.extend(units.iter().flat_map(|unit| unit.to_ne_bytes()));
        bytes.extend([0, 0]);
        self.put(bytes)
    }

    fn header_of(&self, name: &str) -> usize {
        *self.classes.iter().find(|(_, shape)| shape.name() == name).unwrap().0
    }

    /// An array with its class.
    pub(crate) fn vector(&mut self, element: Arc<TypeShape>, length: u32, items: &[u8]) -> usize {
        let class = self.class(TypeShape::vector(element));
        self.vector_of(&class, length, items)
    }

    /// An array of a class that exists.
    pub(crate) fn vector_of(&mut self, class: &Class, length: u32, items: &[u8]) -> usize {
        let mut bytes = class.header.to_ne_bytes().to_vec();
        bytes.extend(length.to_ne_bytes());
        bytes.extend([0; 4]);
        bytes.extend(items);
        self.put(bytes)
    }

    pub(crate) fn array(
        &mut self,
        element: Arc<TypeShape>,
        dims: &[u32],
        lower: &[i32],
        items: &[u8],
    ) -> usize {
        let class = self.class(TypeShape::array(element, dims.len()));
        let mut bytes = class.header.to_ne_bytes().to_vec();
        bytes.extend(dims.iter().product::<u32>().to_ne_bytes());
        bytes.extend([0; 4]);
        bytes.extend(dims.iter().flat_map(|dim| dim.to_ne_bytes()));
        bytes.extend(lower.iter().flat_map(|lower| lower.to_ne_bytes()));
        bytes.extend(items);
        self.put(bytes)
    }

    /// The value in a slot, as JSON.
    pub(crate) fn json(&self, shape: &TypeShape, slot: usize) -> String {
        self.json_within(Limits::default(), shape, slot)
    }

    pub(crate) fn json_within(&self, limits: Limits, shape: &TypeShape, slot: usize) -> String {
        let mut scratch = Scratch::new();
        let mut decoder = Decoder::new(&self.memory, self, limits, &mut scratch);
        let mut out = String::new();
        let mut json = JsonWriter::new(&mut out);
        decoder.value(shape, slot, &mut json);
        json.finish().unwrap();
        assert!(json_is_well_formed(&out), "{out}");
        out
    }

    /// The object that a reference points to, as JSON.
    pub(crate) fn object_json(&mut self, reference: usize) -> String {
        let slot = self.put(reference.to_ne_bytes());
        self.json(&TypeShape::object(), slot)
    }

    /// A value that is not in memory yet, as JSON.
    pub(crate) fn json_of(&mut self, shape: &TypeShape, bytes: impl Into<Vec<u8>>) -> String {
        let slot = self.put(bytes);
        self.json(shape, slot)
    }

    pub(crate) fn value(&self, shape: &TypeShape, slot: usize) -> Value {
        let mut scratch = Scratch::new();
        let mut decoder = Decoder::new(&self.memory, self, Limits::default(), &mut scratch);
        let mut builder = ValueBuilder::new();
        decoder.value(shape, slot, &mut builder);
        builder.finish().unwrap()
    }

    fn read_u32(&self, address: usize) -> Result<u32, RuntimeError> {
        let mut bytes = [0; 4];
        self.memory.read(address, &mut bytes).map_err(|error| RuntimeError::new(error.to_string()))?;
        Ok(u32::from_ne_bytes(bytes))
    }
}

impl Runtime for Heap {
    fn string_layout(&self) -> StringLayout {
        StringLayout { length_offset: 8, buffer_offset: 12 }
    }

    fn object_type(&self, object: ObjectRef) -> Result<Arc<TypeShape>, RuntimeError> {
        if !object.trusted {
            self.asked_untrusted.set(true);
        }
        self.classes.get(&object.header).cloned().ok_or(RuntimeError::new("no such class"))
    }

    fn epoch(&self) -> Option<u64> {
        Some(0)
    }

    fn array(&self, object: ObjectRef, rank: usize) -> Result<ArrayInfo, RuntimeError> {
        let shape = self.object_type(object)?;
        let ShapeKind::Array(array) = shape.kind() else { return Err(RuntimeError::new("no array")) };
        let behind = object.address + 2 * WORD;
        if array.vector {
            return Ok(ArrayInfo::vector(behind, self.read_u32(object.address + WORD)?));
        }
        let dims: Result<Vec<u32>, _> = (0..rank).map(|dim| self.read_u32(behind + 4 * dim)).collect();
        let lower: Result<Vec<i32>, _> =
            (0..rank).map(|dim| Ok(self.read_u32(behind + 4 * (rank + dim))?.cast_signed())).collect();
        ArrayInfo::new(behind + 8 * rank, &dims?, &lower?).ok_or(RuntimeError::new("bad rank"))
    }

    fn full_name(&self, _: Option<ModuleId>, token: TypeDefOrRef) -> Result<Cow<'_, str>, RuntimeError> {
        let (name, _) = self.types.get(&token.token()).ok_or(RuntimeError::new("no such token"))?;
        Ok(Cow::Borrowed(name))
    }

    fn value_type(&self, query: &ValueTypeQuery<'_>) -> Result<Arc<TypeShape>, RuntimeError> {
        match (query.full_name, query.args) {
            ("System.Nullable`1", [of]) => Ok(Arc::new(nullable(query.name, of))),
            ("System.Span`1" | "System.ReadOnlySpan`1", [of]) => {
                Ok(Arc::new(span(query.full_name, query.name, of)))
            }
            _ => self
                .types
                .get(&query.token.token())
                .and_then(|(_, shape)| shape.clone())
                .ok_or(RuntimeError::new("the class is not loaded")),
        }
    }

    fn method_name(&self, code: usize) -> Option<Arc<str>> {
        self.methods.get(&code).cloned()
    }

    fn handle_name(&self, handle: Handle, _: bool) -> Option<Arc<str>> {
        // An odd one is of nothing.
        matches!(handle, Handle::Type(number) | Handle::Method(number, _) if number % 2 == 0)
            .then(|| format!("{handle:?}").into())
    }

    fn handle_shape(&self, type_handle: usize) -> Result<Arc<TypeShape>, RuntimeError> {
        self.classes.get(&type_handle).cloned().ok_or(RuntimeError::new("its type is not known"))
    }

    fn utc_offset(&self, _: u64, daylight: bool) -> Option<i32> {
        Some(self.utc_offset? + if daylight { 60 } else { 0 })
    }
}

pub(crate) fn primitive(primitive: Primitive) -> Arc<TypeShape> {
    TypeShape::primitive(primitive)
}

pub(crate) fn int() -> Arc<TypeShape> {
    primitive(Primitive::I32)
}

/// `T?`, with the value where its alignment puts it.
pub(crate) fn nullable(name: &str, of: &Arc<TypeShape>) -> TypeShape {
    let size = of.size().unwrap();
    let offset = size.clamp(1, WORD);
    let fields =
        vec![Field::new("hasValue", 0, primitive(Primitive::Bool)), Field::new("value", offset, of.clone())];
    TypeShape::value_type("System.Nullable`1", name, offset + size, fields).with_args([of.clone()])
}

pub(crate) fn span(full_name: &str, name: &str, of: &Arc<TypeShape>) -> TypeShape {
    let reference = TypeShape::by_ref(of.name(), argvalues::Target::Shape(of.clone()));
    let fields = vec![Field::new("_reference", 0, Arc::new(reference)), Field::new("_length", WORD, int())];
    TypeShape::value_type(full_name, name, 2 * WORD, fields).with_args([of.clone()])
}

pub(crate) fn enumeration(
    name: &str,
    underlying: Primitive,
    flags: bool,
    members: &[(i64, &str)],
) -> TypeShape {
    let members = members.iter().map(|&(value, name)| (value.cast_unsigned(), Box::from(name)));
    TypeShape::enumeration(name, EnumShape::new(underlying, flags, members))
}

/// `Shop.Point { int X; int Y { get; } }`.
pub(crate) fn point() -> TypeShape {
    let fields = vec![Field::new("X", 0, int()), Field::new("<Y>k__BackingField", 4, int())];
    TypeShape::value_type("Shop.Point", "Shop.Point", 8, fields)
}

pub(crate) fn ints(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_ne_bytes()).collect()
}

pub(crate) fn words(values: &[usize]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_ne_bytes()).collect()
}

/// Whether brackets, strings and separators are in order. The halves of surrogate pairs, which the writer keeps and this
/// reader wants together, count as any character.
pub(crate) fn json_is_well_formed(json: &str) -> bool {
    let mut plain = String::new();
    let mut rest = json;
    while let Some(at) = rest.find("\\u") {
        plain.push_str(&rest[..at]);
        plain.push('?');
        rest = &rest[at + 6..];
    }
    plain.push_str(rest);
    serde_json::from_str::<serde_json::Value>(&plain).is_ok()
}
