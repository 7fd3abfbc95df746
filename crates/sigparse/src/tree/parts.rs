//! What in a tree has more than one part: generic types, arrays, methods.

use alloc::vec::Vec;
use core::fmt;

use super::{
    node::{Node, NodeKind, Nodes, slot},
    slot::Slot,
};
use crate::{CallingConvention, ElementType, SigHeader, TypeDefOrRef};

/// A GENERICINST in a tree: a generic type with its arguments (II.23.2.12).
#[derive(Clone, Copy)]
pub struct GenericInstNode<'t>(pub(super) Node<'t>);

impl<'t> GenericInstNode<'t> {
    /// The generic type: a [`NodeKind::Class`], a [`NodeKind::ValueType`] or a [`NodeKind::Internal`].
    #[inline]
    pub fn definition(self) -> NodeKind<'t> {
        self.definition_node().kind()
    }

    #[inline]
    pub(super) fn definition_node(self) -> Node<'t> {
        self.0.nested(0)
    }

    /// The generic type's token, unless it is one of the running process.
    #[inline]
    pub fn type_def_or_ref(self) -> Option<TypeDefOrRef> {
        match self.definition_node().slot {
            internal if internal.element() == ElementType::INTERNAL => None,
            slot => TypeDefOrRef::from_coded(slot.value()),
        }
    }

    /// Whether the generic type is encoded as a value type.
    #[inline]
    pub fn is_value_type(self) -> bool {
        self.definition_node().slot.element() == ElementType::VALUETYPE
    }

    /// The arguments, at least one.
    #[inline]
    pub fn args(self) -> Nodes<'t> {
        let is_internal = self.definition_node().slot.element() == ElementType::INTERNAL;
        let first = self.0.slot.value() + if is_internal { 3 } else { 1 };
        Nodes::new(self.0.slots, first, self.0.slot.small().into())
    }
}

/// An ARRAY in a tree: the element type and the shape (II.23.2.13).
#[derive(Clone, Copy)]
pub struct ArrayNode<'t> {
    pub(super) slots: &'t [Slot],
    /// Where the element type is. The shape is after it.
    pub(super) element: u32,
}

impl<'t> ArrayNode<'t> {
    /// The type of the elements.
    #[inline]
    pub fn element(self) -> Node<'t> {
        Node::new(self.slots, self.element)
    }

    #[inline]
    fn shape(self) -> Slot {
        slot(self.slots, self.element + 1)
    }

    /// The number of dimensions, from 1.
    #[inline]
    pub fn rank(self) -> u32 {
        self.shape().element().0.into()
    }

    /// The sizes of the first dimensions, at most as many as the rank. The size of the others is not fixed.
    pub fn sizes(self) -> impl ExactSizeIterator<Item = u32> + 't {
        let shape = self.shape();
        let [sizes, _] = shape.small().to_le_bytes();
        self.numbers(shape.value(), sizes)
    }

    /// The lower bounds of the first dimensions, at most as many as the rank. That of the others is 0.
    pub fn lower_bounds(self) -> impl ExactSizeIterator<Item = i32> + 't {
        let shape = self.shape();
        let [sizes, lower_bounds] = shape.small().to_le_bytes();
        self.numbers(shape.value() + u32::from(sizes), lower_bounds).map(u32::cast_signed)
    }

    fn numbers(self, first: u32, count: u8) -> impl ExactSizeIterator<Item = u32> + 't {
        Nodes::new(self.slots, first, count.into()).map(|number| number.slot.value())
    }
}

/// A method signature in a tree: the tree itself, or what a function pointer leads to (II.23.2.1 to 3).
#[derive(Clone, Copy)]
pub struct MethodNode<'t> {
    pub(super) slots: &'t [Slot],
    /// Where the head is. The return type and the parameters are after it.
    pub(super) head: u32,
}

impl<'t> MethodNode<'t> {
    #[inline]
    pub(super) const fn root(slots: &'t [Slot]) -> Self {
        Self { slots, head: 0 }
    }

    #[inline]
    fn head(self) -> Slot {
        slot(self.slots, self.head)
    }

    /// The first byte: calling convention and flags.
    #[inline]
    pub fn header(self) -> SigHeader {
        SigHeader(self.head().element().0)
    }

    /// How the method is called.
    #[inline]
    pub fn calling_convention(self) -> CallingConvention {
        self.header().calling_convention()
    }

    /// Whether the method has a `this` that is not among its parameters.
    #[inline]
    pub fn has_this(self) -> bool {
        self.header().has_this()
    }

    /// Whether `this` is the first parameter.
    #[inline]
    pub fn explicit_this(self) -> bool {
        self.header().explicit_this()
    }

    /// The number of generic parameters of the method itself.
    #[inline]
    pub fn generic_param_count(self) -> u32 {
        self.head().small().into()
    }

    /// The number of parameters, those after a SENTINEL included, `this` not.
    #[inline]
    pub fn param_count(self) -> u32 {
        self.head().value()
    }

    /// The return type. [`Node::is_void`] tells whether there is one.
    #[inline]
    pub fn return_type(self) -> Node<'t> {
        Node::new(self.slots, self.head + 1)
    }

    /// The parameters, those after a SENTINEL included, `this` not.
    #[inline]
    pub fn params(self) -> Nodes<'t> {
        Nodes::new(self.slots, self.head + 2, self.param_count())
    }

    /// The parameters before a SENTINEL: those that the method declares.
    pub fn fixed_params(self) -> Nodes<'t> {
        let [fixed, _] = self.params().around_sentinel();
        fixed
    }

    /// The parameters after a SENTINEL: passed at this call, not declared by the method.
    pub fn vararg_params(self) -> Nodes<'t> {
        let [_, vararg] = self.params().around_sentinel();
        vararg
    }

    /// The return type, and then the parameters.
    #[inline]
    pub fn types(self) -> Nodes<'t> {
        Nodes::new(self.slots, self.head + 1, self.param_count() + 1)
    }
}

impl fmt::Debug for GenericInstNode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GenericInst")
            .field("definition", &self.definition())
            .field("args", &self.args())
            .finish()
    }
}

impl fmt::Debug for ArrayNode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Array")
            .field("element", &self.element())
            .field("rank", &self.rank())
            .field("sizes", &Vec::from_iter(self.sizes()))
            .field("lower_bounds", &Vec::from_iter(self.lower_bounds()))
            .finish()
    }
}

impl fmt::Debug for MethodNode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Method")
            .field("header", &self.header())
            .field("generic_param_count", &self.generic_param_count())
            .field("return_type", &self.return_type())
            .field("params", &self.params())
            .finish()
    }
}
