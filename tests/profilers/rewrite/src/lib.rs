//! Rewrites every method of a program before it is compiled, and counts the calls.
//!
//! `REWRITE_MODE` is `off` (callbacks alone), `nop`, `finally`, `call`, `twice` (as if another tool had rewritten each method before; its counts stand
//! under exits), `broken` (the new body does not verify), `request` (ReJIT is requested in callbacks), `core` (ReJIT of the methods of the core library is requested, on a thread of its own, again and again), `core-inliners` (with their inliners) or `inlining` (ReJIT is requested, on a thread of its own, while the method is being inlined); `REWRITE_SCOPE` is `program` (modules that do not lie beside the core library)
//! or `all`; `REWRITE_OUT` names the file with the counts. For measuring, `REWRITE_NAMES=0` leaves out the names of methods,
//! and `REWRITE_ATOMIC=0` counts without `Interlocked`.
//!
//! Contract of the unsafe code here: inserted code uses the counters alone, which are never freed.
#![allow(unsafe_code)]

mod core;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cilbody::Opcode;
use cilbody::edit::{Inserter, Instr};
use corprof::token::MethodDef;
use corprof::{
    Error, EventMask, FunctionId, HResult, ModuleFlags, ModuleId, ModuleMethod, Names, OwnThread, Profiler,
    ProfilerInfo, Result, export_profiler,
};
use corprof_rewrite::{Method, Outcome, Rewriter};
use sigparse::Token;

export_profiler!("{3F1C2D4E-7A5B-4C6D-9E8F-0A1B2C3D4E5F}", [Rewrite]);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Off,
    Nop,
    Finally,
    Call,
    Twice,
    Broken,
    Request,
    Core { with_inliners: bool },
    Inlining,
}

/// A method to be requested, and where the end of the request is reported.
type Requested = (ModuleMethod, SyncSender<corprof_rewrite::Result<()>>);

/// The time that a callback waits for a request, which may wait for the callback.
const PATIENCE: Duration = Duration::from_millis(50);

/// How often a method was entered and left.
#[derive(Default)]
struct Counts {
    name: String,
    entered: AtomicU64,
    left: AtomicU64,
}

struct Rewrite {
    rewriter: Rewriter,
    /// Simulates another tool.
    other: Rewriter,
    names: Names,
    mode: Mode,
    all: bool,
    has_names: bool,
    is_atomic: bool,
    out: String,
    /// Whether the methods of each module are rewritten, and whether it is the core library.
    modules: Mutex<HashMap<ModuleId, (bool, bool)>>,
    core_folder: Mutex<String>,
    counts: Mutex<HashMap<(ModuleId, MethodDef), &'static Counts>>,
    outcomes: Arc<[AtomicU64; 3]>,
    refused: Mutex<Vec<String>>,
    /// The thread that requests ReJIT.
    requests: Mutex<Sender<Requested>>,
    /// The method whose inlining was accepted last.
    inlined: Mutex<Option<ModuleMethod>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Rewrite {
    fn counts(&self, function: FunctionId, key: (ModuleId, MethodDef)) -> &'static Counts {
        if let Some(counts) = locked(&self.counts).get(&key) {
            return counts;
        }
        let name = match self.has_names {
            true => self.names.method(function).map_or_else(|error| error.to_string(), |it| it.plain_name()),
            false => String::new(),
        };
        let new: &'static Counts = Box::leak(Box::new(Counts { name, ..Counts::default() }));
        locked(&self.counts).entry(key).or_insert(new)
    }

    /// Returns whether the module's methods are rewritten, and whether it is the core library.
    fn is_chosen(&self, module: ModuleId) -> Option<(bool, bool)> {
        if let Some(known) = locked(&self.modules).get(&module) {
            return Some(*known);
        }
        let info = self.rewriter.info().module_info(module).ok()?;
        let folder = info.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_core = info.file_name() == "System.Private.CoreLib.dll";
        let mut core_folder = locked(&self.core_folder);
        if is_core {
            folder.clone_into(&mut core_folder);
        }
        let is_dynamic = info.flags.contains(ModuleFlags::DYNAMIC);
        let chosen = !is_dynamic && (self.all || (!core_folder.is_empty() && folder != *core_folder));
        drop(core_folder);
        locked(&self.modules).insert(module, (chosen, is_core));
        Some((chosen, is_core))
    }

