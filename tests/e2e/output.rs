//! The output of calltrace: the text format, its destination, and the selected methods.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::RuntimeVersion;
use e2e::app::{App, Build};
use e2e::on_each_runtime;
use e2e::record::{Event, Record};
use e2e::schema;
use e2e::traced::Tracing;

fn demo(version: RuntimeVersion, run: &str) -> Result<Tracing> {
    Tracing::app(&App::compile("demo", version, Build::Optimised)?, run)
}

/// Fragments of the demo's trace as text, in order.
const TEXT: &[&str] = &[
    "→ Shop.Program.Main(args: ",
    "→ Shop.Cart<string>..ctor()",
    "→ Shop.Cart<string>.Add(name: \"Äpfel 🍏\", count: ref 2, item: out)",
    "→ Shop.Item..ctor(name: \"Äpfel 🍏\", price: 1.25)",
    "← true  count: 3, item: ",
    "→ Shop.Cart<string>.Tag<int>(key: 17, note: \"ripe\")",
    "← 17",
    "→ Shop.Cart<string>.Tag<string>(key: \"basket\", note: null)",
    "← \"basket\"",
    "→ Shop.Cart<System.DateTime>.Tag<long>(key: 9223372036854775807, note: ",
    "→ Shop.Program.Price(count: 3)",
    "→ Shop.Program.Price(count: 3, discount: 0.5)",
    "← 1.875",
    "→ Shop.Program.Price(count: \"three\")",
    "→ Shop.Cart<int>.Receipt..ctor(wishes: Shop.Wish.Gift, Shop.Wish.Insured (5))",
    "→ Shop.Cart<int>.Receipt.Number(year: 2024, digits: ",
    "→ Shop.Cart<int>.Receipt.Print(currency: ",
    "→ Shop.Program.Next(status: Shop.Status.New (0))",
    "← Shop.Status.Paid (1)",
    "System.InvalidOperationException",
    "← 0",
];

fn text(version: RuntimeVersion) -> Result<()> {
    let traced = demo(version, "text")?.set("FORMAT", "text").run()?;
    let judged = (|| {
        ensure!(traced.finished.stdout == "12.50 €, Gift, Insured\nalready sent\n", "other output");
        let trace = fs::read_to_string(&traced.trace)?;
        println!("{trace}");
        let mut rest = trace.as_str();
        for fragment in TEXT {
            let at = rest.find(fragment).with_context(|| format!("missing, or out of order: {fragment}"))?;
            rest = &rest[at + fragment.len()..];
        }
        let count = |sign: &str| trace.lines().filter(|line| line.contains(sign)).count();
        ensure!(count("→") >= 15, "{} calls", count("→"));
        ensure!(trace.lines().all(|line| line.starts_with('[')), "a line has no thread");
        let indent = |name: &str| {
            let line = trace.lines().find(|line| line.contains(name)).context("no such line")?;
            line.find('→').context("no call")
        };
        ensure!(indent("Shop.Program.Main(")? < indent("Shop.Cart<string>.Add(")?, "calls are not indented");
        ensure!(indent("Shop.Cart<string>.Add(")? < indent("Shop.Item..ctor(")?, "calls are not indented");
        Ok(())
    })();
    traced.expect(judged)
}

#[test]
fn without_a_file_the_trace_goes_to_standard_error() -> Result<()> {
    let tracing = demo(RuntimeVersion::V9_0, "stderr")?.with(|l| l.env_remove("CALLTRACE_OUT"));
    let traced = tracing.run()?;
    let parsed = (|| {
        ensure!(!traced.trace.exists(), "there is a file");
        let records = traced.finished.stderr.lines().map(Record::parse).collect::<Result<Vec<_>>>()?;
        ensure!(records.len() >= 30, "{} events", records.len());
        records.iter().try_for_each(schema::check)
    })();
    traced.expect(parsed)
}

