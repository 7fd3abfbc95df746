//! Trees, made by one walk.

use alloc::boxed::Box;

use super::{
    fast::{self, Head},
    slot::{Slot, halves},
};
use crate::{
    ArrayShape, ElementType, Error, ErrorKind, Modifier, SigHeader, TypeDefOrRef, Visitor,
    bytes::{Bytes, Failed},
};

/// Makes the slots of a blob, of which nothing may be left. There is one allocation, and none if there is an error.
#[inline(always)]
pub(super) fn build<'b>(
    blob: &'b [u8],
    read_head: impl Fn(&mut Bytes<'_>) -> Result<Head, Failed> + Copy,
    walk: impl Fn(&'b [u8], &mut Build<'_>) -> Result<usize, Error>,
) -> Result<Box<[Slot]>, Error> {
    match fast::build::<32>(blob, read_head) {
        Some(slots) => Ok(slots),
        None => build_rare(blob, read_head, walk),
    }
}

#[cold]
#[inline(never)]
fn build_rare<'b>(
    blob: &'b [u8],
    read_head: impl FnOnce(&mut Bytes<'_>) -> Result<Head, Failed>,
    walk: impl Fn(&'b [u8], &mut Build<'_>) -> Result<usize, Error>,
) -> Result<Box<[Slot]>, Error> {
    if let Some(slots) = fast::build::<{ fast::MAX_SLOTS }>(blob, read_head) {
        return Ok(slots);
    }
    // With no slots to fill, they are counted.
    let count = fill(blob, &mut [], &walk)?;
    let mut slots = alloc::vec![Slot::EMPTY; count].into_boxed_slice();
    fill(blob, &mut slots, &walk)?;
    Ok(slots)
}

/// In the place of a slot: there is none.
const NOWHERE: u32 = u32::MAX;

/// Fills slots, and tells how many there are to fill.
#[inline]
fn fill<'b>(
    blob: &'b [u8],
    slots: &mut [Slot],
    walk: impl Fn(&'b [u8], &mut Build<'_>) -> Result<usize, Error>,
) -> Result<usize, Error> {
    let mut build = Build { slots, end: 1, at: 0, generic_inst: 0, sentinel: NOWHERE };
    build.last(0, NOWHERE);
    let read = walk(blob, &mut build)?;
    match blob.len() - read {
        0 => Ok(build.end as usize),
        left => Err(Error::new(read, ErrorKind::TrailingBytes(left))),
    }
}

/// Fills slots with what a walk tells.
///
/// An empty slot says which one comes after it, so that nothing else has to remember what is open. Counts that are wrong
/// lead out of the slots, and what is there is not filled: the walk will fail.
pub(super) struct Build<'s> {
    slots: &'s mut [Slot],
    /// Where the next row begins.
    end: u32,
    /// The slot to fill next.
    at: u32,
    /// The GENERICINST whose definition has been told last.
    generic_inst: u32,
    /// Where the parameter after the last SENTINEL goes.
    sentinel: u32,
}

impl Build<'_> {
    /// Fills the next slot.
    #[inline(always)]
    fn push(&mut self, slot: Slot) {
        if let Some(place) = self.slots.get_mut(self.at as usize) {
            let slot = if self.at == self.sentinel { slot.after_sentinel() } else { slot };
            self.at = core::mem::replace(place, slot).next(self.at);
        }
    }

    /// Makes a row, to be filled next.
    #[inline(always)]
    fn row(&mut self, len: u32) {
        let first = self.end;
        self.end = first.saturating_add(len);
        self.last(self.end - 1, self.at);
        self.at = first;
    }

    /// Marks the last slot of a row: which one comes after it.
    #[inline(always)]
    fn last(&mut self, last: u32, next: u32) {
        if let Some(place) = self.slots.get_mut(last as usize) {
            *place = Slot::last(next);
        }
    }

    /// Fills the next slot with what has a row, and makes the row.
    #[inline(always)]
    fn push_with_row(&mut self, element: ElementType, len: u32) {
        self.push(Slot::new(element, 0, self.end));
        self.row(len);
    }

    /// Fills the next slot with something that is no type.
    #[inline(always)]
    fn number(&mut self, value: u32) {
        self.push(Slot::new(ElementType::END, 0, value));
    }

    fn numbers(&mut self, values: impl IntoIterator<Item = u32>) {
        values.into_iter().for_each(|value| self.number(value));
    }

    /// Fills the next slot with a head, and makes the row after it.
    #[inline(always)]
    fn head(&mut self, header: SigHeader, generic_params: u32, count: u32, row: u32) {
        // MAX_GENERIC_PARAMS fits.
        let small = (generic_params & 0xFFFF) as u16;
        self.push(Slot::new(ElementType(header.0), small, count));
        if row > 0 {
            self.row(row);
        }
    }
}

