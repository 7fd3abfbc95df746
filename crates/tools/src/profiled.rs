//! A profile that threads of the program add to.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use core::ops::ControlFlow;

use corprof::{AnyId, ClassId, Forget, FunctionId, Names, Result, StackWalk, Unload};
use corprof_profile::{Context, Frame, FrameId, Profile, Unit, ValueType};

use crate::limits::STACK;
use crate::naming::{Named, Naming};
use crate::program::program_name;

/// A profile of functions of the program, which any thread may add to.
///
/// Names are looked up once for each function, and while no lock is held.
#[derive(Clone, Debug)]
pub struct LiveProfile {
    naming: Naming,
    /// Called before the profile is read.
    pending: Arc<OnceLock<Pending>>,
    shared: Arc<Shared>,
}

/// Adds what a tool has not added yet.
struct Pending(Box<dyn Fn() + Send + Sync>);

impl core::fmt::Debug for Pending {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Pending")
    }
}

#[derive(Debug)]
struct Shared(Mutex<State>);

#[derive(Debug)]
struct State {
    profile: Profile,
    /// The frames of functions and classes.
    frames: HashMap<AnyId, FrameId>,
    /// The number of unloads so far: a name from before an unload is not cached after it.
    unloads: u64,
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
        state.frames.retain(|id, _| !unload.takes(*id));
    }
}

/// A frame of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackFrame<'f> {
    /// A method.
    Function(FunctionId),
    /// The class of an object.
    Class(ClassId),
    /// Anything with a name.
    Named(Frame<'f>),
}

impl<'f> StackFrame<'f> {
    /// Returns the id whose name is looked up, or the name.
    const fn id(self) -> core::result::Result<AnyId, Frame<'f>> {
        match self {
            Self::Function(function) => Ok(AnyId::Function(function)),
            Self::Class(class) => Ok(AnyId::Class(class)),
            Self::Named(frame) => Err(frame),
        }
    }
}

impl LiveProfile {
    /// Begins with a profile.
    #[must_use]
    pub fn new(names: &Names, profile: Profile) -> Self {
        let state = State { profile, frames: HashMap::new(), unloads: 0 };
        let shared = Arc::new(Shared(Mutex::new(state)));
        names.info().forget_with(&shared);
        Self { naming: Naming::new(names), pending: Arc::default(), shared }
    }

    /// Begins with an empty profile of the running program, whose samples have these values.
    #[must_use]
    pub fn of_program(names: &Names, types: &[(&str, Unit)]) -> Self {
        let types = types.iter().map(|(name, unit)| ValueType::new(name, *unit)).collect();
        Self::new(names, Profile::new(&program_name(), types))
    }

    /// Returns the names of functions.
    #[must_use]
    pub fn names(&self) -> &Names {
        &self.naming.names
    }

    /// Calls `work` with the profile. `work` must not call the runtime.
    pub fn with<R>(&self, work: impl FnOnce(&mut Profile) -> R) -> R {
        work(&mut self.shared.lock().profile)
    }

    /// Has `add` called before each report on the profile, to add what is known only then. The first such call counts.
    pub fn before_reports(&self, add: impl Fn() + Send + Sync + 'static) {
        let _ = self.pending.set(Pending(Box::new(add)));
    }

    fn add_pending(&self) {
        self.pending.get().into_iter().for_each(|Pending(add)| add());
    }

    /// Returns the profile as it is now.
    #[must_use]
    pub fn snapshot(&self) -> Profile {
        self.add_pending();
        self.shared.lock().profile.clone()
    }

    /// Returns the profile as it is now, and continues with an empty one.
    ///
    /// Frames stay known unless they use half of the profile's limit.
    #[must_use]
    pub fn take(&self) -> Profile {
        self.add_pending();
        let mut state = self.shared.lock();
        let is_crowded = state.profile.is_crowded();
        let empty = if is_crowded { state.profile.emptied() } else { state.profile.without_samples() };
        if is_crowded {
            state.frames.clear();
        }
        core::mem::replace(&mut state.profile, empty)
    }

