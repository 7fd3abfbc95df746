//! Two tools and a profiler of one's own in one library: exceptions, collections, and the names of the modules that are loaded.
//!
//! Under its second class id the library has the small profiler alone. `COMPOSED_OUT` names the file for the names.

use std::fs::File;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use corprof::{Error, EventMask, HResult, ModuleId, Profiler, ProfilerInfo, Reserve, Result};

corprof::export_profiler!(
    "{6E8A1D52-0B7C-4F39-9D14-5C2E7A60B3F8}", [exceptions::Exceptions, gc::Gc, Modules];
    "{6E8A1D52-0B7C-4F39-9D14-5C2E7A60B3F9}", [Modules]
);

#[global_allocator]
static MEMORY: Reserve = Reserve::new();

/// Writes the names of loaded modules.
struct Modules {
    info: ProfilerInfo,
    out: Mutex<File>,
}

impl Profiler for Modules {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        let path = std::env::var_os("COMPOSED_OUT").ok_or_else(|| Error::other("COMPOSED_OUT is not set"))?;
        let out = File::create(path).map_err(|error| Error::other(error.to_string()))?;
        info.set_event_mask(EventMask::MODULE_LOADS)?;
        Ok(Self { info: info.clone(), out: Mutex::new(out) })
    }

    fn module_load_finished(&self, module: ModuleId, _: Result<(), HResult>) {
        let name = match self.info.module_info(module) {
            Ok(found) => found.file_name().to_owned(),
            Err(error) => error.to_string(),
        };
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(out, "{name}");
    }

    fn exception_thrown(&self, _: corprof::ObjectId<'_>) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(out, "an exception, whose flag is not in the mask of this profiler");
    }
}
