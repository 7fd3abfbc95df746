//! The assemblies that are read, and what the oracle writes of them.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{self, RuntimeVersion};
use corprof_testkit::launch::{self, Launch};
use e2e::app::{App, Build};
use e2e::is_long;
use e2e::libraries::all_libraries;

/// What is read without `--long`: the largest, and those with function pointers, modifiers, arrays, and much generic
/// code. Of what is in both frameworks, both are read.
const SUBSET: &[&str] = &[
    "System.Private.CoreLib.dll",
    "System.Private.Xml.dll",
    "System.Collections.Immutable.dll",
    "System.Linq.Expressions.dll",
    "System.Data.Common.dll",
    "System.Text.Json.dll",
    "Microsoft.VisualBasic.Core.dll",
    "Microsoft.AspNetCore.Server.Kestrel.Core.dll",
    "Azure.Core.dll",
    "FSharp.Core.dll",
];

/// The least that a corpus has to hold, so that one that is not there does not pass.
pub(crate) struct Floor {
    pub(crate) assemblies: usize,
    pub(crate) blobs: usize,
    pub(crate) distinct: usize,
    pub(crate) of_each_kind: usize,
    pub(crate) attributes: usize,
    pub(crate) marshalling: usize,
}

const WHOLE: Floor = Floor {
    assemblies: 537,
    blobs: 1_187_000,
    distinct: 275_000,
    of_each_kind: 7_500,
    attributes: 270_000,
    marshalling: 500,
};

const SUBSET_FLOOR: Floor = Floor {
    assemblies: 12,
    blobs: 250_000,
    distinct: 65_000,
    of_each_kind: 2_000,
    attributes: 50_000,
    marshalling: 200,
};

/// What the oracle has written.
pub(crate) struct Corpus {
    pub(crate) name: &'static str,
    pub(crate) floor: Floor,
    /// How many distinct assemblies were read.
    pub(crate) assemblies: usize,
    /// How many signature blobs they have.
    pub(crate) blobs: usize,
    /// How many custom attributes were compared, and how many left out.
    pub(crate) attributes: (usize, usize),
    /// How many marshalling descriptors they have.
    pub(crate) marshalling: usize,
    /// The blobs of each table.
    pub(crate) tables: Vec<(String, usize)>,
    text: String,
}

impl Corpus {
    /// Has the oracle read the assemblies.
    pub(crate) fn extracted() -> Result<Self> {
        let is_all = is_long();
        let files = assemblies(is_all)?;
        let name = if is_all { "all assemblies" } else { "some assemblies (`cargo xtask test --long`: all)" };
        Self::parse(name, if is_all { WHOLE } else { SUBSET_FLOOR }, oracle_text(&files)?)
    }

    fn parse(name: &'static str, floor: Floor, text: String) -> Result<Self> {
        let mut corpus = Self {
            name,
            floor,
            assemblies: 0,
            blobs: 0,
            attributes: (0, 0),
            marshalling: 0,
            tables: Vec::new(),
            text,
        };
        for line in corpus.text.lines().filter_map(|line| line.strip_prefix("#\t")) {
            let (what, count) = line.split_once('\t').context("a count of nothing")?;
            let count = count.parse()?;
            match what {
                "assemblies" => corpus.assemblies = count,
                "CustomAttribute" => corpus.attributes.0 = count,
                "CustomAttribute, left out" => corpus.attributes.1 = count,
                "FieldMarshal" => corpus.marshalling = count,
                table => {
                    corpus.blobs += count;
                    corpus.tables.push((table.to_owned(), count));
                }
            }
        }
        Ok(corpus)
    }

    /// A line for each distinct signature.
    pub(crate) fn signatures(&self) -> impl Iterator<Item = &str> {
        self.text.lines().filter(|line| !line.starts_with(['#', 'A', 'D']))
    }

    /// A line for each distinct custom attribute.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = &str> {
        self.text.lines().filter(|line| line.starts_with('A'))
    }

    /// A line for each distinct marshalling descriptor.
    pub(crate) fn marshalling(&self) -> impl Iterator<Item = &str> {
        self.text.lines().filter(|line| line.starts_with('D'))
    }
}

/// The oracle's output for some assemblies. It runs once.
fn oracle_text(files: &[PathBuf]) -> Result<String> {
    static ANSWER: Mutex<Option<String>> = Mutex::new(None);
    let mut answer = ANSWER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(text) = &*answer {
        return Ok(text.clone());
    }
    let lines: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let text = ask("extract", "extract", &lines)?;
    Ok(answer.insert(text).clone())
}

/// What the oracle answers to a command with a file of these lines. Tests that run side by side need folders with names of
/// their own.
pub(crate) fn ask(folder: &str, command: &str, lines: &[String]) -> Result<String> {
    let app = App::compile("sigoracle", RuntimeVersion::V9_0, Build::Optimised)?;
    let folder = launch::scratch(&format!("signatures-{folder}"))?;
    let (input, output) = (folder.join("input"), folder.join("output"));
    fs::write(&input, lines.join("\n"))?;
    let runtime = dotnet::runtime(RuntimeVersion::V9_0)?;
    Launch::new(&runtime, &app.dll)
        .arg(command)
        .args([&input, &output])
        .timeout(Duration::from_secs(900))
        .run()?
        .ok()?;
    Ok(fs::read_to_string(&output)?)
}

/// The assemblies of both runtimes, of ASP.NET Core and of `azmcp`.
fn assemblies(is_all: bool) -> Result<Vec<PathBuf>> {
    let mut files = all_libraries()?;
    if !is_all {
        files.retain(|file| SUBSET.iter().any(|name| file.file_name() == Some(OsStr::new(name))));
    }
    ensure!(!files.is_empty(), "there are no assemblies");
    files.sort();
    Ok(files)
}
