//! Collections as their items, in the order of enumeration.
//!
//! The fields of a collection are not trusted: a count is clamped to the length of the array, and a collection of an
//! unexpected form is shown as its fields.

use std::sync::Arc;

use super::{Decoder, Slot};
use crate::limits::MAX_ENTRIES;
use crate::{
    limits::MAX_BODY,
    memory::{Memory, POINTER_SIZE},
    runtime::{ObjectRef, Runtime},
    shape::{
        ArrayShape, ClassShape, CollectionFields, CollectionKind, Field, Primitive, ShapeKind, TypeShape,
    },
    visitor::{ArrayHead, Visitor},
};

/// The array that items are kept in.
pub(super) struct Store {
    shape: Arc<TypeShape>,
    data: usize,
    pub(super) length: usize,
    trusted: bool,
}

impl Store {
    /// The type of the items for a variable whose type has this one. The array's own can be another one of the same size: a `uint[]`
    /// is an `int[]`, too.
    pub(super) fn seen_as<'s>(&'s self, item: Option<&'s Arc<TypeShape>>) -> &'s TypeShape {
        let element = self.element();
        let is_other = |item: &&Arc<TypeShape>| {
            matches!(item.kind(), ShapeKind::Primitive(_) | ShapeKind::Enum(_))
                && item.size() == element.size()
        };
        item.filter(is_other).map_or(element, |item| item)
    }

    pub(super) const fn data(&self) -> usize {
        self.data
    }

    pub(super) const fn trusted(&self) -> bool {
        self.trusted
    }

    pub(super) fn element(&self) -> &TypeShape {
        match self.shape.kind() {
            ShapeKind::Array(ArrayShape { element, .. }) => element,
            _ => &self.shape,
        }
    }
}

/// The fields of a collection.
struct State {
    store: usize,
    used: usize,
    /// The index of the first item, of a queue.
    head: usize,
    /// The number of items.
    count: usize,
}

