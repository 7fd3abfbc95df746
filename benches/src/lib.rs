//! The corpus of method signatures, and the decoders.

mod contenders;
mod corpus;

pub use contenders::{CONTENDERS, Contender, MISSING};
pub use corpus::Corpus;
