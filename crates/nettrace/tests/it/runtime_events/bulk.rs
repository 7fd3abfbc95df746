//! Events with many values.

use nettrace::runtime_events::{RootFlags, RootKind, RuntimeEvent, TypeFlags, ids};

use super::payload::Payload;

#[test]
fn types_are_read_one_by_one() {
    let payload = Payload::default().u32(2).u16(9);
    let payload =
        payload.u64(0x10).u64(0x20).u32(0x0200_0001).u32(0x208).u8(0x14).text("Shop.Cart").u32(1).u64(0x30);
    let payload = payload.u64(0x40).u64(0x20).u32(0x0200_0002).u32(2).u8(0x12).text("").u32(0);
    let event = RuntimeEvent::decode(ids::BULK_TYPE, 0, &payload.0, 8).unwrap();
    let Some(RuntimeEvent::BulkTypes(bulk)) = event else { panic!("{event:?}") };
    let types: Vec<_> = bulk.types.map(Result::unwrap).collect();
    assert_eq!((types[0].id, types[0].token, types[0].element_type), (0x10, 0x0200_0001, 0x14));
    assert!(types[0].flags.contains(TypeFlags::ARRAY) && types[0].flags.rank() == 2);
    assert!(types[0].name == "Shop.Cart" && types[0].parameters.eq([Ok(0x30)]));
    assert!(types[1].flags.contains(TypeFlags::FINALIZABLE) && types[1].parameters.count() == 0);
    // A type that is cut ends the iterator with an error.
    let cut = &payload.0[..payload.0.len() - 1];
    let Ok(Some(RuntimeEvent::BulkTypes(bulk))) = RuntimeEvent::decode(ids::BULK_TYPE, 0, cut, 8) else {
        panic!("not decoded");
    };
    let read: Vec<_> = bulk.types.collect();
    assert!(read.len() == 2 && read[0].is_ok() && read[1].unwrap_err().length == cut.len());
}

#[test]
fn objects_references_and_roots_have_one_size() {
    for pointer in [4, 8] {
        let address = |payload: Payload, value: u32| match pointer {
            4 => payload.u32(value),
            _ => payload.u64(value.into()),
        };
        let nodes = address(Payload::default().u32(3).u32(1).u16(9), 0x10).u64(24).u64(0x20).u64(2);
        let edges = address(address(Payload::default().u32(3).u32(2).u16(9), 0x11).u32(0), 0x12).u32(0);
        let roots = address(address(Payload::default().u32(3).u32(1).u16(9), 0x10).u8(2).u32(1), 0x13);
        let decode = |id, payload: &'static [u8]| RuntimeEvent::decode(id, 0, payload, pointer).unwrap();
        let leak = |payload: Payload| -> &'static [u8] { payload.0.leak() };
        let (nodes, edges, roots) = (leak(nodes), leak(edges), leak(roots));
        for (id, bytes) in
            [(ids::GC_BULK_NODE, nodes), (ids::GC_BULK_EDGE, edges), (ids::GC_BULK_ROOT_EDGE, roots)]
        {
            let cut = RuntimeEvent::decode(id, 0, &bytes[..bytes.len() - 1], pointer);
            assert!(cut.is_err(), "{cut:?}");
        }
        let Some(RuntimeEvent::BulkNodes(nodes)) = decode(ids::GC_BULK_NODE, nodes) else { panic!("none") };
        let node = nodes.nodes.map(Result::unwrap).next().unwrap();
        assert_eq!((nodes.index, node.address, node.size, node.type_id, node.edges), (3, 0x10, 24, 0x20, 2));
        let Some(RuntimeEvent::BulkEdges(edges)) = decode(ids::GC_BULK_EDGE, edges) else { panic!("none") };
        let targets: Vec<u64> = edges.edges.map(|edge| edge.unwrap().target).collect();
        assert_eq!(targets, [0x11, 0x12]);
        let Some(RuntimeEvent::BulkRootEdges(roots)) = decode(ids::GC_BULK_ROOT_EDGE, roots) else {
            panic!("none");
        };
        let root = roots.roots.map(Result::unwrap).next().unwrap();
        assert_eq!((root.object, root.kind, root.flags), (0x10, RootKind::HANDLE, RootFlags::PINNING));
        assert_eq!(root.id, 0x13);
    }
}

#[test]
fn a_huge_count_is_an_error_and_not_memory() {
    let payload = Payload::default().u32(0).u32(u32::MAX).u16(9).u64(1).u64(2);
    assert!(RuntimeEvent::decode(ids::GC_BULK_NODE, 0, &payload.0, 8).is_err());
    let payload = Payload::default().u32(u32::MAX).u64(5).u16(9).u64(1).u64(2).u64(3).u32(0).text("field");
    let event = RuntimeEvent::decode(ids::GC_BULK_ROOT_STATIC_VAR, 0, &payload.0, 8).unwrap();
    let Some(RuntimeEvent::BulkStaticRoots(bulk)) = event else { panic!("{event:?}") };
    let roots: Vec<_> = bulk.roots.collect();
    assert_eq!((bulk.app_domain, roots.len()), (5, 2));
    assert!(roots[0].unwrap().field == "field" && roots[1].is_err());
}
