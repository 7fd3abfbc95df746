//! A trace that a runtime has written from its start: the decoded events have the values that the program states.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::{Launch, scratch};
use e2e::app::{App, Build};
use e2e::on_each_runtime;
use nettrace::Reader;
use nettrace::runtime_events::{
    MethodName, PROVIDER, PathSource, ResolutionResult, ResolutionStage, RuntimeEvent, keywords, levels,
};

/// The groups of events that the program causes.
const KEYWORDS: u64 = keywords::GC
    | keywords::ASSEMBLY_LOADER
    | keywords::JIT
    | keywords::THREADING
    | keywords::JIT_TRACING
    | keywords::INTEROP
    | keywords::GC_SAMPLED_OBJECT_ALLOCATION_HIGH
    | keywords::JIT_INSTRUMENTATION_DATA
    | keywords::YIELD_PROCESSOR_NORMALIZED;

/// The values of the decoded events, by the name of the program's method or object.
#[derive(Debug, Default)]
struct Seen {
    /// The sampled objects of each type and their bytes.
    sampled: BTreeMap<u64, (u64, u64)>,
    /// Bytes of native memory, allocated and freed.
    pressure: [BTreeSet<u64>; 2],
    inlined: BTreeSet<String>,
    not_inlined: BTreeMap<String, String>,
    tail_calls: BTreeSet<String>,
    no_tail_calls: BTreeMap<String, String>,
    /// Tokens, and whether the code loads the first argument.
    stubs: BTreeMap<String, (u32, bool)>,
    attempts: BTreeMap<String, Vec<(ResolutionStage, ResolutionResult, String)>>,
    handlers: BTreeMap<String, (String, String)>,
    probes: BTreeMap<String, (PathSource, u32)>,
    /// The sizes of each generation before and after the last collection.
    heap: Vec<(u64, u64)>,
    profiles: BTreeMap<String, (u32, usize)>,
    yields: Vec<f64>,
    /// The numbers of events that are not decoded.
    unknown: BTreeSet<u32>,
}

fn named(method: &MethodName<'_>) -> String {
    format!("{}.{}", method.namespace, method.name)
}

impl Seen {
    fn read(path: &Path) -> Result<Self> {
        let mut seen = Self::default();
        let mut reader = Reader::new(File::open(path)?)?;
        while let Some(event) = reader.next_event()? {
            if event.metadata.provider != PROVIDER {
                continue;
            }
            match event.runtime_event().with_context(|| format!("event {}", event.metadata.event_id))? {
                Some(decoded) => seen.event(&decoded)?,
                None => _ = seen.unknown.insert(event.metadata.event_id),
            }
        }
        Ok(seen)
    }

    fn event(&mut self, event: &RuntimeEvent<'_>) -> Result<()> {
        match event {
            RuntimeEvent::SampledAllocationHigh(of) => {
                let entry = self.sampled.entry(of.type_id).or_default();
                *entry = (entry.0 + u64::from(of.count), entry.1 + of.bytes);
            }
            RuntimeEvent::IncreaseMemoryPressure(of) => _ = self.pressure[0].insert(of.bytes),
            RuntimeEvent::DecreaseMemoryPressure(of) => _ = self.pressure[1].insert(of.bytes),
            RuntimeEvent::Inlining(of) => {
                self.inlined.insert(format!("{} in {}", named(&of.inlinee), named(&of.compiled)));
            }
            RuntimeEvent::InliningFailure(of) => {
                self.not_inlined.insert(
                    format!("{} in {}", named(&of.inlinee), named(&of.compiled)),
                    of.reason.to_string(),
                );
            }
            RuntimeEvent::TailCall(of) if !of.has_prefix => {
                self.tail_calls.insert(format!("{} in {}", named(&of.callee), named(&of.compiled)));
            }
            RuntimeEvent::TailCallFailure(of) if !of.has_prefix => {
                self.no_tail_calls.insert(
                    format!("{} in {}", named(&of.callee), named(&of.compiled)),
                    of.reason.to_string(),
                );
            }
            RuntimeEvent::IlStub(of) => {
                self.stubs.insert(named(&of.method), (of.token, of.code.to_string().contains("ldarg.0")));
            }
            RuntimeEvent::ResolutionAttempt(of) => {
                let attempt = (of.stage, of.result, of.found_name.to_string());
                self.attempts.entry(of.name.to_string()).or_default().push(attempt);
            }
            RuntimeEvent::AppDomainHandler(of) => {
                self.handlers
                    .insert(of.name.to_string(), (of.handler.to_string(), of.found_name.to_string()));
            }
            RuntimeEvent::PathProbe(of) => {
                self.probes.insert(of.path.to_string(), (of.source, of.hresult));
            }
            RuntimeEvent::GcHeapHistory(of) => {
                self.heap = of
                    .generations
                    .map(|of| of.map(|of| (of.size_before, of.size_after)))
                    .collect::<Result<_, _>>()?;
            }
            RuntimeEvent::JitProfileVerbose(of) => {
                self.profiles.insert(named(&of.name), (of.token, of.data.len()));
            }
            RuntimeEvent::YieldMeasurement(of) => self.yields.push(of.nanoseconds),
            _ => {}
        }
        Ok(())
    }
}

