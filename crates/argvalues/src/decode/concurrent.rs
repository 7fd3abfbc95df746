//! Concurrent collections as their items, in the order of enumeration.
//!
//! Their parts are found by the names of fields, since they are objects of other classes. The program may change them while they
//! are read: what does not fit is not trusted, and each list of parts ends at a limit.

use std::sync::Arc;

use super::collection::Store;
use super::{Decoder, Slot};
use crate::{
    limits::{MAX_BODY, MAX_ENTRIES, MAX_PARTS},
    memory::{Memory, POINTER_SIZE},
    runtime::{ObjectRef, Runtime},
    shape::{ClassShape, ConcurrentFields, ConcurrentKind, Field, ShapeKind, TypeShape},
    visitor::{ArrayHead, Visitor},
};

/// An object that is looked into, and a copy of it.
pub(super) struct Inner {
    shape: Arc<TypeShape>,
    pub(super) slot: Slot,
}

impl Inner {
    fn class(&self) -> Option<&ClassShape> {
        match self.shape.kind() {
            ShapeKind::Class(class) => Some(class),
            _ => None,
        }
    }

    pub(super) fn field(&self, name: &str) -> Option<&Field> {
        self.class()?.fields().iter().find(|field| field.name() == name)
    }
}

/// Items of an array around its end: `length` of them from `first` on, or from there down to it.
struct Ring {
    store: Store,
    first: usize,
    length: usize,
    is_reversed: bool,
}

/// The parts of a collection whose items are in arrays.
struct Parts<D> {
    first: usize,
    /// The name of the field with the next part.
    next: &'static str,
    ring: fn(&mut D, &Inner) -> Option<Ring>,
    /// The name of the field of an element with the item; the element is the item if there is none.
    field: Option<&'static str>,
}

impl Ring {
    /// The index of an item in the array, whose length is a power of two.
    const fn place(&self, item: usize) -> usize {
        let item = if self.is_reversed { self.length - 1 - item } else { item };
        self.first.wrapping_add(item) & (self.store.length - 1)
    }
}

