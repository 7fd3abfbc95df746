//! Trees of what nearly all signatures are made of.
//!
//! It gives up on all else, and on what is malformed: the walk that fills in for it knows the whole grammar. The tests hold
//! the two against each other.

use alloc::boxed::Box;

use super::slot::Slot;
use crate::{
    ElementType, SigKind,
    bytes::{self, Bytes, Failed},
    limits::MAX_DEPTH,
    macros::leaves,
};

/// The most slots. What has no more bytes does not nest too deep.
pub(super) const MAX_SLOTS: usize = MAX_DEPTH as usize;

/// A signature's head, where it has one, and how many types follow.
pub(super) struct Head {
    pub(super) slot: Option<Slot>,
    pub(super) types: u32,
}

/// Makes the slots of all of a blob: on the stack, from where they move into memory of the right size. `None` means that
/// there are more bytes than slots, or that something is rare, or wrong.
#[inline(always)]
pub(super) fn build<const SLOTS: usize>(
    blob: &[u8],
    read_head: impl FnOnce(&mut Bytes<'_>) -> Result<Head, Failed>,
) -> Option<Box<[Slot]>> {
    const { assert!(SLOTS <= MAX_SLOTS) };
    // Every slot stands for a byte.
    if blob.len() > SLOTS {
        return None;
    }
    let mut bytes = blob.iter();
    let head = read_head(&mut bytes).ok()?;
    let mut fast = Fast { slots: &mut [Slot::EMPTY; SLOTS], end: 0 };
    if let Some(slot) = head.slot {
        *fast.slot(0) = slot;
        fast.end = 1;
    }
    if head.types > 0 {
        let first = fast.row(head.types, NOWHERE)?;
        fast.types(&mut bytes, first)?;
    }
    if !bytes.as_slice().is_empty() {
        return None;
    }
    fast.slots.get(..fast.end as usize).map(Box::from)
}

/// In the place of a slot: there is none.
const NOWHERE: u32 = u32::MAX;

struct Fast<'s, const SLOTS: usize> {
    slots: &'s mut [Slot; SLOTS],
    /// Where the next row begins.
    end: u32,
}

impl<const SLOTS: usize> Fast<'_, SLOTS> {
    /// A slot: none is asked for that is beyond the last.
    #[inline(always)]
    fn slot(&mut self, at: u32) -> &mut Slot {
        &mut self.slots[at as usize % SLOTS]
    }

    /// Makes a row, and tells where it is.
    #[inline(always)]
    fn row(&mut self, len: u32, next: u32) -> Option<u32> {
        let first = self.end;
        self.end += len;
        if self.end as usize > SLOTS {
            return None;
        }
        *self.slot(self.end - 1) = Slot::last(next);
        Some(first)
    }

    /// Fills a slot, and tells which one comes next.
    #[inline(always)]
    fn push(&mut self, at: u32, slot: Slot) -> u32 {
        core::mem::replace(self.slot(at), slot).next(at)
    }

    /// Fills slots with types, until no slot is left that one has made.
    #[inline(always)]
    fn types(&mut self, bytes: &mut Bytes<'_>, first: u32) -> Option<()> {
        let mut at = first;
        while at != NOWHERE {
            let element = ElementType(*bytes.next()?);
            match element {
                leaves!() => at = self.push(at, Slot::new(element, 0, 0)),
                ElementType::CLASS | ElementType::VALUETYPE => {
                    at = self.push(at, Slot::new(element, 0, bytes::coded_type(bytes)?));
                }
                ElementType::VAR | ElementType::MVAR => {
                    let number = bytes::unsigned::<Failed>(bytes).ok()?;
                    at = self.push(at, Slot::new(element, 0, number));
                }
                ElementType::PTR | ElementType::BYREF | ElementType::SZARRAY | ElementType::PINNED => {
                    let next = self.push(at, Slot::new(element, 0, self.end));
                    at = self.row(1, next)?;
                }
                ElementType::CMOD_REQD | ElementType::CMOD_OPT => {
                    let next = self.push(at, Slot::new(element, 0, self.end));
                    let row = self.row(2, next)?;
                    *self.slot(row) = Slot::new(ElementType::END, 0, bytes::coded_type(bytes)?);
                    at = row + 1;
                }
                ElementType::GENERICINST => {
                    let definition = ElementType(*bytes.next()?);
                    let (ElementType::CLASS | ElementType::VALUETYPE) = definition else { return None };
                    let token = bytes::coded_type(bytes)?;
                    let args = bytes::generic_arg_count::<Failed>(bytes).ok()?;
                    let row = self.end;
                    let next = self.push(at, Slot::new(element, (args & 0xFFFF) as u16, row));
                    self.row(1 + args, next)?;
                    *self.slot(row) = Slot::new(definition, 0, token);
                    at = row + 1;
                }
                _ => return None,
            }
        }
        Some(())
    }
}

/// The head of a method signature.
#[inline(always)]
pub(super) fn method(bytes: &mut Bytes<'_>) -> Result<Head, Failed> {
    let head = bytes::method_head(bytes)?;
    let small = (head.generic_params & 0xFFFF) as u16;
    let slot = Slot::new(ElementType(head.header.0), small, head.params);
    // Neither is above the number of bytes.
    Ok(Head { slot: Some(slot), types: head.params + 1 })
}

/// The head of the signature of a field.
#[inline(always)]
pub(super) fn field(bytes: &mut Bytes<'_>) -> Result<Head, Failed> {
    let header = bytes::header(bytes, SigKind::Field)?;
    Ok(Head { slot: Some(Slot::new(ElementType(header.0), 0, 1)), types: 1 })
}

/// The head of the signature of a property.
#[inline(always)]
pub(super) fn property(bytes: &mut Bytes<'_>) -> Result<Head, Failed> {
    let header = bytes::header(bytes, SigKind::Property)?;
    let params = bytes::count(bytes)?;
    Ok(Head { slot: Some(Slot::new(ElementType(header.0), 0, params)), types: params + 1 })
}

/// The head of the signature of local variables.
#[inline(always)]
pub(super) fn locals(bytes: &mut Bytes<'_>) -> Result<Head, Failed> {
    let header = bytes::header(bytes, SigKind::LocalVar)?;
    let count = bytes::count(bytes)?;
    Ok(Head { slot: Some(Slot::new(ElementType(header.0), 0, count)), types: count })
}

/// A type has no head.
#[inline(always)]
pub(super) fn ty(_: &mut Bytes<'_>) -> Result<Head, Failed> {
    Ok(Head { slot: None, types: 1 })
}

/// The head of a generic method's arguments.
#[inline(always)]
pub(super) fn method_spec(bytes: &mut Bytes<'_>) -> Result<Head, Failed> {
    let header = bytes::header(bytes, SigKind::MethodSpec)?;
    let count = bytes::generic_arg_count(bytes)?;
    let small = (count & 0xFFFF) as u16;
    Ok(Head { slot: Some(Slot::new(ElementType(header.0), small, 0)), types: count })
}
