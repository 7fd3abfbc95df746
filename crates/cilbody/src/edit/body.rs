//! The instructions of an editable body, in a list that keeps their identity, and labels.

use alloc::vec;
use alloc::vec::Vec;

use sigparse::token::StandAloneSig;

use super::locals::LocalVars;
use super::{Instr, InstrId, Label, Region};
use crate::opcode::Opcode;

/// An editable method body.
///
/// ```
/// use cilbody::{MethodBody, edit::{Body, Instr}};
/// # use cilbody::Module;
/// # use sigparse::Token;
/// # struct Nothing;
/// # impl Module for Nothing {
/// #     fn method_sig(&self, _: Token) -> Option<&[u8]> { None }
/// #     fn field_sig(&self, _: Token) -> Option<&[u8]> { None }
/// #     fn stand_alone_sig(&self, _: Token) -> Option<&[u8]> { None }
/// # }
/// # let module = Nothing;
///
/// // ldarg.0; ret
/// let mut body = Body::import(&MethodBody::parse(&[0x0A, 0x02, 0x2A])?)?;
/// let ret = body.last().unwrap();
/// body.insert_before(ret).push(Instr::ldc_i4(1)).push(Instr::new(cilbody::Opcode::ADD));
/// // ldarg.0; ldc.i4.1; add; ret
/// assert_eq!(body.encode(&module)?.bytes, [0x12, 0x02, 0x17, 0x58, 0x2A]);
/// # Ok::<(), cilbody::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Body {
    pub(super) init_locals: bool,
    pub(super) local_var_sig: Option<StandAloneSig>,
    pub(super) locals: Option<LocalVars>,
    /// The first one is the end of the code; it has no instruction, and closes the list to a circle.
    pub(super) nodes: Vec<Node>,
    /// The number of imported nodes after the first one. These are in the order of their offsets.
    pub(super) imported: u32,
    pub(super) labels: Vec<LabelSlot>,
    pub(super) regions: Vec<Region>,
}

/// A number that no node and no label has.
pub(super) const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) instr: Instr,
    /// The IL offset in the body that was imported; [`NONE`] for instructions that were added.
    pub(super) original: u32,
    pub(super) previous: u32,
    pub(super) next: u32,
    /// The first label before this instruction.
    pub(super) label: u32,
    /// Whether the node is in the list.
    pub(super) linked: bool,
}

/// The node of a label, and the next label of the same node.
#[derive(Clone, Copy, Debug)]
pub(super) struct LabelSlot {
    pub(super) node: u32,
    pub(super) next: u32,
}

impl Node {
    pub(super) const fn new(instr: Instr, original: u32) -> Self {
        Self { instr, original, previous: 0, next: 0, label: NONE, linked: true }
    }
}

impl Default for Body {
    fn default() -> Self {
        Self::new()
    }
}

impl Body {
    /// The end of the code. Code that is inserted before it lies outside of all regions.
    pub const END: InstrId = InstrId(0);

    /// A body without instructions.
    #[must_use]
    pub fn new() -> Self {
        Self {
            init_locals: false,
            local_var_sig: None,
            locals: None,
            nodes: vec![Node::new(Instr::new(Opcode::NOP), NONE)],
            imported: 0,
            labels: Vec::new(),
            regions: Vec::new(),
        }
    }

    /// The first instruction.
    #[must_use]
    pub fn first(&self) -> Option<InstrId> {
        self.next(Self::END)
    }

    /// The last instruction.
    #[must_use]
    pub fn last(&self) -> Option<InstrId> {
        self.previous(Self::END)
    }

    /// The instruction after this one.
    #[must_use]
    pub fn next(&self, id: InstrId) -> Option<InstrId> {
        self.node(id).map(|node| InstrId(node.next)).filter(|next| *next != Self::END)
    }

    /// The instruction before this one; of [`END`](Self::END) the last one.
    #[must_use]
    pub fn previous(&self, id: InstrId) -> Option<InstrId> {
        self.node(id).map(|node| InstrId(node.previous)).filter(|previous| *previous != Self::END)
    }

    /// The instructions in order.
    pub fn ids(&self) -> impl Iterator<Item = InstrId> {
        core::iter::successors(self.first(), |id| self.next(*id))
    }

    /// The instructions in order, collected: the body may be changed meanwhile.
    #[must_use]
    pub fn all_ids(&self) -> Vec<InstrId> {
        self.ids().collect()
    }

    /// An instruction; `None` if it was removed.
    #[must_use]
    pub fn instr(&self, id: InstrId) -> Option<&Instr> {
        self.node(id).filter(|_| id != Self::END).map(|node| &node.instr)
    }

    /// Replaces an instruction. Branches to it lead to the new one.
    ///
    /// Returns the old one, or `None` if it was removed before.
    pub fn replace(&mut self, id: InstrId, instr: Instr) -> Option<Instr> {
        let node = self.node_mut(id).filter(|_| id != Self::END)?;
        Some(core::mem::replace(&mut node.instr, instr))
    }

