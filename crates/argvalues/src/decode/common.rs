//! Types of the framework that are used everywhere, shown by their meaning.

use core::fmt::Write as _;

use super::{Decoder, Slot};
use crate::{
    format,
    limits::MAX_BODY,
    memory::Memory,
    runtime::{ObjectRef, Runtime},
    shape::{ClassShape, LazyFields, TextFields, TypeShape},
    text_buffer::TextBuffer,
    visitor::Visitor,
};

impl<M: Memory + ?Sized, R: Runtime + ?Sized> Decoder<'_, M, R> {
    /// Visits a `System.Numerics.BigInteger`; `false`, and nothing shown, if it is malformed or very long.
    pub(super) fn big_integer<V: Visitor + ?Sized>(
        &mut self,
        slot: Slot,
        (sign, bits): (usize, usize),
        visitor: &mut V,
    ) -> bool {
        const LIMB: usize = size_of::<u32>();
        const NAME: &str = "System.Numerics.BigInteger";
        let (Some(sign), Some(bits)) =
            (self.array(slot, sign).map(i32::from_ne_bytes), self.word(slot, bits))
        else {
            return false;
        };
        let mut text = TextBuffer::<{ format::MAX_DIGITS }>::new();
        if bits == 0 {
            let written = write!(text, "{sign}");
            visitor.formatted(NAME, text.as_str());
            return written.is_ok();
        }
        // Since .NET 11 the parts are as wide as an address. In memory they are the same.
        let Some(store) = self.store(bits, slot.trusted) else { return false };
        let size = store.element().size().unwrap_or_default();
        let length = store.length.checked_mul(size).filter(|length| *length <= format::MAX_LIMBS * LIMB);
        let Some(Ok(copied)) = length.map(|length| self.copy(store.data(), length, slot.trusted)) else {
            return false;
        };
        let mut limbs = [0; format::MAX_LIMBS];
        let (copies, _) = self.bytes(copied, 0, copied.room).unwrap_or_default().as_chunks::<LIMB>();
        limbs.iter_mut().zip(copies).for_each(|(limb, copied)| *limb = u32::from_ne_bytes(*copied));
        self.scratch.release(copied.at);
        if format::big_integer(sign < 0, &mut limbs, &mut text).is_err() {
            return false;
        }
        visitor.formatted(NAME, text.as_str());
        true
    }

    /// Visits an object that stands for a text; `false`, and nothing shown, if it has none.
    pub(super) fn text_of<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        fields: &TextFields,
        object: ObjectRef,
        visitor: &mut V,
    ) -> bool {
        let found = fields.texts.into_iter().flatten().find_map(|offset| {
            let read = self.small(object.address.wrapping_add(offset), object.trusted);
            read.map(usize::from_ne_bytes).ok().filter(|text| *text != 0)
        });
        let Some(text) = found else { return false };
        visitor.begin_boxed(shape.name());
        self.string(text, object.trusted, visitor);
        visitor.end_boxed();
        true
    }

    /// Visits a `System.Threading.CancellationToken`.
    pub(super) fn cancellation_token<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        slot: Slot,
        source: usize,
        visitor: &mut V,
    ) -> bool {
        let Some(source) = self.word(slot, source) else { return false };
        let is_cancelled = if source == 0 { Some(false) } else { self.is_cancelled(source, slot.trusted) };
        let Some(is_cancelled) = is_cancelled else { return false };
        if self.open(shape, slot.address, visitor) {
            visitor.begin_object(shape.name());
            for (index, (name, value)) in
                [("IsCancellationRequested", is_cancelled), ("CanBeCanceled", source != 0)]
                    .into_iter()
                    .enumerate()
            {
                visitor.field(index, name);
                visitor.bool(value);
            }
            visitor.end_object(2);
            self.depth -= 1;
        }
        true
    }

    /// Visits a `System.Lazy<T>`: whether it has its value, and the value.
    pub(super) fn lazy<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        class: &ClassShape,
        fields: &LazyFields,
        object: ObjectRef,
        visitor: &mut V,
    ) -> bool {
        let Some(value) = class.fields().get(fields.value).filter(|_| class.extent() <= MAX_BODY) else {
            return false;
        };
        let Ok(slot) = self.copy(object.address, class.extent(), object.trusted) else { return false };
        // What makes the value is released when it is made.
        let state = self.word(slot, fields.state);
        if let Some(state) = state {
            visitor.begin_object(shape.name());
            visitor.field(0, "IsValueCreated");
            visitor.bool(state == 0);
            if state == 0 {
                visitor.field(1, "Value");
                self.field(shape, value, slot, visitor);
            }
            let mut shown = 1 + usize::from(state == 0);
            for field in class.fields().get(fields.own.clone()).unwrap_or_default() {
                visitor.field(shown, field.name());
                self.field(shape, field, slot, visitor);
                shown += 1;
            }
            visitor.end_object(shown);
        }
        self.scratch.release(slot.at);
        state.is_some()
    }
}
