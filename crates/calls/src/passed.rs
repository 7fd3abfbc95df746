//! Values that inserted code has passed: as words, or by the addresses of copies.
//!
//! Contract of the unsafe code here: a [`Slot`] says how the code of a method passes a value ([`edit`](crate::inserted)), and is read
//! with the words that the code of this method has passed, while the hook runs. An address is that of a variable of the method's
//! frame, which has the size of the value's type.
#![allow(unsafe_code)]

use core::ptr::with_exposed_provenance;

use argvalues::{ArgumentRange, MethodPlan, Passed as Kind};

/// How a value is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    /// Whether the word is the value itself, and not its address.
    pub(crate) is_value: bool,
    /// The size of the value in bytes; 0 of nothing, and of a type that is not known.
    length: u32,
}

impl Slot {
    /// No value.
    pub(crate) const NOTHING: Self = Self { is_value: true, length: 0 };

    /// A value that is passed so; `kind` is what the method's plan says of it.
    fn new(is_value: bool, kind: Kind<'_>) -> Self {
        let length = match kind {
            Kind::Pointer => size_of::<usize>(),
            Kind::Value(shape) => shape.size().unwrap_or(0),
            Kind::Unknown => 0,
        };
        // A word has no more bytes; a value of an unknown type has no bytes that can be read.
        let length = if is_value { length.min(size_of::<usize>()) } else { length };
        Self { is_value: is_value && length > 0, length: u32::try_from(length).unwrap_or(0) }
    }

    /// The memory of the value: the word, or what it points to.
    #[inline(always)]
    pub(crate) fn range(self, word: &usize) -> ArgumentRange {
        let address = if self.is_value { core::ptr::from_ref(word).expose_provenance() } else { *word };
        if self.length == 0 && !self.is_value {
            return ArgumentRange { address: 0, length: 0 };
        }
        ArgumentRange { address, length: self.length }
    }

    /// The value, if it has 1, 2, 4 or 8 bytes; 0 for nothing.
    #[inline(always)]
    pub(crate) fn word(self, word: &usize) -> Option<u64> {
        let value = *word as u64;
        match (self.is_value, self.length) {
            (true, 8) => Some(value),
            (true, 4) => Some(value & 0xFFFF_FFFF),
            (true, 2) => Some(value & 0xFFFF),
            (true, 1) => Some(value & 0xFF),
            (true, 0) => Some(0),
            (true, _) => None,
            (false, length) => {
                let at = with_exposed_provenance::<u8>(*word);
                // SAFETY: the contract of this file: a variable of this size.
                unsafe {
                    match length {
                        8 => Some(at.cast::<u64>().read_unaligned()),
                        4 => Some(at.cast::<u32>().read_unaligned().into()),
                        2 => Some(at.cast::<u16>().read_unaligned().into()),
                        1 => Some(at.read().into()),
                        _ => None,
                    }
                }
            }
        }
    }
}

/// How the values of a method's calls are passed.
#[derive(Debug)]
pub(crate) struct Slots {
    pub(crate) arguments: Box<[Slot]>,
    pub(crate) result: Slot,
}

impl Slots {
    /// Of calls whose values are not passed by inserted code.
    pub(crate) fn none() -> Self {
        Self { arguments: Box::default(), result: Slot::NOTHING }
    }

    /// For a method with this plan, whose code passes these as words, `this` first.
    pub(crate) fn new(plan: &MethodPlan, are_values: &[bool], is_result_value: bool) -> Self {
        let arguments = are_values.iter().zip(plan.passed()).map(|(value, kind)| Slot::new(*value, kind));
        Self { arguments: arguments.collect(), result: Self::result_of(plan, is_result_value) }
    }

    /// How the result is passed.
    pub(crate) fn result_of(plan: &MethodPlan, is_value: bool) -> Slot {
        plan.passed_back().map_or(Slot::NOTHING, |kind| Slot::new(is_value, kind))
    }
}

/// The arguments of a call.
#[derive(Clone, Copy)]
pub(crate) struct Passed<'c> {
    words: &'c [usize],
    slots: &'c [Slot],
}

impl<'c> Passed<'c> {
    #[inline(always)]
    pub(crate) const fn new(words: &'c [usize], slots: &'c [Slot]) -> Self {
        Self { words, slots }
    }

    pub(crate) const fn len(&self) -> usize {
        self.slots.len()
    }

    #[inline(always)]
    pub(crate) fn range(&self, index: usize) -> Option<ArgumentRange> {
        Some(self.slots.get(index)?.range(self.words.get(index)?))
    }

    #[inline(always)]
    pub(crate) fn word(&self, index: usize) -> Option<u64> {
        self.slots.get(index)?.word(self.words.get(index)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_the_value_or_its_address() {
        let value = Slot { is_value: true, length: 4 };
        let word = 0xFFFF_FFFF_FFFF_FFFE_usize;
        assert_eq!(value.word(&word), Some(0xFFFF_FFFE));
        assert_eq!(value.range(&word), ArgumentRange { address: (&raw const word).addr(), length: 4 });
        let number = 1.5_f64;
        let address = (&raw const number).expose_provenance();
        let copy = Slot { is_value: false, length: 8 };
        assert_eq!(copy.word(&address), Some(number.to_bits()));
        assert_eq!(copy.range(&address), ArgumentRange { address, length: 8 });
    }

    #[test]
    fn nothing_and_what_is_unknown_have_no_bytes() {
        assert_eq!(Slot::NOTHING.word(&7), Some(0));
        let unknown = Slot::new(true, Kind::Unknown);
        assert_eq!((unknown.word(&7), unknown.range(&7)), (None, ArgumentRange { address: 0, length: 0 }));
        // Three words passed by their address are no number.
        let large = [0_u64; 3];
        let address = (&raw const large).expose_provenance();
        assert_eq!(Slot { is_value: false, length: 24 }.word(&address), None);
    }
}
