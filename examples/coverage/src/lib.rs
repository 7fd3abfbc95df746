//! Line and branch coverage: methods are rewritten before they are compiled for the first time, and count in a mapped file.
//! The README describes the settings.
//!
//! Contract of the unsafe code here: inserted code adds to counters in mappings that are never unmapped.
#![allow(unsafe_code)]

mod plan;
mod settings;
mod source;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cilbody::Opcode;
use cilbody::edit::{Inserter, Instr, InstrOperand};
use corprof::{Error, EventMask, FunctionId, HResult, ModuleId, Profiler, ProfilerInfo, Result};
use corprof_link::{Client, Messages};
use corprof_rewrite::Rewriter;
use coverage_report::data::{Method, Module, Output};
use sigparse::Token;

use crate::plan::Planned;
use crate::settings::Settings;

#[cfg(feature = "export")]
corprof::export_profiler!("{8E2B6C11-54B7-4B0C-9C39-2F0D7A5E1B43}", [Coverage]);

/// Lets callbacks finish when there is no memory.
#[cfg(feature = "export")]
#[global_allocator]
static MEMORY: corprof::Reserve = corprof::Reserve::new();

/// The profiler.
pub struct Coverage {
    settings: Settings,
    rewriter: Rewriter,
    output: Mutex<Option<Output>>,
    modules: Mutex<HashMap<ModuleId, Arc<Plan>>>,
    refused: Mutex<Vec<String>>,
    /// Assemblies that nobody has named, and that have no PDB.
    without_pdb: Mutex<Vec<String>>,
}

/// A module that is measured, with the address of its counters.
struct Plan {
    methods: HashMap<u32, Method>,
    counters: usize,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What goes to the client, or to standard error.
static MESSAGES: Messages = Messages::new("coverage");

fn complain(message: &str) {
    MESSAGES.say(message);
}

impl Coverage {
    fn begin(info: &ProfilerInfo, settings: Settings) -> Result<Self> {
        info.set_event_mask(
            EventMask::JIT_COMPILATION | EventMask::CACHE_SEARCHES | EventMask::MODULE_LOADS,
        )?;
        Ok(Self {
            settings,
            rewriter: Rewriter::new(info),
            output: Mutex::default(),
            modules: Mutex::default(),
            refused: Mutex::default(),
            without_pdb: Mutex::default(),
        })
    }

    /// Computes the counters of a module, and writes them to the file.
    fn measure(&self, id: ModuleId) -> anyhow::Result<()> {
        let path = self.rewriter.info().module_info(id)?.path;
        // A module without a file, or in a single-file program, cannot be read.
        if !Path::new(&path).is_absolute() || !self.settings.filter.may_match(&path) {
            return Ok(());
        }
        let (mut module, counters) = match plan::module(&path, &self.settings.filter) {
            Ok(Some(Planned { module, counters, broken })) => {
                if let Some((count, first)) = broken {
                    complain(&format!(
                        "{count} methods of {} are not measured; the first: {first:#}",
                        module.path
                    ));
                }
                (module, counters)
            }
            Ok(None) => return Ok(()),
            Err(error) => {
                let missing = format!("{error:#}");
                let has_no_pdb = missing == plan::NO_PDB;
                let module = Module { path, missing: Some(missing), ..Module::default() };
                // Libraries beside the program rarely have one: they are named together at the end.
                match has_no_pdb && self.settings.include.is_empty() {
                    true => locked(&self.without_pdb).push(module.file_name().to_owned()),
                    false => complain(&format!("{} is not measured: {error:#}", module.path)),
                }
                (module, 0)
            }
        };
        let mut output = locked(&self.output);
        let output = match &mut *output {
            Some(output) => output,
            none => none.insert(Output::create(&self.settings.out)?),
        };
        let map = output.add(&mut module, counters)?;
        let address = map.as_mut_ptr().addr();
        // The code that counts runs until the process ends.
        core::mem::forget(map);
        let methods = module.methods.into_iter().map(|method| (method.token, method)).collect();
        locked(&self.modules).insert(id, Arc::new(Plan { methods, counters: address }));
        Ok(())
    }

    fn plan(&self, function: FunctionId) -> Option<(Arc<Plan>, u32)> {
        let of = self.rewriter.info().function_info(function).ok()?;
        let token = of.token?.token();
        let plan = locked(&self.modules).get(&of.module)?.clone();
        plan.methods.contains_key(&token).then_some((plan, token))
    }

