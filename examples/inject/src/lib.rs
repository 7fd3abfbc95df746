//! Logs calls of selected methods with arguments and times: code is inserted by ReJIT, and reverted later. The README
//! describes the settings.
//!
//! Contract of the unsafe code here: inserted code calls functions of this library with the signatures that they have; the
//! library is never unloaded.
#![allow(unsafe_code)]

mod arguments;
mod callbacks;

use std::collections::HashMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cil::Opcode;
use cil::edit::{Inserter, Instr};
use corprof::token::{MethodDef, StandAloneSig, TypeDef};
use corprof::{
    Error, EventMask, FunctionControl, FunctionId, HResult, Metadata, ModuleId, ModuleMethod, Profiler,
    ProfilerInfo, Reserve, Result, export_profiler,
};
use corprof_rewrite::{Method, Rewriter};
use method_filter::{MethodFilter, Secrets};
use outlet::Outlet;
use sigparse::TypeSig;

use crate::arguments::{Argument, Convert, arguments};

export_profiler!(Inject, "{C4A1B5D2-6E0F-4F3B-8D57-91E2A7B3C6F0}");

/// Lets callbacks and inserted code finish their work when there is no memory.
#[global_allocator]
pub(crate) static MEMORY: Reserve = Reserve::new();

// Signatures of unmanaged functions (ECMA-335 II.23.2.3): cdecl, the number of parameters, the result, the parameters.
const ENTERED: [u8; 4] = [0x01, 1, 0x0A, 0x0A];
const LEFT: [u8; 6] = [0x01, 3, 0x01, 0x0A, 0x0A, 0x08];
// Types of variables: a pinned string, an int64, an int32.
const PINNED_STRING: [u8; 2] = [0x45, 0x0E];
const INT64: [u8; 1] = [0x0A];
const INT32: [u8; 1] = [0x08];

/// The first major version of .NET with which this profiler may start; it may be attached to earlier ones.
const FIRST_AT_START: u16 = 5;

