//! Settings, from environment variables or the client, and the methods that they select.

use std::collections::BTreeMap;
use std::ffi::OsString;
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
        let own = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok().filter(|name| name.starts_with("COVERAGE_"))?, value))
        });
        Self::new(own.collect())
    }

    /// Reads the settings that the client has sent.
    pub(crate) fn from_client(lines: &str) -> Result<Self> {
        Self::new(
            corprof_link::settings(lines).map(|(name, value)| (name.to_owned(), value.into())).collect(),
        )
    }

    fn new(given: BTreeMap<String, OsString>) -> Result<Self> {
        let known =
            ["COVERAGE_OUT", "COVERAGE_OWN", "COVERAGE_INCLUDE", "COVERAGE_EXCLUDE", "COVERAGE_EXACT"];
        if let Some(name) = given.keys().find(|name| !known.contains(&name.as_str())) {
            bail!("there is no setting {name}; there are {}", known.join(", "));
        }
        let text = |name| given.get(name).and_then(|value| value.to_str()).unwrap_or_default().to_owned();
        let out = given.get("COVERAGE_OUT").filter(|out| !out.is_empty());
        let include = text("COVERAGE_INCLUDE");
        Ok(Self {
            out: std::path::absolute(out.map_or_else(|| PathBuf::from("coverage"), PathBuf::from))?,
            exact: matches!(text("COVERAGE_EXACT").as_str(), "1" | "true"),
            filter: MethodFilter::new(
                false,
                ("COVERAGE_OWN", &text("COVERAGE_OWN")),
                ("COVERAGE_INCLUDE", &include),
                ("COVERAGE_EXCLUDE", &text("COVERAGE_EXCLUDE")),
            )?,
            include,
        })
    }
}
