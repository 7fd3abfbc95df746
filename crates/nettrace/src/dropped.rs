//! Counts the events that the program has dropped, by gaps in the numbers that each thread gives to its events.

use std::collections::HashMap;

use crate::forget::forget;
use crate::limits::TABLE;

#[derive(Debug, Default)]
pub(crate) struct Dropped {
    last: HashMap<u64, u32>,
    pub(crate) count: u64,
}

impl Dropped {
    /// A thread begins, whose first event has the number 1. Earlier versions than 6 do not tell.
    pub(crate) fn begin(&mut self, thread: u64) {
        if self.last.len() >= TABLE {
            self.last.clear();
        }
        self.last.insert(thread, 0);
    }

    /// All threads are numbered anew.
    pub(crate) fn forget(&mut self) {
        forget(&mut self.last);
    }

    /// An event of a thread.
    pub(crate) fn event(&mut self, thread: u64, number: u32) {
        if self.last.len() >= TABLE && !self.last.contains_key(&thread) {
            self.last.clear();
        }
        let last = self.last.insert(thread, number).unwrap_or(number.wrapping_sub(1));
        self.gap(last.wrapping_add(1), number);
    }

    /// A thread has given this number at least to an event.
    pub(crate) fn reached(&mut self, thread: u64, number: u32) {
        if let Some(last) = self.last.get_mut(&thread) {
            let before = *last;
            let gap = number.wrapping_sub(before);
            if gap <= u32::MAX / 2 {
                *last = number;
                self.gap(before, number);
            }
        } else if self.last.len() < TABLE {
            self.last.insert(thread, number);
        }
    }

    pub(crate) fn remove(&mut self, thread: u64) {
        self.last.remove(&thread);
    }

    fn gap(&mut self, expected: u32, number: u32) {
        let gap = number.wrapping_sub(expected);
        // A new thread with the number of one that has ended begins at 1.
        if gap <= u32::MAX / 2 {
            self.count += u64::from(gap);
        }
    }
}
