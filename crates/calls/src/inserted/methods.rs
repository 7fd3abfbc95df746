//! The selected methods, with what their code calls.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use corprof::clrnames::MethodDefinition;
use corprof::{ClassId, IdMap, InsertedMethod, ModuleMethod, ProfilerInfo, Result, UnloadCache};
use corprof_rewrite::Rewriter;

use super::InsertedFunction;
use super::requests::Requests;
use crate::tracer::CallTracer;

/// Makes the data of a method, and returns what its code calls.
type Hook<T> = Box<dyn Fn(InsertedFunction<T>) -> InsertedMethod<InsertedFunction<T>> + Send + Sync>;

/// The methods with inserted code.
pub(crate) struct Methods<T: CallTracer> {
    pub(crate) rewriter: Rewriter,
    pub(crate) requests: Arc<Requests>,
    /// Whether the profiler has not seen all loads of classes.
    pub(crate) is_attached: bool,
    pub(crate) installed: OnceLock<Installed<T>>,
    /// The names of exceptions that have left methods.
    pub(crate) exceptions: UnloadCache<ClassId, Arc<str>>,
    selected: Mutex<HashMap<ModuleMethod, Arc<Selected<T>>>>,
}

pub(crate) struct Installed<T: CallTracer> {
    pub(crate) hook: Hook<T>,
    pub(crate) report: Box<dyn Fn(bool) + Send + Sync>,
}

/// A selected method.
pub(crate) struct Selected<T: CallTracer> {
    pub(crate) definition: MethodDefinition,
    pub(crate) hooked: InsertedMethod<InsertedFunction<T>>,
}

impl<T: CallTracer> Methods<T> {
    pub(crate) fn new(info: &ProfilerInfo, is_attached: bool) -> Result<Self> {
        let rewriter = Rewriter::new(info);
        let requests = Requests::start(rewriter.clone())?;
        let exceptions = UnloadCache::new(info, |names: &mut IdMap<_, _>, unload| {
            unload.classes().for_each(|class| drop(names.remove(&class)));
        });
        let selected = Mutex::default();
        Ok(Self { rewriter, requests, is_attached, installed: OnceLock::new(), exceptions, selected })
    }

    pub(crate) fn selected(&self) -> MutexGuard<'_, HashMap<ModuleMethod, Arc<Selected<T>>>> {
        self.selected.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn get(&self, method: ModuleMethod) -> Option<Arc<Selected<T>>> {
        self.selected().get(&method).cloned()
    }
}