/// With a self-test, as on a runtime on which fast hooks were not measured, the program's calls have their values when it has
/// ended, and standard error says so; none have if it sees too few calls.
fn self_tested(version: RuntimeVersion) -> Result<()> {
    let tested = |run: &str, of: &str, value: &str| {
        let tracing = demo(version, run)?.set("FORMAT", "text").set("HOOKS", "fast");
        tracing.set("SELF_TEST", "1").set(of, value).run()
    };
    for (run, of, value, end, has_values) in [
        ("self-tested", "ALL", "1", "the self-test has confirmed where values are", true),
        ("untested", "INCLUDE", "*!Shop.Program.Price", "the self-test has seen too few calls", false),
    ] {
        let traced = tested(run, of, value)?;
        let judged = (|| {
            let (trace, said) = (fs::read_to_string(&traced.trace)?, &traced.finished.stderr);
            let begin = "there are no values until a self-test has confirmed where they are";
            let said = said.find(begin).zip(said.find(end));
            ensure!(said.is_some_and(|(begin, end)| begin < end), "it is not said how the self-test ends");
            let price =
                trace.lines().find(|line| line.contains("→ Shop.Program.Price(")).context("no call")?;
            ensure!(price.contains("(count: 3)") == has_values, "{price}");
            Ok(())
        })();
        traced.expect(judged)?;
    }
    Ok(())
}

/// The framework's own exception handling code must not affect the trace.
fn exception_with_everything_traced(version: RuntimeVersion) -> Result<()> {
    let traced =
        demo(version, "exception")?.set("ALL", "1").set("BUDGET", "none").set("MAX_DEPTH", "1").run()?;
    let records = traced.expect(traced.records_of_the_framework())?;
    let at = |name: &str, method: &str| {
        let found = records.iter().rposition(|r| r.event.name() == name && r.method == method);
        found.with_context(|| format!("no {name} of {method}"))
    };
    let judged = (|| {
        let (entered, left) = (at("enter", "Shop.Program.Next")?, at("unwind", "Shop.Program.Next")?);
        let exception = Event::Unwind { exception: "System.InvalidOperationException".to_owned() };
        ensure!(records[left].event == exception, "{:?}", records[left]);
        let handled = at("enter", "System.Console.WriteLine")?;
        ensure!(entered < left && left < handled, "enter {entered}, unwind {left}, handler {handled}");
        ensure!(records[handled].depth == records[entered].depth, "the handler is called from below");
        Ok(())
    })();
    traced.expect(judged)
}

on_each_runtime! {
    the_text_format: text;
    a_self_test_says_how_it_ends: self_tested;
    an_exception_with_everything_traced: exception_with_everything_traced;
}

/// The modules and methods that settings select.
fn chosen(run: &str, settings: &[(&str, &str)]) -> Result<(BTreeSet<String>, BTreeSet<String>)> {
    let mut tracing = demo(RuntimeVersion::V9_0, run)?;
    for (setting, value) in settings {
        tracing = tracing.set(setting, value);
    }
    let traced = tracing.run()?;
    let records = traced.expect(match settings {
        [("ALL", _)] => traced.records_of_the_framework(),
        _ => traced.records().map(|(records, _)| records),
    })?;
    let modules = records.iter().map(|record| record.module.clone()).collect();
    Ok((modules, records.into_iter().map(|record| record.method).collect()))
}

#[test]
fn by_default_the_programs_own_assemblies_are_traced() -> Result<()> {
    let (modules, methods) = chosen("default", &[])?;
    assert_eq!(Vec::from_iter(modules), ["demo.dll"]);
    assert!(methods.contains("Shop.Program.Main"));
    Ok(())
}

#[test]
fn include_selects_and_exclude_removes() -> Result<()> {
    let (_, methods) = chosen("include", &[("INCLUDE", "demo*!Shop.Cart*")])?;
    assert!(methods.iter().all(|method| method.starts_with("Shop.Cart<")), "{methods:?}");
    assert!(methods.contains("Shop.Cart<string>.Add"), "{methods:?}");
    let (_, methods) = chosen("exclude", &[("EXCLUDE", "*!Shop.Cart*.Add")])?;
    assert!(methods.contains("Shop.Program.Main"), "{methods:?}");
    assert!(!methods.contains("Shop.Cart<string>.Add"), "{methods:?}");
    Ok(())
}

#[test]
fn all_includes_the_framework() -> Result<()> {
    let (modules, methods) = chosen("all", &[("ALL", "1")])?;
    assert!(modules.contains("System.Private.CoreLib.dll"), "{modules:?}");
    assert!(methods.contains("System.Console.WriteLine"), "no System.Console.WriteLine");
    Ok(())
}
