//! The profiler of the live tests.
//!
//! The program `tests/apps/live` asks it by name of a subject; it asks the runtime and answers with facts, one
//! `name = value` a line. The program states the same facts by its own means, and `tests/e2e/live.rs` compares.
//! One file is one subject.

mod ask;
mod emit;
mod facts;
mod scope;
mod tables;

use std::sync::{Mutex, OnceLock, PoisonError};

use corprof::{AssemblyId, EventMask, ModuleId, Profiler, ProfilerInfo, Result, export_profiler};

export_profiler!(Live, "{5B0C3D0E-4B1A-4C55-8A57-0E3C7A1B9D21}");

/// What the program may ask, once the profiler is there.
static LIVE: OnceLock<State> = OnceLock::new();

/// What the callbacks have seen.
struct State {
    info: ProfilerInfo,
    modules: Mutex<Vec<ModuleId>>,
}

impl State {
    /// The module of this file name.
    fn module(&self, name: &str) -> Result<ModuleId> {
        let modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let is_it = |module: &ModuleId| {
            self.info.module_info(*module).is_ok_and(|info| info.file_name().eq_ignore_ascii_case(name))
        };
        modules
            .into_iter()
            .find(is_it)
            .ok_or_else(|| corprof::Error::NotFound(format!("{name} is not loaded")))
    }
}

/// The answer to a question.
fn answer(state: &State, subject: &str, arguments: &[&str]) -> Result<String> {
    match subject {
        "tables" => tables::answer(state, arguments),
        "emit" => emit::answer(state),
        "scope" => scope::answer(state, arguments),
        _ => Err(corprof::Error::NotFound(format!("there is no subject {subject:?}"))),
    }
}

/// The profiler; what it knows is in [`LIVE`].
struct Live;

impl Profiler for Live {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::MODULE_LOADS | EventMask::CLASS_LOADS)?;
        let state = State { info: info.clone(), modules: Mutex::default() };
        drop(LIVE.set(state));
        Ok(Self)
    }

    fn module_attached_to_assembly(&self, module: ModuleId, _: AssemblyId) {
        if let Some(state) = LIVE.get() {
            state.modules.lock().unwrap_or_else(PoisonError::into_inner).push(module);
        }
    }
}
