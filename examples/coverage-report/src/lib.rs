//! The counts that the profiler `coverage` leaves, and reports of them.

pub mod data;
pub mod report;
