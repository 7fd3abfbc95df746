//! The command line of `cargo xtask`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{ArgAction, Args, Parser, Subcommand};

use crate::dotnet::{self, CSharp, RuntimeVersion};
use crate::machine::Foreign;
use crate::targets::Work;
use crate::{
    api, audit, bench, codegen, conformance, coverage, demo, dist, doctor, floors, fuzz, ledger, models,
    packages, platforms, targets, test,
};

/// The commands for contributors to this repository. Users have the command `corprof`.
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
    /// end-to-end runs on all runtimes. All steps are run, even when one fails.
    #[command(
        after_help = "Examples:\n  cargo xtask test\n  cargo xtask test clippy unit\n  cargo xtask test --list"
    )]
    Test(TestArgs),
    /// List the tools that are found and missing, and how to get them
    ///
    /// Installs nothing and changes nothing.
    #[command(after_help = "Example: cargo xtask doctor")]
    Doctor,
    /// Provision all runtimes and the C# compiler below target/dotnet
    ///
    /// Downloads are pinned by SHA-256, kept, and resumed. `demo` and `test` do this by themselves.
    #[command(after_help = "Example: cargo xtask provision --force")]
    Provision {
        /// Unpack and build everything again, even if it exists
        #[arg(long)]
        force: bool,
        /// Provision the runtimes of another target and its emulator instead
        #[arg(long, conflicts_with = "force")]
        target: Option<Foreign>,
    },
    /// Compile C# files into one program
    ///
    /// Writes a .runtimeconfig.json beside the program, so that it can be run with `dotnet`.
    #[command(after_help = "Example: cargo xtask compile hello.cs -o target/hello.dll --runtime 9.0")]
    Compile(CompileArgs),
    /// Measure, each beside something to compare it with
    ///
    /// For sigparse, downloads and builds the peers below target/benches.
    #[command(
        after_help = "Examples:\n  cargo xtask bench names\n  cargo xtask bench hooks --only calls --rounds 10
  cargo xtask bench hooks --only calls --rounds 10 --beside ../earlier\n  cargo xtask bench sigparse --table"
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
        /// Only check that the checked-in bindings are current
        #[arg(long)]
        check: bool,
    },
    /// Write docs/coverage.md: which methods of the API corprof has, and why not the others
    ///
    /// Fails when a method has neither a wrapper nor a reason in xtask/src/coverage/reasons.txt.
    #[command(after_help = "Example: cargo xtask coverage --check")]
    Coverage {
        /// Only check that the checked-in table is current
        #[arg(long)]
        check: bool,
    },
    /// Check everything for other targets, link calltrace for each, and look at what the library exports and needs
    ///
    /// Windows, Linux on Arm, musl, macOS, and glibc 2.17. The standard libraries are the toolchain's, if it has them; the
    /// linker and what else is needed comes from Debian and PyPI below target/targets. Nothing is installed.
    #[command(after_help = "Example: cargo xtask targets x86_64-pc-windows-gnu")]
    Targets {
        /// The targets; all of them if none is named
        #[arg(value_name = "TARGET")]
        names: Vec<String>,
        /// Run the unit tests of corprof, argvalues and recording instead: on Arm by QEMU's user mode
        #[arg(long, requires = "names", conflicts_with = "link")]
        unit: bool,
        /// Link calltrace, and compile nothing else
        #[arg(long)]
        link: bool,
    },
    /// Write docs/platforms.md: where the libraries depend on the system or the processor, and what happens elsewhere
    ///
    /// Fails when a file has such a `cfg` and no sentence in xtask/src/platforms/reasons.txt.
    #[command(after_help = "Example: cargo xtask platforms --check")]
    Platforms {
        /// Only say whether the checked-in table is current
        #[arg(long)]
        check: bool,
    },
    /// Package the published crates as crates.io gets them, and check manifests, licences and files
    ///
    /// Two crates are built from their packages, or all.
    #[command(after_help = "Example: cargo xtask packages --build")]
    Packages {
        /// Build every crate from its package
        #[arg(long)]
        build: bool,
    },
    /// Check licences, duplicates and sources of all dependencies against deny.toml
    ///
    /// `cargo deny check` reads the same file, and knows the published advisories too.
    #[command(after_help = "Example: cargo xtask audit")]
    Audit,
    /// Compare the public API of the published crates with that of the last release
    #[command(after_help = "Examples:\n  cargo xtask api\n  cargo xtask api --write")]
    Api {
        /// Write docs/api, as a part of a release
        #[arg(long)]
        write: bool,
    },
    /// Make the archives of a release: the command, the tools, licences, checksums, a bill of materials
    ///
    /// The platforms are linux-x64 (glibc 2.17), linux-musl-x64, linux-arm64 and win-x64. Everything is in target/dist.
    #[command(after_help = "Examples:\n  cargo xtask dist\n  cargo xtask dist linux-x64 --check")]
    Dist {
        /// The platforms; all of them if none is named
        #[arg(value_name = "PLATFORM")]
        names: Vec<String>,
        /// Build again in another folder, compare, and try the archive of this machine where there is no Rust
        #[arg(long)]
        check: bool,
    },
    /// Check that imports go down: between crates, between the modules of a crate, and form no large cycles
    ///
    /// The floors and the exceptions are in xtask/src/floors/rules.txt.
    #[command(after_help = "Example: cargo xtask floors corprof")]
    Floors {
        /// Look at this crate only, and show every import that is against the order
        name: Option<String>,
    },
    /// Test every interleaving of threads that share state (loom)
    ///
    /// Runs the tests in modules named `model`. LOOM_MAX_PREEMPTIONS sets how thorough they are.
    #[command(after_help = "Example: cargo xtask loom")]
    Loom,
    /// Run the libraries' tests in a build with AddressSanitizer
    ///
    /// On Linux x86-64, with the toolchain that is installed. Leaks are not reported: hooks keep memory until the process ends.
    #[command(after_help = "Example: cargo xtask sanitize")]
    Sanitize,
    /// Write docs/unsafe.md: which files have unsafe code, how much, and under which contract
    ///
    /// Fails when such a file has no contract in its header.
    #[command(after_help = "Example: cargo xtask unsafe --check")]
    Unsafe {
        /// Only check that the checked-in table is current
        #[arg(long)]
        check: bool,
        /// Count in another checkout, and write nothing
        #[arg(long, value_name = "FOLDER", conflicts_with = "check")]
        of: Option<PathBuf>,
    },
    /// Write docs/conformance.md: the runtime's own profiler tests that pass with corprof
    ///
    /// Runs what asserts the same on all runtimes, which takes a few minutes. The rows are in
    /// xtask/src/conformance/rows.rs.
    #[command(after_help = "Example: cargo xtask conformance --check")]
    Conformance {
        /// Run nothing; only check that the tests exist and the checked-in table is current
        #[arg(long)]
        check: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// The runtime to show it on: 3.1, 8.0, 9.0, 10.0, or the path of a `dotnet`
    ///
    /// By default 9.0, and 10.0 for another target.
    #[arg(long, value_name = "VERSION|PATH")]
    pub(crate) runtime: Option<OsString>,
    /// Show it on another target: x86_64-pc-windows-gnu, by Wine, or aarch64-unknown-linux-gnu, by QEMU
    #[arg(long)]
    pub(crate) target: Option<Foreign>,
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
    /// Run the tests of another target instead, by an emulator: x86_64-pc-windows-gnu or aarch64-unknown-linux-gnu
    #[arg(long)]
    pub(crate) target: Option<Foreign>,
}

