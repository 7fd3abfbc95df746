//! Names from the assembly files equal those from the process; and both equal
//! those of reflection.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use clrnames::{MethodIdentity, Symbol, SymbolError, Symbolizer};
use corprof_testkit::dotnet::compile::Compiler;
use corprof_testkit::dotnet::{RuntimeVersion, azmcp_program, runtime};
use corprof_testkit::launch::{Launch, scratch};
use corprof_testkit::paths;
use e2e::app::{App, Build};
use e2e::is_long;
use e2e::json::lines_of;
use e2e::on_each_runtime;
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(900);

/// The limit of methods of a run that are compared with reflection.
fn sample() -> usize {
    if is_long() { 10_000 } else { 1_000 }
}

/// The compared facts.
const FACTS: [&str; 6] = ["kind", "method", "signature", "declaration", "il", "source"];

/// The names of a method from the files, in the profiler's format.
fn found(symbol: &Symbol<'_>) -> Result<Value, SymbolError> {
    let (call, declaration) = (symbol.format()?, symbol.declaration()?);
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

/// The counts of a comparison.
#[derive(Default)]
struct Compared {
    /// Identities with the profiler's line, in order.
    named: BTreeMap<String, Value>,
    /// Methods that were made at run time, and so are in no file.
    made: usize,
}

/// Compares the names of a run with those from the files. A method that the process names and the files do not must
/// have been made at run time.
fn compare(name: &str, lines: &[Value], symbols: &Symbolizer) -> Result<Compared> {
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
        "{name}: {} methods entered, all of them named; {} named from files as in the process, in {:.2} s; {} were \
         made at run time",
        lines.len(),
        compared.named.len(),
        begun.elapsed().as_secs_f64(),
        compared.made,
    );
    Ok(compared)
}

/// A run of a program: the profiler's names, and those of reflection at its end.
struct Run {
    lines: Vec<Value>,
    /// The identities in the log at that time, and those without unknown type arguments.
    logged: u64,
    exact: u64,
    said: Vec<Value>,
}

/// Runs a program with every entered method named, and with `apps/reflected` in its process.
fn run(label: &str, launch: Launch, hook: &App) -> Result<Run> {
    let folder = scratch(label)?;
    let (names, answers) = (folder.join("names"), folder.join("reflection"));
    let count = sample();
    launch
        .profiler(&corprof_testkit::example::find("methodnames")?.profiler()?)
        .env("METHODNAMES_OUT", &names)
        .env("METHODNAMES_ALL", "1")
        // The methods that reflection calls are not the program's.
        .env("METHODNAMES_UNTIL", "Reflected.Answers.Write")
        .env("DOTNET_STARTUP_HOOKS", &hook.dll)
        .env("REFLECTED_LOG", &names)
        .env("REFLECTED_OUT", &answers)
        .env("REFLECTED_COUNT", count.to_string())
        .attach(&names)
        .timeout(PATIENCE)
        .run()?
        .ok()?;
    let mut said = lines_of(&answers)?;
    ensure!(!said.is_empty(), "{} is empty", answers.display());
    let counts = said.remove(0);
    let number = |name: &str| counts[name].as_u64().with_context(|| format!("{name} in {counts}"));
    let (logged, exact) = (number("logged")?, number("exact")?);
    ensure!(said.len() as u64 == exact.min(count as u64), "reflection says {} of {exact}", said.len());
    Ok(Run { lines: lines_of(&names)?, logged, exact, said })
}

