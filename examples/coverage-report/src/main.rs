//! Formats reports of the counts that the profiler `coverage` has written to a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Result, ensure};
use clap::Parser;
use corprof_in_process::printable::Printable;
use coverage_report::sources::{self, Mapping};
use coverage_report::{data, report};

/// Prints the coverage of each source file, and writes reports.
///
/// Ends with exit code 1 if nothing was measured.
#[derive(Parser)]
struct Arguments {
    /// The folder with the counts, as set by `COVERAGE_OUT`
    folder: PathBuf,
    /// Write a Cobertura XML report to this file
    #[arg(long, value_name = "FILE")]
    cobertura: Option<PathBuf>,
    /// Write an lcov report to this file
    #[arg(long, value_name = "FILE")]
    lcov: Option<PathBuf>,
    /// Write an HTML page with the sources to this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Replace the begin of the source files' paths, such as `/_/=/home/me/shop/`; may be repeated
    #[arg(long, value_name = "FROM=TO")]
    map: Vec<Mapping>,
}

fn main() -> ExitCode {
    match perform() {
        Ok(()) => ExitCode::SUCCESS,
        // The message is for a user, whatever RUST_BACKTRACE says.
        Err(error) => {
            eprintln!("error: {}", Printable(&format!("{error:#}")));
            ExitCode::FAILURE
        }
    }
}

fn perform() -> Result<()> {
    let arguments = Arguments::parse();
    let mut modules = data::read(&arguments.folder)?;
    sources::map(&mut modules, &arguments.map);
    // By their reason: many libraries have no PDB.
    let mut missing: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (module, _) in &modules {
        if let Some(reason) = &module.missing {
            missing.entry(reason).or_default().insert(module.file_name());
        }
    }
    for (reason, names) in missing {
        let names: Vec<&str> = names.into_iter().collect();
        eprintln!("not measured, as {}: {}", Printable(reason), Printable(&names.join(", ")));
    }
    let methods = report::methods(&modules);
    ensure!(!methods.is_empty(), "nothing was measured");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    if let Some(file) = arguments.cobertura {
        std::fs::write(file, report::cobertura(&methods, now)?)?;
    }
    if let Some(file) = arguments.lcov {
        std::fs::write(file, report::lcov(&methods))?;
    }
    if let Some(file) = arguments.html {
        std::fs::write(file, report::html(&methods))?;
    }
    match std::io::stdout().write_all(report::text(&methods).as_bytes()) {
        // Who reads the output has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}
