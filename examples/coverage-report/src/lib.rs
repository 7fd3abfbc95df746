//! The counts that the profiler `coverage` writes, and reports of them.

pub mod data;
pub mod report;
pub mod sources;