    fn edit(
        &self,
        of: &mut corprof_rewrite::Method<'_>,
        plan: &Plan,
        method: &Method,
    ) -> corprof_rewrite::Result<()> {
        let module = of.module();
        let increment = match self.settings.exact {
            // static int64 Increment(int64&)
            true => {
                let interlocked = module.core_type("System.Threading.Interlocked")?;
                Some(module.member(interlocked, "Increment", &[0x00, 0x01, 0x0A, 0x10, 0x0A])?)
            }
            false => None,
        };
        let count = |code: &mut Inserter<'_>, counter: u32| {
            let address = plan.counters + counter as usize * 8;
            count(code, i64::try_from(address).unwrap_or_default(), increment);
        };
        let body = of.body_mut();
        for branch in &method.branches {
            let Some((id, instr)) =
                body.at_offset(branch.offset).and_then(|id| Some((id, body.instr(id)?.clone())))
            else {
                continue;
            };
            let targets = match &instr.operand {
                InstrOperand::Label(target) => vec![*target],
                InstrOperand::Switch(targets) => targets.to_vec(),
                _ => continue,
            };
            // After the branch: code that counts falling through, and for each target code that counts and jumps there.
            let mut code = body.insert_after(id);
            let next = code.following();
            count(&mut code, branch.counter + branch.targets);
            code.push(Instr::branch(Opcode::BR, next));
            let mut labels = Vec::new();
            for (number, target) in (branch.counter..).zip(targets) {
                let label = code.new_label();
                code.mark(label);
                count(&mut code, number);
                code.push(Instr::branch(Opcode::BR, target));
                labels.push(label);
            }
            drop(code);
            let operand = match (instr.operand, labels.first()) {
                (InstrOperand::Label(_), Some(label)) => InstrOperand::Label(*label),
                _ => InstrOperand::Switch(labels.into()),
            };
            body.replace(id, Instr { opcode: instr.opcode, operand });
        }
        for point in &method.points {
            if let Some(id) = body.at_offset(point.offset) {
                count(&mut body.insert_before(id), point.counter);
            }
        }
        Ok(())
    }
}

/// Adds one to the counter at an address.
fn count(code: &mut Inserter<'_>, address: i64, increment: Option<Token>) {
    code.push(Instr::ldc_i8(address)).push(Instr::new(Opcode::CONV_I));
    if let Some(increment) = increment {
        code.push(Instr::call(increment)).push(Instr::new(Opcode::POP));
        return;
    }
    for opcode in
        [Opcode::DUP, Opcode::LDIND_I8, Opcode::LDC_I4_1, Opcode::CONV_I8, Opcode::ADD, Opcode::STIND_I8]
    {
        code.push(Instr::new(opcode));
    }
}

impl Profiler for Coverage {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        let begin = |client: Option<&Client>, lines: Option<&str>| {
            MESSAGES.go_to(client);
            let settings = lines.map_or_else(Settings::from_environment, Settings::from_client);
            Self::begin(info, settings.map_err(|error| Error::other(format!("{error:#}")))?)
        };
        let setting = |error: &Error| error.setting().map(str::to_owned);
        corprof_link::start("coverage", begin, setting, Error::Declined)
    }

    fn module_load_finished(&self, module: ModuleId, status: Result<(), HResult>) {
        if let (Ok(()), Err(error)) = (status, self.measure(module)) {
            complain(&format!("{error:#}"));
        }
    }

    fn module_unload_started(&self, module: ModuleId) {
        locked(&self.modules).remove(&module);
    }

    /// Precompiled code is not instrumented, and is not used.
    fn jit_cached_function_search_started(&self, function: FunctionId) -> bool {
        self.plan(function).is_none()
    }

    /// A method that is inlined before it was compiled has its original IL.
    fn jit_inlining(&self, _: FunctionId, callee: FunctionId) -> bool {
        self.plan(callee).is_none()
    }

    fn jit_compilation_started(&self, function: FunctionId, _: bool) {
        let Some((plan, token)) = self.plan(function) else { return };
        let Some(method) = plan.methods.get(&token) else { return };
        // SAFETY: the code adds to 8-byte counters in a mapping that is never removed.
        let outcome = unsafe {
            self.rewriter.at_jit(function, |of| {
                self.edit(of, &plan, method)?;
                Ok(true)
            })
        };
        if let Err(error) = outcome {
            let message = format!("{}.{} is not measured: {error}", method.class, method.name);
            complain(&message);
            locked(&self.refused).push(message);
        }
    }

    fn shutdown(&self) {
        self.settings.filter.report(complain);
        let without = locked(&self.without_pdb);
        if !without.is_empty() {
            complain(&format!("not measured, as there is no portable PDB: {}", without.join(", ")));
        }
        drop(without);
        if locked(&self.modules).values().all(|plan| plan.methods.is_empty()) {
            let include = &self.settings.include;
            complain(&format!(
                "nothing was measured: no method with a PDB matches COVERAGE_INCLUDE={include:?}"
            ));
        }
        MESSAGES.end();
    }
}
