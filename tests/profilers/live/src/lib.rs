//! The profiler of the live tests.
//!
//! The program `tests/apps/live` queries it by the name of a subject; it queries the runtime and returns facts, one
//! `name = value` a line. The program states the same facts independently, and `tests/e2e/live.rs` compares.
//! One file is one subject.

mod allocations;
mod ask;
mod collections;
mod emit;
mod end;
mod event_pipe;
mod facts;
mod handles;
mod in_callback;
mod inliners;
mod malformed;
mod maps;
mod memory;
mod objects;
mod outlived;
mod process;
mod rejit;
mod removed;
mod rows;
mod sampling;
mod scope;
mod stacks;
mod statics;
mod tables;
mod undone;
mod walk;

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use corprof::token::MethodDef;
use corprof::values::{GcReason, GcRoots, Generations};
use corprof::{
    AssemblyId, ClassId, Error, EventMask, EventPipeEvent, FunctionControl, FunctionId, HResult, ModuleId,
    ObjectId, Profiler, ProfilerInfo, ReJitId, Result, ThreadId, export_profiler,
};

export_profiler!("{5B0C3D0E-4B1A-4C55-8A57-0E3C7A1B9D21}", [Live]);

/// The state for queries, once the profiler is loaded.
static LIVE: OnceLock<State> = OnceLock::new();

/// The observations of callbacks, and the objects that were created for the program.
struct State {
    info: ProfilerInfo,
    modules: Mutex<Vec<ModuleId>>,
    allocations: allocations::Allocations,
    collections: collections::Collections,
    meeting: walk::Meeting,
    /// Only for its subject.
    statics: Option<statics::Statics>,
    inlinings: inliners::Inlinings,
    /// Whether the runtime may use precompiled code.
    use_precompiled: bool,
    rejit: rejit::Plan,
    handles: Mutex<Vec<handles::Held>>,
    in_callback: in_callback::InCallback,
    events: event_pipe::Events,
    kept: outlived::Kept,
    sampler: sampling::Sampler,
}

/// A lock's content, also after a panic of its holder.
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

/// Runs a function on a thread, and returns its result.
fn answer(
    state: &'static State,
    caller: Option<ThreadId>,
    subject: &str,
    arguments: &[&str],
) -> Result<String> {
    match subject {
        "core" => process::core(state),
        "tables" => tables::answer(state, arguments),
        "emit" => emit::answer(state),
        "removed" => removed::answer(state, arguments),
        "rows" => rows::answer(state, arguments),
        "scope" => scope::answer(state, arguments),
        "outlived" => outlived::answer(state, arguments),
        "process" => process::answer(state, caller),
        "objects" => objects::answer(state, caller),
        "gc" | "gc.basic" | "gc.moved" => collections::answer(state, subject, arguments),
        "allocations" => allocations::answer(state),
        "frozen" => allocations::frozen(state, arguments),
        "walk" | "walk.here" => walk::answer(state, arguments),
        "handles" => handles::answer(state, arguments),
        "inliners" => inliners::answer(state),
        "malformed" => malformed::answer(state, arguments),
        "maps" => maps::answer(state, arguments),
        "undone" => undone::answer(),
        "end" => end::answer(state, arguments),
        "statics" => statics::answer(state, arguments),
        "image" => statics::in_image(state, arguments),
        "rejit" => rejit::answer(state, arguments),
        "sampling.start" => Ok(sampling::start(state)),
        "sampling.stop" => sampling::stop(state),
        "stack" => stacks::own(state),
        "stack.other" => stacks::other(state, caller),
        "event_pipe" => event_pipe::answer(state, arguments),
        _ => Err(Error::NotFound(format!("there is no subject {subject:?}"))),
    }
}

/// The profiler; its state is in [`LIVE`].
struct Live;

