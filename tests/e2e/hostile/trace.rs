//! Checks that the trace of a run is complete.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use e2e::json;
use recording::{Ending, EventKind, Reader};

/// The contents of a trace.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found {
    pub(crate) events: u64,
    /// The number of missing events that the trace reports.
    pub(crate) missing: u64,
    /// Whether it ends in the middle of a record.
    pub(crate) is_cut: bool,
}

/// Reads a trace to its end.
pub(crate) fn read(path: &Path, format: &str) -> Result<Found> {
    // Of a program that was killed.
    recording::complete(path)?;
    match format {
        "binary" => recording(path),
        _ => lines(path, format),
    }
    .with_context(|| path.display().to_string())
}

fn recording(path: &Path) -> Result<Found> {
    let mut reader = Reader::new(BufReader::new(File::open(path)?))?;
    let mut found = Found::default();
    while let Some(event) = reader.next()? {
        match event.kind {
            EventKind::Lost(records) => found.missing += records,
            EventKind::ThreadEnd(_) => {}
            _ => found.events += 1,
        }
    }
    found.is_cut = match reader.ending() {
        Some(Ending::Finished { lost }) => {
            ensure!(lost >= found.missing, "{lost} records are lost in all, {} somewhere", found.missing);
            false
        }
        Some(Ending::Cut { .. }) => true,
        None => bail!("it has no end"),
    };
    Ok(found)
}

fn lines(path: &Path, format: &str) -> Result<Found> {
    let text = String::from_utf8(fs::read(path)?).context("it is not UTF-8")?;
    let mut found = Found { is_cut: !text.is_empty() && !text.ends_with('\n'), ..Found::default() };
    let count = text.lines().count();
    for (index, line) in text.lines().enumerate() {
        if found.is_cut && index + 1 == count {
            break;
        }
        if format == "jsonl" {
            let event = json::parse(line).with_context(|| line.to_owned())?;
            if event["event"] == "lost" {
                found.missing += event["records"].as_u64().context("no number")?;
                continue;
            }
        } else {
            ensure!(line.starts_with('['), "a line is no event: {line:?}");
            if let Some((_, records)) = line.split_once("] … ") {
                found.missing += records.split(' ').next().unwrap_or_default().parse::<u64>()?;
                continue;
            }
        }
        ensure!(
            line.chars().all(corprof_in_process::printable::is_printable),
            "what a line has is not printable: {line:?}"
        );
        found.events += 1;
    }
    Ok(found)
}
