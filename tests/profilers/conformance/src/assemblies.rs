//! `moduleload` and `ALCTest`: loads and unloads of assemblies and modules.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

use corprof::{AssemblyId, EventMask, HResult, ModuleId, ProfilerInfo, Result};

use crate::row::Row;
use crate::{locked, say};

/// The assembly that the program loads.
const PLUGIN: &str = "conformanceplugin";

/// Counts of starts, of successful ends, and of failed ends.
#[derive(Debug, Default)]
struct Counts {
    started: u32,
    finished: u32,
    failed: u32,
}

impl Counts {
    fn ended(&mut self, status: Result<(), HResult>) {
        match status {
            Ok(()) => self.finished += 1,
            Err(_) => self.failed += 1,
        }
    }

    fn say(&self, what: &str) {
        say(format_args!("{what}.some"), self.started > 0);
        say(format_args!("{what}.started_is_finished"), self.started == self.finished);
        say(format_args!("{what}.failed"), self.failed);
    }
}

/// The loads.
pub(crate) struct Loads {
    info: ProfilerInfo,
    seen: Mutex<Loaded>,
}

#[derive(Default)]
struct Loaded {
    assemblies: Counts,
    modules: Counts,
    /// The number of ends of loads of the program's assembly, as an assembly and as a module.
    plugin: (u32, u32),
}

impl Loads {
    pub(crate) fn new(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::MODULE_LOADS | EventMask::ASSEMBLY_LOADS)?;
        Ok(Self { info: info.clone(), seen: Mutex::default() })
    }

    fn seen(&self) -> MutexGuard<'_, Loaded> {
        locked(&self.seen)
    }
}

impl Row for Loads {
    fn assembly_load_started(&self, _: AssemblyId) {
        self.seen().assemblies.started += 1;
    }

    fn assembly_load_finished(&self, assembly: AssemblyId, status: Result<(), HResult>) {
        let is_plugin = self.info.assembly_info(assembly).is_ok_and(|info| info.name == PLUGIN);
        let mut seen = self.seen();
        seen.assemblies.ended(status);
        seen.plugin.0 += u32::from(is_plugin);
    }

    fn module_load_started(&self, _: ModuleId) {
        self.seen().modules.started += 1;
    }

    fn module_load_finished(&self, module: ModuleId, status: Result<(), HResult>) {
        let file = format!("{PLUGIN}.dll");
        let is_plugin = self.info.module_info(module).is_ok_and(|info| info.file_name() == file);
        let mut seen = self.seen();
        seen.modules.ended(status);
        seen.plugin.1 += u32::from(is_plugin);
    }

    fn say(&self) {
        let seen = self.seen();
        seen.assemblies.say("assembly_loads");
        seen.modules.say("module_loads");
        say("plugin.assembly_loads", seen.plugin.0);
        say("plugin.module_loads", seen.plugin.1);
    }
}

/// The unloads.
pub(crate) struct Unloads {
    info: ProfilerInfo,
    seen: Mutex<Unloaded>,
}

#[derive(Default)]
struct Unloaded {
    assemblies: Counts,
    /// By name.
    names: BTreeMap<String, u32>,
}

impl Unloads {
    pub(crate) fn new(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::ASSEMBLY_LOADS)?;
        Ok(Self { info: info.clone(), seen: Mutex::default() })
    }

    fn seen(&self) -> MutexGuard<'_, Unloaded> {
        locked(&self.seen)
    }
}

impl Row for Unloads {
    fn assembly_unload_started(&self, assembly: AssemblyId) {
        // The name cannot be queried later.
        let name = self.info.assembly_info(assembly).map_or_else(|error| error.to_string(), |info| info.name);
        let mut seen = self.seen();
        seen.assemblies.started += 1;
        *seen.names.entry(name).or_default() += 1;
    }

    fn assembly_unload_finished(&self, _: AssemblyId, status: Result<(), HResult>) {
        self.seen().assemblies.ended(status);
    }

    fn say(&self) {
        let seen = self.seen();
        let Counts { started, finished, failed } = seen.assemblies;
        say("assembly_unloads", format_args!("{started} started, {finished} finished, {failed} failed"));
        for (name, count) in &seen.names {
            say(format_args!("unloaded.{name}"), count);
        }
    }
}
