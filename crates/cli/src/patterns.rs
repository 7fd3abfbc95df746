//! The patterns for methods that have matched none, as the processes of a run report them.

use anyhow::{Context as _, Result};
use method_filter::{REPORT_VARIABLE, Report};
use tempfile::NamedTempFile;

use crate::choice::Choice;

/// Collects what the processes of a run report.
pub(crate) struct Patterns {
    /// The file that they append to; `None` without a tool.
    file: Option<NamedTempFile>,
    is_strict: bool,
}

impl Patterns {
    /// Makes the file.
    pub(crate) fn new(choice: &Choice<'_>) -> Result<Self> {
        let file = choice.tool.map(|_| NamedTempFile::with_prefix("corprof-patterns-"));
        let file = file
            .transpose()
            .context("cannot make a temporary file; set TMPDIR to a folder that can be written")?;
        Ok(Self { file, is_strict: choice.tool.is_some() && choice.matches.get_flag("STRICT") })
    }

    /// Returns the variable of the processes.
    pub(crate) fn variable(&self) -> Option<(&'static str, std::path::PathBuf)> {
        Some((REPORT_VARIABLE, self.file.as_ref()?.path().to_path_buf()))
    }

    /// Prints a warning for each pattern that has matched no method. Returns whether the command fails for that.
    pub(crate) fn warn(&self) -> Result<bool> {
        let Some(file) = &self.file else { return Ok(false) };
        let report =
            Report::read(file.path()).with_context(|| format!("cannot read {}", file.path().display()))?;
        let kind = if self.is_strict { "error" } else { "warning" };
        report.unmatched().for_each(|unmatched| eprintln!("{kind}: {unmatched}"));
        Ok(self.is_strict && report.unmatched().next().is_some())
    }
}
