//! Blocks, and the definitions in them.

use std::io::Read;
use std::sync::Arc;

use super::records::Sizes;
use super::{Block, Reader, Result, ThreadState};
use crate::bytes::{Cursor, Malformed};
use crate::content::{self, Loaded};
use crate::definition::{Function, Process, Thread};
use crate::error::ReadError;
use crate::format::{BLOCK_HEADER, block};
use crate::index::BlockInfo;
use crate::limits::MAX_FUNCTIONS;
use crate::omitted::Omitted;
use crate::step::{Ending, Step, StepKind};

/// The kind of a block that was read.
enum Taken {
    /// Records of the thread with its state at this index, from this place on.
    Records(usize, usize),
    /// The end of a thread, which is an event by itself.
    Ended(Step),
    Nothing,
}

impl<R: Read> Reader<R> {
    /// Reads the next block that is wanted. The end of a thread is a step by itself.
    pub(super) fn next_block(
        &mut self,
        wanted: &mut dyn FnMut(&BlockInfo<'_>) -> bool,
    ) -> Result<Option<Step>> {
        let Some(resumed) = self.go_to_wanted(wanted)? else { return Ok(None) };
        let begin = self.offset;
        let Some(Loaded { kind, mut content, is_cut, was_packed, .. }) = self.load()? else {
            return Ok(None);
        };
        // Within a compressed block there are no offsets of the file.
        let offset = if was_packed { begin } else { begin + BLOCK_HEADER as u64 };
        match self.take_block(kind, &content) {
            Ok(Taken::Records(slot, at)) => {
                if let (Some(builder), Some(state)) = (&mut self.builder, self.threads.get(slot)) {
                    builder.records(begin, state.thread.number, state.ticks, state.depth);
                }
                self.block = Block { content, at, slot, offset, is_cut, was_packed, ..Block::default() };
                let thread = self.threads.get(slot).map(|state| state.thread).unwrap_or_default();
                match resumed {
                    Some(resumed) if resumed.thread.number != thread.number => {
                        self.block.at = self.block.content.len();
                        Err(self.damaged(begin, "the index is of another recording"))
                    }
                    resumed => Ok(resumed.filter(|resumed| resumed.kind == StepKind::Resumed)),
                }
            }
            Ok(taken) => {
                if let Some(builder) = &mut self.builder {
                    builder.other(begin, kind);
                }
                // The buffer is used again, and has no records.
                content.clear();
                self.block = Block { content, ..Block::default() };
                match taken {
                    Taken::Ended(step) => Ok(Some(step)),
                    Taken::Records(..) | Taken::Nothing => Ok(None),
                }
            }
            Err(error) if error.is_cut && is_cut => Ok(None),
            Err(error) => {
                self.end_cut(begin);
                let at = if was_packed { 0 } else { error.at as u64 };
                Err(ReadError::Damaged { offset: offset + at, what: error.what })
            }
        }
    }

    /// Reads the block at the offset. Returns `None` if nothing of it can be used, because the file ends.
    pub(super) fn load(&mut self) -> Result<Option<Loaded>> {
        let begin = self.offset;
        let memory = core::mem::take(&mut self.block.content);
        let loaded = content::load(&mut self.input, begin, memory, &mut self.packed);
        match &loaded {
            Ok(Some(loaded)) => {
                self.offset = begin + loaded.length;
                if loaded.is_cut {
                    self.end_cut(begin);
                }
            }
            Ok(None) | Err(ReadError::Damaged { .. }) => self.end_cut(begin),
            Err(_) => {}
        }
        loaded
    }

    /// Nothing is read behind a block that is damaged.
    pub(super) const fn damaged(&mut self, offset: u64, what: &'static str) -> ReadError {
        self.end_cut(offset);
        ReadError::Damaged { offset, what }
    }

    pub(super) const fn end_cut(&mut self, offset: u64) {
        self.ending = Some(Ending::Cut { offset });
    }

    fn take_block(&mut self, kind: u32, content: &[u8]) -> Result<Taken, Malformed> {
        let mut cursor = Cursor::new(content);
        match kind {
            block::START => (self.process, self.clock) = Process::read(&mut cursor)?,
            block::CLOCK => {
                let (ticks, nanoseconds) = (cursor.u64()?, cursor.u64()?);
                self.timeline.add(ticks, nanoseconds);
            }
            block::FUNCTIONS => {
                while !cursor.is_at_end() {
                    let (number, function) = Function::read(&mut cursor)?;
                    // They are numbered as they come.
                    if number as usize != self.functions.len() || number >= MAX_FUNCTIONS {
                        return cursor.error("a function has another number than the next one");
                    }
                    self.sizes.push(Sizes::of(&function));
                    self.functions.push(Arc::new(function));
                }
            }
            block::THREAD => {
                let thread = Thread::read(&mut cursor)?;
                self.end_of(thread.number);
                let slot = self.free.pop().unwrap_or_else(|| {
                    self.threads.push(ThreadState::default());
                    self.threads.len() - 1
                });
                if let Some(state) = self.threads.get_mut(slot) {
                    *state = ThreadState { thread, ..ThreadState::default() };
                }
                self.slots.insert(thread.number, slot);
            }
            block::RECORDS => {
                let thread = cursor.small()?;
                let Some(slot) = self.slots.get(&thread) else {
                    return cursor.error("a thread records that has not begun");
                };
                return Ok(Taken::Records(*slot, cursor.at));
            }
            block::THREAD_END => {
                let (number, lost) = (cursor.small()?, cursor.count()?);
                let Some(ended) = self.end_of(number) else {
                    return cursor.error("a thread ends that has not begun");
                };
                let ThreadState { thread, ticks, depth, .. } = ended;
                return Ok(Taken::Ended(Step { thread, ticks, depth, kind: StepKind::ThreadEnd(lost) }));
            }
            block::OMITTED => {
                while !cursor.is_at_end() {
                    let number = cursor.small()? as usize;
                    let new = Omitted { calls: cursor.count()?, and_more: cursor.count()? != 0 };
                    if number >= self.functions.len() {
                        return cursor.error("calls are omitted of a function that is not defined");
                    }
                    if self.omitted.len() <= number {
                        self.omitted.resize(number + 1, Omitted::default());
                    }
                    if let Some(total) = self.omitted.get_mut(number) {
                        *total += new;
                    }
                }
            }
            block::END => self.ending = Some(Ending::Finished { lost: cursor.count()? }),
            // A block that a newer version has added.
            _ => {}
        }
        Ok(Taken::Nothing)
    }

    /// Takes the state of a thread.
    fn end_of(&mut self, number: u32) -> Option<ThreadState> {
        self.forget(number);
        let slot = self.slots.remove(&number)?;
        self.free.push(slot);
        self.threads.get_mut(slot).map(core::mem::take)
    }
}
