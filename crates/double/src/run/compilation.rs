//! Compiling methods: the first time, and again.

use corprof::{EventMask, HResult};

use super::hooks::{map, mapper_of};
use super::{Profilers, Session};
use crate::com::Control;
use crate::model::{ReJitState, function_id, module_id};
use crate::{Method, Runtime};

const OK: i32 = HResult::S_OK.0;

/// The parameters of a ReJIT; see [`Runtime::recompiled`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recompiled {
    /// The IL from the profiler, header and body; `None` if unchanged.
    pub il: Option<Vec<u8>>,
    /// The code generation flags (`COR_PRF_CODEGEN_FLAGS`).
    pub flags: u32,
}

impl Runtime {
    /// The parameters of the last ReJIT of a method; `None` without one, or after a revert.
    #[must_use]
    pub fn recompiled(&self, method: &Method<'_>) -> Option<Recompiled> {
        let (module, token) = (method.class.row.module, method.token().token());
        let model = self.model();
        let latest =
            model.rejits.iter().rev().find(|rejit| (rejit.module, rejit.method) == (module, token))?;
        let is_active = latest.state == ReJitState::Active;
        is_active.then(|| Recompiled { il: latest.il.clone(), flags: latest.flags })
    }

    /// The IL of the first compilation: that of the profiler, if it has set one.
    #[must_use]
    pub fn il(&self, method: &Method<'_>) -> Vec<u8> {
        method.with_module(|module| {
            let row = module.method(method.token().token());
            row.map(|row| row.replaced.as_ref().unwrap_or(&row.il).to_vec()).unwrap_or_default()
        })
    }
}

impl<'r, P: Profilers> Session<'r, P> {
    /// Compiles a method once: loads its class, then `JITCompilationStarted`, the function id mapper for a profiler with
    /// hooks, `JITCompilationFinished`. A call compiles its method by itself.
    pub fn compile(&self, method: &Method<'r>) {
        let instance = method.instance();
        self.compiled(instance);
    }

    /// Returns what the function id mapper has returned for a method: the number that the runtime passes to its hooks. `None` for a
    /// method that has not been compiled, or is not hooked.
    ///
    /// Calls of the script run slow-path hooks. Fast-path hooks ([`Hooks::fast`](corprof::Hooks::fast)) have a convention of their
    /// own, which compiled code alone follows: they are installed, and not called.
    #[must_use]
    pub fn client_id(&self, method: &Method<'r>) -> Option<usize> {
        let instance = method.instance();
        let model = self.model();
        let function = model.instances.get(instance)?.function;
        model.functions.get(function)?.client
    }

    /// Returns whether `callee` may be inlined into `caller` (`JITInlining`).
    #[must_use]
    pub fn inlining(&self, caller: &Method<'r>, callee: &Method<'r>) -> bool {
        let (caller, callee) = (caller.id().as_raw(), callee.id().as_raw());
        !self.wants(EventMask::JIT_COMPILATION) || self.callback.inlining(caller, callee)
    }

    /// Compiles the function of an instantiation once, and again for each ReJIT request.
    pub(super) fn compiled(&self, instance: usize) {
        let model = self.model();
        let Some(found) = model.instances.get(instance) else { return };
        let (function, class, args) = (found.function, found.class, found.args.clone());
        drop(model);
        let values = self.model().values_of(function, class, &args);
        args.into_iter().chain([class]).chain(values).for_each(|class| self.class_loaded(class));
        self.compile_first(function);
        self.compile_again(function);
    }

    fn compile_first(&self, function: usize) {
        let mut model = self.model();
        let Some(found) = model.functions.get_mut(function) else { return };
        if core::mem::replace(&mut found.is_compiled, true) {
            return;
        }
        let (mapper, hooked) = (mapper_of(&model.profiling), model.profiling.has_hooks());
        drop(model);
        let (id, tell) = (function_id(function), self.wants(EventMask::JIT_COMPILATION));
        if tell {
            self.callback.jit_compilation_started(id, true);
        }
        if hooked && self.wants(EventMask::ENTER_LEAVE) {
            let client = map(&mapper, id);
            self.model()
                .functions
                .get_mut(function)
                .into_iter()
                .for_each(|function| function.client = client);
        }
        if tell {
            self.callback.jit_compilation_finished(id, OK, true);
        }
    }

    /// Compiles a function again if a ReJIT request is pending.
    fn compile_again(&self, function: usize) {
        let model = self.model();
        let Some(found) = model.functions.get(function) else { return };
        let of = (found.module, 0x0600_0000 | found.rid);
        let requested = model
            .rejits
            .iter()
            .rposition(|rejit| (rejit.module, rejit.method) == of && rejit.state == ReJitState::Requested);
        let Some(rejit) = requested else { return };
        let id = model.rejits.get(rejit).map_or(0, |rejit| rejit.id);
        drop(model);
        let (module, function) = (module_id(of.0), function_id(function));
        let control = self.runtime.shared().control(Control { rejit });
        let code = self.callback.rejit_parameters(module, of.1, control.as_raw());
        drop(control);
        let state = if code.is_ok() { ReJitState::Active } else { ReJitState::Reverted };
        self.model().rejits.get_mut(rejit).into_iter().for_each(|rejit| rejit.state = state);
        if code.is_err() {
            self.callback.rejit_error(module, of.1, function, code.0);
            return;
        }
        if self.wants(EventMask::JIT_COMPILATION) {
            self.callback.rejit_started(function, id, true);
            self.callback.rejit_finished(function, id, OK, true);
        }
    }
}
