//! What a tree shows: its types, and lists of them.

use core::{fmt, iter::FusedIterator, slice};

use super::{
    parts::{ArrayNode, GenericInstNode, MethodNode},
    slot::{Slot, handle},
};
use crate::{ElementType, Modifier, TypeDefOrRef};

/// A type in a tree, with its custom modifiers (II.23.2.12).
#[derive(Clone, Copy)]
pub struct Node<'t> {
    /// The whole tree.
    pub(super) slots: &'t [Slot],
    pub(super) slot: Slot,
}

/// One level of a type in a tree. What nests is another [`Node`].
#[derive(Clone, Copy, Debug)]
pub enum NodeKind<'t> {
    /// A type that is whole in itself: [`ElementType::is_leaf`].
    Leaf(ElementType),
    /// CLASS: a class or an interface.
    Class(TypeDefOrRef),
    /// VALUETYPE: a structure or an enumeration.
    ValueType(TypeDefOrRef),
    /// VAR: a parameter of the generic type, from 0.
    Var(u32),
    /// MVAR: a parameter of the generic method, from 0.
    MVar(u32),
    /// PTR: an unmanaged pointer to this.
    Ptr(Node<'t>),
    /// BYREF: a managed reference to this; `ref`, `in`, `out`.
    ByRef(Node<'t>),
    /// SZARRAY: a vector of this.
    SzArray(Node<'t>),
    /// ARRAY: an array with a rank and perhaps bounds.
    Array(ArrayNode<'t>),
    /// GENERICINST: a generic type with its arguments.
    GenericInst(GenericInstNode<'t>),
    /// FNPTR: a pointer to a function with this signature.
    FnPtr(MethodNode<'t>),
    /// PINNED: this, in a local variable that keeps the collector from moving the object.
    Pinned(Node<'t>),
    /// INTERNAL: a type of the running process, by the runtime's type handle. Never in a file.
    Internal(usize),
}

/// What stands where a tree ends too early, which none does.
const NOTHING: Slot = Slot::new(ElementType::VOID, 0, 0);

#[inline]
pub(super) fn slot(slots: &[Slot], at: u32) -> Slot {
    let slot = slots.get(at as usize);
    debug_assert!(slot.is_some(), "slot {at} of {}", slots.len());
    slot.copied().unwrap_or(NOTHING)
}

impl<'t> Node<'t> {
    #[inline]
    pub(super) fn new(slots: &'t [Slot], at: u32) -> Self {
        Self { slots, slot: slot(slots, at) }
    }

    /// What is at this place of the row.
    #[inline]
    pub(super) fn nested(self, index: u32) -> Self {
        Self::new(self.slots, self.slot.value() + index)
    }

    /// The handle that begins the row.
    fn handle(self) -> usize {
        handle([self.nested(0).slot.value(), self.nested(1).slot.value()])
    }

    /// The outermost level, without the custom modifiers before it.
    #[inline]
    pub fn kind(self) -> NodeKind<'t> {
        let Self { slots, slot } = self.unmodified();
        let row = slot.value();
        match slot.element() {
            ElementType::CLASS => type_or_leaf(slot, NodeKind::Class),
            ElementType::VALUETYPE => type_or_leaf(slot, NodeKind::ValueType),
            ElementType::VAR => NodeKind::Var(slot.value()),
            ElementType::MVAR => NodeKind::MVar(slot.value()),
            ElementType::PTR => NodeKind::Ptr(Node::new(slots, row)),
            ElementType::BYREF => NodeKind::ByRef(Node::new(slots, row)),
            ElementType::SZARRAY => NodeKind::SzArray(Node::new(slots, row)),
            ElementType::PINNED => NodeKind::Pinned(Node::new(slots, row)),
            ElementType::ARRAY => NodeKind::Array(ArrayNode { slots, element: row }),
            ElementType::GENERICINST => NodeKind::GenericInst(GenericInstNode(Self { slots, slot })),
            ElementType::FNPTR => NodeKind::FnPtr(MethodNode { slots, head: row }),
            ElementType::INTERNAL => NodeKind::Internal(Self { slots, slot }.handle()),
            leaf => NodeKind::Leaf(leaf),
        }
    }

    /// The custom modifiers before the type.
    #[inline]
    pub fn modifiers(self) -> NodeModifiers<'t> {
        NodeModifiers(self)
    }

    /// The element type of the outermost level, after the custom modifiers.
    #[inline]
    pub fn element_type(self) -> ElementType {
        self.unmodified().slot.element()
    }

    /// The type's token: of a CLASS or a VALUETYPE, or of the definition of a GENERICINST.
    #[inline]
    pub fn type_def_or_ref(self) -> Option<TypeDefOrRef> {
        let node = self.unmodified();
        match node.slot.element() {
            ElementType::CLASS | ElementType::VALUETYPE => TypeDefOrRef::from_coded(node.slot.value()),
            ElementType::GENERICINST => GenericInstNode(node).type_def_or_ref(),
            _ => None,
        }
    }

    /// Whether this is `void`, modified or not: a method that returns it returns nothing.
    #[inline]
    pub fn is_void(self) -> bool {
        self.element_type() == ElementType::VOID
    }

    /// What a BYREF refers to, or `None` if this is none.
    #[inline]
    pub fn by_ref(self) -> Option<Node<'t>> {
        match self.kind() {
            NodeKind::ByRef(target) => Some(target),
            _ => None,
        }
    }

    /// The types that are nested in this one: what a pointer or a reference leads to, the type of an array's elements, the
    /// arguments of a generic type, the return type and the parameters of a function pointer.
    #[inline]
    pub fn children(self) -> Nodes<'t> {
        let Self { slots, slot } = self.unmodified();
        let count = match slot.element() {
            ElementType::PTR
            | ElementType::BYREF
            | ElementType::SZARRAY
            | ElementType::PINNED
            | ElementType::ARRAY => 1,
            ElementType::GENERICINST => return GenericInstNode(Self { slots, slot }).args(),
            ElementType::FNPTR => return MethodNode { slots, head: slot.value() }.types(),
            _ => 0,
        };
        Nodes::new(slots, if count == 0 { 0 } else { slot.value() }, count)
    }

    /// Whether it is the first parameter after a SENTINEL.
    pub(super) const fn is_after_sentinel(self) -> bool {
        self.slot.is_after_sentinel()
    }

    /// What the custom modifiers modify.
    #[inline]
    fn unmodified(self) -> Self {
        if self.slot.element().is_modifier() { self.after_modifiers() } else { self }
    }

    #[cold]
    #[inline(never)]
    fn after_modifiers(self) -> Self {
        let mut modifiers = self.modifiers();
        modifiers.by_ref().for_each(drop);
        modifiers.0
    }
}

#[inline]
fn type_or_leaf<'t>(slot: Slot, kind: impl FnOnce(TypeDefOrRef) -> NodeKind<'t>) -> NodeKind<'t> {
    // The token was one when the tree was made.
    TypeDefOrRef::from_coded(slot.value()).map_or(NodeKind::Leaf(slot.element()), kind)
}

