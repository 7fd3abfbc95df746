//! Methods that are ReJITted while the program runs, and reverted.
//!
//! Contract of the unsafe code here: the IL and registers are valid for the methods and threads of the test.
#![allow(unsafe_code)]

use std::sync::Mutex;

use corprof::token::MethodDef;
use corprof::values::{CodegenFlags, IlMapEntry, ReJitFlags};
use corprof::{Error, FunctionControl, FunctionId, HResult, ModuleMethod, ProfilerInfo, ReJitId, Result};

use crate::facts::Facts;
use crate::{State, locked, outlived};

/// The requested changes of methods, and their outcomes.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// The method that returns another number.
    chosen: Mutex<Option<MethodDef>>,
    compiled: Mutex<Vec<ReJitId>>,
    errors: Mutex<Vec<String>>,
    /// The outcomes for maps that were set before methods were compiled.
    maps: Mutex<Vec<String>>,
}

/// `ldc.i4.s 42; ret`, with its header.
const BODY: [u8; 4] = [0x0E, 0x1F, 42, 0x2A];

impl Plan {
    pub(crate) fn fill_in(&self, method: MethodDef, control: &FunctionControl<'_>) -> Result<()> {
        if *locked(&self.chosen) != Some(method) {
            return Ok(());
        }
        control.set_codegen_flags(CodegenFlags::DISABLE_ALL_OPTIMIZATIONS)?;
        control.set_il_instrumented_code_map(&[IlMapEntry {
            old_offset: 0,
            new_offset: 0,
            accurate: true,
        }])?;
        // SAFETY: a whole body for the selected methods.
        unsafe { control.set_il_function_body(&BODY) }
    }

    /// Sets an IL map for a method of the program before it is compiled, and then another one.
    pub(crate) fn mapped(&self, info: &ProfilerInfo, function: FunctionId) {
        let of_program = info.function_info(function).and_then(|found| info.module_info(found.module));
        if !of_program.is_ok_and(|module| module.file_name() == "live.dll") {
            return;
        }
        for (first, offset) in [(true, 0), (false, 1)] {
            let map = [IlMapEntry { old_offset: 0, new_offset: offset, accurate: true }];
            let answer = info.set_il_instrumented_code_map(function, first, &map);
            let said = answer.map_or_else(|error| error.to_string(), |()| "taken".to_owned());
            let mut maps = locked(&self.maps);
            if !maps.contains(&said) {
                maps.push(said);
            }
        }
    }

    pub(crate) fn finished(&self, rejit: Option<ReJitId>, status: Result<(), HResult>) {
        match (rejit, status) {
            (Some(rejit), Ok(())) => locked(&self.compiled).push(rejit),
            (rejit, status) => locked(&self.errors).push(format!("{rejit:?} {status:?}")),
        }
    }

    pub(crate) fn failed(&self, method: MethodDef, error: HResult) {
        locked(&self.errors).push(format!("{method} {error}"));
    }
}

/// The arguments: an action, and the name of a method of `Rewritten`.
pub(crate) fn answer(state: &State, arguments: &[&str]) -> Result<String> {
    let info = &state.info;
    let [action, name] = arguments else { return Err(Error::other("an action and a name are wanted")) };
    let module = match *action {
        // Another copy of the program.
        "unloadable" => outlived::collectible(state)?,
        _ => state.module("live.dll")?,
    };
    let metadata = info.module_metadata(module)?;
    let ty = metadata.find_type_def("Rewritten", None)?.ok_or_else(|| Error::other("no Rewritten"))?;
    let method = *metadata.methods_named(ty, name)?.first().ok_or_else(|| Error::other("no such method"))?;
    let chosen = [ModuleMethod { module, method }];
    let mut facts = Facts::of("rejit");
    // A thread of the profiler that the runtime has initialised.
    info.initialize_current_thread()?;
    match *action {
        "request" => {
            *locked(&state.rejit.chosen) = Some(method);
            info.request_rejit(&chosen)?;
        }
        "inlined" => {
            *locked(&state.rejit.chosen) = Some(method);
            info.request_rejit_with_inliners(ReJitFlags::BLOCK_INLINING, &chosen)?;
        }
        "unloadable" => {
            let outcome = match info.request_rejit(&chosen) {
                Err(Error::Unsafe { .. }) => "refused".to_owned(),
                outcome => format!("{outcome:?}"),
            };
            facts.say("unloadable", outcome);
        }
        "revert" => {
            let outcomes = info.request_revert(&chosen)?;
            facts.say(format_args!("revert.{name}"), outcomes.iter().all(Result::is_ok));
        }
        _ => {
            let compiled = locked(&state.rejit.compiled).clone();
            let distinct = compiled.iter().collect::<std::collections::HashSet<_>>().len();
            facts.say("compiled", distinct >= 2);
            facts.say("maps", locked(&state.rejit.maps).join(", "));
            facts.say("errors", locked(&state.rejit.errors).join(", "));
        }
    }
    Ok(facts.finish())
}
