//! Measures the lookup of names: the first lookup, and cached names.
//!
//! The program (`tests/apps/namesbench`) calls methods of the framework. The runtime compiles each of them, and their
//! ids are collected; when it compiles `NamesBench.Program.Measure`, everything is measured in that callback, while the
//! program waits. `NAMES_BENCH_OUT` names the file for the figures, `NAMES_BENCH_ROUNDS` is the number of rounds.

mod measure;

use std::alloc::System;
use std::sync::{Mutex, PoisonError};

use corprof::{Error, EventMask, FunctionId, Names, Profiler, ProfilerInfo, Result, export_profiler};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

export_profiler!("{E2C7A9D4-1B35-4C8E-A6F0-93D5728B4E61}", [NamesBench]);

/// Counts the profiler's own allocations.
#[global_allocator]
static MEMORY: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// A prime number that is larger than the number of methods.
const STRIDE: usize = 1_000_003;

/// The profiler.
struct NamesBench {
    info: ProfilerInfo,
    /// Finds the method at which to begin. The measured `Names` are separate and empty.
    names: Names,
    functions: Mutex<Vec<FunctionId>>,
}

impl Profiler for NamesBench {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(
            EventMask::JIT_COMPILATION | EventMask::MODULE_LOADS | EventMask::DISABLE_ALL_NGEN_IMAGES,
        )?;
        Ok(Self { info: info.clone(), names: Names::new(info), functions: Mutex::default() })
    }

    fn jit_compilation_started(&self, function: FunctionId, _: bool) {
        let name = self.names.method(function).map(|method| method.plain_name());
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        functions.push(function);
        if name.is_ok_and(|name| name == "NamesBench.Program.Measure") {
            let functions = std::mem::take(&mut *functions);
            if let Err(error) = self.measure(functions) {
                eprintln!("names-bench: {error}");
            }
        }
    }
}

impl NamesBench {
    fn measure(&self, mut functions: Vec<FunctionId>) -> Result<()> {
        functions.sort_unstable();
        functions.dedup();
        // In an order that is unrelated to addresses and to time, so that the processor cannot predict it.
        let count = functions.len();
        let functions: Vec<_> =
            (0..count).filter_map(|n| functions.get(n * STRIDE % count).copied()).collect();
        let out =
            std::env::var_os("NAMES_BENCH_OUT").ok_or_else(|| Error::other("NAMES_BENCH_OUT is not set"))?;
        let rounds =
            std::env::var("NAMES_BENCH_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(10);
        let figures = measure::all(&self.info, &functions, rounds)?;
        std::fs::write(&out, figures.to_string())
            .map_err(|error| Error::other(format!("NAMES_BENCH_OUT: {error}")))
    }
}