/// The profiler.
struct Inject {
    rewriter: Rewriter,
    /// The methods with their numbers in the log.
    chosen: Arc<Mutex<HashMap<ModuleMethod, i64>>>,
    /// Modules that were loaded, for the thread that requests ReJIT.
    loaded: Mutex<Sender<ModuleId>>,
    /// The arguments that are not logged.
    secrets: Secrets,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The state of the thread that requests ReJIT.
struct Requests {
    rewriter: Rewriter,
    chosen: Arc<Mutex<HashMap<ModuleMethod, i64>>>,
    filter: MethodFilter,
    until: Option<Instant>,
}

impl Inject {
    fn begin(info: &ProfilerInfo, setting: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let methods = setting("INJECT_METHODS").unwrap_or_default();
        if methods.trim().is_empty() {
            return Err(Error::other(
                "INJECT_METHODS names no methods: set it to patterns such as *!Shop.Cart.*",
            ));
        }
        let filter = MethodFilter::new(false, ("INJECT_METHODS", &methods), ("", ""))
            .map_err(|error| Error::other(error.to_string()))?;
        let seconds = setting("INJECT_SECONDS").map(|text| text.parse::<u64>()).transpose();
        let seconds = seconds.map_err(|_| Error::other("INJECT_SECONDS is a whole number"))?;
        let show_secrets = match setting("INJECT_SHOW_SECRETS").as_deref() {
            None | Some("" | "0" | "false") => false,
            Some("1" | "true") => true,
            Some(_) => return Err(Error::other("INJECT_SHOW_SECRETS is 1 or 0")),
        };
        let redact = setting("INJECT_REDACT").unwrap_or_default();
        let secrets = Secrets::new(!show_secrets, ("INJECT_REDACT", &redact))
            .map_err(|error| Error::other(error.to_string()))?;
        let out = setting("INJECT_OUT").map(|path| Outlet::create(Path::new(&path))).transpose();
        let out = out.map_err(|error| Error::other(format!("INJECT_OUT: {error}")))?;
        info.set_event_mask(EventMask::ENABLE_REJIT | EventMask::MODULE_LOADS | EventMask::JIT_COMPILATION)?;
        callbacks::begin(info.string_layout()?, out.unwrap_or_else(Outlet::standard_error));
        let (loaded, modules) = channel();
        let requests = Requests {
            rewriter: Rewriter::new(info),
            chosen: Arc::default(),
            filter,
            until: seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds)),
        };
        let this = Self {
            rewriter: requests.rewriter.clone(),
            chosen: requests.chosen.clone(),
            loaded: Mutex::new(loaded),
            secrets,
        };
        let thread = std::thread::Builder::new().name("inject".to_owned());
        thread.spawn(move || requests.run(&modules)).map_err(|error| Error::other(error.to_string()))?;
        Ok(this)
    }

    fn edit(&self, method: &mut Method<'_>, number: i64) -> corprof_rewrite::Result<bool> {
        let module = method.module();
        if method.body().ids().any(|id| method.body().instr(id).is_some_and(|it| it.opcode == Opcode::JMP)) {
            callbacks::write("  a method that is left by jmp is not rewritten");
            return Ok(false);
        }
        let local = |bytes| TypeSig::parse(bytes).map_err(corprof_rewrite::RewriteError::Signature);
        let since = method.add_local(local(&INT64)?)?;
        let returned = method.add_local(local(&INT32)?)?;
        let pinned = method.add_local(local(&PINNED_STRING)?)?;
        let (entered, left) = (module.call_site(&ENTERED)?, module.call_site(&LEFT)?);
        let arguments = arguments(method, module, &self.secrets)?;
        let returns = method.returns();
        let body = method.body_mut();
        for id in body.all_ids() {
            if body.instr(id).is_some_and(|instr| instr.opcode == Opcode::RET) {
                body.insert_before(id).push(Instr::ldc_i4(1)).push(Instr::stloc(returned));
            }
        }
        body.wrap_in_finally(returns, module, |code, _| {
            code.push(Instr::ldc_i8(number)).push(Instr::ldloc(since)).push(Instr::ldloc(returned));
            call(code, (callbacks::left as extern "C" fn(i64, i64, i32)) as usize, left);
        })?;
        let mut code = body.insert_at_entry();
        code.push(Instr::ldc_i4(0)).push(Instr::stloc(returned));
        for Argument { number, convert, function, site } in arguments {
            match convert {
                Some(Convert::Pin) => {
                    code.push(Instr::ldarg(number)).push(Instr::stloc(pinned));
                    code.push(Instr::ldloc(pinned)).push(Instr::new(Opcode::CONV_I));
                    call(&mut code, function, site);
                    code.push(Instr::new(Opcode::LDNULL)).push(Instr::stloc(pinned));
                }
                Some(Convert::By(opcode)) => {
                    code.push(Instr::ldarg(number)).push(Instr::new(opcode));
                    call(&mut code, function, site);
                }
                None => call(&mut code, function, site),
            }
        }
        code.push(Instr::ldc_i8(number));
        call(&mut code, (callbacks::entered as extern "C" fn(i64) -> i64) as usize, entered);
        code.push(Instr::stloc(since));
        Ok(true)
    }
}

/// Calls a native function; its arguments are on the stack.
fn call(code: &mut Inserter<'_>, function: usize, site: StandAloneSig) {
    code.push(Instr::ldc_i8(i64::try_from(function).unwrap_or_default())).push(Instr::new(Opcode::CONV_I));
    code.push(Instr::token(Opcode::CALLI, site));
}

