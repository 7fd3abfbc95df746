//! The copy of the heap, made while the program is paused.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use corprof::values::GcRootKind;
use corprof::{ClassId, FunctionId, GenerationRange};

use super::statics::FieldKind;
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
    /// The static fields with what they refer to, or the box that they are in.
    pub(super) statics: Vec<(String, FieldKind, usize)>,
    /// The addresses of the static fields.
    pub(super) slots: Vec<usize>,
    /// The code that objects of these classes resume: those of continuations, of which each method has its own here.
    pub(super) resumed: HashMap<u32, usize>,
    pub(super) resumed_index: HashMap<usize, u32>,
    /// The classes of continuations.
    pub(super) continuations: Vec<u32>,
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
    ///
    /// `is_continuation` is called for each class once.
    pub(super) fn class_index(
        &mut self,
        class: ClassId,
        is_continuation: impl FnOnce(ClassId) -> bool,
    ) -> u32 {
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
            if is_continuation(class) {
                self.continuations.push(index);
            }
        }
        self.last = Some((class, index));
        index
    }

    /// Returns whether the objects of a class are continuations.
    pub(super) fn are_continuations(&self, index: u32) -> bool {
        self.continuations.contains(&index)
    }

    /// The number in this snapshot of the continuations of the method with this code.
    pub(super) fn continuation_index(&mut self, class: ClassId, code: usize) -> u32 {
        if let Some(index) = self.resumed_index.get(&code) {
            return *index;
        }
        let index = u32::try_from(self.classes.len()).unwrap_or(u32::MAX);
        self.classes.push(class);
        self.strings.push(None);
        self.resumed.insert(index, code);
        self.resumed_index.insert(code, index);
        index
    }
}
