//! A program in a single file is traced like one with loose files: its assemblies and the runtime are in the
//! executable.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, openapi_program, runtime};
use corprof_testkit::launch::{Launch, scratch};
use e2e::app::{App, Build};
use e2e::compare::compare;
use e2e::on_each_runtime;
use e2e::traced::{Traced, Tracing, self_report};

/// Runs a program as a single file with its runtime.
fn traced(app: &App, run: &str, hooks: &str, excluded: &str) -> Result<Traced> {
    let program = app.single_file()?;
    let folder = program.parent().context("a program without a folder")?;
    let beside = fs::read_dir(folder)?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let beside: Vec<String> = beside.filter(|name| !name.starts_with('.')).collect();
    ensure!(beside.len() == 1, "beside the program are {beside:?}");
    let launch = Launch::new(&runtime(app.version)?, &program);
    let name = format!("{}-single-{run}-{hooks}", app.label);
    Tracing::launching(&name, &launch)?.set("HOOKS", hooks).set("EXCLUDE", excluded).run()
}

/// By default the program's own methods are traced, each call as the program reports it, and none of the framework.
fn reported(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("selfreport", version, Build::Optimised)?;
    for hooks in ["with-info", "fast"] {
        let traced = traced(&app, "reported", hooks, "*!Report.*")?;
        traced.expect((|| {
            ensure!(traced.finished.code() == Some(0), "exit code {:?}", traced.finished.code());
            let report = self_report(&traced.finished.stdout)?;
            let (trace, counts) = traced.records()?;
            let comparison = compare(&report, &trace);
            println!("{version}, {hooks}: {counts}\n{comparison}");
            ensure!(comparison.found == 0, "{comparison}");
            ensure!(counts.open == 0, "calls are open at the end: {counts}");
            ensure!(comparison.tally.exact_total() >= 3300, "{comparison}");
            let modules: BTreeSet<&str> = trace.iter().map(|record| record.module.as_str()).collect();
            ensure!(modules == BTreeSet::from(["selfreport.dll"]), "{modules:?}");
            Ok(())
        })())?;
    }
    Ok(())
}

/// The lines are those of the same program with loose files.
fn as_loose(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("demo", version, Build::Optimised)?;
    for hooks in ["with-info", "fast"] {
        let single = traced(&app, "demo", hooks, "")?;
        let loose = Tracing::app(&app, &format!("loose-{hooks}"))?.set("HOOKS", hooks).run()?;
        single.expect((|| {
            ensure!(single.finished.stdout == loose.finished.stdout, "it printed something else");
            let lines = |traced: &Traced| -> Result<Vec<(String, String)>> {
                let (records, _) = traced.records()?;
                Ok(records.into_iter().map(|r| (r.event.name().to_owned(), r.method)).collect())
            };
            let (single, loose) = (lines(&single)?, lines(&loose)?);
            ensure!(single.len() >= 30, "{} events", single.len());
            ensure!(single == loose, "other calls: {single:?}\nloose: {loose:?}");
            Ok(())
        })())?;
    }
    Ok(())
}

/// An OpenAPI document with one operation.
const DOCUMENT: &str = r##"{
  "openapi": "3.0.3",
  "info": { "title": "Shop", "version": "1.0" },
  "paths": { "/items/{id}": { "get": {
    "operationId": "getItem",
    "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "integer" } }],
    "responses": { "200": { "description": "the item", "content": { "application/json": {
      "schema": { "$ref": "#/components/schemas/Item" } } } } }
  } } },
  "components": { "schemas": { "Item": { "type": "object", "required": ["name"],
    "properties": { "name": { "type": "string" }, "price": { "type": "number" } } } } }
}"##;

/// A published program that was not written for a test writes the same files, and its own code is traced: not the packages that it was
/// published with, and not the framework.
#[test]
fn a_published_program_is_traced_by_default() -> Result<()> {
    let program = openapi_program()?;
    let folder = scratch("single-openapi")?;
    let document = folder.join("shop.json");
    fs::write(&document, DOCUMENT)?;
    let launch = Launch::new(&runtime(RuntimeVersion::V8_0)?, &program).arg(&document);
    let plain = launch.clone().arg(folder.join("plain")).run()?.ok()?;
    let expected = files(&folder.join("plain"))?;
    ensure!(expected.len() > 1, "it wrote {:?}\n{}", expected.keys(), plain.report());
    for hooks in ["with-info", "fast"] {
        let out = folder.join(hooks);
        let traced = Tracing::launching(&format!("single-openapi-{hooks}"), &launch.clone().arg(&out))?
            .set("HOOKS", hooks)
            .set("MAX_DEPTH", "1")
            .run()?;
        traced.expect((|| {
            ensure!(traced.finished.code() == Some(0), "exit code {:?}", traced.finished.code());
            ensure!(files(&out)? == expected, "it wrote other files");
            let records = traced.records_of_the_framework()?;
            let modules: BTreeSet<&str> = records.iter().map(|record| record.module.as_str()).collect();
            println!("{hooks}: {} events of {modules:?}", records.len());
            ensure!(modules.contains("metaengine-openapi-httpx.dll"), "{modules:?}");
            // Neither a package that the program was published with, nor the framework.
            ensure!(!modules.contains("System.CommandLine.dll"), "{modules:?}");
            ensure!(!modules.contains("System.Private.CoreLib.dll"), "{modules:?}");
            Ok(())
        })())?;
    }
    Ok(())
}

/// The contents of all files below a folder.
fn files(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(folder)?.to_path_buf(), fs::read(&path)?);
            }
        }
    }
    Ok(found)
}

on_each_runtime! {
    a_single_file_is_traced_as_it_reports_itself on [on_8_0 on_10_0 on_11_0]: reported;
    a_single_file_has_the_calls_of_loose_files on [on_8_0 on_10_0 on_11_0]: as_loose;
}