    fn edit(
        &self,
        method: &mut Method<'_>,
        counts: &'static Counts,
        is_core: bool,
    ) -> corprof_rewrite::Result<bool> {
        // Counting calls of the counter would not terminate.
        let increment = match is_core || !self.is_atomic {
            true => None,
            false => {
                let interlocked = method.module().core_type("System.Threading.Interlocked")?;
                // static int64 Increment(int64&)
                Some(method.module().member(interlocked, "Increment", &[0x00, 0x01, 0x0A, 0x10, 0x0A])?)
            }
        };
        match self.mode {
            Mode::Off | Mode::Request | Mode::Core { .. } | Mode::Inlining => {
                return Ok(false);
            }
            Mode::Nop => {
                let body = method.body_mut();
                body.insert_at_entry().push(Instr::new(Opcode::NOP));
            }
            Mode::Broken => {
                method.body_mut().insert_at_entry().push(Instr::new(Opcode::POP));
            }
            Mode::Call | Mode::Twice => {
                count(&mut method.body_mut().insert_at_entry(), &counts.entered, increment)
            }
            Mode::Finally => {
                let (returns, module) = (method.returns(), method.module());
                let body = method.body_mut();
                // `jmp` cannot leave a protected region.
                if body.ids().any(|id| body.instr(id).is_some_and(|it| it.opcode == Opcode::JMP)) {
                    return Ok(false);
                }
                body.wrap_in_finally(returns, module, |code, _| count(code, &counts.left, increment))?;
                count(&mut body.insert_at_entry(), &counts.entered, increment);
            }
        }
        Ok(true)
    }

    fn report(&self) -> String {
        let mut report = String::new();
        let [submitted, unchanged, present] = &*self.outcomes;
        for (name, count) in [("submitted", submitted), ("unchanged", unchanged), ("present", present)] {
            let _ = writeln!(report, "{name} {}", count.load(Ordering::Relaxed));
        }
        for line in locked(&self.refused).iter() {
            let _ = writeln!(report, "refused {line}");
        }
        for counts in locked(&self.counts).values() {
            let (entered, left) = (counts.entered.load(Ordering::SeqCst), counts.left.load(Ordering::SeqCst));
            let _ = writeln!(report, "calls {entered} {left} {}", counts.name);
        }
        report
    }
}

/// Adds one to a counter: by `Interlocked.Increment`, or in the core library without it.
fn count(code: &mut Inserter<'_>, counter: &'static AtomicU64, increment: Option<Token>) {
    let address = i64::try_from(counter.as_ptr().addr()).unwrap_or_default();
    code.push(Instr::ldc_i8(address)).push(Instr::new(Opcode::CONV_I));
    match increment {
        Some(increment) => {
            code.push(Instr::call(increment)).push(Instr::new(Opcode::POP));
        }
        None => {
            for opcode in [
                Opcode::DUP,
                Opcode::LDIND_I8,
                Opcode::LDC_I4_1,
                Opcode::CONV_I8,
                Opcode::ADD,
                Opcode::STIND_I8,
            ] {
                code.push(Instr::new(opcode));
            }
        }
    }
}

/// The evidence that requests take.
fn own_thread(rewriter: &Rewriter) -> corprof_rewrite::Result<OwnThread<'_>> {
    Ok(rewriter.info().own_thread()?)
}

/// Requests ReJIT of one method after the other.
fn request(rewriter: &Rewriter, requested: &Receiver<Requested>) {
    // If this fails, the requests fail with a message.
    let _ = rewriter.info().initialize_current_thread();
    for (method, done) in requested {
        // The callback may have given up.
        let _ = done
            .try_send(own_thread(rewriter).and_then(|own| rewriter.request_rejit(&own, &[method])).map(drop));
    }
}

impl Rewrite {
    /// Requests ReJIT on the other thread, and waits for it.
    fn requested(&self, method: ModuleMethod) {
        let (done, answer) = sync_channel(1);
        let _ = locked(&self.requests).send((method, done));
        match answer.recv_timeout(PATIENCE) {
            Ok(Ok(())) => self.outcomes[0].fetch_add(1, Ordering::Relaxed),
            Ok(Err(error)) => {
                locked(&self.refused).push(error.to_string());
                0
            }
            Err(_) => self.outcomes[1].fetch_add(1, Ordering::Relaxed),
        };
    }
}

