//! Random bytes as what the other side sends.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    missing_docs,
    reason = "a message that is not read is a failed test"
)]

mod random;
