//! What fuzzing has found to reach most is replayed: `cargo xtask fuzz NAME --keep` writes these files.

use crate::random::{Random, call, heap, record};

/// The inputs of a target: a line of hexadecimal digits each.
fn each(kept: &str, check: impl Fn(&[u8])) {
    let mut inputs = 0;
    for line in kept.lines() {
        let digits: Vec<u8> =
            line.chars().map(|digit| u8::try_from(digit.to_digit(16).unwrap()).unwrap()).collect();
        let (pairs, rest) = digits.as_chunks();
        assert!(rest.is_empty(), "half a byte in {line}");
        check(&pairs.iter().map(|[high, low]| high << 4 | low).collect::<Vec<u8>>());
        inputs += 1;
    }
    assert!(inputs > 10, "only {inputs} inputs");
}

#[test]
fn heaps() {
    each(include_str!("../corpus/heaps.hex"), |bytes| heap(&mut Random::Bytes(bytes), 2));
}

#[test]
fn calls() {
    each(include_str!("../corpus/calls.hex"), |bytes| {
        call(&mut Random::Bytes(bytes), true);
    });
}

#[test]
fn records() {
    each(include_str!("../corpus/records.hex"), record);
}
