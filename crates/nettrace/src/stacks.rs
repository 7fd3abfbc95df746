//! The stacks since the last sequence point.

use std::collections::HashMap;

use crate::bytes::{Bytes, Parsed};
use crate::forget::forget;
use crate::limits::{STACK_BYTES, STACKS};

#[derive(Debug, Default)]
pub(crate) struct Stacks {
    bytes: Vec<u8>,
    /// Where each stack begins, and its length.
    by_id: HashMap<u32, (usize, usize)>,
}

impl Stacks {
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        forget(&mut self.by_id);
    }

    /// Adds the stacks of a block. Beyond the limits the older ones are forgotten.
    pub(crate) fn add(&mut self, block: &mut Bytes<'_>) -> Parsed<()> {
        let (mut id, count) = (block.u32()?, block.u32()?);
        for _ in 0..count {
            let length = block.length()?;
            let stack = block.take(length)?;
            if self.bytes.len() + stack.len() > STACK_BYTES || self.by_id.len() >= STACKS {
                self.clear();
            }
            self.by_id.insert(id, (self.bytes.len(), stack.len()));
            self.bytes.extend(stack);
            id = id.wrapping_add(1);
        }
        Ok(())
    }

    pub(crate) fn get(&self, id: u32) -> Option<&[u8]> {
        let (start, length) = *self.by_id.get(&id)?;
        self.bytes.get(start..start + length)
    }
}