impl Requests {
    /// Requests ReJIT for the methods of modules as they are loaded, and reverts them at the end of the time.
    fn run(self, modules: &Receiver<ModuleId>) {
        let info = self.rewriter.info();
        // If this fails, the requests fail with a message.
        let _ = info.initialize_current_thread();
        loop {
            let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
            match modules.recv_timeout(left.unwrap_or(Duration::from_secs(3600))) {
                Ok(module) => self.report(self.request(module)),
                Err(RecvTimeoutError::Timeout) if self.until.is_none() => {}
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        let methods: Vec<ModuleMethod> = locked(&self.chosen).keys().copied().collect();
        match self.rewriter.request_revert(&methods) {
            Ok(_) => callbacks::write(&format!("  reverted {} methods", methods.len())),
            Err(error) => callbacks::write(&format!("  cannot be taken away: {error}")),
        }
    }

    fn report(&self, requested: corprof_rewrite::Result<()>) {
        if let Err(error) = requested {
            callbacks::write(&format!("  {error}"));
        }
    }

    fn request(&self, module: ModuleId) -> corprof_rewrite::Result<()> {
        let info = self.rewriter.info();
        let loaded = info.module_info(module)?;
        let file = loaded.file_name();
        let metadata = info.module_metadata(module)?;
        let mut found = Vec::new();
        for ty in metadata.type_defs()? {
            let class = type_name(&metadata, ty)?;
            for method in metadata.methods(ty)? {
                let name = format!("{class}.{}", metadata.method(method)?.name);
                if self.filter.matches(&loaded.path, || name.clone()) {
                    let number = callbacks::name(printable::Printable(&name).to_string());
                    locked(&self.chosen).insert(ModuleMethod { module, method }, number);
                    found.push(ModuleMethod { module, method });
                }
            }
        }
        if found.is_empty() {
            return Ok(());
        }
        callbacks::write(&format!("  inserted into {} methods of {file}", found.len()));
        self.rewriter.request_rejit(&found)
    }
}

/// The name of a type with those that it is nested in, without arities.
fn type_name(metadata: &Metadata, ty: TypeDef) -> Result<String> {
    let name = metadata.type_def(ty)?.name;
    let name = name.split('`').next().unwrap_or(&name).to_owned();
    match metadata.enclosing_type(ty)? {
        Some(outer) => Ok(format!("{}.{name}", type_name(metadata, outer)?)),
        None => Ok(name),
    }
}

impl Profiler for Inject {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        // Early requests have crashed .NET Core 3.1.
        if info.runtime_info()?.major < FIRST_AT_START {
            return Err(Error::other(
                "on .NET Core 3.1, attach inject to the running program: cargo xtask attach PID inject",
            ));
        }
        Self::begin(info, |name| std::env::var(name).ok())
    }

    fn initialize_for_attach(info: &ProfilerInfo, client_data: &[u8]) -> Result<Self> {
        let text = String::from_utf8_lossy(client_data).into_owned();
        let setting = |name: &str| {
            let mut lines = text.lines().filter_map(|line| line.split_once('='));
            lines.find(|(own, _)| *own == name).map(|(_, value)| value.to_owned())
        };
        Self::begin(info, setting)
    }

    fn profiler_attach_complete(&self) {
        for module in self.rewriter.info().modules().unwrap_or_default() {
            // The thread has ended when the methods were reverted.
            let _ = locked(&self.loaded).send(module);
        }
    }

    fn module_load_finished(&self, module: ModuleId, _: Result<(), HResult>) {
        let _ = locked(&self.loaded).send(module);
    }

    fn rejit_parameters(
        &self,
        module: ModuleId,
        method: MethodDef,
        control: &FunctionControl<'_>,
    ) -> Result<()> {
        // Methods into which a selected one was inlined are also passed here: they keep their IL.
        let number = locked(&self.chosen).get(&ModuleMethod { module, method }).copied();
        let Some(number) = number else { return Ok(()) };
        // SAFETY: the code calls functions of this library, which is never unloaded, with their own signatures.
        let outcome =
            unsafe { self.rewriter.at_rejit(module, method, control, |method| self.edit(method, number)) };
        if let Err(error) = outcome {
            callbacks::write(&format!("  {method} keeps its code: {error}"));
        }
        Ok(())
    }

    fn shutdown(&self) {
        callbacks::end();
    }

    fn rejit_error(&self, _: ModuleId, method: MethodDef, _: Option<FunctionId>, error: HResult) {
        callbacks::write(&format!("  {method} keeps its code: {error}"));
    }
}
