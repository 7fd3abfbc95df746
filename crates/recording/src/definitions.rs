//! The definitions of functions and threads, as blocks of the file in a lane of their own.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};

use crate::bytes::put_count;
use crate::definition::{Function, Thread};
use crate::format::{BLOCK_HEADER, block, block_header};
use crate::lane::{Advance, Producer};
use crate::limits::MAX_FUNCTIONS;

/// The size of the buffer that is kept from one definition to the next.
const KEPT: usize = 16 << 10;

/// The definitions so far.
pub(crate) struct Definitions {
    producer: Producer,
    next_function: u32,
    next_thread: u32,
    known: KnownFunctions,
    /// For the content of a block. Kept, because tracers define functions by the thousand, each while the program waits.
    content: Vec<u8>,
}

/// The numbers of the functions with an identity, by the hashes and lengths of their definitions. The hash has 64 bits and a random key: of
/// a million functions, two have the same with a probability of less than 10⁻⁷.
#[derive(Default)]
struct KnownFunctions {
    hash: RandomState,
    numbers: HashMap<(u64, usize), u32>,
}

impl KnownFunctions {
    fn key(&self, function: &Function, definition: &[u8]) -> Option<(u64, usize)> {
        let has_identity = !function.identity.is_empty();
        has_identity.then(|| (self.hash.hash_one(definition), definition.len()))
    }
}

impl Definitions {
    pub(crate) fn new(producer: Producer) -> Self {
        Self {
            producer,
            next_function: 0,
            next_thread: 0,
            known: KnownFunctions::default(),
            content: Vec::new(),
        }
    }

    /// Defines a function, unless the same was defined before. Returns its number; `None` if it cannot be recorded. `wait` as for
    /// [`put`](Self::put).
    pub(crate) fn function(&mut self, function: &Function, wait: impl FnMut() -> bool) -> Option<u32> {
        let mut content = core::mem::take(&mut self.content);
        content.clear();
        let number = self.number(function, &mut content, wait);
        content.shrink_to(KEPT);
        self.content = content;
        number
    }

    fn number(
        &mut self,
        function: &Function,
        content: &mut Vec<u8>,
        wait: impl FnMut() -> bool,
    ) -> Option<u32> {
        let next = self.next_function;
        put_count(content, next.into());
        let begin = content.len();
        function.write(content);
        let key = self.known.key(function, content.get(begin..)?);
        if let Some(number) = key.and_then(|key| self.known.numbers.get(&key)) {
            return Some(*number);
        }
        if next >= MAX_FUNCTIONS || !self.put(block::FUNCTIONS, content, wait) {
            return None;
        }
        self.next_function += 1;
        self.known.numbers.extend(key.map(|key| (key, next)));
        Some(next)
    }

    /// Defines a thread. Returns it, and whether it is recorded.
    pub(crate) fn thread(&mut self, id: u64, wait: impl FnMut() -> bool) -> (Thread, bool) {
        let thread = Thread { number: self.next_thread, id };
        self.next_thread = self.next_thread.wrapping_add(1);
        let mut content = Vec::new();
        thread.write(&mut content);
        (thread, self.put(block::THREAD, &content, wait))
    }

    /// Puts a block into the lane. While there is no room, calls `wait` until that returns `false`: without its definitions a recording
    /// cannot be read. Returns `false` if there is no memory, or the writer has ended.
    pub(crate) fn put(&mut self, kind: u32, content: &[u8], mut wait: impl FnMut() -> bool) -> bool {
        let bytes = BLOCK_HEADER + content.len();
        if bytes > self.producer.longest() {
            return false;
        }
        loop {
            if let Some((header, rest)) =
                self.producer.space(bytes).and_then(<[u8]>::split_first_chunk_mut::<BLOCK_HEADER>)
            {
                *header = block_header(kind, content);
                rest.copy_from_slice(content);
                self.producer.publish(bytes);
                return true;
            }
            match self.producer.advance(bytes) {
                Advance::Begun => {}
                Advance::NoMemory => return false,
                Advance::Full if wait() => {}
                Advance::Full => return false,
            }
        }
    }
}