/// Compares the names of a run with those of reflection.
fn compare_with_reflection(name: &str, run: &Run) -> Result<()> {
    let named: BTreeMap<&str, &Value> =
        run.lines.iter().filter_map(|line| Some((line["id"].as_str()?, line))).collect();
    let mut wrong = Vec::new();
    let (mut equal, mut left_out) = (BTreeMap::<&str, usize>::new(), BTreeMap::<&str, usize>::new());
    for said in &run.said {
        let line =
            said["id"].as_str().and_then(|id| named.get(id)).context("an identity that nobody logged")?;
        if !said["error"].is_null() {
            wrong.push(format!("{line}\n{}", said["error"]));
            continue;
        }
        for fact in ["method", "signature", "il", "declaration"] {
            if said[fact].is_null() {
                ensure!(fact != "method", "reflection has no name: {said}");
                *left_out.entry(fact).or_default() += 1;
            } else if said[fact] == line[fact] {
                *equal.entry(fact).or_default() += 1;
            } else {
                wrong.push(format!("{fact}: {line}\nreflection: {}", said[fact]));
            }
        }
    }
    println!(
        "{name}: {} methods compared with reflection, of {} without unknown arguments, of {} logged by then: equal \
         are {equal:?}; reflection cannot say {left_out:?} (declarations of what the compiler made; \
         function pointers)",
        run.said.len(),
        run.exact,
        run.logged,
    );
    ensure!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.iter().take(40).cloned().collect::<Vec<_>>().join("\n\n")
    );
    Ok(())
}

/// Names every method that a program enters, in its process and from the files, and compares both with reflection.
/// At least so many must be compared.
fn check(
    name: &str,
    version: RuntimeVersion,
    launch: Launch,
    folders: &[&Path],
    least: usize,
) -> Result<Compared> {
    let hook = App::compile("reflected", version, Build::Optimised)?;
    let run = run(&format!("symbols-{name}"), launch, &hook)?;
    let mut symbols = Symbolizer::new();
    symbols.add_file(&hook.dll)?;
    for folder in folders {
        symbols.add_folder(folder)?;
    }
    let compared = compare(name, &run.lines, &symbols)?;
    compare_with_reflection(name, &run)?;
    ensure!(run.said.len() >= least, "only {} methods compared with reflection", run.said.len());
    Ok(compared)
}

/// The program with every kind of method.
fn every_kind(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("methodnames", version, Build::Optimised)?;
    let runtime = runtime(version)?;
    let folders = [app.dll.parent().context("no folder")?, &runtime.assemblies];
    let compared =
        check(&app.label, version, Launch::new(&runtime, &app.dll), &folders, sample().min(2_500))?;
    let of_program = compared.named.values().filter(|line| line["module"] == "methodnames.dll").count();
    ensure!(of_program >= 250, "only {of_program} of the program");
    let kinds: BTreeSet<&str> = compared.named.values().filter_map(|line| line["kind"].as_str()).collect();
    ensure!(kinds.len() >= 13, "only these kinds: {kinds:?}");
    Ok(())
}

on_each_runtime! {
    every_kind_of_method: every_kind;
}

#[test]
fn every_method_of_azmcp() -> Result<()> {
    let program = azmcp_program()?;
    let arguments: &[&str] = if is_long() { &["tools", "list"] } else { &["--help"] };
    let launch = Launch::new(&runtime(RuntimeVersion::V9_0)?, &program).args(arguments);
    // It brings its framework along.
    let folder = program.parent().context("no folder")?;
    // It has no 10,000: all are compared.
    check("azmcp", RuntimeVersion::V9_0, launch, &[folder], sample().min(7_000)).map(drop)
}

#[test]
fn every_method_of_the_csharp_compiler() -> Result<()> {
    let compiler = Compiler::find()?;
    let (runtime, program, roslyn) = compiler.parts();
    let mut launch = Launch::new(runtime, program).args(roslyn);
    for option in ["-nologo", "-noconfig", "-nostdlib+", "-deterministic+", "-target:exe"] {
        launch = launch.arg(option);
    }
    for name in ["System.Private.CoreLib", "System.Runtime", "System.Collections", "System.Console"] {
        launch = launch.arg(format!("-r:{}", runtime.assemblies.join(format!("{name}.dll")).display()));
    }
    let output = scratch("symbols-compiled")?.join("demo.dll");
    launch = launch
        .arg(format!("-out:{}", output.display()))
        .arg(paths::workspace().join("tests/apps/demo/Program.cs"));
    let mut folders = vec![program.parent().context("no folder")?, &runtime.assemblies];
    folders.extend(roslyn);
    check("roslyn", RuntimeVersion::V9_0, launch, &folders, sample()).map(drop)
}
