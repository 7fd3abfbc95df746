//! The numbers of a call at the end of a record, with one reservation for all.
//!
//! Contract of the unsafe code here: all writes are behind the bytes of a vector, where capacity for [`MOST`] bytes for
//! each number has been reserved. A [`Number`] is written with that many bytes, and its length is at most that. Only
//! this file creates one.
#![allow(unsafe_code)]

use core::num::NonZeroU8;

use super::tag;
use crate::shape::{Primitive, Width};

/// The maximum length of an encoded number: its tag and its bytes.
const MOST: usize = 1 + size_of::<u64>();

/// The tag before the bytes of a number. Not 0, the tag of null.
pub(crate) type Tag = NonZeroU8;

/// A number as a record has it.
pub(crate) struct Number {
    tag: u8,
    bits: u64,
    /// The encoded length: the tag, and that many of the lowest bytes of `bits`, possibly all. At most [`MOST`].
    length: usize,
}

impl Number {
    /// Creates a number of a type with a [`plain_tag`]. All its bytes are written.
    #[inline(always)]
    pub(crate) const fn plain(tag: Tag, bits: u64, width: Width) -> Self {
        Self { tag: tag.get(), bits, length: 1 + width as usize }
    }

    /// One of a type that has none.
    #[allow(clippy::cast_possible_truncation)]
    #[inline(always)]
    pub(crate) fn varying(primitive: Primitive, bits: u64) -> Self {
        let (tag, bytes) = match primitive {
            Primitive::Bool => (if bits == 0 { tag::FALSE } else { tag::TRUE }, 0),
            Primitive::I64 => signed(bits.cast_signed()),
            Primitive::ISize => signed((bits as usize).cast_signed() as i64),
            _ => unsigned(bits),
        };
        Self { tag, bits, length: (1 + usize::from(bytes)).min(MOST) }
    }
}

/// Returns the tag of numbers of this type, if tag and length do not depend on the value.
pub(crate) const fn plain_tag(primitive: Primitive) -> Option<Tag> {
    Tag::new(match primitive {
        Primitive::Char => tag::CHAR,
        Primitive::I8 => tag::SIGNED + 1,
        Primitive::I16 => tag::SIGNED + 2,
        Primitive::I32 => tag::SIGNED + 4,
        Primitive::U8 => tag::UNSIGNED + 1,
        Primitive::U16 => tag::UNSIGNED + 2,
        Primitive::U32 => tag::UNSIGNED + 4,
        Primitive::F32 => tag::SINGLE,
        Primitive::F64 => tag::DOUBLE,
        Primitive::Bool | Primitive::I64 | Primitive::U64 | Primitive::ISize | Primitive::USize => {
            return None;
        }
    })
}

/// Appends a number for each item, up to the first that has none, and returns how many those are.
#[inline(always)]
pub(crate) fn append<I>(
    out: &mut Vec<u8>,
    items: &[I],
    mut number: impl FnMut(&I) -> Option<Number>,
) -> usize {
    let Some(room) = items.len().checked_mul(MOST) else { return 0 };
    out.reserve(room);
    // SAFETY: the end of the vector's bytes.
    let mut to = unsafe { out.as_mut_ptr().add(out.len()) };
    let mut count = 0;
    // Not by an iterator: a count is needed anyway.
    while let Some(item) = items.get(count) {
        let Some(Number { tag, bits, length }) = number(item) else { break };
        // SAFETY: `MOST` bytes for each item are reserved behind the bytes of the exclusively borrowed vector, and each
        // earlier item has taken at most as many. Writing all eight bytes and counting some is faster than writing only
        // those that count.
        unsafe {
            to.write(tag);
            to.add(1).cast::<[u8; 8]>().write(bits.to_le_bytes());
            to = to.add(length);
        }
        count += 1;
    }
    let length = to.addr() - out.as_ptr().addr();
    // SAFETY: that many bytes have been written without gaps, within the capacity, as above.
    unsafe { out.set_len(length) };
    count
}

const fn signed(value: i64) -> (u8, u8) {
    let bytes = signed_bytes(value);
    (tag::SIGNED + bytes, bytes)
}

const fn unsigned(value: u64) -> (u8, u8) {
    let bytes = unsigned_bytes(value);
    (tag::UNSIGNED + bytes, bytes)
}

/// Returns the number of significant bytes of a signed number; at least one.
#[allow(clippy::cast_possible_truncation)]
#[inline]
pub(super) const fn signed_bytes(value: i64) -> u8 {
    // One bit at least, which changes nothing and spares a question.
    let magnitude = (value ^ (value >> 63)).cast_unsigned() | 1;
    // At most 8: the highest bit is never set.
    ((u64::BITS - magnitude.leading_zeros()) / 8 + 1) as u8
}

/// Returns the number of significant bytes of an unsigned number; none for 0.
#[allow(clippy::cast_possible_truncation)]
#[inline]
pub(super) const fn unsigned_bytes(value: u64) -> u8 {
    (u64::BITS - value.leading_zeros()).div_ceil(8) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RecordNames, RecordWriter, Visitor};

    /// The bits of numbers as they are read: nothing is above their width.
    fn all_widths() -> impl Iterator<Item = (Primitive, u64)> {
        let bits = [0, 1, 2, 0x7F, 0x80, 0xFF, 0x8000, 0x1234_5678, 0xFFFF_FF7F, 0x8000_0000_0000, u64::MAX];
        Primitive::ALL.into_iter().flat_map(move |primitive| {
            let unused = 64 - 8 * u32::try_from(primitive.size()).unwrap();
            bits.map(|bits| (primitive, bits << unused >> unused))
        })
    }

    fn number(&(primitive, bits): &(Primitive, u64)) -> Option<Number> {
        Some(match plain_tag(primitive) {
            Some(tag) => Number::plain(tag, bits, primitive.width()),
            None => Number::varying(primitive, bits),
        })
    }

    #[test]
    fn numbers_are_written_as_one_by_one() {
        let (mut one_by_one, mut names) = (vec![9], RecordNames::new());
        for (primitive, bits) in all_widths() {
            RecordWriter::new(&mut one_by_one, &mut names).primitive(primitive, bits);
        }
        let mut at_once = vec![9];
        let items: Vec<_> = all_widths().collect();
        assert_eq!(append(&mut at_once, &items, number), items.len());
        assert_eq!(at_once, one_by_one);
    }

    #[test]
    fn they_end_where_there_is_none() {
        let mut out = vec![9];
        out.shrink_to_fit();
        let appended = append(&mut out, &[5, 6, 0, 7], |&item| match item {
            0 => None,
            item => number(&(Primitive::U8, item)),
        });
        assert_eq!(appended, 2);
        assert_eq!(out, [9, tag::UNSIGNED + 1, 5, tag::UNSIGNED + 1, 6]);
        assert_eq!(append(&mut out, &[], number), 0);
        assert_eq!(out.len(), 5);
    }

    #[test]
    fn the_longest_fill_the_room_that_was_made() {
        for count in 0..20 {
            let mut out = Vec::new();
            append(&mut out, &vec![(Primitive::U64, u64::MAX); count], number);
            assert_eq!(out.len(), count * MOST);
            assert!(out.chunks(MOST).all(|number| number == [0x28, 255, 255, 255, 255, 255, 255, 255, 255]));
        }
    }
}
