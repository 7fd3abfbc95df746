//! The corpora of fuzzing.

use crate::checks;
use crate::replay::replay;

#[test]
fn bodies() {
    replay(include_str!("../corpus/bodies.hex"), checks::bodies);
}

#[test]
fn verify() {
    replay(include_str!("../corpus/verify.hex"), checks::verify);
}

#[test]
fn edit() {
    replay(include_str!("../corpus/edit.hex"), checks::edit);
}
