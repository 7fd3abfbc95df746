//! Payloads built field by field, as the runtime's manifest lists them.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    missing_docs,
    reason = "a payload that is not decoded is a failed test"
)]

mod bulk;
mod events;
mod payload;
mod random;
