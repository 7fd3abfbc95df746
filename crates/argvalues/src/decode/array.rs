//! Arrays and spans: items in a row.

use super::{Decoder, Fail, Slot, layout};
use crate::{
    error::DecodeError,
    limits::{ARRAY_CHUNK, MAX_BODY},
    memory::Memory,
    runtime::{ObjectRef, Runtime},
    shape::{ArrayShape, ShapeKind, TypeShape},
    visitor::{ArrayHead, Bounds, Visitor},
};

/// Items in a row.
struct Items<'s> {
    shape: &'s TypeShape,
    size: usize,
    data: usize,
    length: usize,
    trusted: bool,
}

impl<M: Memory + ?Sized, R: Runtime + ?Sized> Decoder<'_, M, R> {
    pub(super) fn array_object<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        array: &ArrayShape,
        object: ObjectRef,
        visitor: &mut V,
    ) {
        let info = match self.runtime.array(object, array.rank) {
            Ok(info) => info,
            Err(source) => {
                visitor.error(&DecodeError::Runtime {
                    what: "the items of the array",
                    address: object.address,
                    source,
                });
                return;
            }
        };
        let Some(length) = info.length().filter(|_| info.dims().len() == array.rank) else {
            layout(shape, object.address, "the dimensions are not those of the array", visitor);
            return;
        };
        let bounds = Bounds { dims: info.dims(), lower: info.lower() };
        let head = ArrayHead { type_name: shape.name(), length, bounds: (!array.vector).then_some(bounds) };
        self.items(&head, &array.element, info.data(), object.trusted, object.address, visitor);
    }

    pub(super) fn span<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        slot: Slot,
        reference: usize,
        length: usize,
        visitor: &mut V,
    ) {
        let (Some(data), Some(length)) = (self.word(slot, reference), self.array(slot, length)) else {
            layout(shape, slot.address, "a field lies outside of the value", visitor);
            return;
        };
        let Ok(length) = usize::try_from(i32::from_ne_bytes(length)) else {
            layout(shape, slot.address, "the length is negative", visitor);
            return;
        };
        let [element] = shape.args() else {
            visitor.elided(shape.name(), slot.address, "item type not known");
            return;
        };
        if !self.open(shape, slot.address, visitor) {
            return;
        }
        let head = ArrayHead { type_name: shape.name(), length, bounds: None };
        let trusted = self.trusts(data);
        self.items(&head, element, data, trusted, slot.address, visitor);
        self.depth -= 1;
    }

    pub(super) fn items<V: Visitor + ?Sized>(
        &mut self,
        head: &ArrayHead<'_>,
        element: &TypeShape,
        data: usize,
        trusted: bool,
        address: usize,
        visitor: &mut V,
    ) {
        let Some(size) = element.size().filter(|size| (1..=MAX_BODY).contains(size)) else {
            visitor.elided(head.type_name, address, "item layout not known");
            return;
        };
        visitor.begin_array(head);
        let items = Items { shape: element, size, data, length: head.length, trusted };
        let shown = self.chunks(&items, visitor);
        visitor.end_array(shown, shown < head.length);
    }

    /// Items in place: an inline array, a fixed buffer, a vector.
    pub(super) fn row<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        element: &TypeShape,
        slot: Slot,
        visitor: &mut V,
    ) {
        if !self.open(shape, slot.address, visitor) {
            return;
        }
        let size = element.size().unwrap_or_default();
        let length = slot.room.checked_div(size).unwrap_or_default();
        visitor.begin_array(&ArrayHead { type_name: shape.name(), length, bounds: None });
        let shown = length.min(self.limits.items);
        for index in 0..shown {
            visitor.item(index);
            match slot.part(index * size, size) {
                Some(item) => self.slot(element, item, visitor),
                None => layout(shape, slot.address, "an item lies outside of the value", visitor),
            }
        }
        visitor.end_array(shown, shown < length);
        self.depth -= 1;
    }

    /// Shows as many items as the limits allow, and returns how many those were.
    fn chunks<V: Visitor + ?Sized>(&mut self, items: &Items<'_>, visitor: &mut V) -> usize {
        let most = items.length.min(self.limits.items);
        let per_chunk = (ARRAY_CHUNK / items.size).max(1);
        let mut shown = 0;
        while shown < most {
            let count = per_chunk.min(most - shown).min(self.budget / items.size);
            if count == 0 {
                break;
            }
            // Neither product overflows: both factors come from a chunk, or from an array in memory; a
            // wrong array wraps around to memory that is checked when it is read.
            let address = items.data.wrapping_add(shown.wrapping_mul(items.size));
            let chunk = match self.copy(address, count * items.size, items.trusted) {
                Ok(chunk) => chunk,
                Err(Fail::Budget) => break,
                Err(fail) => {
                    visitor.item(shown);
                    self.failed(&fail, "items", items.shape.name(), address, visitor);
                    return shown + 1;
                }
            };
            if let ShapeKind::Primitive(primitive) = items.shape.kind()
                && let Some(bytes) = self.bytes(chunk, 0, count * items.size)
            {
                visitor.primitives(shown, *primitive, bytes);
                self.scratch.release(chunk.at);
                shown += count;
                continue;
            }
            for index in 0..count {
                visitor.item(shown + index);
                match chunk.part(index * items.size, items.size) {
                    Some(item) => self.slot(items.shape, item, visitor),
                    None => layout(items.shape, address, "an item lies outside of its array", visitor),
                }
            }
            self.scratch.release(chunk.at);
            shown += count;
        }
        shown
    }
}
