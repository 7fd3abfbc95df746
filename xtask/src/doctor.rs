//! `cargo xtask doctor`: lists what is installed, what is missing, and how to get it. It changes nothing.

use std::env;
use std::fmt::Display;
use std::path::Path;
use std::process::{Command, ExitCode};

use corprof_testkit::dotnet::compile::{self, Compiler};
use corprof_testkit::dotnet::layout::NETCORE_APP;
use corprof_testkit::dotnet::{RuntimeVersion, foreign, given, locate, mcs, nuget, pins, provision};
use corprof_testkit::machine::Foreign;
use corprof_testkit::{paths, piece, process, registry};

use crate::codegen;

/// The result of the examination.
#[derive(Default)]
struct Doctor {
    missing: u32,
}

impl Doctor {
    fn there(&self, what: &str, detail: impl Display) {
        println!("  ok       {what:22} {detail}");
    }

    /// A tool that one of our commands provides when it is needed.
    fn later(&self, what: &str, detail: impl Display, remedy: &str) {
        println!("  not yet  {what:22} {detail}\n           {:22} → {remedy}", "");
    }

    /// A tool that only the user can install.
    fn missing(&mut self, what: &str, detail: impl Display, remedy: &str) {
        self.missing += 1;
        println!("  MISSING  {what:22} {detail}\n           {:22} → {remedy}", "");
    }

    /// A program that prints its version.
    fn tool(&mut self, what: &str, command: Command, needed: bool, remedy: &str) {
        match (version(command), needed) {
            (Some(version), _) => self.there(what, version),
            (None, true) => self.missing(what, "not found", remedy),
            (None, false) => self.later(what, "not found, not needed now", remedy),
        }
    }
}

/// Examines the machine.
#[must_use]
pub(crate) fn main() -> ExitCode {
    let mut doctor = Doctor::default();
    rust(&mut doctor);
    let compiler = Compiler::of_machine();
    let is_own = |version: &RuntimeVersion| locate::machine_runtime(*version).is_some();
    let provisioned = RuntimeVersion::PINNED.iter().all(|&version| provision::present(version).is_some())
        && piece::is_whole(&compile::driver_dir(), &compile::driver_stamp());
    // With an SDK, the demo needs no download; the tests need the runtimes that the machine lacks.
    let demo_works = provisioned || compiler.is_some() && RuntimeVersion::PINNED.iter().any(is_own);
    let tests_work = provisioned || compiler.is_some() && RuntimeVersion::PINNED.iter().all(is_own);
    clients(&mut doctor, !demo_works);
    runtimes(&mut doctor);
    csharp(&mut doctor, compiler.as_ref());
    println!();
    if doctor.missing == 0 {
        let tests = match tests_work {
            true => "`cargo xtask test` runs all tests.",
            false => "`cargo xtask test` downloads other runtimes first, with pip and npm.",
        };
        println!("Nothing is missing. `cargo xtask demo` shows a trace, {tests}");
        ExitCode::SUCCESS
    } else {
        println!("{} missing; run the commands after →.", doctor.missing);
        ExitCode::FAILURE
    }
}

fn rust(doctor: &mut Doctor) {
    println!("Rust");
    let rustup = "install Rust with rustup; rust-toolchain.toml names the version";
    doctor.tool("cargo", with(paths::cargo(), &["--version"]), true, rustup);
    doctor.tool("rustc", with("rustc", &["--version"]), true, rustup);
    let rustfmt = "rustup component add rustfmt";
    doctor.tool("rustfmt", with(paths::cargo(), &["fmt", "--version"]), true, rustfmt);
    doctor.tool(
        "clippy",
        with(paths::cargo(), &["clippy", "--version"]),
        true,
        "rustup component add clippy",
    );
    let linker = "sudo apt-get install gcc libc6-dev";
    doctor.tool("C compiler, linker", with("cc", &["--version"]), cfg!(unix), linker);
    let openssl = "sudo apt-get install openssl";
    doctor.tool("openssl (tests)", with("openssl", &["version"]), false, openssl);
    libclang(doctor);
}

fn libclang(doctor: &Doctor) {
    let what = "libclang (codegen)";
    if let Some(folder) = env::var_os("LIBCLANG_PATH") {
        return doctor.there(what, format!("LIBCLANG_PATH={}", Path::new(&folder).display()));
    }
    let known = process::output(with("ldconfig", &["-p"]).env("PATH", "/sbin:/usr/sbin:/bin:/usr/bin"));
    let known = known.map(|output| process::both(&output)).unwrap_or_default();
    let own =
        |line: &&str| ["libclang.so", "libclang-"].iter().any(|name| line.trim_start().starts_with(name));
    if let Some(library) = known.lines().filter(own).find(|line| !line.contains("-cpp")) {
        return doctor.there(what, library.rsplit(' ').next().unwrap_or(library));
    }
    let folder = paths::workspace().join("target").join("libclang-for-codegen");
    if piece::is_whole(&folder, codegen::LIBCLANG.sha256) {
        doctor.there(what, paths::shown(&folder));
    } else {
        doctor.later(what, "downloaded when it is needed", "cargo xtask codegen --check");
    }
}