    /// Removes an instruction. Branches to it lead to the next one.
    ///
    /// Returns it, or `None` if it was removed before. Its prefixes stay; [`prefixes`](Self::prefixes) finds them.
    pub fn remove(&mut self, id: InstrId) -> Option<Instr> {
        let node = self.node_mut(id).filter(|_| id != Self::END)?;
        node.linked = false;
        let (previous, next) = (node.previous, node.next);
        let instr = core::mem::replace(&mut node.instr, Instr::new(Opcode::NOP));
        self.link(previous, next);
        self.move_labels(id.0, next);
        Some(instr)
    }

    /// The prefixes directly before an instruction, the nearest first.
    pub fn prefixes(&self, id: InstrId) -> impl Iterator<Item = InstrId> {
        let before = move |id: &InstrId| {
            self.previous(*id).filter(|id| self.instr(*id).is_some_and(|instr| instr.opcode.is_prefix()))
        };
        core::iter::successors(before(&id), before)
    }

    /// The instruction that was at an IL offset when the body was imported; `None` if no instruction began there, or it was
    /// removed.
    #[must_use]
    pub fn at_offset(&self, offset: u32) -> Option<InstrId> {
        let imported = self.nodes.get(1..=self.imported as usize)?;
        let index = imported.binary_search_by_key(&offset, |node| node.original).ok()?;
        let id = InstrId(u32::try_from(index + 1).ok()?);
        self.instr(id).map(|_| id)
    }

    /// The IL offset that an instruction had when the body was imported; `None` for those that were added.
    #[must_use]
    pub fn original_offset(&self, id: InstrId) -> Option<u32> {
        self.node(id).map(|node| node.original).filter(|original| *original != NONE)
    }

    /// A label before an instruction, or at the end of the code.
    ///
    /// Returns a label that is bound to nothing if the instruction was removed: encoding then fails.
    pub fn label(&mut self, id: InstrId) -> Label {
        match self.node(id) {
            Some(node) if node.label != NONE => Label(node.label),
            Some(_) => {
                let label = self.new_label();
                self.bind(label, id);
                label
            }
            None => self.new_label(),
        }
    }

    /// A new label, to be bound.
    pub fn new_label(&mut self) -> Label {
        let label = u32::try_from(self.labels.len()).unwrap_or(NONE);
        self.labels.push(LabelSlot { node: NONE, next: NONE });
        Label(label)
    }

    /// Binds a label that is not bound. A bound label stays where it is.
    pub fn bind(&mut self, label: Label, to: InstrId) {
        let Some(node) = self.nodes.get_mut(to.0 as usize).filter(|node| node.linked) else { return };
        if let Some(slot) = self.labels.get_mut(label.0 as usize).filter(|slot| slot.node == NONE) {
            *slot = LabelSlot { node: to.0, next: node.label };
            node.label = label.0;
        }
    }

    /// The instruction that a label is before; [`END`](Self::END) for the end of the code. `None` if it is not bound.
    #[must_use]
    pub fn target(&self, label: Label) -> Option<InstrId> {
        let slot = self.labels.get(label.0 as usize)?;
        self.node(InstrId(slot.node)).map(|_| InstrId(slot.node))
    }

    /// Returns whether local variables begin as zero.
    #[must_use]
    pub const fn init_locals(&self) -> bool {
        self.init_locals
    }

    /// Sets whether local variables begin as zero.
    pub const fn set_init_locals(&mut self, init_locals: bool) {
        self.init_locals = init_locals;
    }

    pub(super) fn node(&self, id: InstrId) -> Option<&Node> {
        self.nodes.get(id.0 as usize).filter(|node| node.linked)
    }

    fn node_mut(&mut self, id: InstrId) -> Option<&mut Node> {
        self.nodes.get_mut(id.0 as usize).filter(|node| node.linked)
    }

    /// Makes two nodes neighbours.
    fn link(&mut self, previous: u32, next: u32) {
        if let Some(node) = self.nodes.get_mut(previous as usize) {
            node.next = next;
        }
        if let Some(node) = self.nodes.get_mut(next as usize) {
            node.previous = previous;
        }
    }

    /// Links a new node in before another one. Labels stay where they are.
    pub(super) fn insert_node(&mut self, instr: Instr, before: u32) -> u32 {
        let id = u32::try_from(self.nodes.len()).unwrap_or(NONE);
        let previous = self.nodes.get(before as usize).map_or(0, |node| node.previous);
        self.nodes.push(Node::new(instr, NONE));
        self.link(previous, id);
        self.link(id, before);
        id
    }

    /// Moves the labels of a node to another one.
    pub(super) fn move_labels(&mut self, from: u32, to: u32) {
        let Some(node) = self.nodes.get_mut(from as usize) else { return };
        let first = core::mem::replace(&mut node.label, NONE);
        let (mut label, mut last) = (first, None);
        while let Some(slot) = self.labels.get_mut(label as usize) {
            slot.node = to;
            last = Some(label);
            label = slot.next;
        }
        let (Some(last), Some(node)) = (last, self.nodes.get_mut(to as usize)) else { return };
        let others = core::mem::replace(&mut node.label, first);
        if let Some(slot) = self.labels.get_mut(last as usize) {
            slot.next = others;
        }
    }
}
