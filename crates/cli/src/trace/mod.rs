//! `corprof trace`: reads a recording of calls.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | the commands |
//! | `opened` | a recording that is read |
//! | `per_thread` | a value for each thread that runs |
//! | `selection` | the part that a command is about: threads, times, methods |
//! | `indexed` | the index beside a recording |
//! | `names` | functions, as recorded or named from the assembly files |
//! | `follow` | the open calls of each thread, for all that read calls |
//! | `print` | the events, in the format of calltrace |
//! | `calls` | the selected calls, each with a beginning and an end |
//! | `paths` | functions by their callers |
//! | `tree` | the time of the calls of each path |
//! | `flame` | flame graphs |
//! | `children` | recordings of the processes that the recorded one has started |
//! | `files` | input and output files |
//! | `find` | calls that meet conditions |
//! | `top` | time by function |
//! | `export` | tables for other engines |
//! | `spill` | numbers in a temporary file |
//! | `speedscope`, `chrome` | files for programs that show calls over time |

mod calls;
mod children;
mod chrome;
mod export;
mod files;
mod find;
mod flame;
mod follow;
mod indexed;
mod names;
mod opened;
mod paths;
mod per_thread;
mod print;
mod selection;
mod speedscope;
mod spill;
#[cfg(test)]
mod tests;
mod top;
mod tree;

use std::ffi::OsStr;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Args, Parser, Subcommand, ValueEnum};
use corprof_in_process::printable::Printable;
use recording::lines::Format;
use recording::{CompleteError, Completed, Ending, Omitted, ReadError, Reader, Timeline};

use self::names::Functions;
use self::opened::Opened;
use self::selection::Select;

