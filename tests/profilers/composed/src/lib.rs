//! Two tools and a profiler of one's own in one library: exceptions, collections, and the names of the modules that are loaded.
//!
//! Under its second class id the library has the small profiler alone, and under its third an agent, with `cpu` and a tool that panics too.
//! `COMPOSED_OUT` names the file for the names.

use std::fs::File;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use corprof::{Error, EventMask, HResult, ModuleId, Profiler, ProfilerInfo, Reserve, Result};
use corprof_agent::{Agent, HostedTool, Tools};
use corprof_tools::{Reporter, Settings, Tool};

corprof::export_profiler!(
    "{6E8A1D52-0B7C-4F39-9D14-5C2E7A60B3F8}", [exceptions::Exceptions, gc::Gc, Modules];
    "{6E8A1D52-0B7C-4F39-9D14-5C2E7A60B3F9}", [Modules];
    "{6E8A1D52-0B7C-4F39-9D14-5C2E7A60B3FA}", [Agent<Hosted>]
);

/// The tools of the agent.
struct Hosted;

impl Tools for Hosted {
    const TOOLS: &'static [HostedTool] = &[
        HostedTool::of::<exceptions::Exceptions>(),
        HostedTool::of::<gc::Gc>(),
        HostedTool::of::<cpu::Cpu>(),
        HostedTool::of::<Panics>(),
    ];
}

/// Panics when an exception is thrown.
struct Panics(Reporter);

impl Tool for Panics {
    const PREFIX: &'static str = "PANICS_";

    fn start(info: &ProfilerInfo, settings: &Settings) -> Result<Self> {
        info.set_event_mask(EventMask::EXCEPTIONS)?;
        Ok(Self(Reporter::start("panics", info, settings, |_| b"nothing\n".to_vec())?))
    }

    fn reporter(&self) -> &Reporter {
        &self.0
    }
}

impl Profiler for Panics {
    corprof_tools::tool_callbacks!();

    fn exception_thrown(&self, _: corprof::ObjectId<'_>) {
        panic!("as it is meant to");
    }
}

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