/// The custom modifiers in front of a type in a tree, in the order of the blob (II.23.2.7).
#[derive(Clone, Copy, Debug)]
pub struct NodeModifiers<'t>(Node<'t>);

impl NodeModifiers<'_> {
    #[cold]
    #[inline(never)]
    fn read(&mut self) -> Option<Modifier> {
        let node = self.0;
        let token = || TypeDefOrRef::from_coded(node.nested(0).slot.value());
        let (modifier, modified) = match node.slot.element() {
            ElementType::CMOD_REQD => (Modifier::Required(token()?), 1),
            ElementType::CMOD_OPT => (Modifier::Optional(token()?), 1),
            _ => (Modifier::Internal { required: node.slot.small() != 0, handle: node.handle() }, 2),
        };
        self.0 = node.nested(modified);
        Some(modifier)
    }
}

impl Iterator for NodeModifiers<'_> {
    type Item = Modifier;

    #[inline]
    fn next(&mut self) -> Option<Modifier> {
        if self.0.slot.element().is_modifier() { self.read() } else { None }
    }
}

impl FusedIterator for NodeModifiers<'_> {}

/// Types that stand side by side in a tree: parameters, local variables, generic arguments. An iterator that can also go
/// straight to one of them.
#[derive(Clone)]
pub struct Nodes<'t> {
    slots: &'t [Slot],
    row: slice::Iter<'t, Slot>,
}

impl<'t> Nodes<'t> {
    #[inline]
    pub(super) fn new(slots: &'t [Slot], first: u32, count: u32) -> Self {
        let row = slots.get(first as usize..).and_then(|row| row.get(..count as usize));
        debug_assert!(row.is_some(), "{count} slots at {first} of {}", slots.len());
        Self { slots, row: row.unwrap_or_default().iter() }
    }

    /// One of those that are left, from 0, or `None` if they are fewer.
    #[inline]
    pub fn get(&self, index: usize) -> Option<Node<'t>> {
        Some(Node { slots: self.slots, slot: *self.row.as_slice().get(index)? })
    }

    /// Whether none is left.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Those before a SENTINEL, and those after it.
    pub(super) fn around_sentinel(&self) -> [Nodes<'t>; 2] {
        let before = self.clone().position(Node::is_after_sentinel).unwrap_or(self.len());
        let (before, after) = self.row.as_slice().split_at(before);
        [before, after].map(|row| Nodes { slots: self.slots, row: row.iter() })
    }
}

impl<'t> Iterator for Nodes<'t> {
    type Item = Node<'t>;

    #[inline]
    fn next(&mut self) -> Option<Node<'t>> {
        Some(Node { slots: self.slots, slot: *self.row.next()? })
    }

    #[inline]
    fn nth(&mut self, index: usize) -> Option<Node<'t>> {
        Some(Node { slots: self.slots, slot: *self.row.nth(index)? })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.row.size_hint()
    }
}

impl DoubleEndedIterator for Nodes<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        Some(Node { slots: self.slots, slot: *self.row.next_back()? })
    }
}

impl ExactSizeIterator for Nodes<'_> {}

impl FusedIterator for Nodes<'_> {}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for modifier in self.modifiers() {
            write!(f, "{modifier:?} ")?;
        }
        fmt::Debug::fmt(&self.kind(), f)
    }
}

impl fmt::Debug for Nodes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
