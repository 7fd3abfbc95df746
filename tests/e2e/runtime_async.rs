//! Methods that the runtime itself suspends and resumes ("runtime async"), on .NET 10 with `DOTNET_RuntimeAsync=1`.
//!
//! On .NET 10 a leave hook of such a method damages the program (`corprof/src/runtime/suspended.rs`): it is not hooked. The program's
//! results are unchanged, and its other calls are traced, with their values.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::RuntimeVersion;
use corprof_testkit::launch::Launch;
use e2e::app::{App, Build};
use e2e::balance;
use e2e::on_each_runtime;
use e2e::runtimes::KINDS_OF_HOOKS;
use e2e::traced::{Tracing, optimised_at_once, untraced};
use serde_json::Value;

const ROUNDS: u64 = 200;

/// What is not traced: the framework, and the methods that emit the others.
const OTHERS: &str = "System*!*;*!*Program.Emit;*!*Program.Define;*!*Program.Await";

fn with_runtime_async(launch: Launch) -> Launch {
    launch.arg(ROUNDS.to_string()).env("DOTNET_RuntimeAsync", "1")
}

fn suspended(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("runtimeasync", version, Build::Optimised)?;
    let plain = untraced(version, &app.dll, with_runtime_async)?;
    ensure!(plain.code() == Some(0), "untraced: {}", plain.report());
    let pauses = number_before(&plain.stdout, " pauses")?;
    // Three in each call of `Inner`, one in `Throws`.
    ensure!(pauses == ROUNDS * 7, "{}", plain.stdout);
    for hooks in KINDS_OF_HOOKS {
        for is_tiered in [true, false] {
            let name = format!("{hooks}-{}", if is_tiered { "tiered" } else { "optimised" });
            let tracing = Tracing::app(&app, &name)?.with(with_runtime_async);
            let tracing = tracing.set("HOOKS", hooks).set("INCLUDE", "*").set("EXCLUDE", OTHERS);
            let traced = if is_tiered { tracing } else { tracing.with(optimised_at_once) }.run()?;
            traced.expect((|| {
                let (a, b) = (&plain, &traced.finished);
                ensure!((a.code(), &a.stdout) == (b.code(), &b.stdout), "untraced it printed {}", a.stdout);
                let counts = balance::check_file(&traced.trace)?;
                println!("{version} {name}: {counts}");
                ensure!(counts.open == 0, "{counts}");
                check(&fs::read_to_string(&traced.trace)?)
            })())?;
        }
    }
    Ok(())
}

fn check(trace: &str) -> Result<()> {
    let mut entered = BTreeMap::<String, u64>::new();
    let mut failed = Vec::new();
    for line in trace.lines() {
        let record: Value = serde_json::from_str(line)?;
        let text = |key: &str| record[key].as_str().unwrap_or_default();
        let (event, method) = (text("event"), text("method"));
        if event == "enter" {
            *entered.entry(method.to_owned()).or_default() += 1;
        }
        match (method, event) {
            ("RuntimeAsync.Program.After", "enter") => {
                ensure!(record["args"][0]["value"] == ROUNDS, "{line}")
            }
            ("RuntimeAsync.Program.After", "leave") => {
                ensure!(record["return"]["value"] == ROUNDS + 1, "{line}");
            }
            ("RuntimeAsync.Program.Fail", "enter") => {
                failed.push(record["args"][0]["value"].as_u64().context("no number")?);
            }
            ("RuntimeAsync.Program.Fail", _) => {
                ensure!(
                    event == "unwind" && text("exception") == "System.InvalidOperationException",
                    "{line}"
                );
            }
            _ => {}
        }
    }
    failed.sort_unstable();
    ensure!(failed.iter().copied().eq(0..ROUNDS), "{failed:?}");
    let entered: Vec<_> = entered.iter().map(|(method, count)| (method.as_str(), *count)).collect();
    let expected = [
        ("RuntimeAsync.Program.After", 1),
        ("RuntimeAsync.Program.Fail", ROUNDS),
        ("RuntimeAsync.Program.Main", 1),
    ];
    ensure!(entered == expected, "{entered:?}");
    Ok(())
}

fn number_before(text: &str, what: &str) -> Result<u64> {
    let (before, _) = text.split_once(what).with_context(|| format!("no{what} in {text:?}"))?;
    Ok(before.rsplit(' ').next().unwrap_or_default().parse()?)
}

on_each_runtime! {
    programs_whose_methods_the_runtime_suspends_are_unharmed on [on_10_0]: suspended;
}
