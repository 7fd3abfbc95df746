//! Settings, from environment variables, and the methods that they select.

use std::path::PathBuf;

use anyhow::{Result, bail};
use method_filter::MethodFilter;

/// The settings.
pub(crate) struct Settings {
    /// The output folder.
    pub(crate) out: PathBuf,
    /// Whether counters are incremented atomically.
    pub(crate) exact: bool,
    /// Which methods are measured.
    pub(crate) filter: MethodFilter,
    /// The patterns, for messages.
    pub(crate) include: String,
}

impl Settings {
    pub(crate) fn from_environment() -> Result<Self> {
        let known = ["COVERAGE_OUT", "COVERAGE_INCLUDE", "COVERAGE_EXCLUDE", "COVERAGE_EXACT"];
        let name = |name: std::ffi::OsString| name.into_string().ok();
        for name in std::env::vars_os().filter_map(|(variable, _)| name(variable)) {
            if name.starts_with("COVERAGE_") && !known.contains(&name.as_str()) {
                bail!("there is no setting {name}; there are {}", known.join(", "));
            }
        }
        let text = |name| std::env::var(name).unwrap_or_default();
        let out = std::env::var_os("COVERAGE_OUT").filter(|out| !out.is_empty());
        let include = text("COVERAGE_INCLUDE");
        Ok(Self {
            out: std::path::absolute(out.map_or_else(|| PathBuf::from("coverage"), PathBuf::from))?,
            exact: matches!(text("COVERAGE_EXACT").as_str(), "1" | "true"),
            filter: MethodFilter::new(
                false,
                ("COVERAGE_INCLUDE", &include),
                ("COVERAGE_EXCLUDE", &text("COVERAGE_EXCLUDE")),
            )?,
            include,
        })
    }
}
