//! A program that is compiled for an older version, with tasks of state machines: on a newer runtime, which has a second function for
//! each method that returns a task, its trace is the one that it has on its own.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use e2e::app::{App, Build};
use e2e::on_each_runtime;
use e2e::record::{Event, Record};
use e2e::runtimes::KINDS_OF_HOOKS;
use e2e::traced::{Tracing, untraced};
use serde_json::{Value, json};

/// What the program is compiled for.
const OLDER: RuntimeVersion = RuntimeVersion::V10_0;

/// The argument of the program, and its exit code.
const ROUNDS: &str = "5";
const CODE: i32 = 3;

/// The minimum number of calls.
const CALLS: usize = 300;

/// How often each call was made: the signature with its type arguments, `this`, the arguments, and the outcome.
type Calls = BTreeMap<String, usize>;

/// A value without what is chance: addresses, how far a task is when it is seen, and what was in a buffer of a pool.
fn steady(value: &Value) -> Value {
    let ty = value["type"].as_str().unwrap_or_default();
    match value {
        Value::Object(_)
            if TASKS.iter().any(|task| ty.starts_with(task)) || ty.contains(">d__") || ty == BUFFER =>
        {
            json!({ "type": ty })
        }
        Value::Object(keys) => {
            let kept =
                keys.iter().filter(|(key, _)| !["address", "cycle", "pointer"].contains(&key.as_str()));
            kept.map(|(key, value)| (key.clone(), steady(value))).collect()
        }
        Value::Array(items) => items.iter().map(steady).collect(),
        other => other.clone(),
    }
}

/// The begin of the signature of a method that returns a task.
const A_TASK: &str = "System.Threading.Tasks.";

/// What the framework reads into, from a pool.
const BUFFER: &str = "System.Memory<byte>";

/// What a task is made of.
const TASKS: [&str; 2] = [A_TASK, "System.Runtime.CompilerServices."];

/// The calls of a trace. Which thread goes on after an `await` is chance; the order on a thread is what `selfreport` compares.
///
/// The framework of 11.0 calls overrides by their second function, which it suspends, and which returns the result itself: of a method that
/// returns a task the outcome is not compared.
fn calls(records: &[Record]) -> Result<Calls> {
    let mut calls = Calls::new();
    let mut open: BTreeMap<u64, Vec<(&str, Option<String>)>> = BTreeMap::new();
    for record in records {
        let stack = open.entry(record.thread).or_default();
        // How often a state machine asks another one for its state is chance too.
        let is_counted = !record.method.contains(">d__");
        match &record.event {
            Event::Enter { signature, this, args, error } => {
                ensure!(error.is_none(), "{record:?}");
                let args =
                    args.iter().map(|arg| (&arg.name, &arg.ty, &arg.mode, arg.value.as_ref().map(steady)));
                let (this, args) = (this.as_ref().map(steady), args.collect::<Vec<_>>());
                let call = format!("{signature} of {this:?} with {args:?}");
                let is_task = signature.starts_with(A_TASK);
                if is_counted && is_task {
                    *calls.entry(call.clone()).or_default() += 1;
                }
                stack.push((&record.method, (is_counted && !is_task).then_some(call)));
            }
            Event::Resume => stack.push((&record.method, None)),
            ended => {
                let (method, call) = stack.pop().with_context(|| format!("no open call: {record:?}"))?;
                ensure!(method == record.method, "{method} is open: {record:?}");
                let Some(call) = call else { continue };
                let outcome = match ended {
                    Event::Leave { result, outs } => {
                        let result = result.as_ref().map(|(ty, value)| (ty, steady(value)));
                        let outs = outs.iter().map(|out| (&out.name, out.value.as_ref().map(steady)));
                        format!("{result:?} {:?}", outs.collect::<Vec<_>>())
                    }
                    other => format!("{other:?}"),
                };
                *calls.entry(format!("{call}: {outcome}")).or_default() += 1;
            }
        }
    }
    Ok(calls)
}

fn trace(app: &App, version: RuntimeVersion, hooks: &str) -> Result<Calls> {
    let name = format!("{}-older-{hooks}-on-{}", app.label, version.short());
    let traced =
        Tracing::new(&name, &runtime(version)?, &app.dll)?.set("HOOKS", hooks).set("EXCLUDE", "*!*.MoveNext");
    let traced = traced.with(|launch| launch.arg(ROUNDS)).run()?;
    let plain = untraced(version, &app.dll, |launch| launch.arg(ROUNDS))?.ends_with(CODE)?;
    ensure!(traced.finished.stdout == plain.stdout, "the output differs: {}", traced.finished.report());
    let (records, _) = traced.records()?;
    traced.expect(calls(&records))
}

fn same_calls(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("asyncvariants", OLDER, Build::Optimised)?;
    for hooks in KINDS_OF_HOOKS {
        let (on_its_own, on_newer) = (trace(&app, OLDER, hooks)?, trace(&app, version, hooks)?);
        let count: usize = on_its_own.values().sum();
        println!("{hooks}: {count} calls, {} different ones", on_its_own.len());
        let differences: Vec<_> = on_its_own
            .iter()
            .filter(|(call, times)| on_newer.get(*call) != Some(times))
            .map(|(call, times)| {
                format!("{times} times on {OLDER}, {:?} on {version}: {call}", on_newer.get(call))
            })
            .chain(
                on_newer
                    .keys()
                    .filter(|call| !on_its_own.contains_key(*call))
                    .map(|call| format!("on {version} alone: {call}")),
            )
            .collect();
        ensure!(
            differences.is_empty(),
            "{hooks}: {} differences\n{}",
            differences.len(),
            differences.join("\n")
        );
        ensure!(count >= CALLS, "only {count} calls");
    }
    Ok(())
}

on_each_runtime! {
    the_trace_is_that_of_its_own_version on [on_11_0]: same_calls;
}
