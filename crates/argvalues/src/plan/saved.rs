//! References that are kept from enter to leave.

use corprof_types::ArgumentRange;

use super::{Argument, Location, MethodPlan};
use crate::{
    error::DecodeError,
    memory::{Memory, MemoryError, POINTER_SIZE},
};

/// The number of references that are stored without allocating. Few methods have more `ref` and `out` parameters.
const FEW: usize = 3;

/// The targets of a call's `ref` and `out` arguments, saved at enter and followed at leave.
///
/// Objects move when the garbage collector runs, and it does not update saved addresses. The number of collections is
/// saved with them: if it differs at leave, a reference into the heap decodes to an error, unless
/// [`relocate`](Self::relocate) followed it. References into the part of the stack that the decoder
/// [trusts](crate::Decoder::trust) do not move.
///
/// Up to three references are stored without allocating.
#[derive(Clone, Debug, Default)]
pub struct SavedRefs {
    length: usize,
    few: [Saved; FEW],
    /// The references after the first ones.
    more: Vec<Saved>,
    collections: u64,
}

/// The target of a reference; null at first.
#[derive(Clone, Debug)]
struct Saved(Result<usize, Box<DecodeError>>);

impl Default for Saved {
    fn default() -> Self {
        Self(Ok(0))
    }
}

impl SavedRefs {
    /// Follows the references through a garbage collection. `moved` maps each address to its new address, or to `None`
    /// if that is unknown. `collections` is the number of collections after it.
    pub fn relocate(&mut self, collections: u64, mut moved: impl FnMut(usize) -> Option<usize>) {
        self.collections = collections;
        for Saved(target) in self.few.iter_mut().take(self.length).chain(&mut self.more) {
            if let Ok(address @ 1..) = *target {
                *target = moved(address).ok_or_else(|| Box::new(DecodeError::Stale { address }));
            }
        }
    }

    /// Returns the number of collections for which the addresses are valid.
    #[must_use]
    pub const fn collections(&self) -> u64 {
        self.collections
    }

    /// Returns the number of references.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.length
    }

    /// Returns whether there is nothing to look at after the call.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    fn push(&mut self, saved: Saved) {
        match self.few.get_mut(self.length) {
            Some(old) => *old = saved,
            None => self.more.push(saved),
        }
        self.length += 1;
    }

    fn get(&self, index: usize) -> Option<&Saved> {
        match index.checked_sub(FEW) {
            None => self.few.get(index).filter(|_| index < self.length),
            Some(index) => self.more.get(index),
        }
    }
}

impl MethodPlan {
    /// Keeps where the `ref` and `out` arguments refer to, at enter. `collections` is the number of garbage collections so
    /// far, or any number that changes with each.
    #[inline]
    pub fn save_refs<M: Memory + ?Sized>(
        &self,
        memory: &M,
        ranges: &[ArgumentRange],
        collections: u64,
    ) -> SavedRefs {
        let mut saved = SavedRefs { collections, ..SavedRefs::default() };
        if self.has_outs() {
            self.save(memory, ranges, &mut saved);
        }
        saved
    }

    fn save<M: Memory + ?Sized>(&self, memory: &M, ranges: &[ArgumentRange], saved: &mut SavedRefs) {
        let mut outs = self.outs.iter().copied().peekable();
        for (step, argument) in self.arguments(ranges).enumerate() {
            if outs.next_if_eq(&step).is_none() {
                continue;
            }
            saved.push(Saved(match argument.location {
                Location::Slot(address) => read_word(memory, address)
                    .map_err(|source| Box::new(DecodeError::Memory { what: "reference", source })),
                Location::Kept(target) | Location::Moved(target) => Ok(target),
                Location::Nowhere(error) => Err(error),
            }));
        }
    }

    /// Returns the `ref` and `out` arguments after the call, in the order of the signature. `collections` is the
    /// current number of collections, on which [`save_refs`](Self::save_refs) had the same base.
    #[must_use]
    pub const fn outs<'p>(&'p self, saved: &'p SavedRefs, collections: u64) -> Outs<'p> {
        Outs { plan: self, saved, next: 0, moved: saved.collections != collections }
    }
}

fn read_word<M: Memory + ?Sized>(memory: &M, address: usize) -> Result<usize, MemoryError> {
    let mut word = [0; POINTER_SIZE];
    if !memory.read_in_place(address, &mut word) {
        memory.read(address, &mut word)?;
    }
    Ok(usize::from_ne_bytes(word))
}

/// The `ref` and `out` arguments of a call, after it.
#[derive(Clone, Debug)]
pub struct Outs<'p> {
    plan: &'p MethodPlan,
    saved: &'p SavedRefs,
    next: usize,
    moved: bool,
}

impl<'p> Iterator for Outs<'p> {
    type Item = Argument<'p>;

    fn next(&mut self) -> Option<Self::Item> {
        let Saved(target) = self.saved.get(self.next)?;
        // A plan other than the one that saved has other steps: there is nothing to return.
        let step = self.plan.outs.get(self.next).and_then(|&step| self.plan.steps.get(step))?;
        self.next += 1;
        let location = match target {
            Ok(target) if self.moved => Location::Moved(*target),
            Ok(target) => Location::Kept(*target),
            Err(error) => Location::Nowhere(error.clone()),
        };
        Some(Argument { step, location })
    }
}
