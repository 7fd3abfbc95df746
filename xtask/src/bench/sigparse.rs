//! `cargo xtask bench sigparse`: sigparse against other crates and a decoder in C.
//!
//! The benchmark is a workspace of its own, `benches/`, so that the other crates are linked into nothing else. It decodes
//! the method signatures of CoreLib 9.0 of the provisioned runtime.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context as _, Result, bail};
use corprof_testkit::dotnet::{self, CSharp, RuntimeVersion};
use corprof_testkit::{paths, process};

use super::start;

/// The crates that sigparse is compared with; each is a feature of the benchmark.
const PEERS: [&str; 3] = ["clrmeta", "dotnetdll", "dotscope"];

/// Measures, and prints a table.
pub(super) fn run(rounds: u32, is_table_only: bool) -> Result<()> {
    let signatures = signatures()?;
    let features = peers_that_build()?;
    if !is_table_only {
        let mut divan = cargo("bench", &features);
        start(divan.env("SIGNATURES", &signatures))?;
    }
    let mut table = cargo("run", &features);
    start(table.env("SIGNATURES", &signatures).env("ROUNDS", rounds.to_string()))
}

fn target_dir() -> PathBuf {
    paths::workspace().join("target").join("benches")
}

/// Writes the method signatures of CoreLib to a file.
fn signatures() -> Result<PathBuf> {
    let sources = paths::workspace().join("tests/apps/sigoracle");
    let sources = ["Attributes.cs", "Encoded.cs", "Marshalling.cs", "Program.cs", "Signatures.cs"]
        .map(|name| sources.join(name));
    let output = paths::apps_dir().join("sigoracle").join("sigoracle.dll");
    let program = dotnet::compile(&CSharp::new(RuntimeVersion::V9_0, sources, output))?;
    let runtime = dotnet::runtime(RuntimeVersion::V9_0)?;
    std::fs::create_dir_all(target_dir())?;
    let signatures = target_dir().join("signatures");
    let library = runtime.assemblies.join("System.Private.CoreLib.dll");
    let mut command = runtime.command(&program)?;
    process::capture(command.arg("methods").arg(library).arg(&signatures))?;
    println!("signatures: CoreLib {}", runtime.version);
    Ok(signatures)
}

/// Builds the benchmark with each crate that builds, and prints why the others do not.
fn peers_that_build() -> Result<Vec<&'static str>> {
    if build(&PEERS)?.status.success() {
        return Ok(PEERS.to_vec());
    }
    let mut peers = Vec::new();
    for peer in PEERS {
        let output = build(&[peer])?;
        if output.status.success() {
            peers.push(peer);
            continue;
        }
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let reason = text.lines().find(|line| line.starts_with("error")).unwrap_or("it does not say why");
        println!("without {peer}, which does not build here: {reason}");
    }
    let output = build(&peers)?;
    if !output.status.success() {
        bail!("the benchmark does not build\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(peers)
}

fn build(features: &[&str]) -> Result<Output> {
    eprintln!("building the benchmark with {} …", features.join(", "));
    let mut command = cargo("build", features);
    command.output().with_context(|| format!("cannot start `{}`", process::shown(&command)))
}

/// A cargo command for the benchmark's own workspace, with its own target folder and without inherited flags.
fn cargo(verb: &str, features: &[&str]) -> Command {
    let manifest: &Path = &paths::workspace().join("benches").join("Cargo.toml");
    let mut command = process::cargo([verb, "--quiet", "--locked"]);
    if verb == "bench" {
        command.args(["--bench", "sigparse"]);
    } else {
        command.arg("--release");
    }
    command.arg("--manifest-path").arg(manifest).arg("--target-dir").arg(target_dir());
    command.arg("--features").arg(features.join(","));
    command.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    command
}
