//! The command line of `cargo xtask`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{ArgAction, Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::dotnet::{self, CSharp, RuntimeVersion};
use crate::{
    attach, bench, codegen, conformance, coverage, demo, doctor, example, fuzz, run, symbolize, test, trace,
};

/// Every developer and user command of this repository.
#[derive(Debug, Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    after_help = "Example: cargo xtask demo\n\nNothing here needs root or changes the system: all that is \
                  downloaded lies below target/.",
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Trace a C# program: provision, compile, build, run
    ///
    /// Finds a .NET runtime and a C# compiler, or provisions them, compiles the program in
    /// tests/apps/demo, builds calltrace, and prints the program's call tree.
    #[command(after_help = "Example: cargo xtask demo --runtime 3.1")]
    Demo(DemoArgs),
    /// Run every check there is
    ///
    /// Formatting, lints, unit tests, the ABI's tests, documentation and its tests, generated code, and
    /// end-to-end runs on both runtimes. All steps are run, even when one fails.
    #[command(
        after_help = "Examples:\n  cargo xtask test\n  cargo xtask test clippy unit\n  cargo xtask test --list"
    )]
    Test(TestArgs),
    /// Say what is found, what is missing, and what mends it
    ///
    /// Installs nothing and changes nothing.
    #[command(after_help = "Example: cargo xtask doctor")]
    Doctor,
    /// Provision both runtimes and the C# compiler below target/dotnet
    ///
    /// Downloads are pinned by SHA-256, kept, and resumed. `demo`, `test` and `run` do this by themselves.
    #[command(after_help = "Example: cargo xtask provision --force")]
    Provision {
        /// Unpack and build all of it again, even what is there
        #[arg(long)]
        force: bool,
    },
    /// Compile C# files into one program
    ///
    /// Writes a .runtimeconfig.json beside the program, so that it can be run with `dotnet`.
    #[command(after_help = "Example: cargo xtask compile hello.cs -o target/hello.dll --runtime 9.0")]
    Compile(CompileArgs),
    /// Write names in the place of the method identities in a log
    ///
    /// A profiler logs identities (`corprof::Names::identity`); this names them from the assembly files,
    /// without a runtime. Everything else in the log stays as it is.
    #[command(
        after_help = "Examples:\n  cargo xtask symbolize -a app/bin -a /usr/share/dotnet/shared < profile.log\n  \
                      cargo xtask symbolize -a app/bin --form declaration profile.log"
    )]
    Symbolize(symbolize::SymbolizeArgs),
    /// Read a recording of calls: as lines, as a tree, by function, as a flame graph
    ///
    /// `cargo xtask run calltrace --format binary --out FILE` makes one. Functions have the names that were recorded, or
    /// those of assembly files.
    #[command(
        after_help = "Examples:\n  cargo xtask run calltrace --format binary --out calls.rec -- app.dll\n  \
                      cargo xtask trace top calls.rec\n  cargo xtask trace flame calls.rec -o calls.svg"
    )]
    Trace(trace::TraceArgs),
    /// Measure, each beside something to compare it with
    ///
    /// For sigparse, downloads and builds the peers below target/benches.
    #[command(
        after_help = "Examples:\n  cargo xtask bench names\n  cargo xtask bench hooks --only calls --rounds 10\n  cargo xtask bench sigparse --table"
    )]
    Bench(bench::BenchArgs),
    /// Fuzz sigparse, clrnames, argvalues and recording
    ///
    /// Needs a C++ compiler for libFuzzer, and no nightly toolchain.
    #[command(after_help = "Example: cargo xtask fuzz decode --seconds 600")]
    Fuzz(fuzz::FuzzArgs),
    /// Generate the raw bindings from the C headers again
    #[command(after_help = "Example: cargo xtask codegen --check")]
    Codegen {
        /// Only say whether the checked-in bindings are current
        #[arg(long)]
        check: bool,
    },
    /// Write docs/coverage.md: which methods of the API corprof has, and why not the others
    ///
    /// Fails when a method has neither a wrapper nor a reason in xtask/src/coverage/reasons.txt.
    #[command(after_help = "Example: cargo xtask coverage --check")]
    Coverage {
        /// Only say whether the checked-in table is current
        #[arg(long)]
        check: bool,
    },
    /// Write docs/conformance.md: which of the runtime's own profiler tests hold with corprof
    ///
    /// Runs what asserts the same on both runtimes, which takes a few minutes. The rows are in
    /// xtask/src/conformance/rows.rs.
    #[command(after_help = "Example: cargo xtask conformance --check")]
    Conformance {
        /// Run nothing; only say whether the tests exist and the checked-in table is current
        #[arg(long)]
        check: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// The runtime to show it on: 3.1, 9.0, or the path of a `dotnet`
    #[arg(long, value_name = "VERSION|PATH", default_value = "9.0")]
    pub(crate) runtime: OsString,
}

