//! Paths of calls: each function by its callers, once.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

use super::names::FunctionId;

/// Paths, by numbers from 1; 0 is the path of no call. The caller's path has a lower number than those of its calls.
pub(super) struct Paths {
    all: Vec<Path>,
    /// A path by its caller and its function.
    by_caller: HashMap<(usize, usize), usize, BuildHasherDefault<Mixed>>,
}

/// A path.
#[derive(Clone, Copy, Default)]
pub(super) struct Path {
    /// The path of the caller; 0 if there is none.
    pub(super) caller: usize,
    pub(super) function: FunctionId,
    /// The path of the call that its innermost call has made last; 0 if there is none.
    called: usize,
}

/// Mixes two indexes, which nobody chooses to collide.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_usize(usize::from(*byte)));
    }

    fn write_usize(&mut self, number: usize) {
        self.0 = (self.0.rotate_left(23) ^ number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

impl Default for Paths {
    fn default() -> Self {
        Self { all: vec![Path::default()], by_caller: HashMap::default() }
    }
}

impl Paths {
    /// Adds a path without a function, for calls that have no caller.
    pub(super) fn add_root(&mut self) -> usize {
        self.all.push(Path::default());
        self.all.len() - 1
    }

    /// Returns the path of a function that is called at the end of another path.
    #[inline]
    pub(super) fn called(&mut self, caller: usize, function: FunctionId) -> usize {
        let last = self.all[caller].called;
        if last != 0 && self.all[last].function == function {
            return last;
        }
        let called = self.look_up(caller, function);
        self.all[caller].called = called;
        called
    }

    #[cold]
    fn look_up(&mut self, caller: usize, function: FunctionId) -> usize {
        match self.by_caller.entry((caller, function.index())) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                self.all.push(Path { caller, function, called: 0 });
                *new.insert(self.all.len() - 1)
            }
        }
    }

    /// All paths, by their numbers.
    pub(super) fn all(&self) -> &[Path] {
        &self.all
    }
}
