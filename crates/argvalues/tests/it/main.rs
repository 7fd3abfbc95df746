//! Values decoded from memory that is built by hand, against a runtime that knows what was built.

// The helpers of tests may stop at the first surprise, as tests themselves may.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod arrays;
mod balanced;
mod corpus;
mod fields;
mod heap;
mod limits;
mod malformed;
mod methods;
mod output;
mod pointers;
mod random;
mod record;
mod resolving;
mod scalars;
mod well_known;
