//! Calls that the runtime itself suspends and resumes ("runtime async", .NET 11): each has its arguments once, its result once, and
//! nothing that did not happen.
//!
//! The program prints each call from its own variables before it makes it, and compares each result itself.

use std::collections::BTreeMap;
use std::fmt::Debug;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::RuntimeVersion;
use e2e::app::{App, Build};
use e2e::on_each_runtime;
use e2e::record::{Event, Record};
use e2e::runtimes::KINDS_OF_HOOKS;
use e2e::traced::{Tracing, optimised_at_once};
use serde_json::Value;

/// The minimum number of calls.
const CALLS: usize = 800;

/// Of this method the last act is to await another one: optimised code need not resume it, since what it would return goes to its
/// caller.
const FORWARDS: &str = "Suspended.Program.Forwards";
/// The result of the method that it awaits.
const FORWARDED: &str = "6";

/// How often each call was made: its method and its arguments; its method, without type arguments, and its outcome.
#[derive(Debug, Default, PartialEq, Eq)]
struct Calls {
    begun: BTreeMap<(String, Vec<String>), i64>,
    ended: BTreeMap<(String, String), i64>,
}

impl Calls {
    fn begin(&mut self, method: &str, arguments: Vec<String>) {
        *self.begun.entry((method.to_owned(), arguments)).or_default() += 1;
    }

    fn end(&mut self, method: &str, outcome: String) {
        *self.ended.entry((without_type_arguments(method), outcome)).or_default() += 1;
    }

    /// What the program has printed.
    fn reported(stdout: &str) -> Result<Self> {
        let mut calls = Self::default();
        for line in stdout.lines() {
            ensure!(!line.starts_with("WRONG"), "{line}");
            let Some(call) = line.strip_prefix("call\t") else { continue };
            let (begin, outcome) = call.split_once("\t=>\t").context("no outcome")?;
            let mut begin = begin.split('\t');
            let method = begin.next().context("no method")?;
            calls.begin(method, begin.map(canonical).collect());
            calls.end(method, canonical(outcome));
        }
        Ok(calls)
    }
}

/// Type arguments of shared code are unknown after a resumption.
fn without_type_arguments(method: &str) -> String {
    let mut depth = 0_u32;
    method
        .chars()
        .filter(|character| {
            depth += u32::from(*character == '<');
            let is_outside = depth == 0;
            depth -= u32::from(*character == '>');
            is_outside
        })
        .collect()
}

/// A printed value, with its keys in order.
fn canonical(printed: &str) -> String {
    serde_json::from_str(printed).map_or_else(|_| printed.to_owned(), |value: Value| text(&value))
}

/// A value as the program prints it: tuples of three by their items.
fn text(value: &Value) -> String {
    let items =
        value["fields"].as_object().filter(|fields| fields.len() == 3 && fields.contains_key("Item1"));
    let Some(items) = items else { return value.to_string() };
    let items = items.values().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned));
    format!("({})", items.collect::<Vec<_>>().join(", "))
}

fn traced(records: &[Record], reported: &Calls) -> Result<(Calls, i64)> {
    let methods: Vec<_> = reported.ended.keys().map(|(method, _)| method.as_str()).collect();
    let (mut calls, mut suspended, mut not_resumed) = (Calls::default(), 0, BTreeMap::<String, i64>::new());
    for record in records {
        let method = without_type_arguments(&record.method);
        if !methods.contains(&&*method) {
            continue;
        }
        match &record.event {
            Event::Enter { args, error, .. } => {
                ensure!(error.is_none(), "{record:?}");
                // Not the tasks that `Leaves` gets.
                let args = args.iter().filter(|arg| arg.name != "left");
                let values = args.map(|arg| arg.value.as_ref().map(text).context("no value"));
                calls.begin(&record.method, values.collect::<Result<_>>()?);
            }
            Event::Leave { result, .. } => {
                calls.end(&method, result.as_ref().map_or_else(String::new, |(_, value)| text(value)));
            }
            Event::Unwind { exception } => calls.end(&method, format!("!{exception}")),
            Event::Suspend => {
                suspended += 1;
                *not_resumed.entry(method).or_default() += 1;
            }
            Event::Resume => *not_resumed.entry(method).or_default() -= 1,
            Event::Tailcall => {
                ensure!(method == FORWARDS, "{record:?}");
                calls.end(&method, FORWARDED.to_owned());
            }
        }
    }
    let forwarded = not_resumed.remove(FORWARDS).unwrap_or_default();
    ensure!(forwarded >= 0 && not_resumed.values().all(|left| *left == 0), "not resumed: {not_resumed:?}");
    *calls.ended.entry((FORWARDS.to_owned(), FORWARDED.to_owned())).or_default() += forwarded;
    Ok((calls, suspended))
}

fn check(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("suspended", version, Build::RuntimeAsync)?;
    for hooks in KINDS_OF_HOOKS {
        for is_tiered in [true, false] {
            let name = format!("{hooks}-{}", if is_tiered { "tiered" } else { "optimised" });
            let tracing = Tracing::app(&app, &name)?
                .set("HOOKS", hooks)
                // A runtime that reads it would not suspend anything.
                .with(|launch| launch.env("DOTNET_RuntimeAsync", "0"));
            let traced = if is_tiered { tracing } else { tracing.with(optimised_at_once) }.run()?;
            traced.expect((|| {
                ensure!(traced.finished.code() == Some(5), "exit code {:?}", traced.finished.code());
                let reported = Calls::reported(&traced.finished.stdout)?;
                let number: i64 = reported.begun.values().sum();
                ensure!(number >= i64::try_from(CALLS)?, "only {number} calls");
                let (records, counts) = traced.records()?;
                let (calls, suspended) = self::traced(&records, &reported)?;
                println!("{version} {name}: {number} calls, {suspended} suspensions; {counts}");
                ensure!(counts.open == 0, "calls are open at the end: {counts}");
                ensure!(suspended > number / 2, "only {suspended} suspensions");
                let begun = differences(&reported.begun, &calls.begun);
                ensure!(begun.is_empty(), "begun: {begun:#?}");
                let ended = differences(&reported.ended, &calls.ended);
                ensure!(ended.is_empty(), "ended: {ended:#?}");
                Ok(())
            })())?;
        }
    }
    Ok(())
}

/// The keys with different numbers: reported, and in the trace.
fn differences<K: Ord + Debug>(
    reported: &BTreeMap<K, i64>,
    traced: &BTreeMap<K, i64>,
) -> Vec<(String, i64, i64)> {
    let keys = reported.keys().chain(traced.keys().filter(|key| !reported.contains_key(key)));
    let count = |calls: &BTreeMap<K, i64>, key| calls.get(key).copied().unwrap_or_default();
    let both = keys.map(|key| (format!("{key:?}"), count(reported, key), count(traced, key)));
    both.filter(|(_, reported, traced)| reported != traced).collect()
}

on_each_runtime! {
    suspended_calls_have_their_values_once on [on_11_0]: check;
}
