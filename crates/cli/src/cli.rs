//! The command line of `corprof`.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::error::{ContextKind, ContextValue};
use clap::{Args, Command, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use clap_complete::Shell;

use crate::{attach, doctor, find, new, pack, ps, report, run, symbolize, trace};

/// Run .NET programs under a profiler, attach to them, read what was recorded
#[derive(Debug, Parser)]
#[command(
    name = "corprof",
    version,
    after_help = "Examples:\n  corprof run calltrace -- app.dll\n  corprof attach 4711 watch\n  corprof doctor\n\nEach command has --help.",
    subcommand_required = true,
    arg_required_else_help = true
)]
struct Cli {
    #[command(subcommand)]
    command: Fixed,
}

/// The commands that do not depend on the tools.
#[derive(Debug, Subcommand)]
enum Fixed {
    /// List the .NET processes that a profiler can be attached to
    ///
    /// On a terminal, command lines are cut to its width.
    #[command(after_help = "Examples:\n  corprof ps\n  corprof ps --full")]
    Ps(ps::PsArgs),
    /// List the sessions of the agents in running processes
    #[cfg(unix)]
    #[command(after_help = "Examples:\n  corprof sessions\n  corprof sessions 4711")]
    Sessions(crate::agent::SessionsArgs),
    /// Stop a session of the agent in a running process, or all
    ///
    /// Who has started a session gets its last report.
    #[cfg(unix)]
    #[command(after_help = "Examples:\n  corprof stop 4711\n  corprof stop 4711 2")]
    Stop(crate::agent::StopArgs),
    /// Read a recording of calls: as lines, as a tree, by function, as a flame graph
    ///
    /// `corprof run calltrace --format binary --out FILE` makes one. Functions have the names that were recorded, or
    /// those of assembly files.
    #[command(
        after_help = "Examples:\n  corprof run calltrace --format binary --out calls.rec -- app.dll\n  \
                      corprof trace top calls.rec\n  corprof trace flame calls.rec -o calls.svg"
    )]
    Trace(trace::TraceArgs),
    /// Read the recording of a tool: as a report, tables, a profile, single numbers
    ///
    /// `corprof run TOOL --out FILE.clrec` and `corprof attach` keep one. A recording of a program that was killed is read as far as
    /// it goes.
    #[command(
        after_help = "Examples:\n  corprof run gc --out gc.clrec -- app.dll\n  corprof report gc.clrec\n  \
                      corprof report gc.clrec --out gc.svg\n  corprof report gc.clrec --format json\n  \
                      corprof report gc.clrec --metric pauses.length.p99"
    )]
    Report(report::ReportArgs),
    /// Write names in the place of the method identities in a log
    ///
    /// A profiler logs identities (`corprof::Names::identity`); this names them from the assembly files,
    /// without a runtime. Everything else in the log stays as it is.
    #[command(
        after_help = "Examples:\n  corprof symbolize -a app/bin -a /usr/share/dotnet/shared < profile.log\n  \
                      corprof symbolize -a app/bin --form declaration profile.log"
    )]
    Symbolize(symbolize::SymbolizeArgs),
    /// Examine what profilers depend on: runtime, C library, environment, permissions
    ///
    /// With a process id, examines that process; with the path of a program, that file. Changes nothing.
    #[command(
        after_help = "Examples:\n  corprof doctor\n  corprof doctor 4711\n  corprof doctor bin/shop.dll"
    )]
    Doctor(doctor::DoctorArgs),
    /// Make a project with a profiler, its tests and its continuous integration
    #[command(
        after_help = "Examples:\n  corprof new my-profiler\n  corprof new my-sampler --variant sampling --path ../corprof"
    )]
    New(new::NewArgs),
    /// Put a profiler into a NuGet package, with a script that launches programs with it
    ///
    /// The package has the library below runtimes/RID/native, and tools/profile.sh, which sets the runtime's variables with both
    /// of their prefixes. The platform and the class id are read from the library.
    #[command(
        after_help = "Example: corprof pack target/release/libmine.so --id Mine --package-version 1.2.0"
    )]
    Pack(pack::PackArgs),
    /// Write a completion script for a shell
    #[command(
        after_help = "Example: corprof completions bash > ~/.local/share/bash-completion/completions/corprof"
    )]
    Completions(CompletionsArgs),
    /// Write the manual page, or a folder with a page for each command
    #[command(
        after_help = "Examples:\n  corprof man | man -l -\n  corprof man --output ~/.local/share/man/man1"
    )]
    Man(ManArgs),
}

