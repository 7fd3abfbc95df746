//! Looks up names and values all the time, while their modules are unloaded, and counts errors.
//!
//! The program (`tests/apps/storm`) describes many of its calls: methods whose first two parameters are
//! `expected` and `value` are passed the method's name and the third argument as JSON. The profiler's results are compared
//! with that (`check`). Threads of the profiler meanwhile query ids that were seen recently, whether their entities
//! are loaded or not (`ask`). `STORM_OUT` names the file for the results: a line of JSON for each `Mark` of the
//! program, and one at the end. With `STORM_HOOKS=fast`, fast-path hooks are used.

mod ask;
mod check;
mod tally;

use std::alloc::System;
use std::cell::Cell;
use std::fs::File;
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use argvalues::Checked;
use corprof::{
    EnterFrame, Error, EventMask, FunctionHooks, FunctionId, HResult, Hooks, Names, Profiler, ProfilerInfo,
    Result, export_profiler,
};
use corprof_calls::{ClrRuntime, FunctionLocations};
use serde_json::json;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

use crate::ask::Lately;
use crate::check::Expected;
use crate::tally::Tally;

export_profiler!("{5B8C2E0D-7A34-4F5B-9D61-0E7C4A9B3F12}", [Storm]);

/// Counts the profiler's own allocations.
#[global_allocator]
static MEMORY: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The profiler.
struct Storm {
    asked: Arc<Asked>,
    out: Mutex<File>,
    runtime: ClrRuntime,
    memory: Checked,
    has_fast_hooks: bool,
}

/// The state that the profiler shares with its threads.
struct Asked {
    names: Names,
    tally: Tally,
    lately: Lately,
}

/// The data of a method.
struct Kept {
    function: FunctionId,
    /// Its name at its compilation.
    name: Option<Arc<str>>,
    /// With fast-path hooks, the locations of its arguments.
    locations: FunctionLocations,
    /// Whether it describes its calls; determined at its first call.
    says: OnceLock<bool>,
    /// Has its initial value until it is freed.
    mark: u64,
}

const MARK: u64 = 0x5EED_0F57_0A2E_D001;

/// The number of live instances.
static KEPT: AtomicUsize = AtomicUsize::new(0);

impl Kept {
    fn new(function: FunctionId, name: Option<Arc<str>>) -> Self {
        KEPT.fetch_add(1, Ordering::Relaxed);
        Self { function, name, locations: FunctionLocations::new(), says: OnceLock::new(), mark: MARK }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        KEPT.fetch_sub(1, Ordering::Relaxed);
        // Not optimised away: a read after the free sees another value.
        std::hint::black_box(&mut self.mark).clone_from(&0);
    }
}

thread_local! {
    /// The generation in which the running thread is.
    static GENERATION: Cell<Option<u32>> = const { Cell::new(None) };
}

impl Profiler for Storm {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        let path = std::env::var_os("STORM_OUT")
            .ok_or_else(|| Error::other("STORM_OUT names no file to write to"))?;
        let out = File::create(&path).map_err(|error| Error::other(format!("STORM_OUT: {error}")))?;
        let memory = Checked::new().map_err(|error| Error::other(error.to_string()))?;
        let names = Names::new(info);
        let has_fast_hooks = match std::env::var("STORM_HOOKS").as_deref() {
            Ok("fast") => true,
            Ok(other) => return Err(Error::other(format!("STORM_HOOKS: there are no hooks {other}"))),
            Err(_) => false,
        };
        info.set_event_mask(
            EventMask::CALLS_WITH_VALUES
                // Optimised code would have calls without hooks.
                | EventMask::DISABLE_INLINING
                | EventMask::JIT_COMPILATION
                | EventMask::DYNAMIC_FUNCTION_UNLOADS
                | ClrRuntime::EVENTS,
        )?;
        let runtime = ClrRuntime::new(&names)?;
        let asked = Arc::new(Asked { names, tally: Tally::default(), lately: Lately::default() });
        ask::spawn(&asked);
        Ok(Self { asked, out: Mutex::new(out), runtime, memory, has_fast_hooks })
    }

    fn hooks(&self) -> Hooks<Self> {
        if self.has_fast_hooks { Hooks::fast() } else { Hooks::with_info() }
    }

    fn dynamic_method_jit_compilation_finished(&self, function: FunctionId, _: Result<(), HResult>, _: bool) {
        match self.asked.names.function(function) {
            Ok(name) => {
                if name.starts_with("DynamicClass.Dyn") {
                    self.asked.lately.seen(&self.asked, function, &[]);
                    self.write(&json!({ "dynamic": &*name }));
                }
            }
            Err(error) => self.asked.tally.wrong(format!("a dynamic method has no name: {error}")),
        }
    }

    fn shutdown(&self) {
        self.write(&self.asked.tally.to_json());
    }
}

impl FunctionHooks for Storm {
    type Function = Kept;

    fn map_function(&self, function: FunctionId) -> Option<Kept> {
        Some(Kept::new(function, self.asked.names.function(function).ok()))
    }

    fn enter(&self, kept: &Kept, frame: &EnterFrame<'_>) {
        let Asked { names, tally, .. } = &*self.asked;
        Tally::add(&tally.entered);
        if kept.mark != MARK || kept.function != frame.function() {
            tally.wrong("what was kept for a method has been freed".to_owned());
            return;
        }
        match names.function(kept.function) {
            Ok(name) => {
                if kept.name.as_ref().is_some_and(|before| *before != name) {
                    tally.wrong(format!("compiled as {:?}, called as {name}", kept.name));
                }
                let generation = check::generation_of(&name);
                if generation.is_some() && generation != GENERATION.get() {
                    tally.wrong(format!("{name} is called in generation {:?}", GENERATION.get()));
                }
            }
            Err(error) => tally.wrong(format!("no name for a method that is called: {error}")),
        }
        match self.check(kept, frame) {
            Ok(Some(expected)) => self.said(&expected),
            Ok(None) => {}
            Err(error) => tally.wrong(format!("{:?} cannot be looked at: {error}", kept.name)),
        }
    }
}

impl Storm {
    /// A call with a description.
    fn said(&self, expected: &Expected) {
        let number = || expected.value.parse().ok();
        match expected.name.as_str() {
            "Storm.Generations.Begin" => GENERATION.set(number()),
            "Storm.Program.Mark" => {
                let stats = MEMORY.stats();
                self.write(&json!({
                    "mark": number(),
                    "names": self.asked.names.cached_entries(),
                    "loaded": self.asked.names.info().cached_count(),
                    "shapes": self.runtime.cached_entries(),
                    "kept": KEPT.load(Ordering::Relaxed),
                    "heap": stats.bytes_allocated.wrapping_sub(stats.bytes_deallocated),
                }));
            }
            _ => {}
        }
    }

    fn write(&self, line: &serde_json::Value) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        // An error cannot be reported here; the test notices the missing file.
        let _ = writeln!(out, "{line}");
    }
}
