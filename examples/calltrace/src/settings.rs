//! Settings, whose names begin with `CALLTRACE_`: from environment variables, or from the client that has started the program.

use std::ffi::OsString;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use corprof::Hooks;
use corprof_calls::{CallBudget, Calls, Format, HookKind, Limits, SelectedCalls};
use method_filter::{MethodFilter, PatternError, Secrets};
use recording::WhenFull;

use crate::CallTrace;
use crate::redact::Redaction;

/// The settings of a process.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) hooks: HookKind,
    /// Whether the locations of fast hooks are self-tested on every runtime.
    pub(crate) self_test: bool,
    pub(crate) form: Form,
    /// The behaviour of a thread while a file is written too slowly.
    pub(crate) when_full: WhenFull,
    /// Whether a recording is compressed.
    pub(crate) compress: bool,
    /// The output file; standard error when absent.
    pub(crate) out: Option<PathBuf>,
    pub(crate) filter: MethodFilter,
    /// The calls of a traced method that are traced; all when absent.
    pub(crate) calls: Option<SelectedCalls>,
    /// The budget for calls of methods that are called often; every call is traced if absent.
    pub(crate) budget: Option<CallBudget>,
    /// Calls are traced while this file exists; always when absent.
    pub(crate) while_exists: Option<PathBuf>,
    /// Calls are traced for so long; until the end when absent.
    pub(crate) time: Option<Duration>,
    /// The length that the output file may have, in bytes.
    pub(crate) max_file: u64,
    pub(crate) limits: Limits,
    /// The number of calls of each method whose values are read with their parts; all calls if absent.
    pub(crate) full_calls: Option<NonZeroU32>,
    /// The values that are not read.
    pub(crate) redaction: Redaction,
    /// Whether collections, tasks and exceptions are shown as their fields.
    pub(crate) raw: bool,
}

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Lines(Format),
    Recording,
}

