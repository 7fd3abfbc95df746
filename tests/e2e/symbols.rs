//! Names that are found later, from the assembly files, are those that were found in the process; and both are
//! what reflection says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use clrnames::{MethodIdentity, Symbol, SymbolError, Symbolizer};
use e2e::app::{App, Build};
use serde_json::{Value, json};
use xtask::dotnet::compile::Compiler;
use xtask::dotnet::{Runtime, RuntimeVersion, azmcp_program, runtime};
use xtask::launch::{Launch, scratch};
use xtask::paths;

const PATIENCE: Duration = Duration::from_secs(300);

/// How many methods are compared with reflection.
const SAMPLE: usize = 10_000;

/// The facts that are compared.
const FACTS: [&str; 6] = ["kind", "method", "signature", "declaration", "il", "source"];

/// What the profiler wrote, a line for each method.
fn named(path: &Path) -> Result<Vec<Value>> {
    let text = fs::read_to_string(path)?;
    text.lines().map(|line| serde_json::from_str(line).with_context(|| line.to_owned())).collect()
}

/// What the files say of a method, as the profiler writes it.
fn found(symbol: &Symbol<'_>) -> Result<Value, SymbolError> {
    let (call, declaration) = (symbol.call()?, symbol.declaration()?);
    let source = declaration.source.map(|source| {
        let tokens: Vec<u32> = source.candidates.iter().map(|method| method.token()).collect();
        json!({ "name": source.full_name, "tokens": tokens })
    });
    Ok(json!({
        "kind": format!("{:?}", declaration.kind),
        "method": call.name,
        "signature": call.signature,
        "declaration": declaration.text,
        "il": symbol.il_name()?,
        "source": source,
    }))
}

/// What has been compared.
#[derive(Default)]
struct Compared {
    /// Identities with the profiler's line, in order.
    named: BTreeMap<String, Value>,
    /// Methods that were made at run time, and so are in no file.
    made: usize,
}

/// Holds the names of a run against those that the files give. What the process names and the files do not must
/// have been made at run time.
fn compare(lines: &[Value], symbols: &Symbolizer) -> Result<Compared> {
    let mut compared = Compared::default();
    let mut wrong = Vec::new();
    let begun = Instant::now();
    for line in lines {
        ensure!(line["error"].is_null(), "the profiler failed: {line}");
        let Some(id) = line["id"].as_str() else {
            ensure!(line["token"] == 0, "a method with a token has no identity: {line}");
            compared.made += 1;
            continue;
        };
        let identity: MethodIdentity = id.parse()?;
        ensure!(identity.to_string() == id, "{id} is written as {identity}");
        match symbols.method(&identity).and_then(|symbol| found(&symbol)) {
            Ok(offline) if FACTS.iter().all(|fact| offline[fact] == line[fact]) => {
                compared.named.insert(id.to_owned(), line.clone());
            }
            // An assembly that the program built in memory.
            Err(SymbolError::NoModule { .. }) if line["in_memory"] == true => compared.made += 1,
            Ok(offline) => wrong.push(format!("the process: {line}\nthe files:   {offline}")),
            Err(error) => wrong.push(format!("the process: {line}\nthe files:   {error}")),
        }
    }
    ensure!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        lines.len(),
        wrong.iter().take(20).cloned().collect::<Vec<_>>().join("\n")
    );
    println!(
        "{} names from files are those of the process, {} methods were made at run time; {:.2} s",
        compared.named.len(),
        compared.made,
        begun.elapsed().as_secs_f64()
    );
    Ok(compared)
}

/// Runs a program and has every method named that it enters.
fn run(label: &str, launch: Launch) -> Result<Vec<Value>> {
    let out = scratch(label)?.join("names");
    launch
        .profiler(&xtask::example::find("methodnames")?.profiler()?)
        .env("METHODNAMES_OUT", &out)
        .env("METHODNAMES_ALL", "1")
        .attach(&out)
        .timeout(PATIENCE)
        .run()?
        .ok()?;
    named(&out)
}

fn folders<'f>(folders: impl IntoIterator<Item = &'f Path>) -> Result<Symbolizer> {
    let mut symbols = Symbolizer::new();
    for folder in folders {
        symbols.add_folder(folder)?;
    }
    Ok(symbols)
}

/// The program with every kind of method.
fn every_kind(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("methodnames", version, Build::Optimised)?;
    let runtime = runtime(version)?;
    let lines = run(&format!("{}-offline", app.label), Launch::new(&runtime, &app.dll))?;
    let symbols = folders([app.dll.parent().context("no folder")?, &runtime.assemblies])?;
    let compared = compare(&lines, &symbols)?;
    let of_program = compared.named.values().filter(|line| line["module"] == "methodnames.dll").count();
    ensure!(of_program >= 250, "only {of_program} of the program");
    ensure!(compared.named.len() > of_program + 500, "only {} in all", compared.named.len());
    let kinds: BTreeSet<&str> = compared.named.values().filter_map(|line| line["kind"].as_str()).collect();
    ensure!(kinds.len() >= 13, "only these kinds: {kinds:?}");
    Ok(())
}

#[test]
fn every_kind_of_method_on_3_1() -> Result<()> {
    every_kind(RuntimeVersion::V3_1)
}

