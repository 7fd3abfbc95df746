//! The records of a block.

use std::io::Read;

use argvalues::Primitive;

use super::{Reader, Result};
use crate::bytes::{Cursor, Malformed};
use crate::definition::{Function, FunctionNumber};
use crate::format::{KIND_BITS, kind};
use crate::step::{Step, StepKind};

/// The sizes of a function's values where they are recorded as they are.
pub(super) struct Sizes {
    arguments: Option<u32>,
    result: u32,
}

impl Sizes {
    pub(super) fn of(function: &Function) -> Self {
        let arguments = function.argument_bytes().and_then(|bytes| u32::try_from(bytes).ok());
        let result = function.result.map_or(0, Primitive::size);
        Self { arguments, result: u32::try_from(result).unwrap_or_default() }
    }
}

impl<R: Read> Reader<R> {
    /// Reads the next record; `None` for one that is no event.
    #[allow(
        clippy::inline_always,
        reason = "a step that is returned through memory costs as much as reading it"
    )]
    #[inline(always)]
    pub(super) fn record(&mut self) -> Result<Option<Step>, Malformed> {
        let mut cursor = Cursor { bytes: &self.block.content, at: self.block.at };
        let Some(state) = self.threads.get_mut(self.block.slot) else {
            return cursor.error("a thread records that has ended");
        };
        let begin = cursor.at;
        let head = cursor.u64()?;
        #[allow(clippy::cast_possible_truncation, reason = "the two halves")]
        let (low, delta) = (head as u32, head >> 32);
        let (kind, function) = (low & ((1 << KIND_BITS) - 1), low >> KIND_BITS);
        let ticks = state.ticks.wrapping_add(delta);
        let number = FunctionNumber(function);
        let undefined =
            Malformed { at: begin, what: "a function is called that is not defined", is_cut: false };
        let sizes = self.sizes.get(function as usize).ok_or(undefined);
        let mut values = cursor.at..cursor.at;
        let (step, depth) = match kind {
            kind::ENTER | kind::ENTER_VALUES | kind::ENTER_FAILED | kind::ENTER_REFERRING => {
                let sizes = sizes?;
                let length = match (kind, sizes.arguments) {
                    (kind::ENTER, Some(length)) => length,
                    (kind::ENTER, None) => {
                        return cursor.error("a call is recorded in another way than its function says");
                    }
                    (kind::ENTER_REFERRING, _) => {
                        self.block.referring = begin;
                        cursor.small()?
                    }
                    _ => cursor.u32()?,
                };
                values = take(&mut cursor, length)?;
                (StepKind::Enter(number), state.depth.saturating_add(1))
            }
            kind::LEAVE | kind::LEAVE_VALUES | kind::LEAVE_FAILED | kind::LEAVE_REFERRING => {
                let sizes = sizes?;
                let length = match kind {
                    kind::LEAVE => sizes.result,
                    kind::LEAVE_REFERRING => {
                        self.block.referring = begin;
                        cursor.small()?
                    }
                    _ => cursor.u32()?,
                };
                values = take(&mut cursor, length)?;
                (StepKind::Leave(number), state.depth.saturating_sub(1))
            }
            kind::TAILCALL => {
                sizes?;
                (StepKind::Tailcall(number), state.depth.saturating_sub(1))
            }
            kind::SUSPEND => {
                sizes?;
                (StepKind::Suspend(number), state.depth.saturating_sub(1))
            }
            kind::RESUME => {
                sizes?;
                (StepKind::Resume(number), state.depth.saturating_add(1))
            }
            kind::UNWIND => {
                sizes?;
                let length = cursor.u32()?;
                values = take(&mut cursor, length)?;
                (StepKind::Unwind(number), state.depth.saturating_sub(1))
            }
            kind::TIME => {
                state.ticks = cursor.u64()?;
                self.block.at = cursor.at;
                return Ok(None);
            }
            kind::NAMES => {
                let length = cursor.u32()? as usize;
                let at = cursor.at;
                let bytes = cursor.take(length)?;
                if let Err(error) = state.names.add_from(bytes) {
                    return Err(Malformed { at: at + error.offset, what: error.what, is_cut: false });
                }
                if let Some(builder) = &mut self.builder {
                    builder.names(at, bytes);
                }
                self.block.at = cursor.at;
                return Ok(None);
            }
            kind::LOST => {
                let (lost, depth) = (cursor.u64()?, cursor.u32()?);
                (StepKind::Lost(lost), depth)
            }
            _ => return cursor.error("there is no such kind of record"),
        };
        state.ticks = ticks;
        // The depth of a beginning is the one before it, the depth of an end the one after it.
        let step = Step { thread: state.thread, ticks, depth: state.depth.min(depth), kind: step };
        let step = if kind == kind::LOST { Step { depth, ..step } } else { step };
        state.depth = depth;
        self.block.at = cursor.at;
        (self.block.kind, self.block.function, self.block.values) = (kind, function, values);
        if let Some(builder) = &mut self.builder {
            builder.step(&step);
        }
        Ok(Some(step))
    }
}

/// Skips bytes. Returns their range.
#[inline]
fn take(cursor: &mut Cursor<'_>, length: u32) -> Result<core::ops::Range<usize>, Malformed> {
    let begin = cursor.at;
    cursor.take(length as usize)?;
    Ok(begin..cursor.at)
}