/// The error of an invalid setting.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingsError {
    /// The setting does not have such a value.
    #[error("{name}={value:?} is not a valid setting: {expected}")]
    Value { name: &'static str, value: String, expected: String },
    /// There is no such setting.
    #[error("there is no setting {name}; there are {}", NAMES.join(", "))]
    Unknown { name: String },
    /// A recording needs a file.
    #[error("{FORMAT}=binary needs a file to write to; name it in {OUT}")]
    NoFile,
    /// There is nothing to compress.
    #[error("{COMPRESS}=1 is for {FORMAT}=binary; leave it out, or record in that format")]
    NoRecording,
    /// There is nothing to test.
    #[error("{SELF_TEST}=1 is for {HOOKS}=fast; with other hooks no values are looked for that need a test")]
    NoFastHooks,
    /// Code is inserted into some methods only.
    #[error("{HOOKS}=inserted is for selected methods, and {ALL}=1 selects all; leave one of them out")]
    InsertedIntoAll,
    /// A value is not UTF-8.
    #[error("the value of {name} is not valid UTF-8")]
    NotUtf8 { name: String },
    /// A pattern is malformed.
    #[error(transparent)]
    Pattern(#[from] PatternError),
}

impl SettingsError {
    /// Returns the setting that it is about.
    pub(crate) fn setting(&self) -> String {
        match self {
            Self::Value { name, .. } => (*name).to_owned(),
            Self::Unknown { name } | Self::NotUtf8 { name } => name.clone(),
            Self::NoFile => OUT.to_owned(),
            Self::NoRecording => COMPRESS.to_owned(),
            Self::NoFastHooks => SELF_TEST.to_owned(),
            Self::InsertedIntoAll => HOOKS.to_owned(),
            Self::Pattern(_) => INCLUDE.to_owned(),
        }
    }
}

/// Declares the name of each setting, and the list of them.
macro_rules! names {
    ($($name:ident = $text:literal;)*) => {
        $(const $name: &str = $text;)*
        const NAMES: &[&str] = &[$($name),*];
    };
}

names! {
    HOOKS = "CALLTRACE_HOOKS";
    SELF_TEST = "CALLTRACE_SELF_TEST";
    FORMAT = "CALLTRACE_FORMAT";
    OUT = "CALLTRACE_OUT";
    WHEN_FULL = "CALLTRACE_WHEN_FULL";
    COMPRESS = "CALLTRACE_COMPRESS";
    INCLUDE = "CALLTRACE_INCLUDE";
    OWN = "CALLTRACE_OWN";
    EXCLUDE = "CALLTRACE_EXCLUDE";
    ALL = "CALLTRACE_ALL";
    SAMPLE = "CALLTRACE_SAMPLE";
    RATE = "CALLTRACE_RATE";
    BUDGET = "CALLTRACE_BUDGET";
    COUNT_ALL = "CALLTRACE_COUNT_ALL";
    WHILE = "CALLTRACE_WHILE";
    FOR = "CALLTRACE_FOR";
    REDACT = "CALLTRACE_REDACT";
    SHOW_SECRETS = "CALLTRACE_SHOW_SECRETS";
    RAW = "CALLTRACE_RAW";
    FULL_CALLS = "CALLTRACE_FULL_CALLS";
    MAX_DEPTH = "CALLTRACE_MAX_DEPTH";
    MAX_ITEMS = "CALLTRACE_MAX_ITEMS";
    MAX_CHARS = "CALLTRACE_MAX_CHARS";
    MAX_BYTES = "CALLTRACE_MAX_BYTES";
    MAX_TIME = "CALLTRACE_MAX_TIME";
    MAX_FILE = "CALLTRACE_MAX_FILE";
}

/// The default of `CALLTRACE_FULL_CALLS` when every method is traced.
const FULL_CALLS_OF_ALL: u32 = 10;

/// The default of `CALLTRACE_BUDGET` when every method is traced, where calls can be selected.
const BUDGET_OF_ALL: Budget = if Hooks::<Calls<CallTrace>>::ARE_FAST_AVAILABLE { Some(5) } else { None };

/// The default of `CALLTRACE_MAX_FILE` when every method is traced, in bytes.
const MAX_FILE_OF_ALL: u64 = 4 << 30;

/// A percentage; none for every call.
type Budget = Option<u32>;

/// The default of `CALLTRACE_MAX_DEPTH` when every method is traced: the fields of an object, and the fields of those.
const DEPTH_OF_ALL: usize = 2;

const HOOK_KINDS: [(&str, HookKind); 4] = [
    ("best", HookKind::Best),
    ("fast", HookKind::Fast),
    ("with-info", HookKind::WithInfo),
    ("inserted", HookKind::Inserted),
];
const FORMS: [(&str, Form); 3] =
    [("text", Form::Lines(Format::Text)), ("jsonl", Form::Lines(Format::Jsonl)), ("binary", Form::Recording)];
const WHEN_FULL_WORDS: [(&str, WhenFull); 2] = [("wait", WhenFull::Wait), ("drop", WhenFull::Drop)];

impl Default for Settings {
    fn default() -> Self {
        Self {
            hooks: HookKind::Best,
            self_test: false,
            form: Form::Lines(Format::Text),
            when_full: WhenFull::Wait,
            compress: false,
            out: None,
            filter: MethodFilter::default(),
            calls: None,
            budget: None,
            while_exists: None,
            time: None,
            max_file: u64::MAX,
            limits: Limits::default(),
            full_calls: None,
            redaction: Redaction::default(),
            raw: false,
        }
    }
}

impl Settings {
    /// Reads the settings of this process.
    pub(crate) fn from_environment() -> Result<Self, SettingsError> {
        Self::from_variables(std::env::vars_os())
    }

    /// Reads the settings that the client has sent.
    pub(crate) fn from_client(lines: &str) -> Result<Self, SettingsError> {
        let settings = corprof_link::settings(lines);
        Self::from_variables(settings.map(|(name, value)| (name.into(), value.into())))
    }

    fn from_variables(variables: impl Iterator<Item = (OsString, OsString)>) -> Result<Self, SettingsError> {
        let mut settings = Self::default();
        let (mut redact, mut show_secrets, mut own) = (String::new(), false, String::new());
        let (mut include, mut exclude, mut all) = (String::new(), String::new(), false);
        let (mut sample, mut rate, mut full_calls, mut depth) = (None, None, None, None);
        let (mut budget, mut count_all, mut max_file) = (None, false, None);
        for (name, value) in variables {
            let Some(name) = name.to_str().filter(|name| name.starts_with("CALLTRACE_")) else { continue };
            let Some(known) = NAMES.iter().copied().find(|known| *known == name) else {
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
                HOOKS => settings.hooks = one_of(known, value, &HOOK_KINDS)?,
                SELF_TEST => settings.self_test = flag(known, value)?,
                FORMAT => settings.form = one_of(known, value, &FORMS)?,
                WHEN_FULL => settings.when_full = one_of(known, value, &WHEN_FULL_WORDS)?,
                COMPRESS => settings.compress = flag(known, value)?,
                INCLUDE => include = value,
                OWN => own = value,
                EXCLUDE => exclude = value,
                ALL => all = flag(known, value)?,
                SAMPLE => sample = positive(known, value)?,
                RATE => rate = positive(known, value)?,
                BUDGET => budget = percentage(value)?,
                COUNT_ALL => count_all = flag(known, value)?,
                REDACT => redact = value,
                SHOW_SECRETS => show_secrets = flag(known, value)?,
                FULL_CALLS => full_calls = Some(parsed(known, value, "it is a whole number from 0 upwards")?),
                RAW => settings.raw = flag(known, value)?,
                FOR => settings.time = seconds(value)?,
                MAX_FILE => max_file = length(value)?,
                MAX_DEPTH => depth = Some(number(known, value)?),
                MAX_ITEMS => settings.limits.items = number(known, value)?,
                MAX_CHARS => settings.limits.chars = number(known, value)?,
                MAX_BYTES => settings.limits.bytes = number(known, value)?,
                _ => settings.limits.time = milliseconds(value)?,
            }
        }
        if settings.form == Form::Recording && settings.out.is_none() {
            return Err(SettingsError::NoFile);
        }
        if settings.compress && settings.form != Form::Recording {
            return Err(SettingsError::NoRecording);
        }
        if settings.self_test && settings.hooks != HookKind::Fast {
            return Err(SettingsError::NoFastHooks);
        }
        if settings.hooks == HookKind::Inserted && all {
            return Err(SettingsError::InsertedIntoAll);
        }
        let calls = sample.map_or(SelectedCalls::ALL, SelectedCalls::every);
        let calls = rate.map_or(calls, |rate| calls.at_most(rate));
        settings.redaction = Redaction(Secrets::new(!show_secrets, (REDACT, &redact))?);
        // Whoever traces everything does not look at each call of what is called a million times.
        let usual = if all { DEPTH_OF_ALL } else { settings.limits.depth };
        settings.limits.depth = depth.unwrap_or(usual);
        settings.full_calls = NonZeroU32::new(full_calls.unwrap_or(if all { FULL_CALLS_OF_ALL } else { 0 }));
        let budget = budget.unwrap_or(if all { BUDGET_OF_ALL } else { None });
        let budget = budget.and_then(NonZeroU32::new).map(CallBudget::percent);
        settings.budget = budget.map(|budget| if count_all { budget.counting_all() } else { budget });
        settings.max_file = max_file.unwrap_or(if all { MAX_FILE_OF_ALL } else { u64::MAX });
        settings.calls = (calls != SelectedCalls::ALL).then_some(calls);
        settings.filter = MethodFilter::new(all, (OWN, &own), (INCLUDE, &include), (EXCLUDE, &exclude))?;
        Ok(settings)
    }
}

/// One of several words; the first if the value is empty.
fn one_of<T: Copy>(name: &'static str, value: String, words: &[(&str, T)]) -> Result<T, SettingsError> {
    let found = words.iter().find(|(word, _)| value.is_empty() || value == *word);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        SettingsError::Value { name, value, expected: format!("it is {}", names.join(" or ")) }
    })
}