#[derive(Debug, Args)]
pub(crate) struct TraceArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write every event in the format that calltrace has without --format binary
    #[command(after_help = "Examples:\n  corprof trace print calls.rec\n  \
                      corprof trace print calls.rec --format jsonl -a app/bin -a /usr/share/dotnet/shared")]
    Print {
        #[command(flatten)]
        recording: Recording,
        /// `text` for people, `jsonl` for programs
        #[arg(short, long, value_enum, default_value_t = Form::Text)]
        format: Form,
    },
    /// Show which functions called which, how often, and how long they took
    #[command(after_help = "Example: corprof trace tree calls.rec --depth 5 --least 1")]
    Tree {
        #[command(flatten)]
        recording: Recording,
        /// The number of levels of calls that are shown
        #[arg(long, value_name = "N", default_value_t = 20)]
        depth: usize,
        /// The percentage of its thread's time that a call needs to be shown
        #[arg(long, value_name = "PERCENT", default_value_t = 0.5)]
        least: f64,
    },
    /// Show the functions that take the most time
    #[command(after_help = "Example: corprof trace top calls.rec --by calls -n 10")]
    Top {
        #[command(flatten)]
        recording: Recording,
        /// The sort order
        #[arg(long, value_enum, default_value_t = top::Order::Exclusive)]
        by: top::Order,
        /// The number of functions that are shown
        #[arg(short, long, value_name = "N", default_value_t = 30)]
        number: usize,
    },
    /// Draw a flame graph
    #[command(after_help = "Examples:\n  corprof trace flame calls.rec -o calls.svg\n  \
                      corprof trace flame calls.rec --folded | grep Shop")]
    Flame {
        #[command(flatten)]
        recording: Recording,
        #[command(flatten)]
        output: Output,
        /// Write the stacks as text, each with its nanoseconds, instead of drawing them
        #[arg(long)]
        folded: bool,
        /// The number of levels of calls that are drawn
        #[arg(long, value_name = "N", default_value_t = flame::DEPTH)]
        depth: usize,
    },
    /// Write a file for speedscope (https://www.speedscope.app)
    #[command(after_help = "Example: corprof trace speedscope calls.rec -o calls.speedscope.json")]
    Speedscope {
        #[command(flatten)]
        recording: Recording,
        #[command(flatten)]
        output: Output,
    },
    /// Write a file of Chrome's trace events, for Perfetto (https://ui.perfetto.dev) or chrome://tracing
    #[command(after_help = "Example: corprof trace chrome calls.rec -o calls.json")]
    Chrome {
        #[command(flatten)]
        recording: Recording,
        #[command(flatten)]
        output: Output,
    },
    /// Find calls by method, thread, time and values
    ///
    /// Writes each call when it ends, with its values: the time when it began and its duration in milliseconds. A selected
    /// method is meant itself, without the calls that it makes. Exits with 1 if there is none.
    #[command(
        after_help = "Examples:\n  corprof trace find calls.rec --method 'Shop.Cart.*' --where 'name == \"apple\"'\n  \
                      corprof trace find calls.rec --where 'return ~ \"error\"' --from 2s --to 3s --json"
    )]
    Find {
        #[command(flatten)]
        recording: Recording,
        #[command(flatten)]
        query: find::Query,
    },
    /// Write calls, values, methods and stacks as tables, for DuckDB, Polars and others
    ///
    /// A folder for each table has files of a bounded size. A selected method is meant itself, without the calls that it makes.
    /// docs/queries.md has queries.
    #[command(after_help = "Example: corprof trace export calls.rec --format parquet -o calls")]
    Export {
        #[command(flatten)]
        recording: Recording,
        #[command(flatten)]
        export: export::Destination,
    },
    /// Append to a trace what a killed program has left in its journal (FILE.journal)
    ///
    /// The other commands do so themselves.
    #[command(after_help = "Example: corprof trace complete calls.jsonl")]
    Complete {
        /// A file of `calltrace`, in any format
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

impl Command {
    fn recording(&self) -> Option<&Recording> {
        Some(match self {
            Self::Complete { .. } => return None,
            Self::Print { recording, .. }
            | Self::Tree { recording, .. }
            | Self::Top { recording, .. }
            | Self::Flame { recording, .. }
            | Self::Speedscope { recording, .. }
            | Self::Chrome { recording, .. }
            | Self::Find { recording, .. }
            | Self::Export { recording, .. } => recording,
        })
    }
}

#[derive(Debug, Args)]
struct Recording {
    /// The recording: a file of `calltrace --format binary`
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Name the functions from these assemblies, a folder with all below it or a file, instead of using the recorded
    /// names; may be repeated
    #[arg(short, long, value_name = "PATH")]
    assemblies: Vec<PathBuf>,
    #[command(flatten)]
    select: Select,
}

#[derive(Debug, Args)]
struct Output {
    /// The file to write; standard output if none is named
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    Text,
    Jsonl,
}

impl Recording {
    fn open(&self) -> Result<Opened> {
        let (selection, methods) = (self.select.selection()?, self.select.methods()?);
        let functions = Functions::new(&self.assemblies, methods)?;
        let path = || format!("the recording {}", self.file.display());
        // A program that is running writes it on, and what the file has is read.
        match recording::complete(&self.file) {
            Ok(_) | Err(CompleteError::Running { .. }) => {}
            Err(error) => eprintln!("warning: the end of the recording is missing: {error}"),
        }
        let mut file = files::input(&self.file)?;
        let input = |file| BufReader::with_capacity(indexed::BUFFER, file);
        if self.select.is_all() {
            let timeline = Timeline::of(&mut file).with_context(path)?;
            let reader = Reader::new(input(file)).with_context(path)?;
            return Ok(Opened { reader, timeline, functions, selection, damage: None });
        }
        let index = indexed::of(&self.file, &mut file).with_context(path)?;
        let timeline = index.timeline();
        let reader = Reader::with_index(input(file), index).with_context(path)?;
        Ok(Opened { reader, timeline, functions, selection, damage: None })
    }
}

/// The gaps of a recording.
#[derive(Debug)]
pub struct Report {
    /// How it ended.
    pub ending: Option<Ending>,
    /// The damage at which reading has stopped.
    pub damage: Option<ReadError>,
    /// The number of functions without a name in the assemblies, and the error of the first.
    pub nameless: Option<(usize, String)>,
    /// Other notes about the output.
    pub notes: Vec<String>,
    /// Whether nothing was found, of a search or, with `--strict`, of a pattern. The command fails.
    pub is_missing: bool,
}

/// The arguments of the command, for callers within the process.
#[derive(Debug, Parser)]
#[command(name = "corprof trace", no_binary_name = true)]
struct Words {
    #[command(flatten)]
    arguments: TraceArgs,
}

/// Runs `corprof trace` with these arguments, and writes to `out` in the place of standard output.
///
/// # Errors
///
/// When the arguments are wrong, or the recording cannot be read, or the output not be written.
pub fn run<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>, out: &mut dyn Write) -> Result<Report> {
    let words = arguments.into_iter().map(|word| word.as_ref().to_owned());
    perform(&Words::try_parse_from(words)?.arguments.command, out)
}

