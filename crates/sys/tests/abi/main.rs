//! The bindings against the facts about the ABI, and against what a C compiler makes of the headers.
//!
//! Three independent views are compared: the facts (`facts/*.json`), the text of the bindings as `syn` parses
//! it (names, order, types), and what compilers measure (sizes, offsets, values): the Rust compiler through
//! [`layout_table`], the C compiler through [`c_view`]. Each comparison goes both ways, so that something
//! missing fails as well as something wrong or added.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test stops at the first surprise"
)]

mod c_view;
mod facts;
mod layout;
mod layout_table;
mod model;
mod rust_view;