fn flag(name: &'static str, value: String) -> Result<bool, SettingsError> {
    match value.as_str() {
        "" | "0" | "false" => Ok(false),
        "1" | "true" => Ok(true),
        _ => Err(SettingsError::Value { name, value, expected: "it is 1 or 0".to_owned() }),
    }
}

/// A number from 1 upwards, or nothing.
fn positive(name: &'static str, value: String) -> Result<Option<NonZeroU32>, SettingsError> {
    if value.is_empty() {
        return Ok(None);
    }
    parsed(name, value, "it is a whole number from 1 upwards").map(Some)
}

/// A percentage from 1 to 100, or `none`; nothing if the value is empty.
fn percentage(value: String) -> Result<Option<Budget>, SettingsError> {
    match value.as_str() {
        "" => return Ok(None),
        "none" => return Ok(Some(None)),
        _ => {}
    }
    let percent = value.parse().ok().filter(|percent| (1..=100).contains(percent));
    let expected = "it is a percentage from 1 to 100, or none";
    percent.map(|percent| Some(Some(percent))).ok_or(SettingsError::Value {
        name: BUDGET,
        value,
        expected: expected.to_owned(),
    })
}

fn number(name: &'static str, value: String) -> Result<usize, SettingsError> {
    parsed(name, value, "it is a whole number from 0 upwards")
}

