//! The code that the fuzz targets share with the crates' own tests, which replay the corpus.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "../../crates/sigparse/tests/it/checks.rs"]
pub mod checks;
#[path = "../../crates/sigparse/tests/it/dump.rs"]
mod dump;
#[path = "../../crates/clrnames/tests/checks/mod.rs"]
pub mod images;

#[path = "../../crates/cilbody/tests/it/checks.rs"]
pub mod il;
#[allow(dead_code, reason = "the tests use more of it than the targets do")]
#[path = "../../crates/cilbody/tests/it/module.rs"]
mod module;
#[allow(dead_code, reason = "the tests use more of it than the targets do")]
#[path = "../../crates/cilbody/tests/it/roundtrip.rs"]
mod roundtrip;

#[path = "../../crates/argvalues/tests/it/balanced.rs"]
mod balanced;
#[allow(dead_code, reason = "the tests use more of it than the targets do")]
#[path = "../../crates/argvalues/tests/it/heap.rs"]
mod heap;
#[allow(dead_code, reason = "the tests use more of it than the targets do")]
#[path = "../../crates/argvalues/tests/it/random/mod.rs"]
mod random;

#[path = "../../crates/recording/tests/it/random.rs"]
mod recordings;

#[path = "../../crates/nettrace/tests/it/runtime_events/random.rs"]
mod payloads;

#[path = "../../crates/nettrace/tests/it/random.rs"]
mod traces;

#[path = "../../crates/link/tests/it/random.rs"]
mod messages;

#[path = "../../crates/condition/tests/it/random.rs"]
mod conditions;

use random::Random;

/// Random heaps under random shapes.
pub fn heaps(bytes: &[u8]) {
    random::heap(&mut Random::Bytes(bytes), 2);
}

/// Random signatures against random ranges.
pub fn calls(bytes: &[u8]) {
    random::call(&mut Random::Bytes(bytes), true);
}

/// Random bytes as records.
pub fn records(bytes: &[u8]) {
    random::record(bytes);
}

/// Random bytes as a recording.
pub fn recording(bytes: &[u8]) {
    recordings::recording(bytes);
}

/// Random bytes as the rows of a recording.
pub fn streams(bytes: &[u8]) {
    recordings::streams(bytes);
}

/// Random payloads of events.
pub fn events(bytes: &[u8]) {
    payloads::event(bytes);
}

/// Random bytes as a trace.
pub fn nettrace(bytes: &[u8]) {
    traces::trace(bytes);
}

/// Random bytes as messages between a command and a tool.
pub fn link(bytes: &[u8]) {
    messages::link(bytes);
}

/// Random conditions over random values.
pub fn condition(bytes: &[u8]) {
    conditions::condition(bytes);
}
