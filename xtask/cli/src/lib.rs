//! The command line of `cargo xtask`, and the program behind it.
//!
//! This package depends on the parser of arguments alone, so that a new clone has `--help` soon. The commands themselves are the
//! package `xtask`, which the program builds and starts.

#[path = "../../../crates/cli/src/cargo.rs"]
pub mod cargo;
#[path = "../../../tests/testkit/src/foreign.rs"]
mod foreign;
mod measured;
#[path = "../../../tests/testkit/src/version.rs"]
mod version;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand};

pub use self::foreign::Foreign;
pub use self::measured::{BenchArgs, Part, What};
pub use self::version::RuntimeVersion;

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
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// A command with its arguments.
#[derive(Debug, Subcommand)]
pub enum Command {
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
    Bench(BenchArgs),
    /// Fuzz sigparse, clrnames, argvalues and recording
    ///
    /// Needs a C++ compiler for libFuzzer, and no nightly toolchain.
    #[command(after_help = "Example: cargo xtask fuzz decode --seconds 600")]
    Fuzz(FuzzArgs),
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
        /// Run unit tests of the crates with code for each platform instead: on Arm by QEMU's user mode, on Windows by Wine
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
        /// Build every crate from its package, and make sure that crates.io has no other crate of its name
        #[arg(long)]
        build: bool,
    },
    /// Check licences, duplicates and sources of all dependencies against deny.toml
    ///
    /// By cargo-deny, which on Linux x86-64 is downloaded. The published advisories are not checked.
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
    #[command(
        after_help = "Examples:\n  cargo xtask dist\n  cargo xtask dist win-x64 --try\n  cargo xtask dist linux-x64 --check --tool watch --tool calltrace"
    )]
    Dist {
        /// The platforms; all of them if none is named
        #[arg(value_name = "PLATFORM")]
        names: Vec<String>,
        /// Use each archive where there is no Rust: on this machine, by QEMU, by Wine. --tool must name calltrace, if any
        #[arg(long = "try")]
        tried: bool,
        /// As --try; then build each again in another folder, and compare
        #[arg(long)]
        check: bool,
        /// Leave out all tools except this, and write to target/dist/part; may be repeated
        #[arg(long, value_name = "TOOL")]
        tool: Vec<String>,
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

/// The arguments of `demo`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// The runtime to show it on: 3.1, 8.0, 9.0, 10.0, or the path of a `dotnet`
    ///
    /// By default 9.0, and the newest that there is for another target.
    #[arg(long, value_name = "VERSION|PATH")]
    pub runtime: Option<OsString>,
    /// Show it on another target: x86_64-pc-windows-gnu, by Wine, aarch64-unknown-linux-gnu, by QEMU, or
    /// x86_64-unknown-linux-musl, in a root folder
    #[arg(long)]
    pub target: Option<Foreign>,
}

/// The arguments of `test`.
#[derive(Debug, Args)]
pub struct TestArgs {
    /// The steps to run; all of them if none is named
    #[arg(value_name = "STEP")]
    pub steps: Vec<String>,
    /// Say which steps there are, and run none
    #[arg(long)]
    pub list: bool,
    /// Run the long tests too (they see CORPROF_TEST_LONG=1)
    #[arg(long)]
    pub long: bool,
    /// A step to leave out; may be repeated
    #[arg(long, value_name = "STEP", conflicts_with_all = ["steps", "target"])]
    pub without: Vec<String>,
    /// Run the tests of another target instead: x86_64-pc-windows-gnu or aarch64-unknown-linux-gnu, by an emulator, or
    /// x86_64-unknown-linux-musl, in a root folder
    #[arg(long)]
    pub target: Option<Foreign>,
}

/// The arguments of `compile`.
#[derive(Debug, Args)]
pub struct CompileArgs {
    /// The source files
    #[arg(required = true, value_name = "FILE.cs")]
    pub sources: Vec<PathBuf>,
    /// The assembly to write
    #[arg(short, long, value_name = "OUT.dll")]
    pub output: PathBuf,
    /// The runtime to compile for; the program runs on newer ones too
    #[arg(long, value_name = "VERSION", default_value = "9.0")]
    pub runtime: RuntimeVersion,
    /// An assembly to refer to; may be repeated
    #[arg(short, long, value_name = "FILE.dll")]
    pub reference: Vec<PathBuf>,
    /// A preprocessor symbol; may be repeated
    #[arg(short, long, value_name = "SYMBOL")]
    pub define: Vec<String>,
    /// Compile as a debug build does, without optimising
    #[arg(long = "no-optimize", action = ArgAction::SetFalse)]
    pub optimize: bool,
    /// Make a library instead of a program
    #[arg(long)]
    pub library: bool,
    /// Refer to ASP.NET Core too (9.0 and 10.0 only)
    #[arg(long)]
    pub aspnet: bool,
    /// Make an executable beside the assembly that holds it, what it refers to and the runtime (8.0 and 10.0 only)
    #[arg(long, conflicts_with_all = ["library", "aspnet"])]
    pub single_file: bool,
}

/// The arguments of `fuzz`.
#[derive(Debug, Args)]
pub struct FuzzArgs {
    /// What to fuzz: decode, roundtrip, print, values, bodies, verify, edit, image, pdb, heaps, calls, records, recording, events or nettrace; all of them if none is named
    #[arg(value_name = "TARGET")]
    pub target: Option<String>,
    /// The time for each target
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub seconds: u32,
    /// Keep a small corpus with the same coverage: the crate's tests replay it
    #[arg(long)]
    pub keep: bool,
}

/// Returns the command of the process's arguments. Help, and a message about wrong arguments, end the process.
#[must_use]
pub fn command() -> Command {
    Cli::parse().command
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn every_command_is_valid_and_shows_an_example() {
        let mut cli = Cli::command();
        cli.build();
        cli.clone().debug_assert();
        for command in cli.get_subcommands().filter(|command| command.get_name() != "help") {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let example = format!("cargo xtask {}", command.get_name());
            assert!(help.contains(&example), "{example}: {help}");
        }
    }

    #[test]
    fn every_example_is_accepted() {
        let mut cli = Cli::command();
        cli.build();
        let helps = cli.get_subcommands().filter_map(|command| command.get_after_help());
        let text: String = helps.map(|help| format!("{help}\n")).collect();
        let examples: Vec<&str> =
            text.lines().filter_map(|line| line.split_once("cargo xtask ")).map(|(_, it)| it).collect();
        assert!(examples.len() >= cli.get_subcommands().count() - 1, "{examples:?}");
        for example in examples {
            let words = ["cargo xtask"].into_iter().chain(example.split_whitespace());
            assert!(Cli::try_parse_from(words).is_ok(), "{example}");
        }
    }
}
