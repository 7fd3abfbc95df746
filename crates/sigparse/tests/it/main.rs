//! The tests of sigparse: hand-made vectors, malformed input, and random bytes.

// The helpers of tests are tests too: they may stop at the first surprise.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[cfg(feature = "alloc")]
mod attribute_builders;
mod attribute_types;
mod attributes;
#[cfg(feature = "alloc")]
#[allow(unreachable_pub)] // `fuzz/` has this module too, and exports it.
mod checks;
#[cfg(feature = "alloc")]
mod corpus;
mod dump;
#[cfg(feature = "alloc")]
mod encode;
mod ilasm;
mod ilasm_values;
mod integers;
#[cfg(feature = "serde")]
mod json;
mod malformed;
#[cfg(feature = "alloc")]
mod marshal_builders;
mod marshalling;
mod random;
#[cfg(feature = "alloc")]
mod replay;
mod rng;
mod tokens;
mod vectors;
mod views;
