//! The corpora of fuzzing.

use crate::checks;
use crate::replay::replay;

#[test]
fn decode() {
    replay(include_str!("../corpus/decode.hex"), checks::decode);
}

#[test]
fn roundtrip() {
    replay(include_str!("../corpus/roundtrip.hex"), checks::roundtrip);
}

#[test]
fn print() {
    replay(include_str!("../corpus/print.hex"), checks::print);
}

#[test]
fn values() {
    replay(include_str!("../corpus/values.hex"), checks::values);
}