fn milliseconds(value: String) -> Result<Duration, SettingsError> {
    parsed(MAX_TIME, value, "it is a whole number of milliseconds").map(Duration::from_millis)
}

fn seconds(value: String) -> Result<Option<Duration>, SettingsError> {
    if value.is_empty() {
        return Ok(None);
    }
    let expected = "it is a number of seconds, such as 30 or 0.5";
    let seconds = parsed::<f64>(FOR, value.clone(), expected)?;
    let time = Duration::try_from_secs_f64(seconds).ok();
    time.map(Some).ok_or(SettingsError::Value { name: FOR, value, expected: expected.to_owned() })
}

/// A number of bytes, with K, M or G for powers of 1,024, or `none`; nothing if the value is empty.
fn length(value: String) -> Result<Option<u64>, SettingsError> {
    const UNITS: [(char, u32); 3] = [('K', 10), ('M', 20), ('G', 30)];
    match value.as_str() {
        "" => return Ok(None),
        "none" => return Ok(Some(u64::MAX)),
        _ => {}
    }
    let unit = UNITS.into_iter().find_map(|(unit, bits)| Some((value.strip_suffix(unit)?, bits)));
    let (number, bits) = unit.unwrap_or((&value, 0));
    let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << bits));
    let expected = || "it is a number of bytes, such as 500M or 2G, or none".to_owned();
    bytes.map(Some).ok_or_else(|| SettingsError::Value {
        name: MAX_FILE,
        value: value.clone(),
        expected: expected(),
    })
}