    /// Adds the values of a sample, whose functions are passed innermost first.
    pub fn add(&self, stack: &[FunctionId], context: &Context, values: &[u64]) {
        self.add_frames(functions(stack), context, values);
    }

    /// Adds the values of a sample, whose frames are passed innermost first.
    pub fn add_stack(&self, stack: &[StackFrame<'_>], context: &Context, values: &[u64]) {
        self.add_frames(stack.iter().rev().copied(), context, values);
    }

    /// Adds the values of an object of a class: the class is the innermost frame.
    pub fn add_object(&self, stack: &[FunctionId], class: ClassId, context: &Context, values: &[u64]) {
        self.add_frames(functions(stack).chain([StackFrame::Class(class)]), context, values);
    }

    /// Adds the values of something with a name: the innermost frame.
    pub fn add_named(&self, stack: &[FunctionId], name: &str, context: &Context, values: &[u64]) {
        let named = StackFrame::Named(Frame { name, module: "" });
        self.add_frames(functions(stack).chain([named]), context, values);
    }

    /// Adds the values of a sample, whose frames are passed outermost first.
    fn add_frames<'f>(
        &self,
        stack: impl Iterator<Item = StackFrame<'f>> + Clone,
        context: &Context,
        values: &[u64],
    ) {
        let mut named: HashMap<AnyId, Named> = HashMap::new();
        let mut unloads = None;
        let mut state = loop {
            let state = self.shared.lock();
            let is_unknown = |id: &AnyId| !state.frames.contains_key(id) && !named.contains_key(id);
            let ids = stack.clone().filter_map(|frame| frame.id().ok());
            let unknown: Vec<AnyId> = ids.filter(is_unknown).collect();
            if unknown.is_empty() {
                break state;
            }
            unloads.get_or_insert(state.unloads);
            drop(state);
            named.extend(unknown.into_iter().map(|id| (id, self.naming.named(id))));
        };
        let mut own = HashMap::new();
        let is_current = unloads.is_none_or(|unloads| unloads == state.unloads);
        let State { profile, frames, .. } = &mut *state;
        for (id, named) in named {
            let frame = profile.frame(Frame { name: &named.name, module: &named.module });
            let map = if is_current { &mut *frames } else { &mut own };
            map.insert(id, frame);
        }
        let context = profile.context(context);
        let mut numbers = Vec::with_capacity(stack.size_hint().0);
        numbers.extend(stack.map(|frame| match frame.id() {
            Ok(id) => own.get(&id).or_else(|| frames.get(&id)).copied().unwrap_or(FrameId::OTHER),
            Err(named) => profile.frame(named),
        }));
        profile.add(numbers, context, values);
    }

    /// Returns the name that a function has in the profile.
    #[must_use]
    pub fn name(&self, function: FunctionId) -> String {
        let cached = {
            let state = self.shared.lock();
            let frame = state.frames.get(&AnyId::Function(function)).copied();
            frame.map(|frame| state.profile.frame_of(frame).name.to_owned())
        };
        cached.unwrap_or_else(|| self.naming.named(AnyId::Function(function)).name)
    }

    /// Returns the name of a function as its source declares it.
    ///
    /// A state machine has the name of its `async` method or iterator.
    ///
    /// # Errors
    /// Any error of the runtime or the metadata.
    pub fn source_name(&self, function: FunctionId) -> Result<String> {
        self.naming.source_name(function)
    }
}

/// Returns the frames of functions, outermost first.
fn functions<'f>(stack: &[FunctionId]) -> impl Iterator<Item = StackFrame<'f>> + Clone {
    stack.iter().rev().map(|function| StackFrame::Function(*function))
}

/// Returns the managed functions on the calling thread's stack, innermost first. The outermost frames of a deep stack are
/// left out.
///
/// # Errors
/// Any error of [`ProfilerInfo::walk_stack`](corprof::ProfilerInfo::walk_stack).
pub(crate) fn own_stack(names: &Names) -> Result<Vec<FunctionId>> {
    let mut stack = Vec::new();
    names.info().walk_stack(StackWalk::default(), |frame| {
        stack.extend(frame.function);
        if stack.len() < STACK { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(stack)
}
