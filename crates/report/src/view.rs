//! What a tool's rows are shown as.

use core::fmt;
use std::borrow::Cow;
use std::io::{self, Write};
use std::time::Duration;

use corprof_profile::{Format, Profile};
use recording::streams::{Row, SessionInfo};

use crate::missed::Missed;

/// When a report is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment<'s> {
    /// The time since the session began.
    pub(crate) elapsed: Duration,
    /// What was not recorded.
    pub(crate) missed: &'s Missed,
}

/// What a session is shown as.
pub(crate) struct Shown<'s> {
    /// The name of the program.
    pub(crate) program: &'s str,
    pub(crate) session: &'s SessionInfo,
    /// When the session began, since the recording did.
    pub(crate) begin: Duration,
    /// How many things a list has, if who reads it has said so.
    pub(crate) top: Option<usize>,
}

impl Shown<'_> {
    /// Returns the number of things that a list has: what the reader wants, or the setting of the tool, or else 20.
    pub(crate) fn limit(&self, setting: &str) -> usize {
        let set = || self.setting(setting)?.parse().ok();
        self.top.or_else(set).unwrap_or(crate::limits::TOP).min(crate::limits::LISTED)
    }

    pub(crate) fn setting(&self, name: &str) -> Option<&str> {
        let mut settings = self.session.settings.iter();
        settings.find(|(known, value)| known == name && !value.is_empty()).map(|(_, value)| value.as_str())
    }
}

/// A view of the rows of a tool: it gets them one by one, and is asked for a report at any time.
pub(crate) trait View: Send {
    /// Adds a row of one of the tool's streams.
    fn row(&mut self, row: &Row<'_>);

    /// Writes the report for people.
    fn text(&self, moment: Moment<'_>, out: &mut String) -> fmt::Result;

    /// Returns the profile, and the index of the value that formats of one value write.
    fn profile(&self) -> Option<(Cow<'_, Profile>, usize)> {
        None
    }

    /// Begins a new profile: the next report has what came after this one.
    fn next_interval(&mut self) {}

    /// Writes a format that is not the profile's; returns `false` for others.
    ///
    /// # Errors
    /// Any error of `out`.
    fn write(&self, _format: Format, _out: &mut dyn Write) -> io::Result<bool> {
        Ok(false)
    }
}
