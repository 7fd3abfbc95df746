//! Editable method bodies: instructions with labels, exception handling, local variables.
//!
//! [`Body::import`] makes one of an encoded body, [`Body::encode`] encodes it again. In between, instructions are inserted,
//! replaced and removed; branches and exception handling clauses follow the instructions that they lead to.
//!
//! | file | subject |
//! |---|---|
//! | `instr` | an instruction by itself |
//! | `label` | identities of instructions, and labels |
//! | `body` | the list of instructions |
//! | `insert` | where inserted code goes |
//! | `region` | a protected region and its handler |
//! | `regions` | the protected regions of a body |
//! | `locals` | local variables |
//! | `import` | from an encoded body |
//! | `layout` | branch forms and offsets |
//! | `export` | to an encoded body |
//! | `inject` | code at the entry, at exits, around calls |
//! | `watch` | code that sees the exceptions which leave a method |

mod body;
mod export;
mod import;
mod inject;
mod insert;
mod instr;
mod label;
mod layout;
mod locals;
mod region;
mod regions;
mod watch;

pub use body::Body;
pub use export::{EncodedBody, OffsetMap};
pub use inject::{Exit, Protected};
pub use insert::Inserter;
pub use instr::{Instr, InstrOperand};
pub use label::{InstrId, Label};
pub use region::{Region, RegionKind, Span};
pub use watch::Watched;
