//! Threads and label lists of version 6.

use std::collections::HashMap;

use crate::bytes::{Bytes, Parsed};
use crate::limits::TABLE;

/// A thread of the table.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ThreadIds {
    pub(crate) thread: u64,
    pub(crate) process: u64,
}

/// The labels that this crate knows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Labels {
    pub(crate) activity: Option<[u8; 16]>,
    pub(crate) related_activity: Option<[u8; 16]>,
}

#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub(crate) threads: HashMap<u64, ThreadIds>,
    pub(crate) labels: HashMap<u32, Labels>,
}

impl Tables {
    pub(crate) fn add_threads(&mut self, block: &mut Bytes<'_>) -> Parsed<()> {
        while !block.is_empty() {
            let length = usize::from(block.u16()?);
            let mut row = block.part(length)?;
            let index = row.varuint()?;
            let mut ids = ThreadIds::default();
            while !row.is_empty() {
                match row.u8()? {
                    1 => drop(row.utf8()?),
                    2 => ids.process = row.varuint()?,
                    3 => ids.thread = row.varuint()?,
                    4 => drop((row.utf8()?, row.utf8()?)),
                    // The rest of the row is of a later version.
                    _ => break,
                }
            }
            if self.threads.len() >= TABLE {
                self.threads.clear();
            }
            self.threads.insert(index, ids);
        }
        Ok(())
    }

    pub(crate) fn add_labels(&mut self, block: &mut Bytes<'_>) -> Parsed<()> {
        let (mut id, count) = (block.u32()?, block.u32()?);
        for _ in 0..count {
            let mut labels = Labels::default();
            loop {
                let kind = block.u8()?;
                match kind & 0x7F {
                    1 => labels.activity = block.guid()?,
                    2 => labels.related_activity = block.guid()?,
                    3 => drop(block.take(16)?),
                    4 | 8 => drop(block.u64()?),
                    5 => drop((block.utf8()?, block.utf8()?)),
                    6 => drop((block.utf8()?, block.varuint()?)),
                    7 | 9 | 10 => drop(block.u8()?),
                    _ => return Err(block.malformed("a label of an unknown kind")),
                }
                if kind & 0x80 != 0 {
                    break;
                }
            }
            if self.labels.len() >= TABLE {
                self.labels.clear();
            }
            self.labels.insert(id, labels);
            id = id.wrapping_add(1);
        }
        Ok(())
    }
}
