#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod cells;
mod error;
mod groups;
mod limits;
mod metric;
mod missed;
mod output;
mod program;
mod report;
mod stacks;
mod table;
mod tools;
mod view;

pub use error::ReportError;
pub use metric::{Metric, MetricError};
pub use output::Kind;
pub use report::{Options, Report};
pub use table::{Aggregate, Table};