impl Profiler for Rewrite {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        let setting = |name: &str| std::env::var(name).unwrap_or_default();
        let all = setting("REWRITE_SCOPE") == "all";
        let mode = match setting("REWRITE_MODE").as_str() {
            "off" => Mode::Off,
            "nop" => Mode::Nop,
            "finally" => Mode::Finally,
            "call" => Mode::Call,
            "twice" => Mode::Twice,
            "broken" => Mode::Broken,
            "request" => Mode::Request,
            "core" => Mode::Core { with_inliners: false },
            "core-inliners" => Mode::Core { with_inliners: true },
            "inlining" => Mode::Inlining,
            other => return Err(Error::other(format!("REWRITE_MODE={other}"))),
        };
        let mut mask = EventMask::JIT_COMPILATION | EventMask::MODULE_LOADS;
        mask |= match mode {
            Mode::Inlining | Mode::Core { .. } => EventMask::ENABLE_REJIT,
            Mode::Request => EventMask::ENABLE_REJIT | EventMask::DISABLE_INLINING,
            // Inlined methods are not compiled on their own.
            _ => EventMask::DISABLE_INLINING,
        };
        if all {
            mask |= EventMask::DISABLE_ALL_NGEN_IMAGES;
        }
        info.set_event_mask(mask)?;
        let rewriter = Rewriter::new(info);
        let (requests, requested) = channel();
        let requester = rewriter.clone();
        std::thread::spawn(move || request(&requester, &requested));
        Ok(Self {
            rewriter,
            other: Rewriter::new(info),
            names: Names::new(info),
            mode,
            all,
            has_names: setting("REWRITE_NAMES") != "0",
            is_atomic: setting("REWRITE_ATOMIC") != "0",
            out: setting("REWRITE_OUT"),
            modules: Mutex::default(),
            core_folder: Mutex::default(),
            counts: Mutex::default(),
            outcomes: Default::default(),
            refused: Mutex::default(),
            requests: Mutex::new(requests),
            inlined: Mutex::default(),
        })
    }

    /// Another module may get the same id.
    fn module_unload_started(&self, module: ModuleId) {
        locked(&self.modules).remove(&module);
        locked(&self.counts).retain(|(of, _), _| *of != module);
    }

    fn module_load_finished(&self, module: ModuleId, _: Result<(), HResult>) {
        let Some((is_chosen, is_core)) = self.is_chosen(module) else { return };
        if let (Mode::Core { with_inliners }, true) = (self.mode, is_core) {
            let (info, done) = (self.rewriter.info().clone(), Arc::clone(&self.outcomes));
            std::thread::spawn(move || core::request(&info, module, with_inliners, &done));
        }
        if self.mode == Mode::Request
            && is_chosen
            && let Some(method) = MethodDef::from_rid(1)
            && let Err(error) = own_thread(&self.rewriter)
                .and_then(|own| self.rewriter.request_rejit(&own, &[ModuleMethod { module, method }]))
        {
            locked(&self.refused).push(error.to_string());
        }
    }

    /// Every third method is requested during its own inlining, the others during the next one, often of the same compilation.
    fn jit_inlining(&self, _: FunctionId, callee: FunctionId) -> bool {
        let Ok(of) = self.rewriter.info().function_info(callee) else { return true };
        let (Mode::Inlining, Some((true, _)), Some(token)) = (self.mode, self.is_chosen(of.module), of.token)
        else {
            return true;
        };
        let this = ModuleMethod { module: of.module, method: token };
        let previous = locked(&self.inlined).replace(this);
        if token.rid().is_multiple_of(3) {
            self.requested(this);
        }
        if let Some(previous) = previous {
            self.requested(previous);
        }
        true
    }

    fn jit_compilation_started(&self, function: FunctionId, _: bool) {
        if matches!(self.mode, Mode::Inlining | Mode::Core { .. }) {
            return;
        }
        let Ok(of) = self.rewriter.info().function_info(function) else { return };
        let (Some((true, is_core)), Some(token)) = (self.is_chosen(of.module), of.token) else { return };
        if self.mode == Mode::Off {
            return;
        }
        let counts = self.counts(function, (of.module, token));
        if is_core && self.mode != Mode::Nop && counts.name.starts_with("System.Threading.Interlocked.") {
            return;
        }
        if self.mode == Mode::Twice {
            // SAFETY: the code uses counters that live until the process ends.
            let outcome = unsafe {
                self.other.at_jit(function, |method| {
                    let interlocked = method.module().core_type("System.Threading.Interlocked")?;
                    let increment =
                        method.module().member(interlocked, "Increment", &[0x00, 0x01, 0x0A, 0x10, 0x0A])?;
                    count(&mut method.body_mut().insert_at_entry(), &counts.left, Some(increment));
                    Ok(true)
                })
            };
            if let Err(error) = outcome {
                locked(&self.refused).push(format!("{}: the other tool: {error}", counts.name));
            }
        }
        // SAFETY: as above.
        let outcome = unsafe { self.rewriter.at_jit(function, |method| self.edit(method, counts, is_core)) };
        match outcome {
            Ok(Outcome::Submitted) => self.outcomes[0].fetch_add(1, Ordering::Relaxed),
            Ok(Outcome::Unchanged) => self.outcomes[1].fetch_add(1, Ordering::Relaxed),
            Ok(_) => self.outcomes[2].fetch_add(1, Ordering::Relaxed),
            Err(error) => {
                locked(&self.refused).push(format!("{}: {error}", counts.name));
                0
            }
        };
    }

    fn shutdown(&self) {
        // Without the file, the test fails.
        let _ = std::fs::write(&self.out, self.report());
    }
}
