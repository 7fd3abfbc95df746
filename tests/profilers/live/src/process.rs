//! The process: its runtime, its modules, its threads, its environment.

use std::collections::BTreeMap;
use std::path::Path;

use corprof::{Error, ModuleFlags, ProfilerInfo, Result, ThreadId};

use crate::State;
use crate::facts::{Facts, hex};

/// Changes the environment before managed code runs: the program sees the changes.
pub(crate) fn set_variables(info: &ProfilerInfo) -> Result<()> {
    if info.version() < 11 {
        return Ok(());
    }
    info.set_environment_variable("LIVE_SET", Some("by the profiler"))?;
    info.set_environment_variable("LIVE_CLEARED", None)
}

/// The version of the runtime.
pub(crate) fn core(state: &State) -> Result<String> {
    let mut facts = Facts::of("process");
    let runtime = state.info.runtime_info()?;
    facts.say("core", runtime.runtime_type == corprof::RuntimeType::CORE_CLR);
    Ok(facts.finish())
}

/// The loaded assemblies, modules and domains.
pub(crate) fn answer(state: &State, caller: Option<ThreadId>) -> Result<String> {
    let info = &state.info;
    let mut facts = Facts::of("process");
    let given = info.environment_variable("LIVE_GIVEN")?;
    facts.say("variable.given", given.as_deref().unwrap_or("none"));
    let set = info.environment_variable("LIVE_SET")?;
    facts.say("variable.set", set.as_deref().unwrap_or("none"));
    let cleared = info.environment_variable("LIVE_CLEARED")?;
    facts.say("variable.cleared", cleared.as_deref().unwrap_or("none"));

    // The modules by enumeration, not by callback.
    let mut modules = BTreeMap::new();
    let listed = info.modules()?;
    let total = listed.len();
    let mut seen = 0;
    for module in listed {
        seen += 1;
        let its = info.module_info(module)?;
        let assembly = its.assembly.ok_or_else(|| Error::other("a module without an assembly"))?;
        let its_assembly = info.assembly_info(assembly)?;
        if its_assembly.module != Some(module) {
            return Err(Error::other(format!("{} has another module", its_assembly.name)));
        }
        let domains = info.app_domains_containing_module(module)?;
        if its_assembly.app_domain.is_none_or(|domain| !domains.contains(&domain)) {
            return Err(Error::other(format!("{} is in none of its domains", its_assembly.name)));
        }
        if !its.flags.contains(ModuleFlags::DYNAMIC) {
            modules.insert(its_assembly.name, its.path);
        }
    }
    if seen != total {
        return Err(Error::other(format!("{seen} of {total} modules were listed")));
    }
    for (name, path) in modules {
        facts.say(format_args!("assembly.{name}"), path);
    }

    let caller = caller.ok_or_else(|| Error::other("the program's thread is not managed"))?;
    facts.say("thread", info.os_thread_id(caller)?);
    let threads = info.threads()?;
    facts.say("thread.listed", threads.contains(&caller));
    let domain = info.app_domain_info(info.thread_app_domain(caller)?)?;
    facts.say("id", domain.process_id);

    // Code.
    let module = state.module("live.dll")?;
    let metadata = info.module_metadata(module)?;
    for name in ["Small", "Large"] {
        let ty = metadata.find_type_def("Codes", None)?.ok_or_else(|| Error::other("no Codes"))?;
        let method = *metadata.methods_named(ty, name)?.first().ok_or_else(|| Error::other("no method"))?;
        facts.say(format_args!("il.{name}"), hex(code_of(&info.il_function_body(module, method)?)));
    }
    // Every module's file can be opened, and is the loaded one.
    let dispenser = info.metadata_dispenser()?;
    let mut opened = 0;
    for module in info.modules()? {
        let its = info.module_info(module)?;
        if !its.flags.contains(ModuleFlags::DYNAMIC) {
            if dispenser.open(Path::new(&its.path))?.mvid()? != info.module_metadata(module)?.mvid()? {
                return Err(Error::other(format!("{} is another file", its.path)));
            }
            opened += 1;
        }
    }
    facts.say("opened", opened);
    Ok(facts.finish())
}

/// The code of a method's body, without its header and the data after it (ECMA-335 II.25.4).
fn code_of(body: &[u8]) -> &[u8] {
    match body {
        [header, code @ ..] if header & 3 == 2 => code.get(..usize::from(header >> 2)).unwrap_or_default(),
        [_, _, _, _, a, b, c, d, _, _, _, _, code @ ..] => {
            let length = usize::try_from(u32::from_le_bytes([*a, *b, *c, *d])).unwrap_or_default();
            code.get(..length).unwrap_or_default()
        }
        _ => &[],
    }
}
