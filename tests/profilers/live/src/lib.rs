//! The profiler of the live tests.
//!
//! The program `tests/apps/live` asks it by name of a subject; it asks the runtime and answers with facts, one
//! `name = value` a line. The program states the same facts by its own means, and `tests/e2e/live.rs` compares.
//! One file is one subject.

mod ask;
mod emit;
mod event_pipe;
mod facts;
mod memory;
mod objects;
mod process;
mod rejit;
mod scope;
mod stacks;
mod tables;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use corprof::token::MethodDef;
use corprof::values::GcReason;
use corprof::values::Generations;
use corprof::{
    AssemblyId, Error, EventMask, EventPipeEvent, FunctionControl, FunctionId, ModuleId, Profiler,
    ProfilerInfo, ReJitId, Result, ThreadId, export_profiler,
};

export_profiler!(Live, "{5B0C3D0E-4B1A-4C55-8A57-0E3C7A1B9D21}");

/// What the program may ask, once the profiler is there.
static LIVE: OnceLock<State> = OnceLock::new();

/// What the callbacks have seen, and what was made for the program.
struct State {
    info: ProfilerInfo,
    modules: Mutex<Vec<ModuleId>>,
    /// How many collections somebody has asked for.
    induced: AtomicU32,
    rejit: rejit::Plan,
    handles: Mutex<Vec<corprof::ObjectHandle>>,
    /// What is to be looked at when a collection is over.
    in_callback: objects::InCallback,
    events: event_pipe::Events,
}

/// A lock's content, whatever happened to its last holder.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    /// The module of this file name.
    fn module(&self, name: &str) -> Result<ModuleId> {
        let modules = locked(&self.modules).clone();
        let is_it = |module: &ModuleId| {
            self.info.module_info(*module).is_ok_and(|info| info.file_name().eq_ignore_ascii_case(name))
        };
        modules.into_iter().find(is_it).ok_or_else(|| Error::NotFound(format!("{name} is not loaded")))
    }
}

/// The answer to a question of a thread.
fn answer(state: &State, caller: Option<ThreadId>, subject: &str, arguments: &[&str]) -> Result<String> {
    match subject {
        "core" => process::core(state),
        "tables" => tables::answer(state, arguments),
        "emit" => emit::answer(state),
        "scope" => scope::answer(state, arguments),
        "process" => process::answer(state, caller),
        "objects" => objects::answer(state, caller),
        "handles" => objects::handles(state, arguments),
        "rejit" => rejit::answer(state, arguments),
        "stack" => stacks::own(state),
        "stack.other" => stacks::other(state, caller),
        "event_pipe" => event_pipe::answer(state, arguments),
        _ => Err(Error::NotFound(format!("there is no subject {subject:?}"))),
    }
}

/// The profiler; what it knows is in [`LIVE`].
struct Live;

impl Profiler for Live {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        let subject = std::env::var("LIVE_SUBJECT").unwrap_or_default();
        let wanted = match subject.as_str() {
            "rejit" => EventMask::ENABLE_REJIT | EventMask::JIT_COMPILATION,
            "objects" => EventMask::BASIC_GC,
            "stacks" => EventMask::ENABLE_STACK_SNAPSHOT | EventMask::ENABLE_JIT_MAPS,
            "event_pipe" if info.version() >= 12 => EventMask::EVENT_PIPE,
            _ => EventMask::empty(),
        };
        let mask = wanted | EventMask::MODULE_LOADS | EventMask::CLASS_LOADS | EventMask::THREADS;
        info.set_event_mask(mask)?;
        if info.event_mask()? != mask {
            return Err(Error::other("the event mask is not the one that was set"));
        }
        process::set_variables(info)?;
        let state = State {
            info: info.clone(),
            modules: Mutex::default(),
            induced: AtomicU32::new(0),
            rejit: rejit::Plan::default(),
            handles: Mutex::default(),
            in_callback: objects::InCallback::default(),
            events: event_pipe::Events::default(),
        };
        drop(LIVE.set(state));
        Ok(Self)
    }

    fn module_attached_to_assembly(&self, module: ModuleId, _: AssemblyId) {
        if let Some(state) = LIVE.get() {
            locked(&state.modules).push(module);
        }
    }

    fn garbage_collection_started(&self, _: Generations<'_>, reason: GcReason) {
        if let Some(state) = LIVE.get() {
            state.induced.fetch_add(u32::from(reason == GcReason::INDUCED), Ordering::Relaxed);
        }
    }

    fn garbage_collection_finished(&self) {
        if let Some(state) = LIVE.get() {
            state.in_callback.look(&state.info);
        }
    }

    fn jit_compilation_started(&self, function: FunctionId, _: bool) {
        if let Some(state) = LIVE.get() {
            state.rejit.mapped(&state.info, function);
        }
    }

    fn rejit_parameters(&self, _: ModuleId, method: MethodDef, control: &FunctionControl<'_>) -> Result<()> {
        LIVE.get().map_or(Ok(()), |state| state.rejit.fill_in(method, control))
    }

    fn rejit_compilation_finished(
        &self,
        _: FunctionId,
        rejit: Option<ReJitId>,
        status: Result<(), corprof::HResult>,
        _: bool,
    ) {
        if let Some(state) = LIVE.get() {
            state.rejit.finished(rejit, status);
        }
    }

    fn rejit_error(&self, _: ModuleId, method: MethodDef, _: Option<FunctionId>, error: corprof::HResult) {
        if let Some(state) = LIVE.get() {
            state.rejit.failed(method, error);
        }
    }

    fn event_pipe_event_delivered(&self, event: &EventPipeEvent<'_>) {
        if let Some(state) = LIVE.get() {
            state.events.delivered(&state.info, event);
        }
    }
}
