//! Calls that pass only numbers. Most arguments are numbers, which a few bytes describe completely, so the loop over
//! the arguments of such a call is short.

use core::hint::cold_path;

use corprof_types::ArgumentRange;

use super::{MethodPlan, Step};
use crate::{
    memory::{LOWEST_ADDRESS, Memory},
    record,
    shape::{Primitive, Width},
    visitor::Visitor,
};

/// A number that is passed by value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub(super) primitive: Primitive,
    width: Width,
    record: InRecord,
}

/// The encoding in a record.
#[derive(Clone, Copy, Debug)]
enum InRecord {
    /// Its four bytes behind this one: most are so.
    Four(record::Tag),
    /// All bytes, after this tag.
    All(record::Tag),
    /// The significant bytes.
    Some,
}

impl Number {
    /// All arguments, or none if one of them is something else.
    pub(super) fn all(steps: &[Step]) -> Box<[Self]> {
        steps.iter().map(|step| step.primitive().map(Self::new)).collect::<Option<_>>().unwrap_or_default()
    }

    fn new(primitive: Primitive) -> Self {
        let width = primitive.width();
        let record = match record::plain_tag(primitive) {
            Some(tag) if width == Width::Four => InRecord::Four(tag),
            Some(tag) => InRecord::All(tag),
            None => InRecord::Some,
        };
        Self { primitive, width, record }
    }

    /// Reads the number from a range that the runtime guarantees. `None` if the length is wrong, or the range is
    /// misaligned or unreadable.
    #[inline(always)]
    fn read<M: Memory + ?Sized>(&self, memory: &M, range: ArgumentRange) -> Option<u64> {
        // Not a `match`, which would compile to a jump table.
        if self.width == Width::Four {
            four(memory, range)
        } else if self.width == Width::Eight {
            read(memory, range).map(u64::from_ne_bytes)
        } else if self.width == Width::Two {
            read(memory, range).map(|bytes| u16::from_ne_bytes(bytes).into())
        } else {
            read(memory, range).map(|[byte]| byte.into())
        }
    }

    /// Reads the number in its encoding for a record.
    #[inline(always)]
    fn read_for_record<M: Memory + ?Sized>(
        &self,
        memory: &M,
        range: ArgumentRange,
    ) -> Option<record::Number> {
        if let InRecord::Four(tag) = self.record {
            return Some(record::Number::plain(tag, four(memory, range)?, Width::Four));
        }
        // So that the code for most stays together.
        cold_path();
        let bits = self.read(memory, range)?;
        Some(match self.record {
            InRecord::Four(tag) | InRecord::All(tag) => record::Number::plain(tag, bits, self.width),
            InRecord::Some => record::Number::varying(self.primitive, bits),
        })
    }
}

/// Reads four bytes.
#[inline(always)]
fn four<M: Memory + ?Sized>(memory: &M, range: ArgumentRange) -> Option<u64> {
    read(memory, range).map(|bytes| u32::from_ne_bytes(bytes).into())
}

/// Reads a range that is of this length.
#[inline(always)]
fn read<const N: usize, M: Memory + ?Sized>(memory: &M, range: ArgumentRange) -> Option<[u8; N]> {
    if range.length as usize != N {
        cold_path();
        return None;
    }
    if range.address < LOWEST_ADDRESS || !range.address.is_multiple_of(N) {
        cold_path();
        return None;
    }
    let mut bytes = [0; N];
    memory.read(range.address, &mut bytes).ok().map(|()| bytes)
}

impl MethodPlan {
    /// Reads all arguments if they are numbers, and returns how many: up to one that cannot be read.
    #[inline(always)]
    pub(super) fn numbers<M, V>(
        &self,
        mut ranges: impl ExactSizeIterator<Item = ArgumentRange>,
        memory: &M,
        visitor: &mut V,
    ) -> usize
    where
        M: Memory + ?Sized,
        V: Visitor + ?Sized,
    {
        if ranges.len() != self.numbers.len() || memory.reads_ahead() {
            return 0;
        }
        if let Some(record) = visitor.record() {
            return record::append(record, &self.numbers, |number| {
                number.read_for_record(memory, ranges.next()?)
            });
        }
        let mut told = 0;
        for (number, range) in self.numbers.iter().zip(ranges) {
            let Some(bits) = number.read(memory, range) else { break };
            visitor.primitive(number.primitive, bits);
            told += 1;
        }
        told
    }
}
