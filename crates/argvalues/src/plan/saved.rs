//! References that are kept from enter to leave.

use super::{Argument, ArgumentRange, MethodPlan, Place, Step};
use crate::{
    error::DecodeError,
    memory::{Memory, MemoryError, POINTER_SIZE},
};

/// Where the `ref` and `out` arguments of a call refer to, kept at enter and followed at leave.
///
/// What lies in the heap moves when the garbage collector runs, and the collector does not know of addresses kept
/// here. So the number of collections is kept with them: if it differs at leave, a reference into the heap
/// is told as stale, unless [`relocate`](Self::relocate) followed it. References into the part of the stack that the decoder
/// [trusts](crate::Decoder::trust) do not move.
///
/// A method without such arguments keeps nothing and allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct SavedRefs {
    targets: Vec<Saved>,
    collections: u64,
}

#[derive(Clone, Debug)]
struct Saved {
    step: usize,
    target: Result<usize, DecodeError>,
}

impl SavedRefs {
    /// Follows the references through a garbage collection: `moved` is told each address and answers with the
    /// address that the memory there has now, or with `None` if that is not known. `collections` is the number of
    /// collections from then on.
    pub fn relocate(&mut self, collections: u64, mut moved: impl FnMut(usize) -> Option<usize>) {
        self.collections = collections;
        for saved in &mut self.targets {
            if let Ok(address @ 1..) = saved.target {
                saved.target = moved(address).ok_or(DecodeError::Stale { address });
            }
        }
    }

    /// The number of collections as of which the addresses are right.
    #[must_use]
    pub const fn collections(&self) -> u64 {
        self.collections
    }

    /// How many references are kept.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there is nothing to look at after the call.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }
}

impl MethodPlan {
    /// Keeps where the `ref` and `out` arguments refer to, at enter. `collections` is the number of garbage collections so
    /// far, or any number that changes with each.
    pub fn save_refs<M: Memory + ?Sized>(
        &self,
        memory: &M,
        ranges: &[ArgumentRange],
        collections: u64,
    ) -> SavedRefs {
        let mut targets = Vec::new();
        if self.has_outs() {
            let arguments = self.arguments(ranges).enumerate();
            for (step, argument) in
                arguments.filter(|&(step, _)| self.steps.get(step).is_some_and(Step::is_out))
            {
                let target = match argument.place {
                    Place::Slot { address, .. } => read_word(memory, address)
                        .map_err(|source| DecodeError::Memory { what: "reference", source }),
                    Place::Kept { target, .. } => Ok(target),
                    Place::Nowhere(error) => Err(*error),
                };
                targets.push(Saved { step, target });
            }
        }
        SavedRefs { targets, collections }
    }

    /// The `ref` and `out` arguments after the call, in the order of the signature. `collections` is what it was at
    /// [`save_refs`](Self::save_refs), or has become since.
    #[must_use]
    pub fn outs<'p>(&'p self, saved: &'p SavedRefs, collections: u64) -> Outs<'p> {
        Outs { plan: self, saved: &saved.targets, moved: saved.collections != collections }
    }
}

fn read_word<M: Memory + ?Sized>(memory: &M, address: usize) -> Result<usize, MemoryError> {
    let mut word = [0; POINTER_SIZE];
    memory.read(address, &mut word)?;
    Ok(usize::from_ne_bytes(word))
}

/// The `ref` and `out` arguments of a call, after it.
#[derive(Clone, Debug)]
pub struct Outs<'p> {
    plan: &'p MethodPlan,
    saved: &'p [Saved],
    moved: bool,
}

impl<'p> Iterator for Outs<'p> {
    type Item = Argument<'p>;

    fn next(&mut self) -> Option<Self::Item> {
        let (saved, rest) = self.saved.split_first()?;
        self.saved = rest;
        // A plan other than the one that saved has other steps: there is nothing to tell then.
        let step = self.plan.steps.get(saved.step)?;
        Some(match (&saved.target, &step.shape) {
            (Ok(target), Ok(shape)) => Argument {
                position: step.position,
                mode: step.mode,
                place: Place::Kept { shape, target: *target, moved: self.moved },
            },
            (Err(error), _) => step.failed(error.clone()),
            (_, Err(error)) => step.failed(DecodeError::Resolve(error.clone())),
        })
    }
}