fn perform(command: &Command, out: &mut dyn Write) -> Result<Report> {
    let Some(recording) = command.recording() else {
        let notes = if let Command::Complete { file } = command { completed(file)? } else { Vec::new() };
        return Ok(Report { ending: None, damage: None, nameless: None, notes, is_missing: false });
    };
    let mut opened = recording.open()?;
    let mut is_missing = false;
    let mut notes = children::notes(&recording.file, opened.reader.process());
    match command {
        Command::Complete { .. } => {}
        Command::Print { format, .. } => {
            let format = match format {
                Form::Text => Format::Text,
                Form::Jsonl => Format::Jsonl,
            };
            print::write(&mut opened, format, out)?;
        }
        Command::Tree { depth, least, .. } => {
            tree::read(&mut opened)?.show(&opened.functions, *depth, *least, out)?;
        }
        Command::Top { by, number, .. } => top::write(&mut opened, *by, *number, out)?,
        Command::Flame { output, folded, depth, .. } => {
            let mut out = files::output(output.output.as_deref(), &recording.file, out)?;
            let forest = tree::read(&mut opened)?;
            let write = if *folded { flame::write_folded } else { flame::draw };
            notes.extend(write(&forest, &opened.functions, *depth, &mut out)?);
        }
        Command::Find { query, .. } => {
            let reason = find::write(&mut opened, query, out)?;
            is_missing = reason.is_some();
            notes.extend(reason);
        }
        Command::Export { export, .. } => notes.push(export::write(&mut opened, export)?),
        Command::Speedscope { output, .. } => {
            let mut out = files::output(output.output.as_deref(), &recording.file, out)?;
            speedscope::write(&mut opened, &name_of(&recording.file), &mut out)?;
        }
        Command::Chrome { output, .. } => {
            chrome::write(&mut opened, &mut files::output(output.output.as_deref(), &recording.file, out)?)?;
        }
    }
    for unmatched in opened.functions.unmatched(opened.reader.functions()) {
        is_missing |= recording.select.strict;
        notes.push(unmatched.to_string());
    }
    let mut omitted = Omitted::default();
    let methods = opened.reader.omitted().inspect(|(_, more)| omitted += *more).count();
    if methods > 0 {
        notes.push(format!(
            "{omitted} calls of {methods} methods are omitted, to keep to the budget of calltrace (--budget); trace top shows of which"
        ));
    }
    let nameless = opened.functions.failures().map(|(count, first)| (count, first.to_owned()));
    Ok(Report { ending: opened.reader.ending(), damage: opened.damage, nameless, notes, is_missing })
}

/// Appends the journal of a trace, if there is one.
pub(crate) fn completed(file: &Path) -> Result<Vec<String>> {
    let shown = file.display();
    Ok(match recording::complete(file)? {
        Some(Completed { appended, .. }) => vec![format!("{appended} bytes of {shown} were in its journal")],
        None => vec![format!("{shown} has no journal: nothing is missing, or it is lost")],
    })
}

/// Runs the command of the arguments.
pub(crate) fn main(arguments: &TraceArgs) -> Result<ExitCode> {
    match perform(&arguments.command, &mut BufWriter::new(io::stdout().lock())) {
        Ok(report) => Ok(report.show()),
        // The reader has closed the pipe, for instance `head`.
        Err(error) if is_broken_pipe(&error) => Ok(ExitCode::SUCCESS),
        Err(error) => Err(error),
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = |cause: &(dyn core::error::Error + 'static)| match cause.downcast_ref::<serde_json::Error>() {
        Some(error) => error.io_error_kind(),
        None => cause.downcast_ref().map(io::Error::kind),
    };
    error.chain().any(|cause| kind(cause) == Some(io::ErrorKind::BrokenPipe))
}

impl Report {
    /// Reports gaps.
    fn show(&self) -> ExitCode {
        match self.ending {
            // This is also where the recording ends.
            _ if self.damage.is_some() => {}
            Some(Ending::Cut { offset }) => eprintln!(
                "warning: the recording stops at byte {offset}, in the middle: the program was killed or is still running, or the \
                 file was cut; everything before that is included"
            ),
            Some(Ending::Finished { lost: lost @ 1.. }) => eprintln!(
                "warning: {lost} records are missing, because the buffers were full; record with --when-full wait, or trace \
                 fewer methods"
            ),
            _ => {}
        }
        for note in &self.notes {
            eprintln!("note: {}", Printable(note));
        }
        if let Some(damage) = &self.damage {
            eprintln!(
                "error: {damage}; what is before that is included, and nothing behind it: if the file was copied, copy it again"
            );
        }
        let Some((count, first)) = &self.nameless else {
            let is_whole = self.damage.is_none() && !self.is_missing;
            return if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        };
        let first = Printable(first);
        eprintln!(
            "error: {count} functions have no name in the assemblies; the first: {first}\n\
             name the folders of the program's assemblies and of its framework with --assemblies, of the same builds that \
             were running, or omit it to use the recorded names"
        );
        ExitCode::FAILURE
    }
}