impl Profiler for Live {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        let subject = std::env::var("LIVE_SUBJECT").unwrap_or_default();
        let wanted = match subject.as_str() {
            "rejit" => EventMask::ENABLE_REJIT | EventMask::JIT_COMPILATION,
            "objects" | "gc.basic" | "walk" | "image" => EventMask::BASIC_GC,
            "gc" => EventMask::GC,
            "gc.moved" => EventMask::BASIC_GC | EventMask::GC_MOVED_OBJECTS,
            "allocations" => allocations::mask(info),
            "frozen" => EventMask::ENABLE_OBJECT_ALLOCATED | EventMask::OBJECT_ALLOCATED,
            // Everything is compiled in this process, so that class loads occur at any time.
            "statics" => EventMask::GC | EventMask::DISABLE_ALL_NGEN_IMAGES,
            // Compiled once, fully optimised.
            "inliners" => {
                EventMask::JIT_COMPILATION | EventMask::CACHE_SEARCHES | EventMask::DISABLE_TIERED_COMPILATION
            }
            "stacks" => EventMask::ENABLE_STACK_SNAPSHOT | EventMask::ENABLE_JIT_MAPS,
            "sampling" => EventMask::ENABLE_STACK_SNAPSHOT,
            "event_pipe" | "end" if info.version() >= 12 => EventMask::EVENT_PIPE,
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
            allocations: allocations::Allocations::default(),
            collections: collections::Collections::default(),
            meeting: walk::Meeting::default(),
            statics: (subject == "statics").then(statics::Statics::default),
            inlinings: inliners::Inlinings::default(),
            use_precompiled: subject != "inliners",
            rejit: rejit::Plan::default(),
            handles: Mutex::default(),
            in_callback: in_callback::InCallback::default(),
            events: event_pipe::Events::default(),
            kept: outlived::Kept::default(),
            sampler: sampling::Sampler::default(),
        };
        drop(LIVE.set(state));
        Ok(Self)
    }

    fn module_attached_to_assembly(&self, module: ModuleId, _: AssemblyId) {
        if let Some(state) = LIVE.get() {
            locked(&state.modules).push(module);
        }
    }

    fn class_load_finished(&self, class: ClassId, status: Result<(), HResult>) {
        let Some(state) = LIVE.get() else { return };
        if let (Some(statics), Ok(())) = (&state.statics, status) {
            statics.loaded(&state.info, class);
        }
    }

    fn garbage_collection_started(&self, generations: Generations<'_>, reason: GcReason) {
        if let Some(state) = LIVE.get() {
            state.collections.started(&state.info, generations, reason);
            state.meeting.collection_started();
        }
    }

    fn garbage_collection_finished(&self) {
        let Some(state) = LIVE.get() else { return };
        state.in_callback.collection_finished(&state.info);
        if let Some(statics) = &state.statics {
            statics.look(&state.info);
        }
        state.collections.finished(&state.info);
    }

    fn object_references(
        &self,
        _: ObjectId<'_>,
        class: ClassId,
        references: &[Option<ObjectId<'_>>],
    ) -> bool {
        if let Some(state) = LIVE.get() {
            state.collections.references(class, references);
        }
        true
    }

    fn root_references(&self, roots: GcRoots<'_>) {
        if let Some(state) = LIVE.get() {
            state.collections.roots(roots);
        }
    }

    fn objects_allocated_by_class(&self, _: &[Option<ClassId>], _: &[u32]) {
        if let Some(state) = LIVE.get() {
            state.collections.allocated_by_class();
        }
    }

    fn object_allocated(&self, object: ObjectId<'_>, class: ClassId) {
        if let Some(state) = LIVE.get() {
            state.allocations.allocated(&state.info, object, class);
        }
    }

    fn jit_cached_function_search_started(&self, _: FunctionId) -> bool {
        LIVE.get().is_none_or(|state| state.use_precompiled)
    }

    fn jit_inlining(&self, caller: FunctionId, callee: FunctionId) -> bool {
        if let Some(state) = LIVE.get() {
            state.inlinings.inlining(caller, callee);
        }
        true
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
        status: Result<(), HResult>,
        _: bool,
    ) {
        if let Some(state) = LIVE.get() {
            state.rejit.finished(rejit, status);
        }
    }

    fn rejit_error(&self, _: ModuleId, method: MethodDef, _: Option<FunctionId>, error: HResult) {
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
