//! Parts of a JSON document, as their text.
//!
//! A `JsonDocument` has the text in UTF-8, and a table with a row of three numbers for each token: the position in the text; the
//! length; and, in the upper four bits, the kind of token, with the number of rows up to the end below them.

use super::{Decoder, Slot};
use crate::{
    limits::MAX_BODY,
    memory::Memory,
    runtime::Runtime,
    shape::{Field, ShapeKind, StructShape, TypeShape, WellKnown},
    visitor::{Visitor, elided},
};

/// The bytes of a row.
const ROW: usize = 12;
/// The kinds of token that have an end.
const START_OBJECT: u32 = 1;
const START_ARRAY: u32 = 3;
/// The kind of token whose quotes stand outside of its position and length.
const STRING: u32 = 7;

/// A row of the table.
struct Row {
    start: usize,
    length: usize,
    kind: u32,
    rows: usize,
}

/// A document: where its text is, and its table.
struct Document {
    text: (usize, usize),
    table: (usize, usize),
}

impl<M: Memory + ?Sized, R: Runtime + ?Sized> Decoder<'_, M, R> {
    /// Visits a `System.Text.Json.JsonElement` as its text; `false`, and nothing shown, if there is none.
    pub(super) fn json_element<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        slot: Slot,
        (document, row): (usize, usize),
        visitor: &mut V,
    ) -> bool {
        let (Some(document), Some(row)) =
            (self.word(slot, document), self.array(slot, row).map(u32::from_ne_bytes))
        else {
            return false;
        };
        let Some((address, length)) = self.text_in(document, row as usize, slot.trusted) else {
            return false;
        };
        if length > MAX_BODY {
            visitor.elided_shape(shape, slot.address, elided::SIZE);
            return true;
        }
        // To count the characters costs nothing of the budget, and to show them does.
        self.budget = self.budget.saturating_add(length);
        match self.copy(address, length, slot.trusted) {
            Ok(text) => {
                let shown = self.utf8(text, length, shape, visitor);
                self.scratch.release(text.at);
                shown
            }
            Err(fail) => {
                self.failed(&fail, "text", shape.name(), slot.address, visitor);
                true
            }
        }
    }

    /// Returns the address and the length of the text of a document's part.
    fn text_in(&mut self, document: usize, row: usize, trusted: bool) -> Option<(usize, usize)> {
        let Document { text, table } = self.document(document, trusted)?;
        let first = self.table_row(table, row, trusted)?;
        let (start, end) = match first.kind {
            START_OBJECT | START_ARRAY => {
                let last = self.table_row(table, row.checked_add(first.rows.checked_mul(ROW)?)?, trusted)?;
                (first.start, last.start.checked_add(last.length)?)
            }
            STRING => (first.start.checked_sub(1)?, first.start.checked_add(first.length)?.checked_add(1)?),
            _ => (first.start, first.start.checked_add(first.length)?),
        };
        let length = end.checked_sub(start).filter(|_| end <= text.1)?;
        Some((text.0.wrapping_add(start), length))
    }

    fn document(&mut self, address: usize, trusted: bool) -> Option<Document> {
        let inner = self.inner(address, trusted)?;
        let found = (|| {
            let (text, table) = (inner.field("_utf8Json")?, inner.field("_parsedData")?);
            let Some(WellKnown::Memory { object, index, length }) = structure(text)?.well_known().copied()
            else {
                return None;
            };
            let data = structure(table)?.fields().iter().find(|field| field.name() == "_data")?.offset();
            let number = |offset: usize| {
                let bytes = self.array(inner.slot, text.offset().checked_add(offset)?)?;
                Some((u32::from_ne_bytes(bytes) & !PINNED) as usize)
            };
            let word =
                |field: &Field, offset: usize| self.word(inner.slot, field.offset().checked_add(offset)?);
            Some((word(text, object)?, number(index)?, number(length)?, word(table, data)?))
        })();
        self.scratch.release(inner.slot.at);
        let (text, index, length, table) = found?;
        let (text, table) = (self.bytes_of(text, trusted)?, self.bytes_of(table, trusted)?);
        index.checked_add(length).filter(|end| *end <= text.1)?;
        Some(Document { text: (text.0.wrapping_add(index), length), table })
    }

    /// Returns the address and the length of an array of bytes.
    fn bytes_of(&mut self, address: usize, trusted: bool) -> Option<(usize, usize)> {
        if address == 0 {
            return None;
        }
        let store = self.store(address, trusted)?;
        (store.element().size() == Some(1)).then(|| (store.data(), store.length))
    }

    fn table_row(&mut self, (table, length): (usize, usize), at: usize, trusted: bool) -> Option<Row> {
        at.checked_add(ROW).filter(|end| *end <= length)?;
        let bytes: [u8; ROW] = self.small(table.wrapping_add(at), trusted).ok()?;
        let (numbers, _) = bytes.as_chunks::<4>();
        let [start, length, rest] = *numbers else { return None };
        let rest = u32::from_ne_bytes(rest);
        Some(Row {
            start: u32::from_ne_bytes(start) as usize,
            // The upper bit says that a string has escapes, or an array parts of several rows.
            length: (u32::from_ne_bytes(length) & !PINNED) as usize,
            kind: rest >> 28,
            rows: (rest & 0x0fff_ffff) as usize,
        })
    }

    /// Visits a copied text as a string; `false` if it is no UTF-8.
    fn utf8<V: Visitor + ?Sized>(
        &mut self,
        text: Slot,
        length: usize,
        shape: &TypeShape,
        visitor: &mut V,
    ) -> bool {
        const UNIT: usize = size_of::<u16>();
        let most = self.limits.chars.min(self.budget / UNIT);
        let super::Scratch { bytes, units, .. } = &mut *self.scratch;
        let copied = bytes.get(text.at..text.at + length).unwrap_or_default();
        let Ok(copied) = core::str::from_utf8(copied) else { return false };
        let whole = copied.encode_utf16().count();
        units.clear();
        units.extend(copied.encode_utf16().take(most));
        self.budget -= units.len() * UNIT;
        let shown = units.len();
        visitor.begin_boxed(shape.name());
        self.show_units(shown, whole, visitor);
        visitor.end_boxed();
        true
    }
}

/// The shape of a field that is a struct.
fn structure(field: &Field) -> Option<&StructShape> {
    match field.shape().kind() {
        ShapeKind::Struct(structure) => Some(structure),
        _ => None,
    }
}

/// The highest bit of a number that has another meaning.
const PINNED: u32 = 1 << 31;
