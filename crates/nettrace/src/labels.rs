//! Threads and label lists of version 6.

use std::collections::HashMap;

use crate::bytes::{Bytes, Parsed};
use crate::dropped::Dropped;
use crate::forget::forget;
use crate::limits::{TABLE, TABLE_BYTES};

/// A thread of the table.
#[derive(Debug, Default)]
pub(crate) struct ThreadInfo {
    pub(crate) thread: u64,
    pub(crate) process: u64,
    pub(crate) name: Option<Box<str>>,
    /// The bytes of the row.
    length: usize,
}

/// The value of a label with a key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LabelValue {
    /// A text.
    Text(String),
    /// A number.
    Number(i64),
}

/// The labels of an event, since version 6.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Labels {
    pub(crate) activity: Option<[u8; 16]>,
    pub(crate) related_activity: Option<[u8; 16]>,
    /// The trace id of W3C Trace Context.
    pub trace_id: Option<[u8; 16]>,
    /// The span id of W3C Trace Context.
    pub span_id: Option<u64>,
    /// Replaces the opcode of the metadata.
    pub opcode: Option<u8>,
    /// Replaces the keywords of the metadata.
    pub keywords: Option<u64>,
    /// Replaces the level of the metadata.
    pub level: Option<u8>,
    /// Replaces the version of the metadata.
    pub version: Option<u8>,
    /// The labels with a key, in the order of the trace.
    pub others: Vec<(String, LabelValue)>,
}

#[derive(Debug, Default)]
pub(crate) struct Tables {
    threads: HashMap<u64, ThreadInfo>,
    labels: HashMap<u32, Labels>,
    /// The bytes of the rows of either table.
    thread_bytes: usize,
    label_bytes: usize,
}

impl Tables {
    pub(crate) fn thread(&self, index: u64) -> Option<&ThreadInfo> {
        self.threads.get(&index)
    }

    pub(crate) fn labels(&self, id: u32) -> Option<&Labels> {
        self.labels.get(&id)
    }

    /// Adds the threads of a block, whose events are numbered from 1.
    pub(crate) fn add_threads(&mut self, block: &mut Bytes<'_>, dropped: &mut Dropped) -> Parsed<()> {
        while !block.is_empty() {
            let length = usize::from(block.u16()?);
            let mut row = block.part(length)?;
            let index = row.varuint()?;
            let mut info = ThreadInfo { length, ..ThreadInfo::default() };
            while !row.is_empty() {
                match row.u8()? {
                    1 => info.name = Some(row.utf8()?.into()),
                    2 => info.process = row.varuint()?,
                    3 => info.thread = row.varuint()?,
                    4 => drop((row.utf8()?, row.utf8()?)),
                    // The rest of the row is of a later version.
                    _ => break,
                }
            }
            if self.threads.len() >= TABLE || self.thread_bytes + length > TABLE_BYTES {
                self.clear_threads();
            }
            self.remove_thread(index);
            self.thread_bytes += length;
            self.threads.insert(index, info);
            dropped.begin(index);
        }
        Ok(())
    }

    pub(crate) fn add_labels(&mut self, block: &mut Bytes<'_>) -> Parsed<()> {
        let (mut id, count) = (block.u32()?, block.u32()?);
        for _ in 0..count {
            let begin = block.position();
            let labels = Labels::read(block)?;
            let length = block.position() - begin;
            if self.labels.len() >= TABLE || self.label_bytes + length > TABLE_BYTES {
                self.clear_labels();
            }
            self.label_bytes += length;
            self.labels.insert(id, labels);
            id = id.wrapping_add(1);
        }
        Ok(())
    }

    pub(crate) fn remove_thread(&mut self, index: u64) {
        if let Some(removed) = self.threads.remove(&index) {
            self.thread_bytes -= removed.length;
        }
    }

    pub(crate) fn clear_threads(&mut self) {
        forget(&mut self.threads);
        self.thread_bytes = 0;
    }

    pub(crate) fn clear_labels(&mut self) {
        forget(&mut self.labels);
        self.label_bytes = 0;
    }
}

impl Labels {
    /// Reads a list: the label with the highest bit in its kind is the last one.
    fn read(block: &mut Bytes<'_>) -> Parsed<Self> {
        let mut labels = Self::default();
        loop {
            let kind = block.u8()?;
            match kind & 0x7F {
                1 => labels.activity = block.guid()?,
                2 => labels.related_activity = block.guid()?,
                3 => labels.trace_id = Some(block.array()?),
                4 => labels.span_id = Some(block.u64()?),
                5 => {
                    let (key, value) = (block.utf8()?, block.utf8()?);
                    labels.others.push((key, LabelValue::Text(value)));
                }
                6 => {
                    let (key, value) = (block.utf8()?, block.varint()?);
                    labels.others.push((key, LabelValue::Number(value)));
                }
                7 => labels.opcode = Some(block.u8()?),
                8 => labels.keywords = Some(block.u64()?),
                9 => labels.level = Some(block.u8()?),
                10 => labels.version = Some(block.u8()?),
                _ => return Err(block.malformed("a label of an unknown kind")),
            }
            if kind & 0x80 != 0 {
                return Ok(labels);
            }
        }
    }
}
