//! The copy of the heap, made while the program is paused.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use corprof::values::GcRootKind;
use corprof::{ClassId, FunctionId, GenerationRange};

use super::strings::Strings;

/// A strong root.
#[derive(Clone, Copy, Debug)]
pub(super) struct Root {
    pub(super) object: usize,
    pub(super) kind: GcRootKind,
    pub(super) function: Option<FunctionId>,
}

/// A copy of the heap: references and roots are addresses.
#[derive(Debug, Default)]
pub(super) struct Copied {
    pub(super) addresses: Vec<usize>,
    /// In units of 8 bytes.
    pub(super) sizes: Vec<u32>,
    pub(super) class_of: Vec<u32>,
    /// The end of each object's references.
    pub(super) ends: Vec<usize>,
    pub(super) references: Vec<usize>,
    pub(super) classes: Vec<ClassId>,
    pub(super) class_index: HashMap<ClassId, u32>,
    pub(super) last: Option<(ClassId, u32)>,
    /// For each class the contents of its objects, as long as they may be strings.
    pub(super) strings: Vec<Option<Strings>>,
    pub(super) roots: Vec<Root>,
    pub(super) weak_roots: u64,
    /// The keys and values of weak tables: a key keeps its value alive.
    pub(super) dependents: Vec<(usize, usize)>,
    /// The static fields with what they refer to.
    pub(super) statics: Vec<(String, usize)>,
    pub(super) generations: Vec<GenerationRange>,
    /// Objects whose size the runtime did not return.
    pub(super) unsized_objects: u64,
}

/// The times of a snapshot.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Times {
    pub(super) begin: Option<Instant>,
    pub(super) walk: Option<Instant>,
    pub(super) end: Option<Instant>,
    pub(super) suspending: Duration,
    pub(super) paused: Duration,
    pub(super) walked: Duration,
}

impl Copied {
    /// The number of a class in this snapshot.
    pub(super) fn class_index(&mut self, class: ClassId) -> u32 {
        if let Some((last, index)) = self.last
            && last == class
        {
            return index;
        }
        let next = u32::try_from(self.classes.len()).unwrap_or(u32::MAX);
        let index = *self.class_index.entry(class).or_insert(next);
        if index == next {
            self.classes.push(class);
            self.strings.push(Some(Strings::new()));
        }
        self.last = Some((class, index));
        index
    }
}
