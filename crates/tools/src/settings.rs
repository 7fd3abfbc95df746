//! Settings: environment variables, or lines of `NAME=value` from a client.

use core::str::FromStr;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use corprof::Error;
use corprof_link::{Client, LINK, TOOL};
use corprof_profile::{Format, Given, Wrong};

/// The settings of a tool. Their names begin with the tool's prefix: `GC_OUT`.
///
/// Every tool has `OUT`, the file to write to, whose ending selects the format; `EVERY`, the seconds between two reports;
/// `WHEN`, a file: when it appears, a report is written, and then the file is removed; and `SECONDS`, after which an attached
/// tool is detached if no client waits for its reports. `KEEP`, `KEEP_MB` and `KEEP_SECONDS` keep several reports, and `PUSH`, `LABELS`, `PUSH_HEADERS` and `PUSH_CA` push
/// profiles to a server; the README of the crate describes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    prefix: &'static str,
    /// The given values, by their names without the prefix.
    values: BTreeMap<String, String>,
    is_attached: bool,
    client: Option<Client>,
}

/// The error of an invalid setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The setting does not have such a value.
    #[error("{name}={value:?} is not a valid setting: {expected}")]
    Value {
        /// The setting.
        name: String,
        /// The value.
        value: String,
        /// The valid values.
        expected: String,
    },
    /// The setting is needed by another one.
    #[error("{name} is missing: {reason}")]
    Missing {
        /// The setting.
        name: String,
        /// What it is needed for.
        reason: String,
    },
    /// There is no such setting.
    #[error("there is no setting {name}; there are {known}")]
    Unknown {
        /// The given name.
        name: String,
        /// The names of all settings.
        known: String,
    },
    /// The client data are malformed.
    #[error("the client data {0:?} are no lines of NAME=value")]
    ClientData(String),
}

impl From<SettingsError> for Error {
    fn from(error: SettingsError) -> Self {
        let message = error.to_string();
        let name = match error {
            SettingsError::Value { name, .. }
            | SettingsError::Missing { name, .. }
            | SettingsError::Unknown { name, .. } => name,
            SettingsError::ClientData(line) => line,
        };
        Self::Setting { name, message }
    }
}

/// The settings that every tool has.
const COMMON: [&str; 11] = [
    "OUT",
    "EVERY",
    "WHEN",
    "SECONDS",
    "KEEP",
    "KEEP_MB",
    "KEEP_SECONDS",
    "PUSH",
    "LABELS",
    "PUSH_HEADERS",
    "PUSH_CA",
];

impl Given for Settings {
    fn text(&self, name: &str) -> Option<&str> {
        Self::text(self, name)
    }
}

