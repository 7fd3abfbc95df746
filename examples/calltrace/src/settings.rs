//! Settings, from environment variables whose names begin with `CALLTRACE_`.

use std::ffi::OsString;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use corprof_calls::{Format, HookKind, Limits, SelectedCalls};
use method_filter::{MethodFilter, PatternError};
use recording::WhenFull;

use crate::redact::{Redaction, RedactionError};

/// What the environment asks for.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) hooks: HookKind,
    pub(crate) form: Form,
    /// What a thread does when a recording is written too slowly.
    pub(crate) when_full: WhenFull,
    /// Where the lines go; standard error when absent.
    pub(crate) out: Option<PathBuf>,
    pub(crate) filter: MethodFilter,
    /// Which calls of a traced method are; all when absent.
    pub(crate) calls: Option<SelectedCalls>,
    /// Calls are traced while this file exists; always when absent.
    pub(crate) while_exists: Option<PathBuf>,
    pub(crate) limits: Limits,
    /// Which values are not read.
    pub(crate) redaction: Redaction,
    /// Whether collections, tasks and such are shown as their fields.
    pub(crate) raw: bool,
}

/// How calls are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Lines(Format),
    Recording,
}

/// A setting that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingsError {
    /// The value is none that the setting can have.
    #[error("{name}={value:?} is not a valid setting: {expected}")]
    Value { name: &'static str, value: String, expected: &'static str },
    /// There is no such setting.
    #[error("there is no setting {name}; there are {}", NAMES.join(", "))]
    Unknown { name: String },
    /// A recording needs a file.
    #[error("{FORMAT}=binary needs a file to write to; name it in {OUT}")]
    NoFile,
    /// A value is not UTF-8.
    #[error("the value of {name} is not valid UTF-8")]
    NotUtf8 { name: String },
    /// A pattern cannot be used.
    #[error(transparent)]
    Filter(#[from] PatternError),
    /// A pattern of what is secret cannot be used.
    #[error(transparent)]
    Redaction(#[from] RedactionError),
}

const HOOKS: &str = "CALLTRACE_HOOKS";
const FORMAT: &str = "CALLTRACE_FORMAT";
const OUT: &str = "CALLTRACE_OUT";
const WHEN_FULL: &str = "CALLTRACE_WHEN_FULL";
const INCLUDE: &str = "CALLTRACE_INCLUDE";
const EXCLUDE: &str = "CALLTRACE_EXCLUDE";
const ALL: &str = "CALLTRACE_ALL";
const SAMPLE: &str = "CALLTRACE_SAMPLE";
const RATE: &str = "CALLTRACE_RATE";
const WHILE: &str = "CALLTRACE_WHILE";
const REDACT: &str = "CALLTRACE_REDACT";
const SHOW_SECRETS: &str = "CALLTRACE_SHOW_SECRETS";
const RAW: &str = "CALLTRACE_RAW";
const MAX_DEPTH: &str = "CALLTRACE_MAX_DEPTH";
const MAX_ITEMS: &str = "CALLTRACE_MAX_ITEMS";
const MAX_CHARS: &str = "CALLTRACE_MAX_CHARS";
const MAX_BYTES: &str = "CALLTRACE_MAX_BYTES";
const MAX_TIME: &str = "CALLTRACE_MAX_TIME";

/// Every setting there is.
const NAMES: [&str; 18] = [
    HOOKS,
    FORMAT,
    OUT,
    WHEN_FULL,
    INCLUDE,
    EXCLUDE,
    ALL,
    SAMPLE,
    RATE,
    WHILE,
    REDACT,
    SHOW_SECRETS,
    RAW,
    MAX_DEPTH,
    MAX_ITEMS,
    MAX_CHARS,
    MAX_BYTES,
    MAX_TIME,
];

impl Settings {
    /// The settings of this process.
    pub(crate) fn from_environment() -> Result<Self, SettingsError> {
        Self::from_variables(std::env::vars_os())
    }

    fn from_variables(variables: impl Iterator<Item = (OsString, OsString)>) -> Result<Self, SettingsError> {
        let mut settings = Self {
            hooks: HookKind::WithInfo,
            form: Form::Lines(Format::Text),
            when_full: WhenFull::Wait,
            out: None,
            filter: MethodFilter::default(),
            calls: None,
            while_exists: None,
            limits: Limits::default(),
            redaction: Redaction::default(),
            raw: false,
        };
        let (mut redact, mut show_secrets) = (String::new(), false);
        let (mut include, mut exclude, mut all) = (String::new(), String::new(), false);
        let (mut sample, mut rate) = (None, None);
        for (name, value) in variables {
            let Some(name) = name.to_str().filter(|name| name.starts_with("CALLTRACE_")) else { continue };
            let Some(known) = NAMES.into_iter().find(|known| *known == name) else {
                return Err(SettingsError::Unknown { name: name.to_owned() });
            };
            if known == OUT {
                settings.out = (!value.is_empty()).then(|| value.into());
                continue;
            }
            if known == WHILE {
                settings.while_exists = (!value.is_empty()).then(|| value.into());
                continue;
            }
            let value = value.into_string().map_err(|_| SettingsError::NotUtf8 { name: name.to_owned() })?;
            match known {
                HOOKS => settings.hooks = hooks_of(value)?,
                FORMAT => settings.form = form_of(value)?,
                WHEN_FULL => settings.when_full = when_full_of(value)?,
                INCLUDE => include = value,
                EXCLUDE => exclude = value,
                ALL => all = flag(known, value)?,
                SAMPLE => sample = positive(known, value)?,
                RATE => rate = positive(known, value)?,
                REDACT => redact = value,
                SHOW_SECRETS => show_secrets = flag(known, value)?,
                RAW => settings.raw = flag(known, value)?,
                MAX_DEPTH => settings.limits.depth = number(known, value)?,
                MAX_ITEMS => settings.limits.items = number(known, value)?,
                MAX_CHARS => settings.limits.chars = number(known, value)?,
                MAX_BYTES => settings.limits.bytes = number(known, value)?,
                _ => settings.limits.time = milliseconds(value)?,
            }
        }
        if settings.form == Form::Recording && settings.out.is_none() {
            return Err(SettingsError::NoFile);
        }
        let calls = sample.map_or(SelectedCalls::ALL, SelectedCalls::every);
        let calls = rate.map_or(calls, |rate| calls.at_most(rate));
        settings.redaction = Redaction::new(!show_secrets, (REDACT, &redact))?;
        settings.calls = (calls != SelectedCalls::ALL).then_some(calls);
        settings.filter = MethodFilter::new(all, (INCLUDE, &include), (EXCLUDE, &exclude))?;
        Ok(settings)
    }
}

fn hooks_of(value: String) -> Result<HookKind, SettingsError> {
    match value.as_str() {
        "" | "with-info" => Ok(HookKind::WithInfo),
        "fast" => Ok(HookKind::Fast),
        _ => Err(SettingsError::Value { name: HOOKS, value, expected: "it is with-info or fast" }),
    }
}

fn form_of(value: String) -> Result<Form, SettingsError> {
    match value.as_str() {
        "" | "text" => Ok(Form::Lines(Format::Text)),
        "jsonl" => Ok(Form::Lines(Format::Jsonl)),
        "binary" => Ok(Form::Recording),
        _ => Err(SettingsError::Value { name: FORMAT, value, expected: "it is text, jsonl or binary" }),
    }
}

fn when_full_of(value: String) -> Result<WhenFull, SettingsError> {
    match value.as_str() {
        "" | "wait" => Ok(WhenFull::Wait),
        "drop" => Ok(WhenFull::Drop),
        _ => Err(SettingsError::Value { name: WHEN_FULL, value, expected: "it is wait or drop" }),
    }
}

fn flag(name: &'static str, value: String) -> Result<bool, SettingsError> {
    match value.as_str() {
        "" | "0" | "false" => Ok(false),
        "1" | "true" => Ok(true),
        _ => Err(SettingsError::Value { name, value, expected: "it is 1 or 0" }),
    }
}

/// A number from 1 upwards, or nothing.
fn positive(name: &'static str, value: String) -> Result<Option<NonZeroU32>, SettingsError> {
    if value.is_empty() {
        return Ok(None);
    }
    parsed(name, value, "it is a whole number from 1 upwards").map(Some)
}

fn number(name: &'static str, value: String) -> Result<usize, SettingsError> {
    parsed(name, value, "it is a whole number from 0 upwards")
}

fn milliseconds(value: String) -> Result<Duration, SettingsError> {
    parsed(MAX_TIME, value, "it is a whole number of milliseconds").map(Duration::from_millis)
}

fn parsed<T: FromStr>(name: &'static str, value: String, expected: &'static str) -> Result<T, SettingsError> {
    value.parse().map_err(|_| SettingsError::Value { name, value, expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(variables: &[(&str, &str)]) -> Result<Settings, SettingsError> {
        Settings::from_variables(variables.iter().map(|(name, value)| (name.into(), value.into())))
    }

    #[test]
    fn without_variables_the_defaults_hold() {
        let settings = settings(&[("PATH", "/bin")]).unwrap();
        assert_eq!(settings.hooks, HookKind::WithInfo);
        assert_eq!(settings.form, Form::Lines(Format::Text));
        assert_eq!(settings.when_full, WhenFull::Wait);
        assert_eq!(settings.out, None);
        assert_eq!(settings.limits, Limits::default());
    }

    #[test]
    fn every_variable_counts() {
        let settings = settings(&[
            (HOOKS, "fast"),
            (FORMAT, "jsonl"),
            (OUT, "trace.jsonl"),
            (WHEN_FULL, "drop"),
            (RAW, "1"),
            (MAX_DEPTH, "2"),
            (MAX_ITEMS, "3"),
            (MAX_CHARS, "4"),
            (MAX_BYTES, "5"),
            (MAX_TIME, "6"),
        ])
        .unwrap();
        assert_eq!(settings.hooks, HookKind::Fast);
        assert_eq!(settings.form, Form::Lines(Format::Jsonl));
        assert_eq!(settings.when_full, WhenFull::Drop);
        assert_eq!(settings.out, Some("trace.jsonl".into()));
        assert!(settings.raw);
        let time = Duration::from_millis(6);
        assert_eq!(settings.limits, Limits { depth: 2, items: 3, chars: 4, bytes: 5, time });
    }

    #[test]
    fn a_bad_value_is_named_with_what_it_could_be() {
        for (name, value, expected) in [
            (FORMAT, "xml", "it is text, jsonl or binary"),
            (WHEN_FULL, "stop", "it is wait or drop"),
            (HOOKS, "slow", "it is with-info or fast"),
            (ALL, "maybe", "it is 1 or 0"),
            (MAX_ITEMS, "-1", "it is a whole number from 0 upwards"),
            (SAMPLE, "0", "it is a whole number from 1 upwards"),
            (RATE, "often", "it is a whole number from 1 upwards"),
            (MAX_TIME, "1s", "it is a whole number of milliseconds"),
        ] {
            let message = settings(&[(name, value)]).unwrap_err().to_string();
            assert!(message.contains(name) && message.contains(value), "{message}");
            assert!(message.ends_with(expected), "{message}");
        }
        let message = settings(&[(INCLUDE, "a{b")]).unwrap_err().to_string();
        assert!(message.contains(INCLUDE) && message.contains("a{b"), "{message}");
    }

    #[test]
    fn a_recording_needs_a_file() {
        let message = settings(&[(FORMAT, "binary")]).unwrap_err().to_string();
        assert!(message.contains(FORMAT) && message.contains(OUT), "{message}");
        assert_eq!(settings(&[(FORMAT, "binary"), (OUT, "trace")]).unwrap().form, Form::Recording);
    }

    #[test]
    fn calls_are_selected_only_when_that_is_asked_for() {
        let number = |n| NonZeroU32::new(n).unwrap();
        assert_eq!(settings(&[(SAMPLE, ""), (RATE, ""), (WHILE, "")]).unwrap().calls, None);
        assert_eq!(settings(&[(SAMPLE, "1")]).unwrap().calls, None);
        let both = settings(&[(SAMPLE, "10"), (RATE, "7")]).unwrap().calls;
        assert_eq!(both, Some(SelectedCalls::every(number(10)).at_most(number(7))));
        let file = settings(&[(WHILE, "/tmp/on")]).unwrap();
        assert_eq!((file.calls, file.while_exists), (None, Some("/tmp/on".into())));
    }

    #[test]
    fn a_misspelt_setting_is_not_ignored() {
        let message = settings(&[("CALLTRACE_INCLUD", "*")]).unwrap_err().to_string();
        assert!(message.contains("CALLTRACE_INCLUD;") && message.contains("CALLTRACE_INCLUDE"), "{message}");
    }
}
