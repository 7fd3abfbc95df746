//! Objects and boxes behind references, and structs anywhere.

use std::ops::Range;
use std::sync::Arc;

use super::{Decoder, Slot, layout};
use crate::{
    error::DecodeError,
    limits::MAX_BODY,
    memory::{Memory, POINTER_SIZE},
    runtime::{ObjectRef, Runtime, RuntimeError},
    shape::{ClassShape, ClassView, Field, ShapeKind, StructShape, TypeShape, WellKnown},
    visitor::{Visitor, elided},
};

impl<M: Memory + ?Sized, R: Runtime + ?Sized> Decoder<'_, M, R> {
    /// An object whose reference is in an argument's slot.
    #[inline]
    pub(crate) fn reference_at<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        slot: usize,
        visitor: &mut V,
    ) {
        match self.free(slot, true).map(usize::from_ne_bytes) {
            Ok(address) => self.reference(address, true, shape.name(), visitor),
            Err(fail) => self.failed(&fail, "value", shape.name(), slot, visitor),
        }
    }

    /// The object at an address, or null.
    pub(super) fn reference<V: Visitor + ?Sized>(
        &mut self,
        address: usize,
        trusted: bool,
        declared: &str,
        visitor: &mut V,
    ) {
        if address == 0 {
            visitor.null();
            return;
        }
        let header = match self.small::<POINTER_SIZE>(address, trusted) {
            Ok(bytes) => usize::from_ne_bytes(bytes),
            Err(fail) => return self.failed(&fail, "object", declared, address, visitor),
        };
        let object = ObjectRef { address, header, trusted };
        let known = self.classes().take(header);
        match known.map_or_else(|| self.runtime.object_type(object), Ok) {
            Ok(shape) => {
                self.typed(&shape, object, visitor);
                self.keep_class(header, shape);
            }
            Err(source) => {
                visitor.error(&DecodeError::Runtime { what: "the class of the object", address, source });
            }
        }
    }

    /// The shape of an object that is looked into, but not shown itself.
    pub(super) fn class_of(&mut self, object: ObjectRef) -> Result<Arc<TypeShape>, RuntimeError> {
        if let Some(known) = self.classes().get(object.header) {
            return Ok(Arc::clone(known));
        }
        let shape = self.runtime.object_type(object)?;
        self.keep_class(object.header, Arc::clone(&shape));
        Ok(shape)
    }

    /// Keeps the shape of the objects with this header, unless it may be another one later.
    #[inline]
    fn keep_class(&mut self, header: usize, shape: Arc<TypeShape>) {
        if !shape.is_provisional() {
            self.scratch.classes.put(header, shape);
        }
    }

    /// An object of a class that is known.
    fn typed<V: Visitor + ?Sized>(&mut self, shape: &TypeShape, object: ObjectRef, visitor: &mut V) {
        let ObjectRef { address, trusted, .. } = object;
        match shape.kind() {
            ShapeKind::String => self.string(address, trusted, visitor),
            ShapeKind::Class(class) => {
                if let Some(ClassView::Named(handle)) = class.view()
                    && !self.raw
                    && self.named(shape, handle, object, visitor)
                {
                    return;
                }
                if !self.cycle(shape, address, visitor) && self.open(shape, address, visitor) {
                    self.scratch.ancestors.push(address);
                    self.viewed(shape, class, object, visitor);
                    self.scratch.ancestors.pop();
                    self.depth -= 1;
                }
            }
            ShapeKind::Array(array) => {
                if !self.cycle(shape, address, visitor) && self.open(shape, address, visitor) {
                    self.scratch.ancestors.push(address);
                    self.array_object(shape, array, object, visitor);
                    self.scratch.ancestors.pop();
                    self.depth -= 1;
                }
            }
            ShapeKind::Primitive(_) | ShapeKind::Enum(_) | ShapeKind::Struct(_) => {
                self.boxed(shape, object, visitor);
            }
            _ => self.opaque(shape, address, visitor),
        }
    }

    /// Returns whether the object is being shown further out.
    fn cycle<V: Visitor + ?Sized>(&self, shape: &TypeShape, address: usize, visitor: &mut V) -> bool {
        let found = self.scratch.ancestors.contains(&address);
        if found {
            visitor.cycle(shape.name(), address);
        }
        found
    }

    fn boxed<V: Visitor + ?Sized>(&mut self, shape: &TypeShape, object: ObjectRef, visitor: &mut V) {
        if self.cycle(shape, object.address, visitor) {
            return;
        }
        let size = shape.size().unwrap_or_default();
        if size > MAX_BODY {
            visitor.elided_shape(shape, object.address, elided::SIZE);
            return;
        }
        match self.copy(object.address.wrapping_add(self.runtime.box_offset()), size, object.trusted) {
            Ok(slot) => {
                self.scratch.ancestors.push(object.address);
                self.in_a_box(shape, slot, visitor);
                self.scratch.ancestors.pop();
                self.scratch.release(slot.at);
            }
            Err(fail) => self.failed(&fail, "box", shape.name(), object.address, visitor),
        }
    }

    /// Visits a value with its type, which a reader could not infer otherwise.
    pub(super) fn in_a_box<V: Visitor + ?Sized>(&mut self, shape: &TypeShape, slot: Slot, visitor: &mut V) {
        let is_bare = match shape.kind() {
            ShapeKind::Primitive(_) => true,
            ShapeKind::Struct(structure) => structure.well_known() == Some(&WellKnown::Half),
            _ => false,
        };
        if is_bare {
            visitor.begin_boxed(shape.name());
        }
        self.slot(shape, slot, visitor);
        if is_bare {
            visitor.end_boxed();
        }
    }

    /// An object in the form that its class has.
    fn viewed<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        class: &ClassShape,
        object: ObjectRef,
        visitor: &mut V,
    ) {
        let shown = match class.view() {
            Some(ClassView::Delegate(fields)) => return self.delegate(shape, class, fields, object, visitor),
            Some(_) if self.raw => None,
            Some(ClassView::Collection(fields)) if self.collection(shape, class, fields, object, visitor) => {
                return;
            }
            Some(ClassView::Task(fields)) if self.task(shape, class, fields, object, visitor) => return,
            Some(ClassView::Text(fields)) if self.text_of(shape, fields, object, visitor) => return,
            Some(ClassView::Lazy(fields)) if self.lazy(shape, class, fields, object, visitor) => return,
            Some(ClassView::Concurrent(fields)) if self.concurrent(shape, fields, object, visitor) => return,
            Some(ClassView::Chunks(fields)) if self.builder(shape, *fields, object, visitor) => return,
            Some(ClassView::Fields(shown)) => Some(&**shown),
            Some(ClassView::Inherited { base, own }) if class.extent() <= MAX_BODY => {
                return self.inherited(shape, class, (base, own.clone()), object, visitor);
            }
            _ => None,
        };
        self.class(shape, class, shown, object, visitor);
    }

    /// The value of the base class, and the fields that follow its own.
    fn inherited<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        class: &ClassShape,
        (base, own): (&TypeShape, Range<usize>),
        object: ObjectRef,
        visitor: &mut V,
    ) {
        let ShapeKind::Class(base_class) = base.kind() else {
            return self.opaque(shape, object.address, visitor);
        };
        if own.is_empty() {
            return self.viewed(shape, base_class, object, visitor);
        }
        visitor.begin_object(shape.name());
        visitor.field(0, "base");
        self.viewed(base, base_class, object, visitor);
        let own = class.fields().get(own).unwrap_or_default();
        match self.copy(object.address, class.extent(), object.trusted) {
            Ok(slot) => {
                for (index, field) in own.iter().enumerate() {
                    visitor.field(1 + index, field.name());
                    self.field(shape, field, slot, visitor);
                }
                self.scratch.release(slot.at);
                visitor.end_object(1 + own.len());
            }
            Err(fail) => {
                visitor.field(1, own.first().map_or("", Field::name));
                self.failed(&fail, "object", shape.name(), object.address, visitor);
                visitor.end_object(2);
            }
        }
    }

    fn class<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        class: &ClassShape,
        shown: Option<&[usize]>,
        object: ObjectRef,
        visitor: &mut V,
    ) {
        if class.extent() > MAX_BODY {
            visitor.elided_shape(shape, object.address, elided::SIZE);
            return;
        }
        match self.copy(object.address, class.extent(), object.trusted) {
            Ok(slot) => {
                match shown {
                    None => self.fields(shape, class.fields(), slot, visitor),
                    Some(shown) => self.some_fields(shape, class.fields(), shown, slot, visitor),
                }
                self.scratch.release(slot.at);
            }
            Err(fail) => self.failed(&fail, "object", shape.name(), object.address, visitor),
        }
    }

    /// A value of a struct.
    pub(super) fn structure<V: Visitor + ?Sized>(
        &mut self,
        structure: &StructShape,
        shape: &TypeShape,
        slot: Slot,
        visitor: &mut V,
    ) {
        if let Some(known) = structure.well_known()
            && self.well_known(*known, structure, shape, slot, visitor)
        {
            return;
        }
        if self.open(shape, slot.address, visitor) {
            self.fields(shape, structure.fields(), slot, visitor);
            self.depth -= 1;
        }
    }

    fn fields<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        fields: &[Field],
        slot: Slot,
        visitor: &mut V,
    ) {
        visitor.begin_shape(shape);
        for (index, field) in fields.iter().enumerate() {
            visitor.field(index, field.name());
            self.field(shape, field, slot, visitor);
        }
        visitor.end_object(fields.len());
    }

    fn some_fields<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        fields: &[Field],
        shown: &[usize],
        slot: Slot,
        visitor: &mut V,
    ) {
        visitor.begin_object(shape.name());
        for (index, field) in shown.iter().filter_map(|&index| fields.get(index)).enumerate() {
            visitor.field(index, field.name());
            self.field(shape, field, slot, visitor);
        }
        visitor.end_object(shown.len());
    }

    pub(super) fn field<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        field: &Field,
        slot: Slot,
        visitor: &mut V,
    ) {
        if field.is_redacted() {
            let address = slot.address.wrapping_add(field.offset());
            return visitor.elided_shape(field.shape(), address, elided::REDACTED);
        }
        let Some(size) = field.shape().size() else {
            self.opaque(field.shape(), slot.address.wrapping_add(field.offset()), visitor);
            return;
        };
        match slot.part(field.offset(), size) {
            Some(part) => self.slot(field.shape(), part, visitor),
            None => layout(shape, slot.address, "a field lies outside of the value", visitor),
        }
    }
}
