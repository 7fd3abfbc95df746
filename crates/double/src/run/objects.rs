//! Objects, laid out as the runtime does.

use corprof::EventMask;

use super::{Profilers, Session};
use crate::model::{ClassKind, STRING, Type, VECTOR, Value};
use crate::site::{self, Site};
use crate::{Class, Object};

/// The size of an object without fields: header, method table, and a word for the collector.
const SMALLEST: usize = 24;

impl<'r, P: Profilers> Session<'r, P> {
    /// Creates an object of a class. Named fields, those of base classes included, are set; the others are zero.
    ///
    /// # Panics
    /// If the class has no field of a given name.
    #[track_caller]
    pub fn object(&self, class: &Class<'r>, fields: &[(&str, Value)]) -> Object {
        let index = class.index();
        let size = self.model().layout(index).1;
        let object = self.place(index, size, 0);
        for (name, value) in fields {
            self.set_field(object, name, value.clone());
        }
        object
    }

    /// Creates a value of a value type, to pass, store or [box](Session::boxed). Named fields are set; the others are zero.
    ///
    /// # Panics
    /// If the type has no field of a given name.
    #[track_caller]
    pub fn value(&self, class: &Class<'r>, fields: &[(&str, Value)]) -> Value {
        let index = class.index();
        let mut model = self.model();
        let (size, _) = model.size_of_class(index);
        let mut bytes = vec![0; size];
        for (name, value) in fields {
            let offset = model.offset_of(index, name);
            let value = value.bytes(&model.heap);
            let place = offset.and_then(|offset| bytes.get_mut(offset..offset + value.len()));
            assert!(place.is_some(), "{name:?} is no field of the value, or its value does not fit");
            place.into_iter().for_each(|place| place.copy_from_slice(&value));
        }
        Value::Struct(bytes)
    }

    /// Sets a field of an object.
    ///
    /// # Panics
    /// If the class of the object has no such field.
    #[track_caller]
    pub fn set_field(&self, object: Object, name: &str, value: Value) {
        let mut model = self.model();
        let class = model.heap.objects.get(object.index).map_or(0, |object| object.class);
        let offset = model.offset_of(class, name);
        let boxed = if model.is_value(class) { 8 } else { 0 };
        let bytes = value.bytes(&model.heap);
        let memory = model.heap.objects.get(object.index).map(|object| object.memory.clone());
        drop(model);
        assert!(offset.is_some(), "the object has no field {name:?}");
        if let (Some(memory), Some(offset)) = (memory, offset) {
            memory.write(8 + boxed + offset, &bytes);
        }
    }

    /// Creates a string.
    pub fn string(&self, text: &str) -> Object {
        let units: Vec<u16> = text.encode_utf16().collect();
        let string = self.model().core.string;
        let object = self.place(string, STRING + 2 * (units.len() + 1), units.len());
        let length = u32::try_from(units.len()).unwrap_or(u32::MAX);
        let bytes: Vec<u8> =
            length.to_le_bytes().into_iter().chain(units.into_iter().flat_map(u16::to_le_bytes)).collect();
        self.write(object, 8, &bytes);
        object
    }

    /// Creates a vector.
    pub fn array(&self, element: impl Into<Type>, values: &[Value]) -> Object {
        let length = u32::try_from(values.len()).unwrap_or(u32::MAX);
        self.array_of_rank(element, &[length], values)
    }

    /// Creates an array with these dimensions; the values are in row-major order.
    pub fn array_of_rank(&self, element: impl Into<Type>, lengths: &[u32], values: &[Value]) -> Object {
        let element = element.into();
        let mut model = self.model();
        let rank = u32::try_from(lengths.len()).unwrap_or(u32::MAX);
        let class = model.class_of(&element, &[], &[]);
        let (size, _) = model.size_of_class(class);
        let array = model.class_for(ClassKind::Array { element: class, rank });
        let values: Vec<Vec<u8>> = values.iter().map(|value| value.bytes(&model.heap)).collect();
        drop(model);
        let first = if rank == 1 { VECTOR } else { VECTOR + 8 * lengths.len() };
        let count = lengths.iter().map(|length| *length as usize).product::<usize>();
        let object = self.place(array, first + size * count, count);
        let total = u32::try_from(count).unwrap_or(u32::MAX);
        self.write(object, 8, &total.to_le_bytes());
        if rank > 1 {
            let lengths: Vec<u8> = lengths.iter().flat_map(|length| length.to_le_bytes()).collect();
            self.write(object, VECTOR, &lengths);
        }
        for (index, value) in values.iter().enumerate() {
            self.write(object, first + index * size, value);
        }
        object
    }

    /// Boxes a value.
    pub fn boxed(&self, class: impl Into<Type>, value: Value) -> Object {
        let mut model = self.model();
        let class = model.class_of(&class.into(), &[], &[]);
        let bytes = value.bytes(&model.heap);
        drop(model);
        let object = self.place(class, 8 + bytes.len(), 0);
        self.write(object, 8, &bytes);
        object
    }

    fn write(&self, object: Object, offset: usize, bytes: &[u8]) {
        if let Some(object) = self.model().heap.objects.get(object.index) {
            object.memory.write(8 + offset, bytes);
        }
    }

    fn place(&self, class: usize, size: usize, length: usize) -> Object {
        self.class_loaded(class);
        let mut model = self.model();
        let id = model.class_id(class);
        let index = model.heap.place(class, id, size.max(SMALLEST), length);
        let address = model.heap.address(index);
        drop(model);
        if self.wants(EventMask::OBJECT_ALLOCATED) {
            let _site = site::enter(Site::Objects);
            self.callback.object_allocated(address, id);
        }
        Object { index }
    }
}
