//! Trees as text, of the same form as that of the views and of a walk.

use sigparse::tree::{ArrayNode, MethodNode, Node, NodeKind, Nodes};
use sigparse::{Error, FieldTree, LocalVarTree, MethodSpecTree, MethodTree, PropertyTree, SigTree, TypeTree};

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

#[test]
fn the_kind_is_that_of_the_first_byte() {
    for vector in crate::vectors::all().filter(|vector| vector.kind != Kind::TypeSpec) {
        let tree = SigTree::parse(vector.blob).unwrap();
        let types = match &tree {
            SigTree::Method(tree) => tree.params().len() + 1,
            SigTree::Property(tree) => tree.params().len() + 1,
            SigTree::Field(_) => 1,
            SigTree::LocalVar(tree) => tree.locals().len(),
            SigTree::MethodSpec(tree) => tree.args().len(),
            other => unreachable!("{other:?}"),
        };
        assert_eq!(tree.types().len(), types, "{}", vector.what);
        assert_eq!(SigTree::parse(vector.blob), Ok(tree), "{}", vector.what);
    }
}

#[test]
fn trees_print_as_signatures_do() {
    let blob = [0x20, 0x02, 0x0E, 0x08, 0x15, 0x12, 0x09, 0x01, 0x10, 0x0A];
    let tree = MethodTree::parse(&blob).unwrap();
    assert_eq!(tree.to_string(), "string (int, 0x01000002<ref long>)");
    assert_eq!(format!("{tree:?}"), format!("{:?}", tree.to_buf()));
    let SigTree::Method(other) = SigTree::parse(&blob).unwrap() else { panic!("a method") };
    assert_eq!(other, tree);
}

#[test]
fn what_is_longer_than_the_stack_has_room_for() {
    // On the stack, on a larger piece of it, and counted first: each with one type more than the last.
    for count in [1, 29, 30, 31, 32, 33, 63, 64, 65, 124, 125, 126, 127, 128, 300, 5_000] {
        let mut blob = vec![0x07];
        blob.extend_from_slice(&sigparse::Compressed::unsigned(count).unwrap());
        blob.resize(blob.len() + count as usize, 0x0E);
        let tree = LocalVarTree::parse(&blob).unwrap();
        assert_eq!(tree.locals().len(), count as usize);
        assert!(tree.locals().all(|local| matches!(local.kind(), NodeKind::Leaf(ty) if ty.0 == 0x0E)));
        assert_eq!(tree.to_buf().as_bytes(), blob);
        blob.push(0x0E);
        let error = LocalVarTree::parse(&blob).unwrap_err();
        assert_eq!((error.offset, error.kind), (blob.len() - 1, sigparse::ErrorKind::TrailingBytes(1)));
    }
}

#[test]
fn trees_are_kept_by_many() {
    fn shared<T: Send + Sync + Clone + Eq + std::hash::Hash + 'static>(_: &T) {}
    let tree = MethodTree::parse(&[0x00, 0x01, 0x01, 0x1D, 0x08]).unwrap();
    shared(&tree);
    assert_eq!(size_of_val(&tree), 2 * size_of::<usize>());
    // As a key, a signature is what it says, and not how its numbers were written.
    let long = MethodTree::parse(&[0x00, 0x80, 0x01, 0x01, 0x1D, 0x08]).unwrap();
    assert_eq!(std::collections::HashMap::from([(tree, 1)]).get(&long), Some(&1));
}
