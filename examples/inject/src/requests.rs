//! The thread that requests ReJIT, and reverts the methods later.
#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use corprof::token::TypeDef;
use corprof::{Metadata, ModuleFlags, ModuleId, ModuleMethod, Result};
use corprof_rewrite::{RewriteError, Rewriter};
use method_filter::MethodFilter;

use crate::{locked, spans, tasks};

/// What the thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Loaded(ModuleId),
    /// The client wants no more.
    Stop,
}

/// The code to insert into a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A span; of an `async` method it ends with the task.
    Span { number: i64, is_async: bool },
    /// Reports of the completion of tasks: `MoveNext` of a selected `async` method.
    Completion,
}

pub(crate) type Selected = Arc<Mutex<HashMap<ModuleMethod, Role>>>;

/// The state of the thread.
pub(crate) struct Requests {
    pub(crate) rewriter: Rewriter,
    pub(crate) selected: Selected,
    pub(crate) filter: MethodFilter,
    pub(crate) until: Option<Instant>,
}

impl Requests {
    /// Requests ReJIT for the methods of modules as they are loaded, and reverts them at the end of the time.
    pub(crate) fn run(self, events: &Receiver<Event>) {
        let info = self.rewriter.info();
        // If this fails, the requests fail with a message.
        let _ = info.initialize_current_thread();
        loop {
            let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
            match events.recv_timeout(left.unwrap_or(Duration::from_secs(3600))) {
                Ok(Event::Stop) => break,
                Ok(Event::Loaded(module)) => {
                    if let Err(error) = self.request(module) {
                        spans::write(&format!("  {error}"));
                    }
                }
                Err(RecvTimeoutError::Timeout) if self.until.is_none() => {}
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        self.revert();
    }

    /// Reverts the methods and requests the detach, which the runtime refuses to a profiler that has used ReJIT.
    fn revert(&self) {
        let info = self.rewriter.info();
        let methods = core::mem::take(&mut *locked(&self.selected));
        let all: Vec<ModuleMethod> = methods.keys().copied().collect();
        if !all.is_empty() {
            let own = info.own_thread().map_err(RewriteError::from);
            match own.and_then(|own| self.rewriter.request_revert(&own, &all)) {
                Ok(_) => {
                    let spans = methods.values().filter(|role| **role != Role::Completion).count();
                    spans::write(&format!("  reverted {spans} methods"));
                }
                Err(error) => spans::write(&format!("  cannot be reverted: {error}")),
            }
        }
        if let Err(error) = self.rewriter.info().request_detach(Duration::ZERO) {
            spans::write(&format!("  stays loaded: {error}"));
            spans::end("the methods have their own code again", Some(error.to_string()));
        }
    }

    fn request(&self, module: ModuleId) -> corprof_rewrite::Result<()> {
        let info = self.rewriter.info();
        let loaded = info.module_info(module)?;
        let file = loaded.file_name();
        let metadata = info.module_metadata(module)?;
        let is_refused = loaded.flags.contains(ModuleFlags::COLLECTIBLE);
        let (mut found, mut spans) = (Vec::new(), 0);
        for ty in metadata.type_defs()? {
            let class = type_name(&metadata, ty)?;
            for method in metadata.methods(ty)? {
                let name = format!("{class}.{}", metadata.method(method)?.name);
                if !self.filter.matches(&loaded.path, || name.clone()) {
                    continue;
                }
                if is_refused {
                    spans::write(&format!(
                        "  {name} of {file} keeps its code: {}",
                        RewriteError::Collectible(module)
                    ));
                    continue;
                }
                spans += 1;
                let number = spans::name(corprof_in_process::printable::Printable(&name).to_string());
                let move_next = tasks::move_next(&metadata, ty, method)?;
                found.push((method, Role::Span { number, is_async: move_next.is_some() }));
                found.extend(move_next.map(|method| (method, Role::Completion)));
            }
        }
        if found.is_empty() {
            return Ok(());
        }
        let own = info.own_thread()?;
        let mut methods = Vec::new();
        {
            let mut selected = locked(&self.selected);
            for (method, role) in found {
                let method = ModuleMethod { module, method };
                // A pattern may name a state machine too: its completions are what the other method needs.
                if role == Role::Completion || !selected.contains_key(&method) {
                    selected.insert(method, role);
                }
                methods.push(method);
            }
        }
        methods.sort_unstable_by_key(|it| it.method);
        methods.dedup();
        let alone = match self.rewriter.request_rejit(&own, &methods) {
            Ok(alone) => alone.len(),
            Err(error) => {
                locked(&self.selected).retain(|method, _| method.module != module);
                spans::write(&format!("  {spans} methods of {file} keep their code: {error}"));
                return Ok(());
            }
        };
        spans::write(&format!("  inserting into {spans} methods of {file}, each at its next call"));
        if alone > 0 {
            let what = if alone == 1 { "1 method" } else { &format!("{alone} methods") };
            spans::write(&format!(
                "  {what} of {file}: code into which the runtime had inlined them before stays as it is"
            ));
        }
        Ok(())
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
