//! What references point to: objects, boxes, delegates; and structs, wherever they lie.

use super::{Decoder, Slot, layout};
use crate::{
    error::DecodeError,
    limits::MAX_BODY,
    memory::{Memory, POINTER_SIZE},
    runtime::{ObjectRef, Runtime},
    shape::{ClassShape, DelegateFields, Field, ShapeKind, StructShape, TypeShape, WellKnown},
    visitor::{Visitor, elided},
};

impl<M: Memory + ?Sized, R: Runtime + ?Sized> Decoder<'_, M, R> {
    /// The object at an address, or null.
    pub(super) fn reference<V: Visitor + ?Sized>(
        &mut self,
        address: usize,
        vouched: bool,
        declared: &str,
        visitor: &mut V,
    ) {
        if address == 0 {
            visitor.null();
            return;
        }
        let header = match self.small::<POINTER_SIZE>(address, vouched) {
            Ok(bytes) => usize::from_ne_bytes(bytes),
            Err(fail) => return self.failed(&fail, "object", declared, address, visitor),
        };
        let object = ObjectRef { address, header, vouched };
        let shape = match self.runtime.object_type(object) {
            Ok(shape) => shape,
            Err(source) => {
                visitor.error(&DecodeError::Runtime { what: "the class of the object", address, source });
                return;
            }
        };
        match shape.kind() {
            ShapeKind::String => self.string(address, vouched, visitor),
            ShapeKind::Class(class) => {
                if !self.cycle(&shape, address, visitor) && self.open(&shape, address, visitor) {
                    self.scratch.ancestors.push(address);
                    match class.delegate_fields() {
                        Some(fields) => self.delegate(&shape, class, fields, object, visitor),
                        None => self.class(&shape, class, object, visitor),
                    }
                    self.scratch.ancestors.pop();
                    self.depth -= 1;
                }
            }
            ShapeKind::Array(array) => {
                if !self.cycle(&shape, address, visitor) && self.open(&shape, address, visitor) {
                    self.scratch.ancestors.push(address);
                    self.array_object(&shape, array, object, visitor);
                    self.scratch.ancestors.pop();
                    self.depth -= 1;
                }
            }
            ShapeKind::Primitive(_) | ShapeKind::Enum(_) | ShapeKind::Struct(_) => {
                self.boxed(&shape, object, visitor);
            }
            _ => self.opaque(&shape, address, visitor),
        }
    }

    /// Whether the object is being shown further out.
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
            visitor.elided(shape.name(), object.address, elided::SIZE);
            return;
        }
        match self.copy(object.address.wrapping_add(self.runtime.box_offset()), size, object.vouched) {
            Ok(slot) => {
                self.scratch.ancestors.push(object.address);
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
                self.scratch.ancestors.pop();
                self.scratch.release(slot.at);
            }
            Err(fail) => self.failed(&fail, "box", shape.name(), object.address, visitor),
        }
    }

    fn class<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        class: &ClassShape,
        object: ObjectRef,
        visitor: &mut V,
    ) {
        if class.extent() > MAX_BODY {
            visitor.elided(shape.name(), object.address, elided::SIZE);
            return;
        }
        match self.copy(object.address, class.extent(), object.vouched) {
            Ok(slot) => {
                self.fields(shape, class.fields(), slot, visitor);
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
        visitor.begin_object(shape.name());
        for (index, field) in fields.iter().enumerate() {
            visitor.field(index, field.name());
            self.field(shape, field, slot, visitor);
        }
        visitor.end_object(fields.len());
    }

    pub(super) fn field<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        field: &Field,
        slot: Slot,
        visitor: &mut V,
    ) {
        let Some(size) = field.shape().size() else {
            self.opaque(field.shape(), slot.address.wrapping_add(field.offset()), visitor);
            return;
        };
        match slot.part(field.offset(), size) {
            Some(part) => self.slot(field.shape(), part, visitor),
            None => layout(shape, slot.address, "a field lies outside of the value", visitor),
        }
    }

    /// A delegate: what it is called on, and the name of what it calls.
    fn delegate<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        class: &ClassShape,
        fields: &DelegateFields,
        object: ObjectRef,
        visitor: &mut V,
    ) {
        let slot = match self.copy(object.address, class.extent(), object.vouched) {
            Ok(slot) => slot,
            Err(fail) => return self.failed(&fail, "delegate", shape.name(), object.address, visitor),
        };
        let word = |offset| self.word(slot, offset);
        let words = (|| {
            let list = word(fields.list)?;
            Some((
                word(fields.target)?,
                word(fields.code)?,
                word(fields.static_code)?,
                word(fields.count)?,
                list,
            ))
        })();
        match words {
            None => layout(shape, object.address, "the fields of a delegate lie outside of it", visitor),
            // Several delegates in one. The count is also used for other things when there is no list.
            Some((_, _, _, count, list)) if count != 0 && list != 0 => {
                visitor.elided(shape.name(), object.address, "combined delegate, not decoded");
            }
            Some((target, code, static_code, _, _)) => {
                visitor.begin_delegate(shape.name());
                let code = if static_code == 0 {
                    self.reference(target, object.vouched, "object", visitor);
                    code
                } else {
                    visitor.null();
                    static_code
                };
                visitor.end_delegate(self.runtime.method_name(code).as_deref());
            }
        }
        self.scratch.release(slot.at);
    }
}