impl<'a> Visitor<'a> for Build<'_> {
    #[inline]
    fn leaf(&mut self, element: ElementType) {
        self.push(Slot::new(element, 0, 0));
    }

    #[inline]
    fn class(&mut self, ty: TypeDefOrRef) {
        self.push(Slot::new(ElementType::CLASS, 0, ty.coded()));
    }

    #[inline]
    fn value_type(&mut self, ty: TypeDefOrRef) {
        self.push(Slot::new(ElementType::VALUETYPE, 0, ty.coded()));
    }

    #[inline]
    fn var(&mut self, number: u32) {
        self.push(Slot::new(ElementType::VAR, 0, number));
    }

    #[inline]
    fn mvar(&mut self, number: u32) {
        self.push(Slot::new(ElementType::MVAR, 0, number));
    }

    fn internal(&mut self, handle: usize) {
        self.push_with_row(ElementType::INTERNAL, 2);
        self.numbers(halves(handle));
    }

    fn modifier(&mut self, modifier: Modifier) {
        match modifier {
            Modifier::Required(ty) => {
                self.push_with_row(ElementType::CMOD_REQD, 2);
                self.number(ty.coded());
            }
            Modifier::Optional(ty) => {
                self.push_with_row(ElementType::CMOD_OPT, 2);
                self.number(ty.coded());
            }
            Modifier::Internal { required, handle } => {
                self.push(Slot::new(ElementType::CMOD_INTERNAL, required.into(), self.end));
                self.row(3);
                self.numbers(halves(handle));
            }
        }
    }

    #[inline]
    fn ptr(&mut self) {
        self.push_with_row(ElementType::PTR, 1);
    }

    #[inline]
    fn by_ref(&mut self) {
        self.push_with_row(ElementType::BYREF, 1);
    }

    #[inline]
    fn sz_array(&mut self) {
        self.push_with_row(ElementType::SZARRAY, 1);
    }

    #[inline]
    fn pinned(&mut self) {
        self.push_with_row(ElementType::PINNED, 1);
    }

    fn begin_array(&mut self) {
        self.push_with_row(ElementType::ARRAY, 2);
    }

    fn end_array(&mut self, shape: ArrayShape<'a>) {
        let [rank, size_count, lower_bound_count] = shape.counts();
        let counts = u16::from_le_bytes([size_count, lower_bound_count]);
        self.push(Slot::new(ElementType(rank), counts, self.end));
        if size_count + lower_bound_count > 0 {
            self.row(u32::from(size_count + lower_bound_count));
            self.numbers(shape.sizes());
            self.numbers(shape.lower_bounds().map(i32::cast_unsigned));
        }
    }

    #[inline]
    fn begin_generic_inst(&mut self) {
        self.generic_inst = self.at;
        self.push_with_row(ElementType::GENERICINST, 1);
    }

    #[inline]
    fn generic_args(&mut self, count: u32) {
        if let Some(inst) = self.slots.get_mut(self.generic_inst as usize) {
            // MAX_GENERIC_PARAMS fits.
            *inst = inst.with_small((count & 0xFFFF) as u16);
        }
        self.row(count);
    }

    fn fn_ptr(&mut self) {
        self.push_with_row(ElementType::FNPTR, 1);
    }

    #[inline]
    fn begin_method(&mut self, header: SigHeader, generic_params: u32, params: u32) {
        self.head(header, generic_params, params, params.saturating_add(1));
    }

    #[inline]
    fn begin_field(&mut self, header: SigHeader) {
        self.head(header, 0, 1, 1);
    }

    fn sentinel(&mut self) {
        self.sentinel = self.at;
    }

    fn begin_property(&mut self, header: SigHeader, params: u32) {
        self.head(header, 0, params, params.saturating_add(1));
    }

    fn begin_locals(&mut self, header: SigHeader, count: u32) {
        self.head(header, 0, count, count);
    }

    fn begin_method_spec(&mut self, header: SigHeader) {
        self.head(header, 0, 0, 0);
    }
}