#[test]
fn every_kind_of_method_on_9_0() -> Result<()> {
    every_kind(RuntimeVersion::V9_0)
}

/// A program that was not written for these tests, and where its assemblies are.
struct Large {
    name: &'static str,
    launch: Launch,
    folders: Vec<PathBuf>,
}

fn azmcp() -> Result<Large> {
    let program = azmcp_program()?;
    let launch = Launch::new(&runtime(RuntimeVersion::V9_0)?, &program).arg("--help");
    // It brings its framework along.
    let folders = vec![program.parent().context("no folder")?.to_owned()];
    Ok(Large { name: "azmcp", launch, folders })
}

fn roslyn() -> Result<Large> {
    let (dotnet, program, roslyn) = match Compiler::find()? {
        Compiler::Sdk { dotnet, csc } => (dotnet, csc, None),
        Compiler::Driver { dotnet, driver, roslyn } => (dotnet, driver, Some(roslyn)),
    };
    let runtime = Runtime { dotnet, ..runtime(RuntimeVersion::V9_0)? };
    let mut folders = vec![program.parent().context("no folder")?.to_owned(), runtime.assemblies.clone()];
    folders.extend(roslyn.clone());
    let mut launch = Launch::new(&runtime, &program).args(roslyn);
    for option in ["-nologo", "-noconfig", "-nostdlib+", "-deterministic+", "-target:exe"] {
        launch = launch.arg(option);
    }
    for name in ["System.Private.CoreLib", "System.Runtime", "System.Collections", "System.Console"] {
        launch = launch.arg(format!("-r:{}", runtime.assemblies.join(format!("{name}.dll")).display()));
    }
    let output = scratch("symbols-roslyn")?.join("demo.dll");
    launch = launch
        .arg(format!("-out:{}", output.display()))
        .arg(paths::workspace().join("tests/apps/demo/Program.cs"));
    Ok(Large { name: "roslyn", launch, folders })
}

/// What reflection says of methods, by identity.
fn reflected(label: &str, symbols: &Symbolizer, sample: &[&str]) -> Result<Vec<Value>> {
    let app = App::compile("reflected", RuntimeVersion::V9_0, Build::Optimised)?;
    let mut modules = BTreeMap::new();
    for id in sample {
        for mvid in id.split(|char: char| !char.is_ascii_hexdigit()).filter(|word| word.len() == 32) {
            if !modules.contains_key(mvid) {
                modules.insert(mvid, symbols.file(mvid.parse()?)?.path().to_owned());
            }
        }
    }
    let mut input = String::new();
    for (mvid, path) in &modules {
        input += &format!("module {mvid} {}\n", path.display());
    }
    input += &(sample.join("\n") + "\n");
    let file = scratch(label)?.join("identities");
    fs::write(&file, input)?;
    let finished =
        Launch::new(&runtime(RuntimeVersion::V9_0)?, &app.dll).arg(&file).timeout(PATIENCE).run()?.ok()?;
    finished.stdout.lines().map(|line| serde_json::from_str(line).with_context(|| line.to_owned())).collect()
}

/// Whether reflection can make the instantiation: it has no arguments that are not known.
fn is_exact(id: &str, line: &Value) -> bool {
    !id.contains('?') && !line.to_string().contains("__Canon")
}

fn large(program: Large) -> Result<()> {
    let label = format!("symbols-{}", program.name);
    let lines = run(&label, program.launch)?;
    let symbols = folders(program.folders.iter().map(PathBuf::as_path))?;
    let compared = compare(&lines, &symbols)?;
    let exact: Vec<(&str, &Value)> = compared
        .named
        .iter()
        .filter(|(id, line)| is_exact(id, line))
        .map(|(id, line)| (id.as_str(), line))
        .collect();
    // The same ones each time, spread over all.
    let count = exact.len().min(SAMPLE);
    let sample: Vec<_> = (0..count).map(|index| exact[index * exact.len() / count]).collect();
    let ids: Vec<&str> = sample.iter().map(|(id, _)| *id).collect();
    let said = reflected(&label, &symbols, &ids)?;
    ensure!(said.len() == sample.len(), "reflection says {} of {}", said.len(), sample.len());
    let mut wrong = Vec::new();
    let mut facts = BTreeMap::<&str, usize>::new();
    for ((id, line), said) in sample.iter().zip(&said) {
        for fact in ["method", "signature", "il", "declaration"] {
            if !said["error"].is_null() {
                wrong.push(format!("{id}\n{line}\n{}", said["error"]));
                break;
            } else if said[fact].is_null() {
                continue;
            } else if said[fact] == line[fact] {
                *facts.entry(fact).or_default() += 1;
            } else {
                wrong.push(format!("{fact} of {id}\nreflection: {}\nprofiler:   {}", said[fact], line[fact]));
            }
        }
    }
    println!(
        "{}: {} methods of {} with all arguments known, compared with reflection: {facts:?}",
        program.name,
        sample.len(),
        exact.len()
    );
    ensure!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.iter().take(40).cloned().collect::<Vec<_>>().join("\n\n")
    );
    Ok(())
}

#[test]
fn every_method_of_azmcp() -> Result<()> {
    large(azmcp()?)
}

#[test]
fn every_method_of_the_csharp_compiler() -> Result<()> {
    large(roslyn()?)
}
