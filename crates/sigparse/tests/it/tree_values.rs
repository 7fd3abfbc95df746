//! What a tree is as a value: its kind, its text, its size, and that it can be kept and shared.

use sigparse::tree::NodeKind;
use sigparse::{LocalVarTree, MethodTree, SigTree};

use crate::dump::Kind;

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