impl Settings {
    /// Reads the settings of this process. `names` are those of the tool's own, without the prefix.
    ///
    /// # Errors
    /// [`SettingsError::Unknown`]: a variable with the prefix is no setting.
    pub fn from_environment(prefix: &'static str, names: &[&str]) -> Result<Self, SettingsError> {
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            let name = name.to_str().filter(|name| name.starts_with(prefix))?.to_owned();
            Some((name, value.to_string_lossy().into_owned()))
        });
        Self::new(prefix, names, variables)
    }

    /// Reads the settings in the client data of an attach request: lines of `NAME=value`.
    ///
    /// # Errors
    /// [`SettingsError::ClientData`]: a line has no equals sign. [`SettingsError::Unknown`]: a name is no setting.
    pub fn from_client_data(
        prefix: &'static str,
        names: &[&str],
        data: &[u8],
    ) -> Result<Self, SettingsError> {
        let text = String::from_utf8_lossy(data);
        // Those lines are not the tool's.
        let own = text
            .lines()
            .filter(|line| line.split_once('=').is_none_or(|(name, _)| name != LINK && name != TOOL));
        let lines = own.map(|line| {
            let (name, value) =
                line.split_once('=').ok_or_else(|| SettingsError::ClientData(line.to_owned()))?;
            Ok((name.to_owned(), value.to_owned()))
        });
        let settings = Self::new(prefix, names, lines.collect::<Result<Vec<_>, _>>()?.into_iter())?;
        Ok(Self { is_attached: true, ..settings })
    }

    /// Reads the settings that the client of a program sends, which it has started: lines of `NAME=value`.
    ///
    /// # Errors
    /// Those of [`from_client_data`](Self::from_client_data).
    pub fn from_client(prefix: &'static str, names: &[&str], lines: &str) -> Result<Self, SettingsError> {
        let settings = Self::from_client_data(prefix, names, lines.as_bytes())?;
        Ok(Self { is_attached: false, ..settings })
    }

    fn new(
        prefix: &'static str,
        names: &[&str],
        given: impl Iterator<Item = (String, String)>,
    ) -> Result<Self, SettingsError> {
        let mut values = BTreeMap::new();
        for (name, value) in given {
            match name
                .strip_prefix(prefix)
                .filter(|rest| COMMON.iter().chain(names).any(|known| known == rest))
            {
                Some(known) => drop(values.insert(known.to_owned(), value)),
                None => {
                    let all = COMMON.iter().chain(names).map(|known| format!("{prefix}{known}"));
                    let known = all.collect::<Vec<_>>().join(", ");
                    return Err(SettingsError::Unknown { name, known });
                }
            }
        }
        Ok(Self { prefix, values, is_attached: false, client: None })
    }

    /// Returns whether they are those of a profiler that is attached to a running program.
    #[must_use]
    pub const fn is_attached(&self) -> bool {
        self.is_attached
    }

    /// Returns the settings of a tool whose reports go to the client that has attached it.
    #[must_use]
    pub fn with_client(self, client: Option<Client>) -> Self {
        Self { client, ..self }
    }

    /// Returns the client that has attached the tool, if it waits for the reports.
    #[must_use]
    pub fn client(&self) -> Option<&Client> {
        self.client.as_ref()
    }

    /// Returns a value; `None` if it is not given, or empty.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns the values that are given, by their names without the prefix.
    pub(crate) fn given(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns the file to write to (`OUT`).
    #[must_use]
    pub fn out(&self) -> Option<PathBuf> {
        self.text("OUT").map(PathBuf::from)
    }

    /// Returns the file format that the ending of `OUT` means; `None` for text.
    #[must_use]
    pub fn format(&self) -> Option<Format> {
        self.out().and_then(|path| Format::of_path(&path))
    }

    /// Returns a parsed value.
    ///
    /// # Errors
    /// [`SettingsError::Value`]: it cannot be parsed. `expected` describes the valid values.
    pub fn parsed<T: FromStr>(&self, name: &str, expected: &str) -> Result<Option<T>, SettingsError> {
        let Some(text) = self.text(name) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| self.invalid(name, expected))
    }

    /// Returns the number of things that a report lists; 20 by default.
    ///
    /// # Errors
    /// [`SettingsError::Value`]: it is no whole number.
    pub fn limit(&self, name: &str) -> Result<usize, SettingsError> {
        Ok(self.parsed(name, "it is a whole number from 0 upwards")?.unwrap_or(20))
    }

    /// Returns a number of seconds, which is more than 0.
    ///
    /// # Errors
    /// [`SettingsError::Value`]: it is none.
    pub fn seconds(&self, name: &str) -> Result<Option<Duration>, SettingsError> {
        const EXPECTED: &str = "it is a number of seconds";
        let Some(seconds) = self.parsed::<f64>(name, EXPECTED)? else { return Ok(None) };
        match Duration::try_from_secs_f64(seconds) {
            Ok(seconds) if !seconds.is_zero() => Ok(Some(seconds)),
            _ => Err(self.invalid(name, EXPECTED)),
        }
    }

    /// Returns whether a switch is on.
    ///
    /// # Errors
    /// [`SettingsError::Value`]: it is neither 1 nor 0.
    pub fn is_on(&self, name: &str) -> Result<bool, SettingsError> {
        match self.text(name) {
            None | Some("0") => Ok(false),
            Some("1") => Ok(true),
            Some(_) => Err(self.invalid(name, "it is 1 or 0")),
        }
    }

    /// Returns the error of a setting that is not given.
    pub(crate) fn missing(&self, name: &str, reason: &str) -> SettingsError {
        SettingsError::Missing { name: format!("{}{name}", self.prefix), reason: reason.to_owned() }
    }

    /// Returns the error of a setting of what is kept and pushed.
    pub(crate) fn wrong(&self, Wrong { name, reason, is_missing, .. }: &Wrong) -> SettingsError {
        if *is_missing { self.missing(name, reason) } else { self.invalid(name, reason) }
    }

    /// Returns the error of a value.
    #[must_use]
    pub fn invalid(&self, name: &str, expected: &str) -> SettingsError {
        let value = self.text(name).unwrap_or_default().to_owned();
        SettingsError::Value { name: format!("{}{name}", self.prefix), value, expected: expected.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(data: &str) -> Result<Settings, SettingsError> {
        Settings::from_client_data("GC_", &["DEPTH", "ALL"], data.as_bytes())
    }

    #[test]
    fn values_are_parsed() {
        let settings = settings("GC_OUT=a=b\nGC_EVERY=1.5\nGC_DEPTH=7\nGC_ALL=1\nGC_SECONDS=").unwrap();
        assert_eq!(settings.out(), Some("a=b".into()));
        assert_eq!(settings.seconds("EVERY"), Ok(Some(Duration::from_millis(1500))));
        assert_eq!(settings.seconds("SECONDS"), Ok(None));
        assert_eq!(settings.parsed("DEPTH", "it is a number"), Ok(Some(7_u32)));
        assert_eq!(settings.is_on("ALL"), Ok(true));
        let none = super::Settings::from_client_data("GC_", &[], b"").unwrap();
        assert_eq!((none.out(), none.is_on("ALL")), (None, Ok(false)));
    }

    #[test]
    fn the_clients_line_is_no_setting() {
        let settings = settings("GC_DEPTH=7\nCORPROF_LINK=1 2 /tmp/x\nGC_ALL=1").unwrap();
        assert_eq!((settings.text("DEPTH"), settings.is_on("ALL")), (Some("7"), Ok(true)));
    }

    #[test]
    fn invalid_settings_are_named_with_what_they_could_be() {
        for (data, part) in [
            ("GC_OUTS=x", "there are GC_OUT, GC_EVERY, GC_WHEN, GC_SECONDS, GC_KEEP, "),
            ("GC_OUTS=x", ", GC_DEPTH, GC_ALL"),
            ("OUT=x", "no setting OUT"),
            ("hello", "NAME=value"),
        ] {
            let message = settings(data).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
        for value in ["-1", "0", "x", "1e400"] {
            let settings = settings(&format!("GC_EVERY={value}\nGC_ALL={value}2\nGC_DEPTH=-1")).unwrap();
            let message = settings.seconds("EVERY").unwrap_err().to_string();
            assert!(message.contains("GC_EVERY") && message.contains("number of seconds"), "{message}");
            assert!(settings.is_on("ALL").is_err());
            assert!(settings.parsed::<u32>("DEPTH", "").is_err());
        }
    }
}