impl<M: Memory + ?Sized, R: Runtime + ?Sized> Decoder<'_, M, R> {
    /// Shows a concurrent collection; `false`, and nothing shown, if its form is not the expected one.
    pub(super) fn concurrent<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        fields: &ConcurrentFields,
        object: ObjectRef,
        visitor: &mut V,
    ) -> bool {
        let read = self.small(object.address.wrapping_add(fields.first), object.trusted);
        let Ok(first) = read.map(usize::from_ne_bytes) else { return false };
        match &fields.kind {
            ConcurrentKind::Stack => self.linked(shape, first, object.trusted, visitor),
            ConcurrentKind::Queue => {
                let parts = Parts { first, next: "_nextSegment", ring: Self::segment, field: Some("Item") };
                self.in_rings(shape, &parts, object.trusted, visitor)
            }
            ConcurrentKind::Bag => {
                let parts = Parts { first, next: "_nextQueue", ring: Self::stealing_queue, field: None };
                self.in_rings(shape, &parts, object.trusted, visitor)
            }
            ConcurrentKind::Dictionary { pair } => self
                .table(first, object.trusted)
                .is_some_and(|(count, buckets)| self.buckets(shape, pair, (count, &buckets), visitor)),
        }
    }

    /// Copies an object that is looked into. To be released.
    pub(super) fn inner(&mut self, address: usize, trusted: bool) -> Option<Inner> {
        let shape = self.shape_of(address, trusted)?;
        let ShapeKind::Class(class) = shape.kind() else { return None };
        let extent = Some(class.extent()).filter(|extent| *extent <= MAX_BODY)?;
        let slot = self.copy(address, extent, trusted).ok()?;
        Some(Inner { shape, slot })
    }

    fn inner_word(&self, inner: &Inner, name: &str) -> Option<usize> {
        self.word(inner.slot, inner.field(name)?.offset())
    }

    fn inner_number(&self, inner: &Inner, name: &str) -> Option<i32> {
        self.array(inner.slot, inner.field(name)?.offset()).map(i32::from_ne_bytes)
    }

    /// Returns the address in a field of an object, null included.
    fn word_of(&mut self, address: usize, name: &str, trusted: bool) -> Option<usize> {
        let inner = self.inner(address, trusted)?;
        let word = self.inner_word(&inner, name);
        self.scratch.release(inner.slot.at);
        word
    }

    /// Shows the items of a list of nodes.
    fn linked<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        first: usize,
        trusted: bool,
        visitor: &mut V,
    ) -> bool {
        // All nodes have one class.
        let Some(next) = self.next_offset(first, trusted) else { return false };
        let (mut node, mut length) = (first, 0);
        while node != 0 {
            length += 1;
            let read = self.free(node.wrapping_add(next), trusted);
            let (Ok(following), true) = (read.map(usize::from_ne_bytes), length <= MAX_PARTS) else {
                return false;
            };
            node = following;
        }
        visitor.begin_array(&ArrayHead { type_name: shape.name(), length, bounds: None });
        let (mut node, mut shown) = (first, 0);
        while shown < length.min(self.limits.items) {
            let Some(inner) = self.inner(node, trusted) else { break };
            let (Some(value), Some(following)) = (inner.field("_value"), self.inner_word(&inner, "_next"))
            else {
                self.scratch.release(inner.slot.at);
                break;
            };
            visitor.item(shown);
            self.field(&inner.shape, value, inner.slot, visitor);
            self.scratch.release(inner.slot.at);
            node = following;
            shown += 1;
        }
        visitor.end_array(shown, shown < length);
        true
    }

    /// Returns the offset of the reference to the next node; any, if there is no node.
    fn next_offset(&mut self, node: usize, trusted: bool) -> Option<usize> {
        if node == 0 {
            return Some(0);
        }
        let inner = self.inner(node, trusted)?;
        let offset = inner.field("_next").map(Field::offset);
        self.scratch.release(inner.slot.at);
        offset.filter(|_| inner.field("_value").is_some())
    }

    /// Calls `visit` with the arrays of a list of parts until it returns `false`. Returns whether all were as expected.
    fn each_ring(
        &mut self,
        parts: &Parts<Self>,
        trusted: bool,
        mut visit: impl FnMut(&mut Self, &Ring) -> bool,
    ) -> bool {
        let mut part = parts.first;
        for _ in 0..MAX_PARTS {
            if part == 0 {
                return true;
            }
            let Some(inner) = self.inner(part, trusted) else { return false };
            let (ring, next) = ((parts.ring)(self, &inner), self.inner_word(&inner, parts.next));
            self.scratch.release(inner.slot.at);
            let Some(ring) = ring.filter(|ring| ring.store.length.is_power_of_two()) else { return false };
            let Some(next) = next else { return false };
            if !visit(self, &ring) {
                return true;
            }
            part = next;
        }
        false
    }

    /// Shows the items in a list of arrays; `false`, and nothing shown, if it is not as expected.
    fn in_rings<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        parts: &Parts<Self>,
        trusted: bool,
        visitor: &mut V,
    ) -> bool {
        let mut length = 0_usize;
        let is_known = self.each_ring(parts, trusted, |_, ring| {
            length += ring.length;
            true
        });
        if !is_known {
            return false;
        }
        visitor.begin_array(&ArrayHead { type_name: shape.name(), length, bounds: None });
        let (most, mut shown) = (length.min(self.limits.items), 0);
        self.each_ring(parts, trusted, |this, ring| {
            for item in 0..ring.length.min(most - shown) {
                if !this.item_of_ring(ring, item, parts.field, shown, visitor) {
                    return false;
                }
                shown += 1;
            }
            shown < most
        });
        visitor.end_array(shown, shown < length);
        true
    }

    /// Shows an item as the next one. Returns `false`, and shows nothing, if it cannot be read.
    fn item_of_ring<V: Visitor + ?Sized>(
        &mut self,
        ring: &Ring,
        item: usize,
        field: Option<&str>,
        shown: usize,
        visitor: &mut V,
    ) -> bool {
        let element = ring.store.element();
        let field = match (field, element.kind()) {
            (None, _) => None,
            (Some(name), ShapeKind::Struct(slot)) => {
                match slot.fields().iter().find(|field| field.name() == name) {
                    None => return false,
                    found => found,
                }
            }
            (Some(_), _) => return false,
        };
        let Some(slot) = self.item_of(&ring.store, ring.place(item)) else { return false };
        visitor.item(shown);
        match field {
            None => self.slot(element, slot, visitor),
            Some(field) => self.field(element, field, slot, visitor),
        }
        self.scratch.release(slot.at);
        true
    }

    /// The items in a segment of a queue.
    fn segment(&mut self, segment: &Inner) -> Option<Ring> {
        let store = self.store(self.inner_word(segment, "_slots")?, segment.slot.trusted)?;
        let ends = segment.field("_headAndTail")?;
        let ShapeKind::Struct(pair) = ends.shape().kind() else { return None };
        let end = |name| {
            let field = pair.fields().iter().find(|field| field.name() == name)?;
            let bytes = self.array(segment.slot, ends.offset().checked_add(field.offset())?)?;
            usize::try_from(u32::from_ne_bytes(bytes)).ok()
        };
        let (head, tail) = (end("Head")?, end("Tail")?);
        let mask = store.length.checked_sub(1)?;
        // A segment that gets no more items has a tail that is two lengths further.
        let is_empty = head == tail || head == tail.wrapping_sub(2 * store.length);
        let length = match (head & mask, tail & mask) {
            _ if is_empty => 0,
            (head, tail) if head < tail => tail - head,
            (head, tail) => store.length - head + tail,
        };
        Some(Ring { store, first: head & mask, length, is_reversed: false })
    }

    /// The items of one thread in a bag. The last one is the first.
    fn stealing_queue(&mut self, queue: &Inner) -> Option<Ring> {
        let store = self.store(self.inner_word(queue, "_array")?, queue.slot.trusted)?;
        let (head, tail) = (self.inner_number(queue, "_headIndex")?, self.inner_number(queue, "_tailIndex")?);
        let length = usize::try_from(tail.wrapping_sub(head)).ok()?.min(store.length);
        let first = usize::try_from(head.cast_unsigned()).ok()?;
        Some(Ring { store, first, length, is_reversed: true })
    }

    /// The number of entries of a dictionary, and its buckets.
    fn table(&mut self, tables: usize, trusted: bool) -> Option<(usize, Store)> {
        let buckets = self.word_of(tables, "_buckets", trusted)?;
        let counts = self.word_of(tables, "_countPerLock", trusted)?;
        let (buckets, counts) = (self.store(buckets, trusted)?, self.store(counts, trusted)?);
        if counts.element().size() != Some(size_of::<i32>()) || counts.length > MAX_ENTRIES {
            return None;
        }
        let mut count = 0;
        for lock in 0..counts.length {
            let slot = self.item_of(&counts, lock)?;
            let part = self.array(slot, 0).map(i32::from_ne_bytes);
            self.scratch.release(slot.at);
            count += usize::try_from(part?).ok()?;
        }
        Some((count, buckets))
    }

    /// Shows the entries in the buckets of a dictionary.
    fn buckets<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        pair: &str,
        (count, buckets): (usize, &Store),
        visitor: &mut V,
    ) -> bool {
        if buckets.element().size() != Some(POINTER_SIZE) {
            return false;
        }
        visitor.begin_array(&ArrayHead { type_name: shape.name(), length: count, bounds: None });
        let most = count.min(self.limits.items);
        let mut shown = 0;
        'all: for bucket in 0..buckets.length.min(MAX_ENTRIES) {
            if shown == most {
                break;
            }
            let address = buckets.data().wrapping_add(bucket.wrapping_mul(POINTER_SIZE));
            let Ok(bytes) = self.small(address, buckets.trusted()) else { break };
            let mut node = usize::from_ne_bytes(bytes);
            while node != 0 && shown < most {
                let Some(inner) = self.inner(node, buckets.trusted()) else { break 'all };
                let (key, value, next) =
                    (inner.field("_key"), inner.field("_value"), self.inner_word(&inner, "_next"));
                let (Some(key), Some(value), Some(next)) = (key, value, next) else {
                    self.scratch.release(inner.slot.at);
                    break 'all;
                };
                visitor.item(shown);
                self.pair(pair, &inner.shape, (key, value), inner.slot, visitor);
                self.scratch.release(inner.slot.at);
                node = next;
                shown += 1;
            }
        }
        visitor.end_array(shown, shown < count);
        true
    }

    /// Returns whether cancellation has been requested of the source at an address; `None` if that cannot be read.
    pub(super) fn is_cancelled(&mut self, source: usize, trusted: bool) -> Option<bool> {
        let inner = self.inner(source, trusted)?;
        // Up to .NET 5 the states began with 1, for the same reason for which the registrations had no object of their own.
        let first = if inner.field("_registrations").is_some() { 0 } else { 1 };
        let state = self.inner_number(&inner, "_state");
        let is_source = inner.field("_timer").is_some();
        self.scratch.release(inner.slot.at);
        state.filter(|_| is_source).map(|state| state > first)
    }
}
