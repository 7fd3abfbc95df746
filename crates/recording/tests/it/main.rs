//! Recordings that are written and read again.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod cut;
mod index;
mod limits;
mod program;
mod random;
mod repeated;
mod round_trip;
mod sink;
mod streams;
