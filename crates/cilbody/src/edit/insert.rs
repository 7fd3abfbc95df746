//! Insertion positions, and the effect of insertions on branches and regions.

use alloc::vec::Vec;

use super::{Body, Instr, InstrId, Label};
use crate::opcode::Opcode;

/// Inserts instructions one after the other.
///
/// Made by [`Body::insert_before`], [`Body::insert_after`] and [`Body::insert_at_entry`].
#[derive(Debug)]
pub struct Inserter<'b> {
    body: &'b mut Body,
    before: u32,
    /// Whether labels of `before` move to the next pushed instruction.
    takes_place: bool,
    /// Labels for the next pushed instruction.
    marked: Vec<Label>,
    /// Labels for the instruction after the inserted code.
    following: Vec<Label>,
}

impl Body {
    /// Inserts code in the place of an instruction, which comes after it.
    ///
    /// Branches to the instruction lead to the inserted code, and regions that begin or end there begin or end before the
    /// inserted code. Prefixes of the instruction stay with it. Before [`END`](Self::END), the code is appended, outside of all
    /// regions.
    pub fn insert_before(&mut self, id: InstrId) -> Inserter<'_> {
        let first = self.prefixes(id).last().unwrap_or(id);
        self.inserter(first, true)
    }

    /// Inserts code after an instruction, which control reaches from that one only.
    ///
    /// The code lies in the regions that the instruction lies in. After a prefix, it comes after the prefixed instruction.
    pub fn insert_after(&mut self, id: InstrId) -> Inserter<'_> {
        let is_prefix = |id: &InstrId| self.instr(*id).is_some_and(|instr| instr.opcode.is_prefix());
        let mut last = id;
        while is_prefix(&last)
            && let Some(next) = self.next(last)
        {
            last = next;
        }
        let next = self.node(last).map_or(Self::END, |node| InstrId(node.next));
        self.inserter(next, false)
    }

    /// Inserts code that runs once, when the method is entered.
    ///
    /// Branches to the first instruction do not run it, and regions that begin there begin after it.
    pub fn insert_at_entry(&mut self) -> Inserter<'_> {
        let first = self.first().unwrap_or(Self::END);
        self.inserter(first, false)
    }

    fn inserter(&mut self, before: InstrId, takes_place: bool) -> Inserter<'_> {
        // A removed instruction has no position; code for it goes to the end.
        let before = if self.node(before).is_some() { before } else { Self::END };
        Inserter { body: self, before: before.0, takes_place, marked: Vec::new(), following: Vec::new() }
    }

    /// Removes the `tail.` prefix of a call. Nothing may come between such a call and its `ret`.
    pub(super) fn remove_tail_prefix(&mut self, call: InstrId) {
        let tail = self.prefixes(call).find(|id| self.instr(*id).is_some_and(|it| it.opcode == Opcode::TAIL));
        if let Some(tail) = tail {
            self.remove(tail);
        }
    }
}

impl Inserter<'_> {
    /// Inserts an instruction after those that were inserted before.
    ///
    /// A `tail.` prefix of the call before it is removed: such a call has to be followed by `ret`.
    pub fn push(&mut self, instr: Instr) -> &mut Self {
        self.insert(instr);
        self
    }

    /// Inserts an instruction and returns its id.
    pub fn insert(&mut self, instr: Instr) -> InstrId {
        let id = self.body.insert_node(instr, self.before);
        if self.takes_place {
            self.body.move_labels(self.before, id);
            self.takes_place = false;
        }
        for label in self.marked.drain(..) {
            self.body.bind(label, InstrId(id));
        }
        if let Some(previous) = self.body.previous(InstrId(id)) {
            self.body.remove_tail_prefix(previous);
        }
        InstrId(id)
    }

    /// A new label for [`mark`](Self::mark).
    pub fn new_label(&mut self) -> Label {
        self.body.new_label()
    }

    /// Binds a label to the instruction that is inserted next; if none is, to the one after the inserted code.
    pub fn mark(&mut self, label: Label) -> &mut Self {
        self.marked.push(label);
        self
    }

    /// A label of the instruction after the inserted code.
    pub fn following(&mut self) -> Label {
        let label = self.body.new_label();
        self.following.push(label);
        label
    }
}

impl Drop for Inserter<'_> {
    fn drop(&mut self) {
        for label in self.marked.drain(..).chain(self.following.drain(..)) {
            self.body.bind(label, InstrId(self.before));
        }
    }
}