#[derive(Debug, Args)]
struct CompileArgs {
    /// The source files
    #[arg(required = true, value_name = "FILE.cs")]
    sources: Vec<PathBuf>,
    /// The assembly to write
    #[arg(short, long, value_name = "OUT.dll")]
    output: PathBuf,
    /// The runtime to compile for; the program runs on newer ones too
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
    /// Refer to ASP.NET Core too (9.0 and 10.0 only)
    #[arg(long)]
    aspnet: bool,
    /// Make an executable beside the assembly that holds it, what it refers to and the runtime (8.0 and 10.0 only)
    #[arg(long, conflicts_with_all = ["library", "aspnet"])]
    single_file: bool,
}

/// Runs the command in the arguments.
///
/// # Errors
///
/// If the command fails; the message ends with a remedy.
pub fn main() -> Result<ExitCode> {
    let cli = Cli::parse();
    match cli.command {
        Command::Demo(arguments) => return demo::main(&arguments),
        Command::Test(arguments) => return test::main(&arguments),
        Command::Bench(arguments) => return bench::main(&arguments),
        Command::Fuzz(arguments) => return fuzz::main(&arguments),
        Command::Doctor => return Ok(doctor::main()),
        Command::Provision { target: Some(target), .. } => {
            for version in dotnet::foreign::versions(target) {
                let runtime = dotnet::foreign::runtime(target, version)?;
                println!("{version}: {} by {}", runtime.version, crate::paths::shown(&runtime.path()));
            }
        }
        Command::Provision { force, target: None } => {
            dotnet::provision(force)?;
            println!("provisioned; `cargo xtask doctor` lists the runtimes");
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
            let program = dotnet::compile(&csharp)?;
            println!("{}", crate::paths::shown(&program));
            if arguments.single_file {
                let output = program.with_extension(std::env::consts::EXE_EXTENSION);
                let references = &csharp.references;
                let single = dotnet::single_file(arguments.runtime, &program, references, &output)?;
                println!("{}", crate::paths::shown(&single));
            }
        }
        Command::Codegen { check } => codegen::run(check)?,
        Command::Coverage { check } => coverage::run(check)?,
        Command::Unsafe { check, of } => ledger::run(check, of.as_deref())?,
        Command::Targets { names, unit, link } => {
            let work = match (unit, link) {
                (true, _) => Work::Test,
                (_, true) => Work::Link,
                _ => Work::All,
            };
            targets::run(&names, work)?;
        }
        Command::Platforms { check } => platforms::run(check)?,
        Command::Dist { names, check } => dist::run(&names, check)?,
        Command::Packages { build } => packages::run(build)?,
        Command::Audit => audit::run()?,
        Command::Api { write } => api::run(write)?,
        Command::Loom => models::run()?,
        Command::Sanitize => models::sanitize()?,
        Command::Floors { name } => floors::run(name.as_deref())?,
        Command::Conformance { check } => conformance::run(check)?,
    }
    Ok(ExitCode::SUCCESS)
}