impl<M: Memory + ?Sized, R: Runtime + ?Sized> Decoder<'_, M, R> {
    /// Shows a collection; `false`, and nothing shown, if it is none.
    pub(super) fn collection<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        class: &ClassShape,
        fields: &CollectionFields,
        object: ObjectRef,
        visitor: &mut V,
    ) -> bool {
        let Some(state) = self.state_of(class, fields, object) else { return false };
        let head = |length| ArrayHead { type_name: shape.name(), length, bounds: None };
        if state.store == 0 {
            visitor.begin_array(&head(0));
            visitor.end_array(0, false);
            return true;
        }
        let Some(store) = self.store(state.store, object.trusted) else { return false };
        let used = state.used.min(store.length);
        match &fields.kind {
            CollectionKind::List => {
                self.stored(&head(used), &store, store.element(), 0, object.address, visitor);
            }
            CollectionKind::Stack => self.picked(&head(used), &store, |index| used - 1 - index, visitor),
            CollectionKind::Queue { .. } => {
                let place = |index| (state.head + index) % store.length;
                self.picked(&head(used), &store, place, visitor);
            }
            CollectionKind::Hashed { free, pair, .. } => {
                let ShapeKind::Struct(entry) = store.element().kind() else { return false };
                let Some(entry) = Entry::find(entry.fields(), free.is_some()) else { return false };
                self.entries(&head(state.count.min(used)), &store, used, &entry, pair.as_deref(), visitor);
            }
            CollectionKind::Ordered { pair } => {
                let ShapeKind::Struct(entry) = store.element().kind() else { return false };
                let Some(entry) = Entry::with_key(entry.fields()) else { return false };
                self.entries(&head(used), &store, used, &entry, Some(pair), visitor);
            }
        }
        true
    }

    fn state_of(
        &mut self,
        class: &ClassShape,
        fields: &CollectionFields,
        object: ObjectRef,
    ) -> Option<State> {
        if class.extent() > MAX_BODY {
            return None;
        }
        let slot = self.copy(object.address, class.extent(), object.trusted).ok()?;
        let number = |offset| {
            self.array(slot, offset).and_then(|bytes| usize::try_from(i32::from_ne_bytes(bytes)).ok())
        };
        let state = (|| {
            let used = number(fields.used)?;
            let (head, count) = match fields.kind {
                CollectionKind::Queue { head } => (number(head)?, used),
                CollectionKind::Hashed { count, free, .. } => {
                    (0, number(count)?.checked_sub(free.map_or(Some(0), number)?)?)
                }
                _ => (0, used),
            };
            Some(State { store: self.word(slot, fields.store)?, used, head, count })
        })();
        self.scratch.release(slot.at);
        state
    }

    /// Reads the array of a reference that is not null; `None` if it is no vector.
    pub(super) fn store(&mut self, address: usize, trusted: bool) -> Option<Store> {
        let header = usize::from_ne_bytes(self.small::<POINTER_SIZE>(address, trusted).ok()?);
        let object = ObjectRef { address, header, trusted };
        let shape = self.class_of(object).ok()?;
        let ShapeKind::Array(ArrayShape { rank: 1, vector: true, element }) = shape.kind() else {
            return None;
        };
        element.size().filter(|size| (1..=MAX_BODY).contains(size))?;
        let info = self.runtime.array(object, 1).ok()?;
        let length = info.length()?;
        Some(Store { data: info.data(), length, shape, trusted })
    }

    /// Items of an array, in a row from `first` on.
    pub(super) fn stored<V: Visitor + ?Sized>(
        &mut self,
        head: &ArrayHead<'_>,
        store: &Store,
        element: &TypeShape,
        first: usize,
        address: usize,
        visitor: &mut V,
    ) {
        let size = store.element().size().unwrap_or_default();
        let data = store.data.wrapping_add(first.wrapping_mul(size));
        self.items(head, element, data, store.trusted, address, visitor);
    }

    /// Visits items of an array in the order of the given indexes.
    fn picked<V: Visitor + ?Sized>(
        &mut self,
        head: &ArrayHead<'_>,
        store: &Store,
        place: impl Fn(usize) -> usize,
        visitor: &mut V,
    ) {
        visitor.begin_array(head);
        let mut shown = 0;
        while shown < head.length.min(self.limits.items) {
            let Some(item) = self.item_of(store, place(shown)) else { break };
            visitor.item(shown);
            self.slot(store.element(), item, visitor);
            self.scratch.release(item.at);
            shown += 1;
        }
        visitor.end_array(shown, shown < head.length);
    }

    /// Visits the used entries of a hash table.
    fn entries<V: Visitor + ?Sized>(
        &mut self,
        head: &ArrayHead<'_>,
        store: &Store,
        used: usize,
        entry: &Entry<'_>,
        pair: Option<&str>,
        visitor: &mut V,
    ) {
        visitor.begin_array(head);
        let mut shown = 0;
        for index in 0..used.min(MAX_ENTRIES) {
            if shown == head.length.min(self.limits.items) {
                break;
            }
            let Some(slot) = self.item_of(store, index) else { break };
            let is_used = entry
                .mark
                .is_none_or(|(at, least)| self.array(slot, at).map_or(0, i32::from_ne_bytes) >= least);
            if is_used {
                visitor.item(shown);
                self.entry(store.element(), entry, pair, slot, visitor);
                shown += 1;
            }
            self.scratch.release(slot.at);
        }
        visitor.end_array(shown, shown < head.length);
    }

    fn entry<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        entry: &Entry<'_>,
        pair: Option<&str>,
        slot: Slot,
        visitor: &mut V,
    ) {
        match (pair, entry.key) {
            (Some(pair), Some(key)) => self.pair(pair, shape, (key, entry.value), slot, visitor),
            _ => self.field(shape, entry.value, slot, visitor),
        }
    }

    /// Shows a key and its value under the name of a pair.
    pub(super) fn pair<V: Visitor + ?Sized>(
        &mut self,
        pair: &str,
        shape: &TypeShape,
        (key, value): (&Field, &Field),
        slot: Slot,
        visitor: &mut V,
    ) {
        if self.open_named(pair, slot.address, visitor) {
            visitor.begin_object(pair);
            for (index, (name, field)) in [("key", key), ("value", value)].into_iter().enumerate() {
                visitor.field(index, name);
                self.field(shape, field, slot, visitor);
            }
            visitor.end_object(2);
            self.depth -= 1;
        }
    }

    /// A copy of one item.
    pub(super) fn item_of(&mut self, store: &Store, index: usize) -> Option<Slot> {
        let size = store.element().size()?;
        let address = store.data.wrapping_add(index.wrapping_mul(size));
        self.copy(address, size, store.trusted).ok()
    }
}

/// The fields of an entry of a hash table.
struct Entry<'s> {
    key: Option<&'s Field>,
    value: &'s Field,
    /// The offset of the field that marks an entry as used, and the least value that does; absent if all are used.
    mark: Option<(usize, i32)>,
}

impl<'s> Entry<'s> {
    /// A free entry is marked by the index of the next free one, or, up to .NET Core 3.1 in a set, by its hash code.
    fn find(fields: &'s [Field], by_next: bool) -> Option<Self> {
        let (names, least) = if by_next { (["next", "Next"], -1) } else { (["hashCode", "HashCode"], 0) };
        let mark = named(fields, names)?;
        matches!(mark.shape().kind(), ShapeKind::Primitive(Primitive::I32)).then_some(Self {
            key: named(fields, ["key", "Key"]),
            value: named(fields, ["value", "Value"])?,
            mark: Some((mark.offset(), least)),
        })
    }

    /// An entry of a table without free ones.
    fn with_key(fields: &'s [Field]) -> Option<Self> {
        Some(Self {
            key: Some(named(fields, ["key", "Key"])?),
            value: named(fields, ["value", "Value"])?,
            mark: None,
        })
    }
}

/// The field with one of two names.
fn named<'s>(fields: &'s [Field], names: [&str; 2]) -> Option<&'s Field> {
    fields.iter().find(|field| names.contains(&field.name()))
}
