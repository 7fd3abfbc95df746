//! Traces built byte by byte, as the format's description has them.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    missing_docs,
    reason = "a trace that is not read is a failed test"
)]

mod random;
mod runtime_events;
mod trace;
mod v4;
mod v6;
