//! `corprof` resolves each type reference to the same definition as the runtime's loader, without loading types:
//! through facades and chains of forwarders, and in the right one of several load contexts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{CSharp, RuntimeVersion, azmcp_program, compile, runtime};
use corprof_testkit::launch::{Launch, scratch};
use corprof_testkit::paths;
use e2e::app::{App, Build};
use e2e::on_each_runtime;
use serde_json::Value;

/// A module in its load context, and a token in it.
type Place = (String, u64);

/// The loader's results: reference to definition.
fn of_program(stdout: &str) -> Result<BTreeMap<Place, Place>> {
    let place = |module: &str, token: &str| anyhow::Ok((module.to_owned(), token.parse()?));
    let lines = stdout.lines().map(|line| {
        let [from, reference, to, definition] =
            line.split(' ').collect::<Vec<_>>().try_into().map_err(|_| anyhow::anyhow!("{line}"))?;
        Ok((place(from, reference)?, place(to, definition)?))
    });
    lines.collect()
}

/// The profiler's results; `None` for unresolved references.
fn of_profiler(text: &str) -> Result<BTreeMap<Place, Option<Place>>> {
    let module = |line: &Value| {
        let (path, id) = (line["path"].as_str()?, line["id"].as_u64()?);
        Some(format!("{id}:{path}"))
    };
    let mut found = BTreeMap::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line)?;
        let Some(reference) = line["reference"].as_u64() else { continue };
        let to = &line["to"];
        let to = module(to).zip(to["token"].as_u64());
        found.insert((module(&line).context("no module")?, reference), to);
    }
    Ok(found)
}

/// Compiles a plugin and its library, and copies both to folders `a` and `b`.
fn plugins(version: RuntimeVersion, scratch: &Path) -> Result<[PathBuf; 2]> {
    let sources = paths::workspace().join("tests").join("apps");
    let output = paths::apps_dir().join("e2e").join(format!("plugin-{}", version.short()));
    let library = |source: &str, name: &str| CSharp {
        library: true,
        ..CSharp::new(version, [sources.join(source)], output.join(name))
    };
    let lib = compile(&library("pluginlib/Lib.cs", "lib.dll"))?;
    let plugin =
        compile(&CSharp { references: vec![lib.clone()], ..library("plugin/Plugin.cs", "plugin.dll") })?;
    let folders = [scratch.join("a"), scratch.join("b")];
    for folder in &folders {
        fs::create_dir_all(folder)?;
        for file in [&lib, &plugin] {
            fs::copy(file, folder.join(file.file_name().context("no name")?))?;
        }
    }
    Ok(folders)
}

fn check(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("references", version, Build::Optimised)?;
    let scratch = scratch(&app.label)?;
    let [a, b] = plugins(version, &scratch)?;
    let out = scratch.join("references");
    // Built for netstandard 2.0.
    let azmcp = azmcp_program()?;
    let netstandard = azmcp.with_file_name("OpenTelemetry.PersistentStorage.Abstractions.dll");
    let finished = Launch::new(&runtime(version)?, &app.dll)
        // The first folder again: two contexts with the same files.
        .args([&a, &b, &a, &netstandard])
        .profiler(&corprof_testkit::example::find("methodnames")?.profiler()?)
        .env("METHODNAMES_OUT", &out)
        .env("METHODNAMES_REFERENCES", "1")
        .attach(&out)
        .run()?
        .ok()?;
    let text = fs::read_to_string(&out)?;
    for facade in ["netstandard", "mscorlib", "System.Runtime"] {
        let line = text.lines().find(|line| line.contains(&format!(r#""facade":"{facade}""#)));
        let line = line.with_context(|| format!("nothing about {facade}"))?;
        ensure!(line.contains("/System.Private.CoreLib.dll"), "{line}");
    }
    let program = of_program(&finished.stdout)?;
    let profiler = of_profiler(&text)?;
    let mut wrong = Vec::new();
    for (reference, definition) in &program {
        if profiler.get(reference) != Some(&Some(definition.clone())) {
            wrong.push(format!("{reference:?} is {definition:?} and not {:?}", profiler.get(reference)));
        }
    }
    ensure!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        program.len(),
        wrong.get(..wrong.len().min(20)).unwrap_or_default().join("\n")
    );
    // Three contexts, so three modules with the same types, two of them from the same file.
    let libs: BTreeSet<&String> =
        program.values().map(|(module, _)| module).filter(|module| module.ends_with("lib.dll")).collect();
    ensure!(libs.iter().filter(|module| module.ends_with("/lib.dll")).count() == 3, "{libs:?}");
    let from_netstandard = program.keys().filter(|(module, _)| module.contains("OpenTelemetry")).count();
    ensure!(from_netstandard > 10, "only {from_netstandard} references through netstandard.dll");
    println!("{} references, {from_netstandard} of them through netstandard.dll", program.len());
    Ok(())
}

on_each_runtime! {
    type_references_resolve_as_in_the_loader: check;
}
