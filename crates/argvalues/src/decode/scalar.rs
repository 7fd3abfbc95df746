//! Numbers, characters, enums and strings.

use super::{Decoder, Fail, Slot, layout};
use crate::{
    error::DecodeError,
    limits::STRING_CHUNK,
    memory::Memory,
    runtime::Runtime,
    shape::{EnumShape, Integer, Primitive, TypeShape},
    visitor::{EnumValue, StringUnits, Visitor},
};

const UNIT: usize = size_of::<u16>();

impl<M: Memory + ?Sized, R: Runtime + ?Sized> Decoder<'_, M, R> {
    /// A primitive that was not copied with what it lies in.
    #[inline]
    pub(super) fn primitive_at<V: Visitor + ?Sized>(
        &mut self,
        primitive: Primitive,
        shape: &TypeShape,
        address: usize,
        vouched: bool,
        visitor: &mut V,
    ) {
        macro_rules! read {
            ($size:literal) => {
                self.small::<$size>(address, vouched).map(|bytes| primitive.integer(&bytes))
            };
        }
        let integer = match primitive.size() {
            1 => read!(1),
            2 => read!(2),
            4 => read!(4),
            _ => read!(8),
        };
        match integer {
            Ok(integer) => tell(primitive, integer, shape, address, visitor),
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
        let integer = self.bytes(slot, 0, primitive.size()).and_then(|bytes| primitive.integer(bytes));
        tell(primitive, integer, shape, slot.address, visitor);
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

    /// The string that a reference points to, which is not null.
    pub(super) fn string<V: Visitor + ?Sized>(&mut self, address: usize, vouched: bool, visitor: &mut V) {
        let layout = self.strings;
        let length = match self.small(address.wrapping_add(layout.length), vouched) {
            Ok(bytes) => i32::from_ne_bytes(bytes),
            Err(fail) => return self.failed(&fail, "string", "string", address, visitor),
        };
        let Ok(length) = usize::try_from(length) else {
            visitor.error(&DecodeError::StringLength { address, length });
            return;
        };
        let shown = length.min(self.limits.chars).min(self.budget / UNIT);
        if let Err(fail) = self.units(address.wrapping_add(layout.chars), shown, vouched) {
            return self.failed(&fail, "string", "string", address, visitor);
        }
        let mut units = self.scratch.units.as_slice();
        // A cut does not go through a surrogate pair.
        if units.len() < length
            && let [rest @ .., 0xd800..=0xdbff] = units
        {
            units = rest;
        }
        visitor.string(&StringUnits { units, length });
    }

    /// Copies UTF-16 units, a few at a time: a wrong length must not make room for more than there is.
    fn units(&mut self, address: usize, count: usize, vouched: bool) -> Result<(), Fail> {
        self.scratch.units.clear();
        let mut done = 0;
        while done < count {
            let now = (count - done).min(STRING_CHUNK);
            let slot = self.copy(address.wrapping_add(done * UNIT), now * UNIT, vouched)?;
            let scratch = &mut *self.scratch;
            let (units, _) = scratch.bytes.get(slot.at..).unwrap_or_default().as_chunks::<UNIT>();
            scratch.units.extend(units.iter().map(|&unit| u16::from_ne_bytes(unit)));
            scratch.release(slot.at);
            done += now;
        }
        Ok(())
    }
}

/// Tells a primitive by the integer that its bytes are.
#[inline]
fn tell<V: Visitor + ?Sized>(
    primitive: Primitive,
    integer: Option<Integer>,
    shape: &TypeShape,
    address: usize,
    visitor: &mut V,
) {
    let Some(integer) = integer else {
        layout(shape, address, "the slot is too small", visitor);
        return;
    };
    let bits = integer.bits();
    match primitive {
        Primitive::Bool => visitor.bool(bits != 0),
        // Both are exact: the integer came from as many bits.
        Primitive::Char => visitor.char(u16::try_from(bits).unwrap_or_default()),
        Primitive::F32 => visitor.single(f32::from_bits(u32::try_from(bits).unwrap_or_default())),
        Primitive::F64 => visitor.double(f64::from_bits(bits)),
        _ => visitor.integer(integer),
    }
}