#[derive(Debug, Args)]
struct ManArgs {
    /// The folder for the pages of all commands
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Runs the command of the process's arguments.
///
/// # Errors
///
/// If the command fails; the message ends with a remedy.
pub fn main() -> Result<ExitCode> {
    match perform(std::env::args_os().collect()) {
        // The reader has closed the pipe, for instance `head`.
        Err(error) if trace::is_broken_pipe(&error) => Ok(ExitCode::SUCCESS),
        outcome => outcome,
    }
}

/// The whole command line, with the tools as commands below `run` and `attach`.
fn command(tools: &[crate::tool::Tool]) -> Command {
    let mut order = 2;
    let others = Cli::command().mut_subcommands(|command| {
        order += 1;
        command.display_order(order)
    });
    // What most users come for is listed first.
    others.subcommands([run::command(tools).display_order(1), attach::command(tools).display_order(2)])
}

fn perform(words: Vec<OsString>) -> Result<ExitCode> {
    // Only these have the flags of the tools, and only they wait for cargo to name them.
    let tools = match words.get(1).and_then(|word| word.to_str()) {
        Some("run" | "attach" | "help") => find::tools()?,
        _ => Vec::new(),
    };
    let matches = match command(&tools).try_get_matches_from(words) {
        Ok(matches) => matches,
        Err(error) => {
            if let Some(name) = unknown_name(&error) {
                find::named(&tools, &name)?;
            }
            error.exit()
        }
    };
    match matches.subcommand() {
        Some(("run", matches)) => return run::main(&tools, matches),
        Some(("attach", matches)) => return attach::main(&tools, matches),
        _ => {}
    }
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let mut out = io::stdout().lock();
    let code = match cli.command {
        Fixed::Ps(arguments) => ps::main(&arguments, &mut out)?,
        #[cfg(unix)]
        Fixed::Sessions(arguments) => crate::agent::sessions(&arguments, &mut out)?,
        #[cfg(unix)]
        Fixed::Stop(arguments) => crate::agent::stop(&arguments)?,
        Fixed::Report(arguments) => report::main(&arguments)?,
        Fixed::Trace(arguments) => trace::main(&arguments)?,
        Fixed::Symbolize(arguments) => symbolize::main(&arguments)?,
        Fixed::Doctor(arguments) => doctor::main(&arguments, &mut out)?,
        Fixed::New(arguments) => new::main(&arguments, &mut out)?,
        Fixed::Pack(arguments) => pack::main(&arguments, &mut out)?,
        Fixed::Completions(arguments) => {
            out.write_all(&completions(arguments.shell))?;
            ExitCode::SUCCESS
        }
        Fixed::Man(arguments) => {
            match &arguments.output {
                Some(folder) => manual(folder)?,
                None => clap_mangen::Man::new(documented()).render(&mut out)?,
            }
            ExitCode::SUCCESS
        }
    };
    out.flush()?;
    Ok(code)
}

/// Writes a manual page for each command into a folder, which is created.
///
/// # Errors
///
/// If the folder cannot be written.
pub fn manual(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(documented(), folder))
        .with_context(|| format!("cannot write to {}", folder.display()))
}

/// The command line without the command `help`, which needs no page.
fn documented() -> Command {
    command(&[]).disable_help_subcommand(true)
}

/// Returns the completion script of a shell.
#[must_use]
pub fn completions(shell: Shell) -> Vec<u8> {
    // Writing to memory cannot fail.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(&[]), "corprof", &mut script);
    script
}

/// The word of `run` or `attach` that stands for a tool and names none.
fn unknown_name(error: &clap::Error) -> Option<String> {
    let kinds = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand];
    let word = kinds.into_iter().find_map(|kind| match error.get(kind)? {
        ContextValue::String(word) => Some(word.clone()),
        _ => None,
    })?;
    let is_below = std::env::args().nth(1).is_some_and(|command| command == "run" || command == "attach");
    (is_below && !word.starts_with('-')).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_valid_and_shows_an_example() {
        let mut cli = command(&[]);
        cli.build();
        cli.clone().debug_assert();
        for command in cli.get_subcommands().filter(|command| command.get_name() != "help") {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(
                help.contains(&format!("corprof {}", command.get_name())),
                "{}: {help}",
                command.get_name()
            );
        }
    }

    #[test]
    fn every_command_has_a_manual_page_with_its_example() {
        let folder = tempfile::tempdir().unwrap();
        manual(folder.path()).unwrap();
        let mut cli = command(&[]);
        cli.build();
        for command in cli.get_subcommands().map(Command::get_name).filter(|name| *name != "help") {
            let page = fs::read_to_string(folder.path().join(format!("corprof-{command}.1"))).unwrap();
            let text = page.replace("\\-", "-");
            assert!(text.contains(&format!("corprof {command}")), "{page}");
        }
        let mut page = Vec::new();
        clap_mangen::Man::new(documented()).render(&mut page).unwrap();
        assert_eq!(fs::read(folder.path().join("corprof.1")).unwrap(), page);
        assert!(String::from_utf8(page).unwrap().contains(".SH SYNOPSIS"));
    }

    #[test]
    fn help_has_no_escapes_and_completions_name_the_commands() {
        let help = command(&[]).render_long_help().to_string();
        assert!(!help.contains('\u{1b}') && help.contains("corprof run calltrace -- app.dll"), "{help}");
        let listed = ["run", "attach", "ps", "trace", "report", "symbolize", "doctor", "new"];
        let at = listed.map(|name| help.find(&format!("\n  {name} ")));
        assert!(at.is_sorted() && at[0].is_some(), "{help}");
        let script = String::from_utf8(completions(Shell::Bash)).unwrap();
        assert!(["run", "attach", "doctor"].iter().all(|name| script.contains(name)));
    }
}
