//! `rejit`: a method gets other code wherever it has been inlined, and is reverted.
//!
//! Contract of the unsafe code here: the IL and registers are valid for the methods and threads of the test.
#![allow(unsafe_code)]

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard};

use corprof::token::MethodDef;
use corprof::values::ReJitFlags;
use corprof::{
    Error, EventMask, FunctionControl, FunctionId, HResult, ModuleId, ModuleMethod, ProfilerInfo, ReJitId,
    Result,
};

use crate::program;
use crate::row::Row;
use crate::{locked, say};

/// The method that gets other code.
const TARGET: &str = "Target";
/// `ldc.i4.s 42; ret`, with its header.
const BODY: [u8; 4] = [0x0E, 0x1F, 42, 0x2A];

/// The method's state.
pub(crate) struct Recompiled {
    info: ProfilerInfo,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    target: Option<ModuleMethod>,
    /// The methods that have it inlined.
    inliners: BTreeSet<FunctionId>,
    /// The started recompilations, by name.
    rejitted: Vec<String>,
    addresses: u32,
    null_addresses: u32,
    errors: Vec<String>,
}

impl Recompiled {
    pub(crate) fn new(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::ENABLE_REJIT | EventMask::JIT_COMPILATION)?;
        Ok(Self { info: info.clone(), seen: Mutex::default() })
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        locked(&self.seen)
    }

    fn name(&self, function: FunctionId) -> String {
        program::name(&self.info, function)
            .unwrap_or_else(|| format!("{function}, which is not the program's"))
    }

    /// Counts where the versions of a method begin, the first included.
    fn look(&self, function: FunctionId) -> Result<()> {
        let versions = self.info.rejit_ids(function)?;
        for version in std::iter::once(None).chain(versions.into_iter().map(Some)) {
            let starts = self.info.native_code_start_addresses(function, version)?;
            let mut seen = self.seen();
            for start in starts {
                seen.addresses += 1;
                seen.null_addresses += u32::from(start.address() == 0);
            }
        }
        Ok(())
    }

    fn compiled(&self, function: FunctionId, status: Result<(), HResult>) {
        let looked = status.map_err(|code| Error::other(code.to_string())).and_then(|()| self.look(function));
        if let Err(error) = looked {
            let name = self.name(function);
            self.seen().errors.push(format!("{name}: {error}"));
        }
    }
}

impl Row for Recompiled {
    fn told(&self, command: &str) -> Result<()> {
        let target = self.seen().target.ok_or_else(|| Error::other("the method was not compiled"))?;
        match command {
            "rejit" => {
                let flags = ReJitFlags::BLOCK_INLINING | ReJitFlags::INLINING_CALLBACKS;
                self.info.request_rejit_with_inliners(flags, &[target])
            }
            "revert" => {
                let outcomes = self.info.request_revert(&[target])?;
                say("reverted", outcomes.iter().all(Result::is_ok));
                Ok(())
            }
            _ => Err(Error::other(format!("there is no {command:?} in this row"))),
        }
    }

    fn jit_inlining(&self, caller: FunctionId, callee: FunctionId) -> bool {
        if program::name(&self.info, callee).is_some_and(|name| name == TARGET) {
            self.seen().inliners.insert(caller);
        }
        true
    }

    fn jit_compilation_finished(&self, function: FunctionId, status: Result<(), HResult>) {
        let Some(name) = program::name(&self.info, function) else { return };
        if name == TARGET
            && let Ok(found) = self.info.function_info(function)
            && let Some(method) = found.token
        {
            self.seen().target = Some(ModuleMethod { module: found.module, method });
        }
        self.compiled(function, status);
    }

    fn rejit_parameters(&self, _: ModuleId, method: MethodDef, control: &FunctionControl<'_>) -> Result<()> {
        let is_target = self.seen().target.is_some_and(|target| target.method == method);
        // The methods that it was inlined into keep their IL.
        if !is_target {
            return Ok(());
        }
        // SAFETY: a whole body for the selected method.
        unsafe { control.set_il_function_body(&BODY) }
    }

    fn rejit_compilation_started(&self, function: FunctionId, _: Option<ReJitId>) {
        let name = self.name(function);
        self.seen().rejitted.push(name);
    }

    fn rejit_compilation_finished(
        &self,
        function: FunctionId,
        rejit: Option<ReJitId>,
        status: Result<(), HResult>,
    ) {
        let known = self.info.rejit_ids(function).unwrap_or_default();
        if !rejit.is_some_and(|rejit| known.contains(&rejit)) {
            let error = format!("{}: {rejit:?} is none of {known:?}", self.name(function));
            self.seen().errors.push(error);
        }
        self.compiled(function, status);
    }

    fn rejit_error(&self, method: MethodDef, error: HResult) {
        self.seen().errors.push(format!("{method}: {error}"));
    }

    fn say(&self) {
        let inliners: Vec<FunctionId> = self.seen().inliners.iter().copied().collect();
        let mut names: Vec<String> = inliners.iter().map(|function| self.name(*function)).collect();
        names.sort();
        let mut seen = self.seen();
        seen.rejitted.sort();
        say("inliners", names.join(" "));
        say("rejitted", seen.rejitted.join(" "));
        say("rejits_are_inliners_and_one", seen.rejitted.len() == inliners.len() + 1);
        say("addresses.some", seen.addresses > 0);
        say("addresses.null", seen.null_addresses);
        say("errors", seen.errors.join("; "));
    }
}
