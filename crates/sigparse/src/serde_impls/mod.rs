//! `serde` for signatures and their parts.
//!
//! Borrowed views and values are written as the structure they show. Tokens are numbers, and owned signatures are their
//! bytes; both are checked when they are read back.

mod numbers;
#[cfg(feature = "alloc")]
mod owned;
mod values;
mod views;