fn parsed<T: FromStr>(name: &'static str, value: String, expected: &'static str) -> Result<T, SettingsError> {
    value.parse().map_err(|_| SettingsError::Value { name, value, expected: expected.to_owned() })
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
        assert_eq!(settings.hooks, HookKind::Best);
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
            (SELF_TEST, "1"),
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
        assert!(settings.raw && settings.self_test);
        let time = Duration::from_millis(6);
        assert_eq!(settings.limits, Limits { depth: 2, items: 3, chars: 4, bytes: 5, time });
    }

    #[test]
    fn a_self_test_is_of_fast_hooks() {
        let message = settings(&[(SELF_TEST, "1")]).unwrap_err().to_string();
        assert!(message.contains(SELF_TEST) && message.contains("CALLTRACE_HOOKS=fast"), "{message}");
    }

    #[test]
    fn a_bad_value_is_named_with_what_it_could_be() {
        for (name, value, expected) in [
            (FORMAT, "xml", "it is text or jsonl or binary"),
            (WHEN_FULL, "stop", "it is wait or drop"),
            (HOOKS, "slow", "it is best or fast or with-info or inserted"),
            (ALL, "maybe", "it is 1 or 0"),
            (MAX_ITEMS, "-1", "it is a whole number from 0 upwards"),
            (SAMPLE, "0", "it is a whole number from 1 upwards"),
            (BUDGET, "0", "it is a percentage from 1 to 100, or none"),
            (BUDGET, "101", "it is a percentage from 1 to 100, or none"),
            (BUDGET, "all", "it is a percentage from 1 to 100, or none"),
            (RATE, "often", "it is a whole number from 1 upwards"),
            (MAX_TIME, "1s", "it is a whole number of milliseconds"),
            (FOR, "-1", "it is a number of seconds, such as 30 or 0.5"),
            (FOR, "soon", "it is a number of seconds, such as 30 or 0.5"),
            (MAX_FILE, "2T", "it is a number of bytes, such as 500M or 2G, or none"),
            (MAX_FILE, "99999999999G", "it is a number of bytes, such as 500M or 2G, or none"),
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
    fn a_file_and_a_time_have_limits() {
        let max_file = |value| settings(&[(MAX_FILE, value)]).unwrap().max_file;
        assert_eq!(
            ["", "0", "7", "3K", "500M", "2G"].map(max_file),
            [u64::MAX, 0, 7, 3 << 10, 500 << 20, 2 << 30]
        );
        let of_all = |value| settings(&[(ALL, "1"), (MAX_FILE, value)]).unwrap().max_file;
        assert_eq!(["", "none", "7"].map(of_all), [MAX_FILE_OF_ALL, u64::MAX, 7]);
        let time = |value| settings(&[(FOR, value)]).unwrap().time;
        assert_eq!(
            ["", "30", "0.5"].map(time),
            [None, Some(Duration::from_secs(30)), Some(Duration::from_millis(500))]
        );
    }

    #[test]
    fn only_a_recording_is_compressed() {
        let recording = [(FORMAT, "binary"), (OUT, "trace")];
        assert!(!settings(&recording).unwrap().compress);
        assert!(settings(&[&recording[..], &[(COMPRESS, "1")]].concat()).unwrap().compress);
        let message = settings(&[(COMPRESS, "1")]).unwrap_err().to_string();
        assert!(message.contains("CALLTRACE_FORMAT=binary"), "{message}");
    }

    #[test]
    fn with_all_methods_only_the_first_calls_of_each_are_read_in_full() {
        let full_calls =
            |variables: &[(&str, &str)]| settings(variables).unwrap().full_calls.map(NonZeroU32::get);
        assert_eq!(full_calls(&[]), None);
        assert_eq!(full_calls(&[(ALL, "1")]), Some(FULL_CALLS_OF_ALL));
        assert_eq!(full_calls(&[(ALL, "1"), (FULL_CALLS, "0")]), None);
        assert_eq!(full_calls(&[(FULL_CALLS, "7")]), Some(7));
    }

    #[test]
    fn with_all_methods_calls_have_a_budget() {
        let budget = |variables: &[(&str, &str)]| settings(variables).unwrap().budget;
        let percent = |percent| NonZeroU32::new(percent).map(CallBudget::percent);
        assert_eq!(budget(&[]), None);
        assert_eq!(budget(&[(ALL, "1")]), BUDGET_OF_ALL.and_then(percent));
        assert_eq!(budget(&[(ALL, "1"), (BUDGET, "")]), BUDGET_OF_ALL.and_then(percent));
        assert_eq!(budget(&[(ALL, "1"), (BUDGET, "none"), (COUNT_ALL, "1")]), None);
        assert_eq!(
            budget(&[(INCLUDE, "*"), (BUDGET, "5"), (COUNT_ALL, "1")]),
            percent(5).map(CallBudget::counting_all)
        );
        assert_eq!(budget(&[(INCLUDE, "*"), (BUDGET, "5")]), percent(5));
    }

    #[test]
    fn with_all_methods_objects_are_followed_less_deeply() {
        let depth = |variables: &[(&str, &str)]| settings(variables).unwrap().limits.depth;
        assert_eq!(depth(&[]), Limits::default().depth);
        assert_eq!(depth(&[(ALL, "1")]), DEPTH_OF_ALL);
        assert_eq!(depth(&[(ALL, "1"), (MAX_DEPTH, "4")]), 4);
        assert_eq!(depth(&[(MAX_DEPTH, "1")]), 1);
    }

    #[test]
    fn a_misspelt_setting_is_not_ignored() {
        let message = settings(&[("CALLTRACE_INCLUD", "*")]).unwrap_err().to_string();
        assert!(message.contains("CALLTRACE_INCLUD;") && message.contains("CALLTRACE_INCLUDE"), "{message}");
    }
}
