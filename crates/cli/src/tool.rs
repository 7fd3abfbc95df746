//! A tool: a profiler that the command knows by name, with a flag for each of its settings.
//!
//! A package of a workspace describes its tool in its manifest, and an installed tool in a JSON file beside its library:
//!
//! ```toml
//! [package.metadata.corprof]
//! attachable = true           # `corprof attach` may load it into a running process
//! client = true               # started by `corprof run`, it connects to the command (`corprof_link::start`), as tools with `shared` do
//! records = "GC_"             # it records: the prefix of its settings; the command makes reports, and adds flags for them
//! shared = "CPU_"             # the prefix of the settings that all tools of `corprof-tools` have: adds a flag for each
//!
//! [[package.metadata.corprof.flags]]
//! name = "format"             # --format
//! env = "CALLTRACE_FORMAT"    # is passed in this variable
//! value = "FORMAT"            # the placeholder of the value in the help; without it, the flag is a switch that sets 1;
//!                             # a FILE or a FOLDER is made absolute for a process that runs
//!                             # elsewhere; that of `out` is checked before the program starts
//! values = ["text", "jsonl"]  # the possible values, if not any
//! separator = ";"             # may be repeated, and the values are joined with this
//! help = "How to print the calls"
//! ```

use std::path::PathBuf;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::profiler::Profiler;
use crate::workspace::Package;

/// A tool.
#[derive(Debug, Clone)]
pub struct Tool {
    /// Its name: that of its package.
    pub name: String,
    /// What it does, in a sentence.
    pub description: String,
    /// Its settings and abilities.
    pub settings: Settings,
    /// Its library.
    pub library: Library,
}

/// The library of a tool.
#[derive(Debug, Clone)]
pub enum Library {
    /// A file that is built.
    Built(PathBuf),
    /// A package of a workspace, which is built when it is used.
    Package(Package),
}

/// Settings and abilities of a tool, as a manifest or a JSON file has them.
#[derive(Debug, Clone, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Whether it can be attached to a running process.
    #[serde(default)]
    pub attachable: bool,
    /// Whether it connects to the command that starts it (`corprof_link::start`): for its settings, and with what it measures. So do
    /// those with the shared settings. Others have their settings in the environment, in all processes of the program.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub client: bool,
    /// The prefix of its settings, if it records: what its reports have is up to the command, which has flags for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<String>,
    /// The prefix of the settings that all tools of `corprof-tools` have, if it is one that does not record. They have flags that are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<String>,
    /// A flag for each setting.
    #[serde(default)]
    pub flags: Vec<Flag>,
}

/// The settings that all tools of `corprof-tools` have, beside `OUT`: the variable without the prefix, the placeholder of the
/// value, and the help.
const SHARED: [(&str, &str, &str); 10] = [
    ("EVERY", "SECONDS", "Write a report every so many seconds, not only at the end"),
    ("WHEN", "FILE", "Write a report when this file appears; it is removed when the report is written"),
    ("SECONDS", "N", "End it after so many seconds; the program goes on"),
    ("KEEP", "N", "Write each report to a file of its own, named after --out, and keep so many"),
    ("KEEP_MB", "N", "Keep so many megabytes of such files"),
    ("KEEP_SECONDS", "N", "Keep such files for so long"),
    ("PUSH", "URL", "Push the profile of each interval: otlp+http://HOST:4318 or pyroscope+http://HOST:4040"),
    ("LABELS", "NAME=VALUE,…", "Labels of pushed profiles, such as service=shop,version=1.2"),
    ("PUSH_HEADERS", "NAME=VALUE,…", "Headers of the requests that push profiles"),
    (
        "PUSH_CA",
        "FILE",
        "Certificates (PEM) of the authorities that a server with https is verified by, instead of the system's",
    ),
];

impl Settings {
    /// Returns all flags: those that are listed, and those of shared settings.
    #[must_use]
    pub(crate) fn with_shared_flags(mut self) -> Self {
        let Some(prefix) = self.shared.take().or_else(|| self.records.clone()) else { return self };
        self.client = true;
        self.flags.extend(SHARED.map(|(variable, value, help)| Flag {
            name: variable.to_ascii_lowercase().replace('_', "-"),
            env: format!("{prefix}{variable}"),
            help: help.to_owned(),
            value: Some(value.to_owned()),
            values: Vec::new(),
            separator: None,
        }));
        self
    }
}

/// A flag, which is passed to the tool in a variable.
#[derive(Debug, Clone, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Flag {
    /// Its name, without the dashes.
    pub name: String,
    /// The variable.
    pub env: String,
    /// What it does, for the help.
    pub help: String,
    /// The placeholder of its value in the help. Without it and without `values`, it is a switch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The possible values, if not any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// It may be given several times; the values are joined with this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub separator: Option<String>,
}

impl Flag {
    /// Whether it has no value; its variable is then set to 1.
    #[must_use]
    pub(crate) fn is_switch(&self) -> bool {
        self.value.is_none() && self.values.is_empty() && self.separator.is_none()
    }

    /// Whether its value is a path.
    #[must_use]
    pub(crate) fn is_path(&self) -> bool {
        matches!(self.value.as_deref(), Some("FILE" | "FOLDER"))
    }

    /// Whether its value is the path of what the tool writes.
    #[must_use]
    pub(crate) fn is_output(&self) -> bool {
        self.name == "out" && self.is_path()
    }
}

impl Tool {
    /// Returns its profiler, built first if need be.
    ///
    /// # Errors
    ///
    /// If it does not build, or the library has no class id.
    pub fn profiler(&self) -> Result<Profiler> {
        match &self.library {
            Library::Built(library) => Profiler::of(library),
            Library::Package(package) => Profiler::of(&package.build(true)?),
        }
    }
}
