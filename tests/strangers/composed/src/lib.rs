//! Two profilers in one library: one counts the exceptions, the other names the methods that are compiled.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use corprof::{EventMask, FunctionId, HResult, Names, ObjectId, Profiler, ProfilerInfo, Result};

corprof::export_profiler!("{7A1C7B0E-5D53-4E0B-9B3B-6F0C0D2E8A11}", [Thrown, Compiled]);

/// The number of exceptions.
#[derive(Default)]
pub struct Thrown(AtomicU64);

impl Thrown {
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Profiler for Thrown {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::EXCEPTIONS)?;
        Ok(Self::default())
    }

    fn initialize_for_attach(info: &ProfilerInfo, _: &[u8]) -> Result<Self> {
        Self::initialize(info)
    }

    fn exception_thrown(&self, _: ObjectId<'_>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn shutdown(&self) {
        eprintln!("thrown: {}", self.count());
    }
}

/// The names of the compiled methods.
pub struct Compiled {
    names: Names,
    seen: Mutex<BTreeSet<String>>,
}

impl Compiled {
    pub fn seen(&self) -> BTreeSet<String> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Profiler for Compiled {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::JIT_COMPILATION)?;
        Ok(Self { names: Names::new(info), seen: Mutex::default() })
    }

    fn initialize_for_attach(info: &ProfilerInfo, _: &[u8]) -> Result<Self> {
        Self::initialize(info)
    }

    fn jit_compilation_finished(&self, function: FunctionId, status: Result<(), HResult>, _: bool) {
        if let (Ok(()), Ok(name)) = (status, self.names.function(function)) {
            let name = name.to_string();
            self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(name);
        }
    }

    fn shutdown(&self) {
        for name in self.seen() {
            eprintln!("compiled: {name}");
        }
    }
}
