//! Reading with an index: blocks that are not wanted are skipped, and a thread is resumed behind them.

use std::collections::HashMap;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use super::{Block, Reader, Result};
use crate::content::Loaded;
use crate::definition::Thread;
use crate::format::block;
use crate::index::{BlockInfo, Entry, Index, NamesAt, OpenCall};
use crate::step::{Step, StepKind};

/// The way through a recording by its index.
pub(super) struct Walk<R> {
    index: Arc<Index>,
    /// The next block.
    at: usize,
    threads: HashMap<u32, Walked>,
    /// The open calls of the thread that was resumed last.
    open: Vec<OpenCall>,
    seek: fn(&mut R, u64) -> io::Result<()>,
}

/// The state of a thread after its blocks that have been read or skipped.
#[derive(Default)]
struct Walked {
    open: Vec<OpenCall>,
    /// Names in skipped blocks.
    names: Vec<NamesAt>,
    has_skipped: bool,
}

impl<R: Read + Seek> Reader<R> {
    /// Reads the beginning of a recording whose blocks are in an index.
    ///
    /// # Errors
    /// See [`new`](Self::new).
    pub fn with_index(input: R, index: Arc<Index>) -> Result<Self> {
        let mut reader = Self::new(input)?;
        let first = reader.offset;
        let at = index.entries.partition_point(|entry| entry.offset < first);
        reader.timeline = index.timeline();
        reader.walk = Some(Box::new(Walk {
            index,
            at,
            threads: HashMap::new(),
            open: Vec::new(),
            seek: |input, offset| input.seek(SeekFrom::Start(offset)).map(drop),
        }));
        Ok(reader)
    }
}

impl<R: Read> Reader<R> {
    /// Returns the calls that are open where the thread of the last [`StepKind::Resumed`] goes on, the outermost first.
    pub fn open_calls(&self) -> &[OpenCall] {
        self.walk.as_ref().map_or(&[], |walk| &walk.open)
    }

    /// Goes to the next block that is wanted. Returns `None` if there is none. Otherwise the step for a thread that is resumed, or
    /// a step of another kind whose thread is the one that the block must have, or `None` for a block that is not of records.
    pub(super) fn go_to_wanted(
        &mut self,
        wanted: &mut dyn FnMut(&BlockInfo<'_>) -> bool,
    ) -> Result<Option<Option<Step>>> {
        let Some(mut walk) = self.walk.take() else { return Ok(Some(None)) };
        let gone = self.walk_on(&mut walk, wanted);
        self.walk = Some(walk);
        gone
    }

    fn walk_on(
        &mut self,
        walk: &mut Walk<R>,
        wanted: &mut dyn FnMut(&BlockInfo<'_>) -> bool,
    ) -> Result<Option<Option<Step>>> {
        loop {
            let index = Arc::clone(&walk.index);
            let Some(entry) = index.entries.get(walk.at) else {
                self.ending = Some(index.ending);
                return Ok(None);
            };
            walk.at += 1;
            let mut step = None;
            match entry.kind {
                // Times are in the timeline, and rows are no calls.
                block::CLOCK | block::EVENTS => continue,
                block::RECORDS => {
                    let number = entry.thread;
                    let slot = self.slots.get(&number).copied();
                    let known = slot.and_then(|slot| self.threads.get(slot)).map(|state| state.thread);
                    let thread = known.unwrap_or(Thread { number, id: 0 });
                    let walked = walk.threads.entry(number).or_default();
                    let is_wanted = wanted(&index.info(walk.at - 1, thread, &self.functions));
                    let mut kind = StepKind::Lost(0);
                    if is_wanted && core::mem::take(&mut walked.has_skipped) {
                        kind = StepKind::Resumed;
                        walk.open.clone_from(&walked.open);
                        let names = core::mem::take(&mut walked.names);
                        self.resume(slot.unwrap_or(usize::MAX), entry, &names, walk.seek)?;
                    }
                    let walked = walk.threads.entry(number).or_default();
                    index.pass(walk.at - 1, &mut walked.open);
                    if !is_wanted {
                        walked.has_skipped = true;
                        walked.names.extend_from_slice(index.names_of(walk.at - 1));
                        continue;
                    }
                    step = Some(Step { thread, ticks: entry.floor, depth: entry.depth, kind });
                }
                _ => {}
            }
            if self.offset != entry.offset {
                (walk.seek)(&mut self.input, entry.offset)?;
                self.offset = entry.offset;
            }
            return Ok(Some(step));
        }
    }

    /// Forgets a thread that begins or ends.
    pub(super) fn forget(&mut self, thread: u32) {
        if let Some(walk) = &mut self.walk {
            walk.threads.remove(&thread);
        }
        if let Some(builder) = &mut self.builder {
            builder.forget(thread);
        }
    }

    /// Sets the state of a thread to that before a block.
    fn resume(
        &mut self,
        slot: usize,
        entry: &Entry,
        names: &[NamesAt],
        seek: fn(&mut R, u64) -> io::Result<()>,
    ) -> Result<()> {
        let what = "the index is of another recording, or the names here are damaged";
        // Names of one block follow one another.
        for names in names.chunk_by(|one, next| one.offset == next.offset) {
            let begin = names.first().map_or(0, |names| names.offset);
            seek(&mut self.input, begin)?;
            self.offset = begin;
            let Some(Loaded { content, .. }) = self.load()? else { return Err(self.damaged(begin, what)) };
            for names in names {
                let (at, length) = (names.at as usize, names.length as usize);
                let bytes = content.get(at..).and_then(|rest| rest.get(..length));
                let bytes = bytes.filter(|bytes| crc32fast::hash(bytes) == names.check);
                let state = self.threads.get_mut(slot);
                let Some((bytes, state)) = bytes.zip(state) else { return Err(self.damaged(begin, what)) };
                if state.names.add_from(bytes).is_err() {
                    return Err(self.damaged(begin, what));
                }
            }
            // The buffer is used again, and has no records.
            self.block = Block { content, ..Block::default() };
            self.block.content.clear();
        }
        if let Some(state) = self.threads.get_mut(slot) {
            (state.ticks, state.depth) = (entry.ticks, entry.depth);
        }
        Ok(())
    }
}
