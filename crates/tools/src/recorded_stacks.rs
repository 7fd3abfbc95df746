//! Stacks in a recording: each function is defined once, and each stack is a node of the tree of all stacks.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use corprof::{AnyId, ClassId, Forget, FunctionId, Names, Unload};
use recording::streams::{Frame, FrameNumber, Node, Value};
use recording::{Function, Recorder};

use crate::naming::{Named, Naming};
use crate::output::Output;

/// The stacks of a tool in its recording.
///
/// A name is looked up once for each function or class, while no lock is held. Nothing here waits for a file or a client: what finds no
/// room is counted, and its frame is unknown.
#[derive(Debug)]
pub struct RecordedStacks {
    naming: Naming,
    output: Output,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The frames of functions and classes.
    known: HashMap<AnyId, Known>,
    /// The number of unloads so far: a name from before an unload is not kept after it.
    unloads: u64,
}

/// What is in the recording of a function or a class.
#[derive(Clone, Debug)]
struct Known {
    frame: FrameNumber,
    name: Arc<str>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Forget for Shared {
    fn forget(&self, unload: &Unload) {
        let mut state = self.lock();
        state.unloads += 1;
        state.known.retain(|id, _| !unload.takes(*id));
    }
}

impl RecordedStacks {
    /// Begins with none.
    #[must_use]
    pub fn new(names: &Names, output: &Output) -> Self {
        let shared = Arc::<Shared>::default();
        names.info().forget_with(&shared);
        Self { naming: Naming::new(names), output: output.clone(), shared }
    }

    /// Returns the names of functions.
    #[must_use]
    pub fn names(&self) -> &Names {
        &self.naming.names
    }

    /// Returns a stack, whose functions are passed innermost first, for a row.
    #[must_use]
    pub fn stack(&self, stack: &[FunctionId]) -> Value {
        let mut frames = Vec::with_capacity(stack.len());
        let mut unknown = Vec::new();
        {
            let state = self.shared.lock();
            for (index, function) in stack.iter().rev().enumerate() {
                let known = state.known.get(&AnyId::Function(*function));
                frames.push(known.map_or(FrameNumber::NONE, |known| known.frame));
                if known.is_none() {
                    unknown.push((index, *function));
                }
            }
        }
        let mut is_whole = true;
        for (index, function) in unknown {
            let frame = self.known(function.into()).frame;
            is_whole &= frame != FrameNumber::NONE;
            if let Some(place) = frames.get_mut(index) {
                *place = frame;
            }
        }
        let node = self.output.recorder().stack(Node::NONE, &frames);
        if !is_whole || node.is_none() {
            self.output.no_room().add(1);
        }
        Value::Node(node.unwrap_or(Node::NONE))
    }

    /// Returns the name that a function has in the recording.
    #[must_use]
    pub fn name(&self, function: FunctionId) -> Arc<str> {
        self.known(function.into()).name
    }

    /// Returns a class for a row.
    #[must_use]
    pub fn class(&self, class: ClassId) -> Value {
        let frame = self.known(class.into()).frame;
        if frame == FrameNumber::NONE {
            self.output.no_room().add(1);
        }
        Value::Class(frame)
    }

    fn known(&self, id: AnyId) -> Known {
        let unloads = {
            let state = self.shared.lock();
            if let Some(known) = state.known.get(&id) {
                return known.clone();
            }
            state.unloads
        };
        let named = self.naming.named(id);
        let name = Arc::from(&*named.name);
        let frame = self.define(id, named);
        let known = Known { frame: frame.unwrap_or(FrameNumber::NONE), name };
        // There may be room for it later.
        if frame.is_some() {
            let mut state = self.shared.lock();
            if state.unloads == unloads {
                state.known.insert(id, known.clone());
            }
        }
        known
    }

    /// Defines a function or a class.
    fn define(&self, id: AnyId, Named { name, module, path }: Named) -> Option<FrameNumber> {
        let recorder: &Recorder = self.output.recorder();
        let frame = match id {
            AnyId::Function(function) => {
                let identity = self.naming.identity(function).unwrap_or_default();
                let function = Function { identity, module, path, name, ..Function::default() };
                Frame::Method { function: recorder.function(&function)?, il_offset: None }
            }
            _ => Frame::Class(recorder.text(&name)?),
        };
        recorder.frame(frame)
    }
}
