//! Calls as tables, for engines that answer questions: Parquet files.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | the command, the files |
//! | `rows` | from events to rows |
//! | `table` | a table: rows in memory, files of a bounded size |

mod rows;
mod table;

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};

use super::opened::Opened;

/// The arguments of the export.
#[derive(Args, Debug)]
pub(super) struct Destination {
    /// The format of the tables
    #[arg(long, value_enum)]
    format: Tables,
    /// The folder to write, which must not exist or be empty
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// The size from which a table is continued in another file, in megabytes
    #[arg(long, value_name = "MB", default_value_t = 256)]
    part_size: usize,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Tables {
    /// Folders of Parquet files, for DuckDB, Polars and others
    Parquet,
}

/// Writes the selected calls. Returns a note about what was written.
pub(super) fn write(opened: &mut Opened, export: &Destination) -> Result<String> {
    let Destination { format: Tables::Parquet, output, part_size } = export;
    let shown = output.display();
    std::fs::create_dir_all(output).with_context(|| format!("cannot create {shown}"))?;
    let mut entries = std::fs::read_dir(output).with_context(|| format!("cannot read {shown}"))?;
    if entries.next().is_some() {
        bail!("{shown} is not empty: files of another export would count for this one; name another folder");
    }
    let (calls, values) = rows::write(opened, output, part_size.saturating_mul(1 << 20))?;
    Ok(format!("{calls} calls with {values} values are in {shown}"))
}
