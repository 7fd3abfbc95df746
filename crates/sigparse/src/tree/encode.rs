//! Trees back to bytes.

use super::{
    FieldTree, LocalVarTree, MethodNode, MethodSpecTree, MethodTree, Node, NodeKind, Nodes, PropertyTree,
    Slot, TypeTree,
};
use crate::{
    ElementType, FieldSigBuf, LocalVarSigBuf, MethodSigBuf, MethodSpecSigBuf, PropertySigBuf, TypeSigBuf,
    encoder::Bytes, owned::method_head,
};

impl Bytes {
    fn node(&mut self, node: Node<'_>) {
        node.modifiers().for_each(|modifier| self.modifier(modifier));
        let kind = node.kind();
        if let NodeKind::FnPtr(method) = kind {
            self.element(ElementType::FNPTR);
            return self.method(method);
        }
        self.element(node.element_type());
        match kind {
            NodeKind::Leaf(_) | NodeKind::FnPtr(_) => {}
            NodeKind::Class(ty) | NodeKind::ValueType(ty) => self.type_def_or_ref(ty),
            NodeKind::Var(number) | NodeKind::MVar(number) => self.unsigned(number),
            NodeKind::Internal(handle) => self.pointer(handle),
            NodeKind::Ptr(target)
            | NodeKind::ByRef(target)
            | NodeKind::SzArray(target)
            | NodeKind::Pinned(target) => {
                self.node(target);
            }
            NodeKind::Array(array) => {
                self.node(array.element());
                self.shape(array.rank(), array.sizes(), array.lower_bounds());
            }
            NodeKind::GenericInst(inst) => {
                self.node(inst.definition_node());
                self.count(inst.args().len());
                self.nodes(inst.args());
            }
        }
    }

    fn nodes(&mut self, nodes: Nodes<'_>) {
        nodes.for_each(|node| self.node(node));
    }

    fn method(&mut self, method: MethodNode<'_>) {
        method_head(self, method.header(), method.generic_param_count(), method.param_count());
        self.node(method.return_type());
        self.nodes(method.fixed_params());
        let vararg = method.vararg_params();
        if !vararg.is_empty() {
            self.element(ElementType::SENTINEL);
            self.nodes(vararg);
        }
    }
}

macro_rules! to_buf {
    ($( $tree:ident to $buf:ident |$this:ident, $out:ident| $write:expr; )+) => { $(
        impl $tree {
            /// The signature as bytes: those that it was read from, but for integers that were longer than need be.
            pub fn to_buf(&self) -> $buf {
                let ($this, mut $out) = (self, Bytes::default());
                $write;
                $buf::written($out)
            }
        }
    )+ };
}

to_buf! {
    MethodTree to MethodSigBuf |tree, out| out.method(tree.root());
    FieldTree to FieldSigBuf |tree, out| {
        out.bytes.push(head(&tree.0));
        out.node(tree.field_type());
    };
    PropertyTree to PropertySigBuf |tree, out| {
        out.bytes.push(head(&tree.0));
        out.count(tree.params().len());
        out.node(tree.property_type());
        out.nodes(tree.params());
    };
    LocalVarTree to LocalVarSigBuf |tree, out| {
        out.bytes.push(head(&tree.0));
        out.count(tree.locals().len());
        out.nodes(tree.locals());
    };
    TypeTree to TypeSigBuf |tree, out| out.node(tree.root());
    MethodSpecTree to MethodSpecSigBuf |tree, out| {
        out.bytes.push(head(&tree.0));
        out.count(tree.args().len());
        out.nodes(tree.args());
    };
}

/// The first byte of a signature.
fn head(slots: &[Slot]) -> u8 {
    slots.first().map_or(0, |head| head.element().0)
}
