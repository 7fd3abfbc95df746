//! `corprof report`: reads the recording of a tool.

use std::fs::File;
use std::io::{BufReader, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use corprof_report::{Kind, Metric, Options, Report};
use recording::Journal;

use crate::delivered::Output;
use crate::recorded::warn_of_damage;

/// The arguments of `report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The recording, such as `gc.clrec`
    file: PathBuf,
    /// What to write; otherwise what the ending of --out means, or text
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(Kind::names()))]
    format: Option<String>,
    /// The file to write to, instead of standard output
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How many things a list has
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Print a number instead: STREAM.COLUMN.AGGREGATE, with count, sum, min, max, mean, p50, p90, p99 or last; may be repeated
    #[arg(long, value_name = "METRIC", conflicts_with_all = ["format", "out"])]
    metric: Vec<Metric>,
}

/// Runs `report`.
///
/// # Errors
///
/// If the recording cannot be read, or has not what is asked for.
pub(crate) fn main(args: &ReportArgs) -> Result<ExitCode> {
    let path = &args.file;
    if Journal::path_of(path).is_file()
        && let Err(error) = recording::complete(path)
    {
        eprintln!("warning: the end of {} is missing: {error}", path.display());
    }
    let kind = match (&args.format, &args.out) {
        (Some(format), _) => Kind::of_name(format).context("there is no such format")?,
        (None, Some(out)) => Kind::of_path(out),
        (None, None) => Kind::Text,
    };
    let mut options = Options::default();
    options.top = args.top;
    options.tables = kind.has_tables() || !args.metric.is_empty();
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let report = Report::read(BufReader::new(file), options);
    let report = report.with_context(|| format!("cannot read {}", path.display()))?;
    warn_of_damage(&report, path);
    if args.metric.is_empty() {
        write(&report, kind, args)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = std::io::stdout().lock();
    for metric in &args.metric {
        writeln!(out, "{metric} {}", report.metric(metric)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn write(report: &Report, kind: Kind, args: &ReportArgs) -> Result<()> {
    let bytes = report.write(kind)?;
    if args.out.as_ref() == Some(&args.file) {
        bail!("--out is the recording itself; name another file");
    }
    if args.out.is_none() && kind != Kind::Text {
        // A pipe reads it as it is.
        return Ok(std::io::stdout().lock().write_all(&bytes)?);
    }
    let mut output = Output::new(args.out.as_deref());
    output.report(bytes)?;
    output.finish()
}
