//! Snapshots of the managed heap: every object with its class, its size and its references, and the roots.
//!
//! A snapshot is copied during an induced collection (`capture.rs`, `copied.rs`), while the program is paused. The graph (`graph.rs`),
//! dominators (`dominators.rs`) and paths from roots (`paths.rs`) are computed afterwards, while it runs.

mod capture;
mod copied;
mod dominators;
mod graph;
mod paths;
mod read_ahead;
mod snapshot;
mod statics;
mod strings;

pub use capture::HeapCapture;
pub use snapshot::{ClassTotals, HeapSnapshot, RootTotals, SpaceTotals, StringTotals, Totals};