#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// The steps to run; all of them if none is named
    #[arg(value_name = "STEP")]
    pub(crate) steps: Vec<String>,
    /// Say which steps there are, and run none
    #[arg(long)]
    pub(crate) list: bool,
    /// Run the long tests too (they see CORPROF_TEST_FULL=1)
    #[arg(long)]
    pub(crate) full: bool,
}

#[derive(Debug, Args)]
struct CompileArgs {
    /// The source files
    #[arg(required = true, value_name = "FILE.cs")]
    sources: Vec<PathBuf>,
    /// The assembly to write
    #[arg(short, long, value_name = "OUT.dll")]
    output: PathBuf,
    /// The runtime to compile for; what is compiled for 3.1 runs on 9.0 too
    #[arg(long, value_name = "VERSION", default_value = "9.0")]
    runtime: RuntimeVersion,
    /// An assembly to refer to; may be repeated
    #[arg(short, long, value_name = "FILE.dll")]
    reference: Vec<PathBuf>,
    /// A preprocessor symbol; may be repeated
    #[arg(short, long, value_name = "SYMBOL")]
    define: Vec<String>,
    /// Compile as a debug build does, without optimising
    #[arg(long = "no-optimize", action = ArgAction::SetFalse)]
    optimize: bool,
    /// Make a library instead of a program
    #[arg(long)]
    library: bool,
    /// Refer to ASP.NET Core too (9.0 only)
    #[arg(long)]
    aspnet: bool,
}

/// Runs the command that the arguments ask for.
///
/// # Errors
///
/// When the command fails; the message ends with what mends it.
pub fn main() -> Result<ExitCode> {
    // Only these have the flags of the examples, and only they wait for cargo to name them.
    let first = std::env::args_os().nth(1);
    let examples = match first.as_deref().and_then(|word| word.to_str()) {
        Some("run" | "attach" | "help") => example::all()?,
        _ => Vec::new(),
    };
    let commands = [run::command(&examples), attach::command(&examples)];
    let matches = Cli::command().subcommands(commands).get_matches();
    match matches.subcommand() {
        Some(("run", matches)) => return run::main(&examples, matches),
        Some(("attach", matches)) => return attach::main(&examples, matches),
        _ => {}
    }
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    match cli.command {
        Command::Demo(arguments) => return demo::main(&arguments),
        Command::Test(arguments) => return test::main(&arguments),
        Command::Bench(arguments) => return bench::main(&arguments),
        Command::Fuzz(arguments) => return fuzz::main(&arguments),
        Command::Symbolize(arguments) => return symbolize::main(&arguments),
        Command::Trace(arguments) => return trace::main(&arguments),
        Command::Doctor => return Ok(doctor::main()),
        Command::Provision { force } => {
            dotnet::provision(force)?;
            let dotnet = dotnet::provisioned_root().join("dotnet");
            println!("provisioned; `{} --list-runtimes` lists the runtimes", crate::paths::shown(&dotnet));
        }
        Command::Compile(arguments) => {
            let csharp = CSharp {
                references: arguments.reference,
                defines: arguments.define,
                optimize: arguments.optimize,
                library: arguments.library,
                aspnet: arguments.aspnet,
                ..CSharp::new(arguments.runtime, arguments.sources, arguments.output)
            };
            println!("{}", crate::paths::shown(&dotnet::compile(&csharp)?));
        }
        Command::Codegen { check } => codegen::run(check)?,
        Command::Coverage { check } => coverage::run(check)?,
        Command::Conformance { check } => conformance::run(check)?,
    }
    Ok(ExitCode::SUCCESS)
}