/// The lines `name = value` of the program.
fn facts(output: &str) -> BTreeMap<&str, &str> {
    output.lines().filter_map(|line| line.split_once(" = ")).collect()
}

fn a_trace_from_the_start_is_decoded(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("eventful", version, Build::Optimised)?;
    let trace = scratch(&format!("{}-trace", app.label))?.join("eventful.nettrace");
    let finished = Launch::new(&runtime(version)?, &app.dll)
        .env("DOTNET_EnableEventPipe", "1")
        .env("DOTNET_EventPipeOutputPath", &trace)
        .env("DOTNET_EventPipeConfig", format!("{PROVIDER}:{KEYWORDS:x}:{}", levels::VERBOSE))
        .run()?
        .ok()?;
    let facts = facts(&finished.stdout);
    let fact = |name: &str| facts.get(name).copied().with_context(|| finished.report());
    let seen = Seen::read(&trace).with_context(|| finished.report())?;
    let shown = || format!("{seen:#?}\n{}", finished.stdout);

    // A thousand objects with a header, the class and one field. The first is sampled alone, the last ones may not be.
    let thing = fact("thing")?.parse()?;
    let (count, bytes) = seen.sampled.get(&thing).copied().with_context(shown)?;
    ensure!((1..=1000).contains(&count) && bytes == 24 * count, "{count} {bytes} {}", shown());
    let pressure = fact("pressure")?.parse()?;
    ensure!(seen.pressure.iter().all(|bytes| bytes.contains(&pressure)), "{}", shown());

    ensure!(seen.inlined.contains("Eventful.Program.Small in Eventful.Program.Decide"), "{}", shown());
    let refused = seen.not_inlined.get("Eventful.Program.Large in Eventful.Program.Decide");
    ensure!(refused.is_some_and(|reason| !reason.is_empty()), "{}", shown());
    ensure!(seen.tail_calls.contains("Eventful.Program.Large in Eventful.Program.Jumps"), "{}", shown());
    let refused = seen.no_tail_calls.get("Eventful.Program.Taken in Eventful.Program.Returns");
    ensure!(refused.is_some_and(|reason| reason.contains("addr")), "{}", shown());

    let (token, is_code) = seen.stubs.get("Eventful.Program.access").copied().with_context(shown)?;
    ensure!(token.to_string() == fact("stub")? && is_code, "{}", shown());

    let missing = seen.attempts.iter().find(|(name, _)| name.starts_with("Eventful.Missing"));
    let attempts = missing.with_context(shown)?.1;
    let not_found = |stage| attempts.contains(&(stage, ResolutionResult::NOT_FOUND, String::new()));
    ensure!(not_found(ResolutionStage::LOADED) && not_found(ResolutionStage::APPLICATION), "{}", shown());
    let resolved = fact("resolved")?;
    let by_event = (ResolutionStage::ASSEMBLY_RESOLVE_EVENT, ResolutionResult::SUCCESS, resolved.to_owned());
    ensure!(attempts.contains(&by_event), "{}", shown());
    let handler = seen.handlers.iter().find(|(name, _)| name.starts_with("Eventful.Missing"));
    // Since 11.0 with its type.
    let name = if version < RuntimeVersion::V11_0 { "Handler" } else { "Eventful.Program.Handler" };
    ensure!(handler.with_context(shown)?.1 == &(name.to_owned(), resolved.to_owned()), "{}", shown());
    let probe = seen.probes.get(fact("probed")?).copied();
    ensure!(probe == Some((PathSource::APPLICATION, 0)), "{}", shown());

    let heap = seen.heap.iter().enumerate();
    for (generation, (before, after)) in heap {
        ensure!(fact(&format!("heap {generation}"))? == format!("{before} {after}"), "{}", shown());
    }
    ensure!(seen.heap.len() == 5, "{}", shown());
    let (token, bytes) = seen.profiles.get("Eventful.Program.Hot").copied().with_context(shown)?;
    ensure!(token.to_string() == fact("hot")? && bytes > 0, "{}", shown());
    ensure!(
        !seen.yields.is_empty() && seen.yields.iter().all(|time| (0.1..1000.0).contains(time)),
        "{}",
        shown()
    );
    ensure!(seen.unknown.is_empty(), "{}", shown());
    Ok(())
}

on_each_runtime! {
    // .NET Core 3.1 crashes when it writes a trace from its start.
    a_trace_from_the_start on [on_8_0 on_9_0 on_10_0 on_11_0]: a_trace_from_the_start_is_decoded;
}
