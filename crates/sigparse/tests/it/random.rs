//! Random bytes and mutated vectors: the views and the walk agree on every one of them, errors included.

use sigparse::{Signature, ilasm::Tokens};

use crate::{
    dump::{KINDS, Kind, by_views, by_walk},
    rng::Rng,
    vectors,
};

fn agree(kind: Kind, blob: &[u8]) -> bool {
    let views = by_views(kind, blob);
    let walk = by_walk(kind, blob);
    assert_eq!(views, walk, "{kind:?} {blob:02X?}");
    if let Err(error) = views {
        assert!(error.offset <= blob.len(), "{error:?} beyond {kind:?} {blob:02X?}");
    }
    if let Ok(sig) = Signature::parse(blob) {
        // Malformed parameters are printed too.
        assert!(!format!("{} {sig:?}", sig.ilasm(&Tokens)).is_empty());
    }
    views.is_ok()
}

#[test]
fn random_bytes() {
    let mut rng = Rng::new(1);
    let mut well_formed = 0;
    for _ in 0..300_000 {
        let length = rng.below(24);
        let mut blob: Vec<u8> = (0..length).map(|_| rng.byte()).collect();
        let kind = KINDS[rng.below(KINDS.len())];
        let header = match kind {
            Kind::Method => Some([0x00, 0x20, 0x10, 0x05, 0x01, 0x09][rng.below(6)]),
            Kind::Field => Some(0x06),
            Kind::Property => Some(0x28),
            Kind::Locals => Some(0x07),
            Kind::MethodSpec => Some(0x0A),
            Kind::TypeSpec => None,
        };
        if let (Some(header), Some(first)) = (header, blob.first_mut()) {
            *first = header;
        }
        well_formed += usize::from(agree(kind, &blob));
    }
    // Were it none, the test would try errors only.
    assert!(well_formed > 2_000, "{well_formed}");
}

#[test]
fn mutated_vectors() {
    let mut rng = Rng::new(2);
    for vector in vectors::all() {
        for _ in 0..2_000 {
            let mut blob = vector.blob.to_vec();
            for _ in 0..=rng.below(3) {
                let at = rng.below(blob.len() + 1);
                match rng.below(3) {
                    0 => blob.insert(at, rng.byte()),
                    1 if at < blob.len() && blob.len() > 1 => drop(blob.remove(at)),
                    _ if at < blob.len() => blob[at] = rng.byte(),
                    _ => blob.push(rng.byte()),
                }
            }
            agree(vector.kind, &blob);
        }
    }
}

#[test]
fn every_blob_of_three_bytes_or_fewer() {
    let mut blob = Vec::new();
    let mut well_formed = 0;
    for kind in KINDS {
        agree(kind, &[]);
        for first in 0..=u8::MAX {
            for second in 0..=u8::MAX {
                // One of each sort: nothing, whole types, a prefix, a count, longer integers, no integer.
                for third in [0x00, 0x01, 0x08, 0x1D, 0x41, 0x80, 0xC0, 0xE0] {
                    blob.clear();
                    blob.extend([first, second, third]);
                    well_formed += usize::from(agree(kind, &blob));
                }
                well_formed += usize::from(agree(kind, &[first, second]));
            }
            well_formed += usize::from(agree(kind, &[first]));
        }
    }
    assert!(well_formed > 0);
}
