//! Numbers, characters, enums and strings.

use super::ahead::Ahead;
use super::copy::{Fail, Slot, load};
use super::{Decoder, Scratch, layout};
use crate::{
    error::DecodeError,
    limits::{MAX_PARTS, STRING_CHUNK},
    memory::{LOWEST_ADDRESS, Memory, MemoryError, units},
    runtime::{ObjectRef, Runtime},
    shape::{ChunkFields, EnumShape, Primitive, TypeShape},
    visitor::{EnumValue, StringUnits, Visitor},
};

const UNIT: usize = size_of::<u16>();

impl<M: Memory + ?Sized, R: Runtime + ?Sized> Decoder<'_, M, R> {
    /// Reads a primitive that was not copied with the value that contains it.
    #[inline]
    pub(crate) fn primitive_at<V: Visitor + ?Sized>(
        &mut self,
        primitive: Primitive,
        shape: &TypeShape,
        address: usize,
        trusted: bool,
        visitor: &mut V,
    ) {
        macro_rules! read {
            ($number:ty) => {
                self.free(address, trusted).map(|bytes| u64::from(<$number>::from_ne_bytes(bytes)))
            };
        }
        let bits = match primitive.size() {
            1 => read!(u8),
            2 => read!(u16),
            4 => read!(u32),
            _ => read!(u64),
        };
        match bits {
            Ok(bits) => visitor.primitive(primitive, bits),
            Err(fail) => self.failed(&fail, "value", shape.name(), address, visitor),
        }
    }

    #[inline]
    pub(super) fn primitive<V: Visitor + ?Sized>(
        &self,
        primitive: Primitive,
        shape: &TypeShape,
        slot: Slot,
        visitor: &mut V,
    ) {
        let bytes = self.bytes(slot, 0, primitive.size()).unwrap_or_default();
        if !primitive.visit_bytes(bytes, visitor) {
            layout(shape, slot.address, "the slot is too small", visitor);
        }
    }

    pub(super) fn enumeration<V: Visitor + ?Sized>(
        &self,
        enumeration: &EnumShape,
        shape: &TypeShape,
        slot: Slot,
        visitor: &mut V,
    ) {
        let underlying = enumeration.underlying();
        match self.bytes(slot, 0, underlying.size()).and_then(|bytes| underlying.integer(bytes)) {
            Some(value) => visitor.enumeration(&EnumValue {
                type_name: shape.name(),
                names: enumeration.names(value),
                value,
            }),
            None => layout(shape, slot.address, "the slot is too small", visitor),
        }
    }

    /// A string whose reference is in an argument's slot.
    #[inline]
    pub(crate) fn string_at<V: Visitor + ?Sized>(&mut self, shape: &TypeShape, slot: usize, visitor: &mut V) {
        match self.free(slot, true).map(usize::from_ne_bytes) {
            Ok(0) => visitor.null(),
            Ok(address) => self.string(address, true, visitor),
            Err(fail) => self.failed(&fail, "value", shape.name(), slot, visitor),
        }
    }

    /// The string that a reference points to, which is not null.
    pub(super) fn string<V: Visitor + ?Sized>(&mut self, address: usize, trusted: bool, visitor: &mut V) {
        let layout = self.runtime.string_layout();
        let length = match self.small(address.wrapping_add(layout.length_offset as usize), trusted) {
            Ok(bytes) => i32::from_ne_bytes(bytes),
            Err(fail) => return self.failed(&fail, "string", "string", address, visitor),
        };
        let Ok(length) = usize::try_from(length) else {
            visitor.error(&DecodeError::StringLength { address, length });
            return;
        };
        let shown = length.min(self.limits.chars).min(self.budget / UNIT);
        let chars = address.wrapping_add(layout.buffer_offset as usize);
        if shown > STRING_CHUNK {
            if let Err(fail) = self.many_units(chars, shown, trusted) {
                return self.failed(&fail, "string", "string", address, visitor);
            }
        } else {
            self.budget -= shown * UNIT;
            if let Err(error) = self.units(0, chars, shown, trusted) {
                return self.failed(&Fail::Memory(error), "string", "string", address, visitor);
            }
        }
        self.show_units(shown, length, visitor);
    }

    /// Visits the first units of a string, which have been copied.
    #[inline]
    pub(super) fn show_units<V: Visitor + ?Sized>(&self, shown: usize, length: usize, visitor: &mut V) {
        let mut units = self.scratch.units.get(..shown).unwrap_or_default();
        // A cut does not go through a surrogate pair.
        if units.len() < length
            && let [rest @ .., 0xd800..=0xdbff] = units
        {
            units = rest;
        }
        visitor.string(&StringUnits { units, length });
    }

    /// Visits the text of a `StringBuilder`; `false`, and nothing shown, if its chunks do not fit each other.
    pub(super) fn builder<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        fields: ChunkFields,
        builder: ObjectRef,
        visitor: &mut V,
    ) -> bool {
        let Some((shown, length)) = self.copy_chunks(fields, builder) else { return false };
        visitor.begin_boxed(shape.name());
        self.show_units(shown, length, visitor);
        visitor.end_boxed();
        true
    }

    /// Copies the first units of a chain of chunks, of which the last one is known. Returns their number, and that of all units.
    fn copy_chunks(&mut self, fields: ChunkFields, last: ObjectRef) -> Option<(usize, usize)> {
        let trusted = last.trusted;
        let (mut chunk, mut end, mut shown) = (last.address, None, 0);
        for _ in 0..MAX_PARTS {
            let number = |this: &mut Self, offset| {
                let bytes = this.small(chunk.wrapping_add(offset), trusted).ok()?;
                usize::try_from(i32::from_ne_bytes(bytes)).ok()
            };
            let (begin, used) = (number(self, fields.offset)?, number(self, fields.length)?);
            let reached = begin.checked_add(used)?;
            match end {
                Some((_, following)) if following != reached => return None,
                Some(_) => {}
                None => shown = reached.min(self.limits.chars).min(self.budget / UNIT),
            }
            let whole = end.map_or(reached, |(whole, _)| whole);
            let count = reached.min(shown).saturating_sub(begin);
            if count > 0 {
                let chars = self.small(chunk.wrapping_add(fields.chars), trusted).ok()?;
                let store = self.store(usize::from_ne_bytes(chars), trusted)?;
                if store.element().size() != Some(UNIT) || store.length < count {
                    return None;
                }
                self.spend(count * UNIT).ok()?;
                self.units(begin, store.data(), count, trusted).ok()?;
            }
            if begin == 0 {
                return Some((shown, whole));
            }
            end = Some((whole, begin));
            let previous = self.small(chunk.wrapping_add(fields.previous), trusted).ok()?;
            chunk = usize::from_ne_bytes(previous);
        }
        None
    }

    /// Copies UTF-16 units to the scratch, a few at a time: a wrong length must not make room for more than there is.
    #[cold]
    fn many_units(&mut self, address: usize, count: usize, trusted: bool) -> Result<(), Fail> {
        let mut done = 0;
        while done < count {
            let now = (count - done).min(STRING_CHUNK);
            self.spend(now * UNIT)?;
            self.units(done, address.wrapping_add(done * UNIT), now, trusted).map_err(Fail::Memory)?;
            done += now;
        }
        Ok(())
    }

    /// Copies a few units behind those that are there already.
    #[inline(always)]
    fn units(&mut self, at: usize, address: usize, count: usize, trusted: bool) -> Result<(), MemoryError> {
        let Scratch { units, ahead, .. } = &mut *self.scratch;
        if units.len() < at + count {
            grow(units, at + count);
        }
        let units = units.get_mut(at..at + count).unwrap_or_default();
        if trusted && address >= LOWEST_ADDRESS && !self.memory.reads_ahead() {
            self.memory.read_units(address, units)
        } else {
            load_units(self.memory, ahead, address, units, trusted)
        }
    }
}

/// Units that may have to be read ahead.
#[inline(never)]
fn load_units<M: Memory + ?Sized>(
    memory: &M,
    ahead: &mut Ahead,
    address: usize,
    units: &mut [u16],
    trusted: bool,
) -> Result<(), MemoryError> {
    load(memory, ahead, address, units::as_bytes_mut(units), trusted)
}

#[cold]
fn grow(units: &mut Vec<u16>, length: usize) {
    units.resize(length.next_power_of_two(), 0);
}
