//! Trees as text, of the same form as that of the views and of a walk.

use sigparse::tree::{ArrayNode, MethodNode, Node, NodeKind, Nodes};
use sigparse::{Error, FieldTree, LocalVarTree, MethodSpecTree, MethodTree, PropertyTree, TypeTree};

use crate::dump::{Kind, head, modifier, push, separate};

/// The text of a blob by its tree, and the bytes that the tree becomes.
pub(crate) fn by_tree(kind: Kind, blob: &[u8]) -> Result<(String, Vec<u8>), Error> {
    let mut out = String::new();
    let bytes = match kind {
        Kind::Method => {
            let tree = MethodTree::parse(blob)?;
            method(tree.root(), &mut out);
            tree.to_buf().into_bytes()
        }
        Kind::Field => {
            let tree = FieldTree::parse(blob)?;
            node(tree.field_type(), &mut out);
            tree.to_buf().into_bytes()
        }
        Kind::Property => {
            let tree = PropertyTree::parse(blob)?;
            push(&mut out, format_args!("{} ", tree.header()));
            node(tree.property_type(), &mut out);
            list(" (", tree.params(), ")", &mut out);
            tree.to_buf().into_bytes()
        }
        Kind::Locals => {
            let tree = LocalVarTree::parse(blob)?;
            list("(", tree.locals(), ")", &mut out);
            tree.to_buf().into_bytes()
        }
        Kind::TypeSpec => {
            let tree = TypeTree::parse(blob)?;
            node(tree.root(), &mut out);
            tree.to_buf().into_bytes()
        }
        Kind::MethodSpec => {
            let tree = MethodSpecTree::parse(blob)?;
            list("<", tree.args(), ">", &mut out);
            tree.to_buf().into_bytes()
        }
    };
    Ok((out, bytes))
}

fn list(open: &str, nodes: Nodes<'_>, close: &str, out: &mut String) {
    out.push_str(open);
    for (index, child) in nodes.clone().enumerate() {
        separate(out, index);
        node(child, out);
        assert!(nodes.get(index).is_some());
    }
    assert!(nodes.get(nodes.len()).is_none());
    out.push_str(close);
}

fn method(found: MethodNode<'_>, out: &mut String) {
    head(out, found.header(), found.generic_param_count());
    node(found.return_type(), out);
    let (fixed, vararg) = (found.fixed_params().len(), found.vararg_params());
    assert_eq!(found.param_count() as usize, fixed + vararg.len());
    out.push_str(" (");
    for (index, param) in found.params().enumerate() {
        separate(out, index);
        if index == fixed {
            out.push_str("... ");
        }
        node(param, out);
    }
    out.push(')');
}

fn array(array: ArrayNode<'_>, out: &mut String) {
    out.push_str("ARRAY(");
    node(array.element(), out);
    push(out, format_args!(" rank={}", array.rank()));
    if array.sizes().len() > 0 {
        push(out, format_args!(" sizes={:?}", array.sizes().collect::<Vec<_>>()));
    }
    if array.lower_bounds().len() > 0 {
        push(out, format_args!(" lower={:?}", array.lower_bounds().collect::<Vec<_>>()));
    }
    out.push(')');
}

fn node(found: Node<'_>, out: &mut String) {
    found.modifiers().for_each(|found| modifier(out, found));
    let nested = found.children().len();
    match found.kind() {
        NodeKind::Leaf(element) => {
            assert_eq!((element, nested), (found.element_type(), 0));
            assert_eq!(found.is_void(), element.name() == Some("VOID"));
            push(out, format_args!("{element}"));
        }
        NodeKind::Class(ty) => push(out, format_args!("CLASS:{ty}")),
        NodeKind::ValueType(ty) => push(out, format_args!("VALUETYPE:{ty}")),
        NodeKind::Var(number) => push(out, format_args!("VAR:{number}")),
        NodeKind::MVar(number) => push(out, format_args!("MVAR:{number}")),
        NodeKind::Internal(handle) => push(out, format_args!("INTERNAL:{handle:X}")),
        NodeKind::Ptr(_) | NodeKind::ByRef(_) | NodeKind::SzArray(_) | NodeKind::Pinned(_) => {
            push(out, format_args!("{}", found.element_type()));
            list("(", found.children(), ")", out);
        }
        NodeKind::Array(found) => {
            assert_eq!(nested, 1);
            array(found, out);
        }
        NodeKind::GenericInst(inst) => {
            assert_eq!(nested, inst.args().len());
            assert_eq!(found.type_def_or_ref(), inst.type_def_or_ref());
            match inst.definition() {
                NodeKind::Class(ty) => push(out, format_args!("GENERICINST(CLASS:{ty}")),
                NodeKind::ValueType(ty) => push(out, format_args!("GENERICINST(VALUETYPE:{ty}")),
                NodeKind::Internal(handle) => push(out, format_args!("GENERICINST(INTERNAL:{handle:X}")),
                other => unreachable!("{other:?}"),
            }
            list(" | ", inst.args(), ")", out);
        }
        NodeKind::FnPtr(found) => {
            assert_eq!(nested, found.param_count() as usize + 1);
            out.push_str("FNPTR(");
            method(found, out);
            out.push(')');
        }
    }
}
