//! What is measured: method signatures, and those who decode them.

mod contenders;
mod corpus;

pub use contenders::{CONTENDERS, Contender, MISSING};
pub use corpus::Corpus;