fn clients(doctor: &mut Doctor, needed: bool) {
    println!("\nPackage clients, for what is provisioned");
    let install = "sudo apt-get install python3-pip";
    match registry::pip() {
        Ok(mut pip) => {
            pip.arg("--version");
            doctor.tool("pip", pip, needed, install);
        }
        Err(_) => doctor.tool("pip", with("pip", &["--version"]), needed, install),
    }
    doctor.tool("npm", with("npm", &["--version"]), needed, "sudo apt-get install npm");
    let needs_apt = needed && paths::on_path("mcs").is_none();
    let mono = "install mono's C# compiler `mcs` with the system's package manager, or a .NET SDK";
    doctor.tool("apt-get", with("apt-get", &["--version"]), needs_apt, mono);
    doctor.tool("dpkg", with("dpkg", &["--version"]), needs_apt, mono);
}

fn runtimes(doctor: &mut Doctor) {
    println!("\n.NET");
    let installations = locate::installations();
    if installations.is_empty() {
        println!("  none     {:22} this machine has no `dotnet`, which is fine", "dotnet");
    }
    for found in &installations {
        let versions: Vec<&str> = found
            .frameworks
            .iter()
            .filter(|(name, ..)| name == NETCORE_APP)
            .map(|(_, v, _)| v.as_str())
            .collect();
        let sdks: Vec<&str> = found.sdks.iter().map(|(version, _)| version.as_str()).collect();
        let listed = format!(
            "{}: runtimes [{}], SDKs [{}]",
            found.dotnet.display(),
            versions.join(", "),
            sdks.join(", ")
        );
        doctor.there("dotnet", listed);
    }
    for version in RuntimeVersion::ALL {
        let what = format!("runtime {version}");
        if let Some(runtime) = locate::machine_runtime(version) {
            doctor.there(&what, format!("{}, {}", runtime.version, runtime.path().display()));
        } else if let Some(folder) = given::folder().filter(|_| given::has(version)) {
            doctor.there(&what, format!("{}={}", given::VARIABLE, folder.display()));
        } else if let Some(runtime) = provision::present(version) {
            doctor.there(&what, format!("{}, {}", runtime.version, paths::shown(&runtime.path())));
        } else if !RuntimeVersion::PINNED.contains(&version) {
            let remedy = format!("set {}; see CONTRIBUTING.md", given::VARIABLE);
            doctor.later(&what, "no folder has it; the tests on it are not run", &remedy);
        } else if cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu")) {
            let detail = match nuget::version(version, "linux-x64") {
                Some(exact) => {
                    format!("provisioned when needed: {exact} of {}, or a package", nuget::source())
                }
                None => "provisioned when needed".to_owned(),
            };
            doctor.later(&what, detail, "cargo xtask provision");
        } else {
            let remedy = "install it beside the .NET SDK; it is provisioned on Linux x86-64 (glibc) alone";
            doctor.missing(&what, "not found", remedy);
        }
    }
    let musl: Vec<_> = foreign::versions(Foreign::LinuxMusl).map(RuntimeVersion::short).collect();
    match musl.is_empty() {
        false => doctor.there("runtimes for musl", musl.join(", ")),
        true => doctor.later(
            "runtimes for musl",
            format!("no folder has one; 10.0 comes from {}", nuget::source()),
            &format!("set {}; see CONTRIBUTING.md", given::VARIABLE),
        ),
    }
}

fn csharp(doctor: &mut Doctor, compiler: Option<&Compiler>) {
    let what = "C# compiler";
    if let Some(Compiler::Sdk { csc, .. }) = compiler {
        return doctor.there(what, csc.display());
    }
    let driver = compile::driver_dir();
    if piece::is_whole(&driver, &compile::driver_stamp()) {
        doctor.there(what, format!("{}, {}", pins::ROSLYN.package, paths::shown(&driver)));
    } else {
        doctor.later(what, "Roslyn is provisioned when needed", "cargo xtask provision");
    }
    if let Some(mcs) = paths::on_path("mcs") {
        doctor.there("mcs", mcs.display());
    } else if piece::is_whole(&mcs::folder(), &mcs::stamp()) {
        doctor.there("mcs", paths::shown(&mcs::folder()));
    } else {
        doctor.later("mcs", "fetched with apt when needed", "cargo xtask provision");
    }
}

fn with(program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

/// The first line that a program says about its version.
fn version(mut command: Command) -> Option<String> {
    let output = process::output(&mut command).ok().filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}
