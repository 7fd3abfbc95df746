//! The report: totals by kind, what took longest, and precompiled methods by module.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use corprof::{AnyId, FunctionId, Names, Result};
use corprof_tools::corprof_profile::{Format, Profile, Span, Timeline};
use corprof_tools::{Done, LiveProfile, Moment, Settings, Spans, Table, Work, program_name, render};

use crate::stacks::stacks;

/// The number of functions whose precompiled code is counted.
const FUNCTIONS: usize = 500_000;

/// The methods whose precompiled code was used.
pub(crate) struct Precompiled {
    is_reported: bool,
    functions: Mutex<HashSet<FunctionId>>,
}

impl Precompiled {
    pub(crate) fn new(is_reported: bool) -> Self {
        Self { is_reported, functions: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<FunctionId>> {
        self.functions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Precompiled code of a method is used.
    pub(crate) fn found(&self, function: FunctionId) {
        let mut functions = self.lock();
        if functions.len() < FUNCTIONS {
            functions.insert(function);
        }
    }
}

/// The settings and sources of every report.
pub(crate) struct Report {
    names: Names,
    /// For the names of source methods.
    sources: LiveProfile,
    spans: Arc<Spans>,
    precompiled: Arc<Precompiled>,
    format: Option<Format>,
    top: usize,
    known: HashMap<AnyId, String>,
}

const KINDS: [(Work, &str); 4] = [
    (Work::Compilation, "compilation"),
    (Work::ClassLoad, "class load"),
    (Work::ModuleLoad, "module load"),
    (Work::AssemblyLoad, "assembly load"),
];

fn kind(work: Work) -> &'static str {
    KINDS.iter().find(|(kind, _)| *kind == work).map_or("other", |(_, name)| name)
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64() * 1000.0)
}

impl Report {
    pub(crate) fn new(
        names: &Names,
        spans: Arc<Spans>,
        precompiled: Arc<Precompiled>,
        settings: &Settings,
    ) -> Result<Self> {
        let (format, top) = (settings.format(), settings.limit("TOP")?);
        let sources = LiveProfile::new(names, Profile::new(&program_name(), Vec::new()));
        Ok(Self { names: names.clone(), sources, spans, precompiled, format, top, known: HashMap::new() })
    }

    /// Returns the report of a moment.
    pub(crate) fn write(&mut self, moment: Moment) -> Vec<u8> {
        let done = self.spans.done();
        let names: Vec<String> = done.iter().map(|done| self.name(done)).collect();
        let with_kind = || -> Vec<String> {
            done.iter().zip(&names).map(|(done, name)| format!("{} {name}", kind(done.work))).collect()
        };
        match self.format {
            Some(Format::Chrome) => {
                let mut bytes = Vec::new();
                // A `Vec` takes everything.
                let _ = timeline(&done, with_kind()).write_chrome(&mut bytes);
                bytes
            }
            Some(format) => render(&stacks(&done, &with_kind()), Some(format), 0, |_| Ok(())),
            None => {
                let mut text = String::new();
                let _ = self.text(moment, &done, &names, &mut text);
                text.into_bytes()
            }
        }
    }

    fn name(&mut self, done: &Done) -> String {
        if let Some(name) = &done.name {
            return name.clone();
        }
        if let Some(known) = self.known.get(&done.id) {
            return known.clone();
        }
        let info = self.names.info();
        let name = match done.id {
            AnyId::Function(function) => {
                let source = self.sources.source_name(function);
                source.or_else(|_| Ok(self.names.function(function)?.to_string()))
            }
            AnyId::Class(class) => self.names.class(class).map(|name| name.to_string()),
            AnyId::Module(module) => info.module_info(module).map(|module| match module.file_name() {
                "" => "[in memory]".to_owned(),
                file => file.to_owned(),
            }),
            AnyId::Assembly(assembly) => info.assembly_info(assembly).map(|assembly| assembly.name),
            _ => Ok("[other]".to_owned()),
        };
        let name = name.unwrap_or_else(|_| "[unknown]".to_owned());
        self.known.insert(done.id, name.clone());
        name
    }

