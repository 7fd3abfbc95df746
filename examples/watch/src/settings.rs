//! Settings: environment variables whose names begin with `WATCH_`, or for an attached profiler lines of the same kind
//! in the client data.

use std::path::PathBuf;
use std::time::Duration;

use corprof::{Error, EventMask};
use corprof_link::{Client, LINK, TOOL};

/// The settings of a watch.
#[derive(Debug, PartialEq)]
pub(crate) struct Settings {
    /// The unparsed settings.
    pub(crate) given: Vec<String>,
    pub(crate) out: Out,
    pub(crate) events: EventMask,
    /// The duration of the watch; until the end of the process when absent.
    pub(crate) time: Option<Duration>,
}

/// The output of the lines.
#[derive(Debug, PartialEq)]
pub(crate) enum Out {
    StandardError,
    File(PathBuf),
    /// The client that has attached the watch, which ends when it asks for that or has gone.
    Client(Client),
}

/// The error of an invalid setting.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingsError {
    #[error("{name}={value:?} is not a valid setting: {expected}")]
    Value { name: &'static str, value: String, expected: &'static str },
    #[error("there is no setting {name}; there are {}", NAMES.join(", "))]
    Unknown { name: String },
    #[error("the client data {0:?} are no lines of NAME=value")]
    ClientData(String),
}

impl From<SettingsError> for Error {
    fn from(error: SettingsError) -> Self {
        let message = error.to_string();
        let name = match error {
            SettingsError::Value { name, .. } => name.to_owned(),
            SettingsError::Unknown { name } | SettingsError::ClientData(name) => name,
        };
        Self::Setting { name, message }
    }
}

const OUT: &str = "WATCH_OUT";
const EVENTS: &str = "WATCH_EVENTS";
const SECONDS: &str = "WATCH_SECONDS";

/// The names of all settings.
const NAMES: [&str; 3] = [OUT, EVENTS, SECONDS];

/// The kinds of events.
const KINDS: [(&str, EventMask); 4] = [
    ("exceptions", EventMask::EXCEPTIONS),
    ("gc", EventMask::BASIC_GC),
    ("modules", EventMask::MODULE_LOADS),
    ("threads", EventMask::THREADS),
];

impl Settings {
    /// Reads the settings of this process.
    pub(crate) fn from_environment() -> Result<Self, SettingsError> {
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            let name = name.to_str()?.strip_prefix("WATCH_").map(|rest| format!("WATCH_{rest}"))?;
            Some((name, value.to_string_lossy().into_owned()))
        });
        Self::new(variables)
    }

    /// Reads the settings in the client data of the attach request: lines of `NAME=value`.
    pub(crate) fn from_client_data(data: &[u8]) -> Result<Self, SettingsError> {
        let text = String::from_utf8_lossy(data);
        // That line is for the connection to the client.
        let own = text
            .lines()
            .filter(|line| line.split_once('=').is_none_or(|(name, _)| name != LINK && name != TOOL));
        let lines = own.map(|line| {
            let (name, value) =
                line.split_once('=').ok_or_else(|| SettingsError::ClientData(line.to_owned()))?;
            Ok((name.to_owned(), value.to_owned()))
        });
        Self::new(lines.collect::<Result<Vec<_>, SettingsError>>()?.into_iter())
    }

    fn new(variables: impl Iterator<Item = (String, String)>) -> Result<Self, SettingsError> {
        let mut settings =
            Self { given: Vec::new(), out: Out::StandardError, events: every_kind(), time: None };
        for (name, value) in variables {
            settings.given.push(format!("{name}={value}"));
            match NAMES.into_iter().find(|known| *known == name) {
                Some(OUT) => settings.out = Out::File(value.into()),
                Some(EVENTS) => settings.events = events(value)?,
                Some(_) => settings.time = Some(seconds(value)?),
                None => return Err(SettingsError::Unknown { name }),
            }
        }
        Ok(settings)
    }
}

fn every_kind() -> EventMask {
    KINDS.into_iter().map(|(_, mask)| mask).collect()
}

fn events(value: String) -> Result<EventMask, SettingsError> {
    let kinds = value.split(',').map(|word| KINDS.into_iter().find(|(kind, _)| *kind == word));
    let mask: Option<EventMask> = kinds.map(|kind| Some(kind?.1)).collect();
    mask.ok_or(SettingsError::Value {
        name: EVENTS,
        value,
        expected: "it is some of exceptions,gc,modules,threads",
    })
}

fn seconds(value: String) -> Result<Duration, SettingsError> {
    let seconds = value.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or(SettingsError::Value { name: SECONDS, value, expected: "it is a number of seconds" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_data_are_settings() {
        let settings =
            Settings::from_client_data(b"WATCH_SECONDS=1.5\nWATCH_EVENTS=gc,threads\nWATCH_OUT=a=b");
        let expected = Settings {
            given: ["WATCH_SECONDS=1.5", "WATCH_EVENTS=gc,threads", "WATCH_OUT=a=b"]
                .map(str::to_owned)
                .into(),
            out: Out::File("a=b".into()),
            events: EventMask::BASIC_GC | EventMask::THREADS,
            time: Some(Duration::from_millis(1500)),
        };
        assert_eq!(settings.unwrap(), expected);
        let nothing = Settings::from_client_data(b"").unwrap();
        assert_eq!((nothing.out, nothing.time), (Out::StandardError, None));
    }

    #[test]
    fn what_is_no_setting_is_refused() {
        for (data, part) in [
            ("WATCH_SECONDS=-1", "number of seconds"),
            ("WATCH_EVENTS=gc,calls", "exceptions,gc"),
            ("WATCH_OUTS=x", "there are WATCH_OUT"),
            ("hello", "NAME=value"),
        ] {
            let message = Settings::from_client_data(data.as_bytes()).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn an_attached_profiler_may_watch_all_of_it() {
        assert!(EventMask::ALLOWABLE_AFTER_ATTACH.contains(every_kind()));
    }
}
