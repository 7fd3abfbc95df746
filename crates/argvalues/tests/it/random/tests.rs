//! The checks with numbers of the generator's: the same on every run.

use argvalues::TypeShape;

use super::heaps::viewed_object;
use super::*;

#[test]
fn random_heaps_under_random_shapes() {
    let mut random = Random::Numbers(0x0005_eed0);
    for _ in 0..4000 {
        heap(&mut random, 8);
    }
}

#[test]
fn random_objects_that_are_shown_as_what_they_stand_for() {
    let views = [
        r#"List`1","length":"#,
        r#"Stack`1","length":"#,
        r#"Queue`1","length":"#,
        r#"Dictionary`2","length":"#,
        r#"HashSet`1","length":"#,
        r#"Memory`1","length":"#,
        r#"ImmutableArray`1","length":"#,
        r#"Vector`1","length":"#,
        r#""Status":"#,
        r#""value":"Type("#,
        r#""value":"Method("#,
        r#""target":"#,
    ];
    let mut seen = [0; 12];
    let mut random = Random::Numbers(0x00b1_ec75);
    for round in 0..30_000 {
        let (heap, slot) = viewed_object(&mut random);
        let limits = limits(&mut random);
        let memory = Counting { memory: &heap.memory, bytes: Cell::new(0) };
        let mut scratch = Scratch::new();
        let mut balanced = Balanced::default();
        Decoder::new(&memory, &heap, limits, &mut scratch).value(&TypeShape::object(), slot, &mut balanced);
        balanced.has(1);
        assert!(memory.bytes.get() <= limits.bytes + 2 * WORD, "round {round}: read {}", memory.bytes.get());

        let json = heap.json_within(limits, &TypeShape::object(), slot);
        assert!(json_is_well_formed(&json), "round {round}: {json}");
        for (view, seen) in views.iter().zip(&mut seen) {
            *seen += usize::from(json.contains(view));
        }
    }
    assert!(seen.iter().all(|&times| times > 20), "{seen:?}");
}

#[test]
fn random_signatures_against_random_ranges() {
    let mut random = Random::Numbers(0x0051_9000);
    let mut compiled = 0;
    for _ in 0..60_000 {
        compiled += usize::from(call(&mut random, compiled % 200 == 0));
    }
    assert!(compiled > 1000, "only {compiled} of the signatures were any");
}

#[test]
fn random_bytes_as_records() {
    let mut random = Random::Numbers(0x0002_ec02);
    for _ in 0..100_000 {
        let length = random.below(40);
        let bytes: Vec<u8> = (0..length)
            .map(|_| {
                let bound = *random.pick(&[0x40, 0x100]);
                u8::try_from(random.below(bound)).unwrap()
            })
            .collect();
        record(&bytes);
    }
}