    fn text(&self, moment: Moment, done: &[Done], names: &[String], out: &mut String) -> std::fmt::Result {
        let (program, seconds) = (program_name(), moment.elapsed.as_secs_f64());
        let total: Duration = done.iter().map(|done| done.own).sum();
        writeln!(
            out,
            "{program}: {} compilations and loads in {seconds:.1} s, which took {} ms",
            done.len(),
            milliseconds(total)
        )?;
        let (dropped, unpaired) = self.spans.lost();
        for (count, what) in
            [(dropped, "callbacks were beyond the limit"), (unpaired, "callbacks did not fit the others")]
        {
            if count > 0 {
                writeln!(out, "{count} {what}")?;
            }
        }
        let mut table = Table::new(["count", "failed", "own ms", "longest", "kind"]);
        for (work, name) in KINDS {
            let of_kind = || done.iter().filter(|done| done.work == work);
            let longest = of_kind().map(|done| done.own).max();
            let Some(longest) = longest else { continue };
            table.row([
                of_kind().count().to_string(),
                of_kind().filter(|done| !done.is_ok).count().to_string(),
                milliseconds(of_kind().map(|done| done.own).sum()),
                milliseconds(longest),
                name.to_owned(),
            ]);
        }
        write!(out, "\n{table}")?;
        for (work, name) in KINDS {
            let mut longest: Vec<_> = done.iter().zip(names).filter(|(done, _)| done.work == work).collect();
            longest.sort_by_key(|(done, _)| core::cmp::Reverse(done.own));
            let mut table = Table::new(["at ms", "own ms", "with nested", "time", name]);
            for (done, name) in longest.iter().take(self.top) {
                table.row([
                    milliseconds(done.begin),
                    milliseconds(done.own),
                    milliseconds(done.total),
                    done.time.to_string(),
                    (*name).clone(),
                ]);
            }
            if !table.is_empty() {
                write!(out, "\n{table}")?;
            }
        }
        self.modules(done, out)
    }

    /// The methods with precompiled code, and those that were compiled nevertheless.
    fn modules(&self, done: &[Done], out: &mut String) -> std::fmt::Result {
        if !self.precompiled.is_reported {
            return writeln!(out, "\nan attached profiler does not see whether precompiled code is used");
        }
        let precompiled = self.precompiled.lock().clone();
        let module = |function| {
            let method = self.names.method(function).ok()?;
            Some(method.module_info.file_name().to_owned())
        };
        let mut modules: BTreeMap<String, [u64; 3]> = BTreeMap::new();
        for function in &precompiled {
            if let Some(module) = module(*function) {
                modules.entry(module).or_default()[0] += 1;
            }
        }
        for done in done.iter().filter(|done| done.work == Work::Compilation && done.name.is_none()) {
            let AnyId::Function(function) = done.id else { continue };
            let Some(module) = module(function) else { continue };
            let had_code = precompiled.contains(&function) || done.time > 1;
            modules.entry(module).or_default()[if had_code { 2 } else { 1 }] += 1;
        }
        let mut table = Table::new(["precompiled", "compiled at first call", "compiled again", "module"]);
        for (module, counts) in modules {
            let [found, first, again] = counts.map(|count| count.to_string());
            table.row([found, first, again, module]);
        }
        if table.is_empty() { Ok(()) } else { write!(out, "\n{table}") }
    }
}

fn timeline(done: &[Done], names: Vec<String>) -> Timeline {
    let mut timeline = Timeline::new(&program_name(), done.len());
    for (done, name) in done.iter().zip(names) {
        timeline.add(Span {
            row: match done.thread {
                0 => "other threads".into(),
                thread => format!("thread {thread}").into(),
            },
            name,
            begin: done.begin,
            length: done.total,
            properties: vec![
                ("kind", kind(done.work).to_owned()),
                ("own ms", milliseconds(done.own)),
                ("time", done.time.to_string()),
                ("succeeded", done.is_ok.to_string()),
            ],
        });
    }
    timeline
}
