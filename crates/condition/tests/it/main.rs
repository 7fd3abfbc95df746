//! Conditions, as the documentation of the crate has them, and random ones.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a condition that is not decided is a failed test"
)]

mod conditions;
mod random;
