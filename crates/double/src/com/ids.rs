//! Ids that a profiler passes: the objects that they identify, and whether they are valid.

use corprof::HResult;

use super::Object;
use crate::model::{Model, State};

/// The code for a number that is no id or a stale one. The real runtime may crash on these; the fake one reports them.
const UNKNOWN: HResult = HResult::E_INVALIDARG;

impl Object {
    /// The module with an id.
    pub(super) fn module_of(&self, model: &Model, id: usize) -> Result<usize, HResult> {
        self.loaded(model, "module", id, model.module(id))
    }

    /// The module that is the assembly with an id.
    pub(super) fn assembly_of(&self, model: &Model, id: usize) -> Result<usize, HResult> {
        self.loaded(model, "assembly", id, model.assembly(id))
    }

    fn loaded(&self, model: &Model, kind: &str, id: usize, index: Option<usize>) -> Result<usize, HResult> {
        let index = index.ok_or_else(|| self.no_id(kind, id))?;
        match model.modules.get(index).map(|module| module.state) {
            Some(State::Loaded) => Ok(index),
            Some(State::Defined) => Err(self.early(kind, id)),
            _ => Err(self.gone(kind, id)),
        }
    }

    pub(super) fn function_of(&self, model: &Model, id: usize) -> Result<usize, HResult> {
        let index = model.function(id).ok_or_else(|| self.no_id("function", id))?;
        let module = model.functions.get(index).and_then(|function| model.modules.get(function.module));
        match module.map(|module| module.state) {
            Some(State::Loaded) => Ok(index),
            _ => Err(self.gone("function", id)),
        }
    }

    pub(super) fn class_of(&self, model: &Model, id: usize) -> Result<usize, HResult> {
        let index = model.class(id).ok_or_else(|| self.no_id("class", id))?;
        if model.is_class_there(index) { Ok(index) } else { Err(self.gone("class", id)) }
    }

    pub(super) fn thread_of(&self, model: &Model, id: usize) -> Result<usize, HResult> {
        let index = model.thread(id).ok_or_else(|| self.no_id("thread", id))?;
        match model.threads.get(index) {
            Some(thread) if thread.is_alive => Ok(index),
            _ => Err(self.gone("thread", id)),
        }
    }

    pub(super) fn object_at(&self, model: &Model, address: usize) -> Result<usize, HResult> {
        let index = model.heap.at(address).ok_or_else(|| self.no_id("object", address))?;
        match model.heap.objects.get(index) {
            Some(object) if object.is_alive => Ok(index),
            _ => Err(self.gone("object", address)),
        }
    }

    /// .NET Core 3.1 crashes at some of these.
    fn early(&self, kind: &str, id: usize) -> HResult {
        self.shared().misused(format!("the {kind} {id:#x} was asked about before it was loaded"));
        HResult::CORPROF_E_DATAINCOMPLETE
    }

    fn gone(&self, kind: &str, id: usize) -> HResult {
        self.shared().misused(format!("the {kind} {id:#x} was asked about after it had gone"));
        UNKNOWN
    }

    fn no_id(&self, kind: &str, id: usize) -> HResult {
        self.shared().misused(format!("{id:#x} was asked about, which is no {kind}"));
        UNKNOWN
    }
}
