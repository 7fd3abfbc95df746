//! What is kept for a hooked method: its names and plans, found when they are first needed.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use argvalues::{ClrRuntime, MethodPlan};
use corprof::{
    ArgumentWord, ClassId, EnterRegisters, Error, FrameInfo, FunctionId, FunctionInstance, Instance,
    Locations, LocationsCell, Method, Result, ResultWord,
};
use recording::lines::FunctionText;
use recording::{Defined, Parameter, Recorder};

/// A hooked method. Which instantiation of a shared generic one is called, only the call knows: there is one
/// [`Call`] for each that has been seen.
pub(crate) struct Function {
    method: Arc<Method>,
    /// The one there is, where the function has only one.
    only: OnceLock<Arc<Call>>,
    shared: RwLock<Shared<Key>>,
    /// With fast hooks, where everything is at a call.
    locations: LocationsCell,
    /// What is written when the names cannot be found.
    nameless: OnceLock<Arc<Call>>,
    /// With fast hooks and a recording, what a call with nothing but primitives is recorded with.
    quick: OnceLock<Quick>,
    /// With fast hooks, by what the code itself knows its type arguments by: there is no need to ask the runtime.
    by_context: RwLock<Shared<usize>>,
}

/// What a call is recorded with whose arguments are all primitives, when it is known where they are at each call.
pub(crate) struct Quick {
    pub(crate) function: FunctionId,
    pub(crate) defined: Defined,
    /// As many as the definition has.
    pub(crate) arguments: Box<[ArgumentWord]>,
    /// Nothing for `void`. Absent if the end of a call has to be recorded in another way.
    pub(crate) result: Option<ResultWord>,
}

impl Quick {
    /// Where the places of all values are known and each is a word.
    fn new(function: FunctionId, defined: &Defined, locations: &Locations) -> Option<Self> {
        let types = defined.arguments().filter(|types| types.len() == locations.arguments.len())?;
        let arguments =
            (0..types.len()).map(|index| locations.argument_word(index)).collect::<Option<_>>()?;
        let result = match defined.result() {
            Some(_) => locations.result_word(),
            None => defined.has_plain_end().then_some(ResultWord::NONE),
        };
        Some(Self { function, defined: defined.clone(), arguments, result })
    }
}

/// What calls are found out with, and where they are defined if they are recorded.
#[derive(Clone, Copy)]
pub(crate) struct Maker<'m> {
    pub(crate) runtime: &'m ClrRuntime,
    pub(crate) recorder: Option<&'m Recorder>,
}

/// The calls of a shared function, and how often something had been unloaded when they were seen. After one more unload
/// an id among the type arguments may be another class's.
struct Shared<K> {
    unloads: u64,
    calls: HashMap<K, Arc<Call>>,
}

/// The type arguments of a call.
type Key = (Option<ClassId>, Vec<Option<ClassId>>);

impl Function {
    pub(crate) fn new(method: Arc<Method>) -> Self {
        Self {
            method,
            only: OnceLock::new(),
            shared: RwLock::default(),
            locations: LocationsCell::new(),
            nameless: OnceLock::new(),
            quick: OnceLock::new(),
            by_context: RwLock::default(),
        }
    }

    pub(crate) fn id(&self) -> FunctionId {
        self.method.function
    }

    /// Where everything is at a call, worked out at the first one, and again if that could not tell all of it.
    pub(crate) fn locations(
        &self,
        runtime: &ClrRuntime,
        registers: EnterRegisters<'_>,
    ) -> Result<&Locations> {
        self.locations.get_or_locate(|| runtime.locations(&self.method, registers))
    }

    /// Where everything is at a call, if there has been one.
    pub(crate) fn known_locations(&self) -> Result<&Locations> {
        self.locations.get().ok_or_else(|| Error::other("it could not be found out where the value is"))
    }

    /// What calls are recorded with that have nothing but primitives, once it has been found.
    #[inline]
    pub(crate) fn quick(&self) -> Option<&Quick> {
        self.quick.get()
    }

    /// Finds that, after a call that has been recorded with this definition. It is the only one of the function.
    #[cold]
    pub(crate) fn find_quick(&self, defined: &Defined) {
        let complete = self.locations.get().filter(|locations| locations.is_complete());
        if let Some(quick) = complete.and_then(|locations| Quick::new(self.id(), defined, locations)) {
            // Whoever was first found the same.
            let _ = self.quick.set(quick);
        }
    }

    /// What to write for a call with this frame; without a frame as far as the function alone says.
    pub(crate) fn call(&self, maker: Maker<'_>, frame: Option<FrameInfo<'_>>) -> Result<Arc<Call>> {
        let runtime = maker.runtime;
        if let Some(only) = self.only.get() {
            return Ok(Arc::clone(only));
        }
        if !self.method.is_generic() {
            let class = match self.method.token {
                Some(_) => runtime.names().info().function_info(self.id())?.class,
                None => None,
            };
            let call = Arc::new(self.new_call(maker, (class, Vec::new()))?);
            return Ok(Arc::clone(self.only.get_or_init(|| call)));
        }
        let unloads = runtime.names().info().unload_count();
        let context = frame.and_then(FrameInfo::key);
        if let Some(context) = context {
            let by_context = self.by_context.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(call) = by_context.get(unloads, &context) {
                return Ok(call);
            }
        }
        let call = self.shared_call(maker, frame)?;
        if let Some(context) = context {
            self.by_context.write().unwrap_or_else(PoisonError::into_inner).put(unloads, context, &call);
        }
        Ok(call)
    }

    /// The same, for a function that may have more than one.
    fn shared_call(&self, maker: Maker<'_>, frame: Option<FrameInfo<'_>>) -> Result<Arc<Call>> {
        let info = maker.runtime.names().info();
        let unloads = info.unload_count();
        let instance = info.function_instance(self.id(), frame)?;
        let key = (instance.class, instance.type_args);
        if let Some(call) = self.shared.read().unwrap_or_else(PoisonError::into_inner).get(unloads, &key) {
            return Ok(call);
        }
        let call = Arc::new(self.new_call(maker, key.clone())?);
        if !call.may_be_shared && self.is_unshared(maker.runtime) {
            return Ok(Arc::clone(self.only.get_or_init(|| call)));
        }
        self.shared.write().unwrap_or_else(PoisonError::into_inner).put(unloads, key, &call);
        Ok(call)
    }

    /// Whether the function's code belongs to one instantiation, so that no frame is needed to know it.
    fn is_unshared(&self, runtime: &ClrRuntime) -> bool {
        let names = runtime.names();
        let alone = names.info().function_instance(self.id(), None);
        alone.is_ok_and(|alone| {
            (alone.class.is_some() || self.method.class_arity == 0)
                && names
                    .instance(&self.method, alone.class, &alone.type_args)
                    .is_ok_and(|instance| !instance.is_shared)
        })
    }

    fn new_call(&self, maker: Maker<'_>, (class, type_args): Key) -> Result<Call> {
        let instance = maker.runtime.names().instance(&self.method, class, &type_args)?;
        let plan = maker.runtime.plan(&instance)?;
        let function = described(maker, &instance, &plan);
        Ok(Call::new(&function, Some(plan), instance.is_shared, maker.recorder))
    }

    /// What to write for a call of which the runtime does not tell the type arguments.
    pub(crate) fn call_without_frame(&self, maker: Maker<'_>) -> Arc<Call> {
        self.call(maker, None).unwrap_or_else(|_| self.nameless_call(maker))
    }

    /// What to write when even the names cannot be found.
    fn nameless_call(&self, maker: Maker<'_>) -> Arc<Call> {
        let made = self.nameless.get_or_init(|| {
            let function = recording::Function {
                module: self.method.module_info.file_name().to_owned(),
                name: self.method.plain_name(),
                ..recording::Function::default()
            };
            Arc::new(Call::new(&function, None, true, maker.recorder))
        });
        Arc::clone(made)
    }

    /// What to write for every call, if there is only one instantiation and it has been called.
    #[inline]
    pub(crate) fn only_call(&self) -> Option<&Arc<Call>> {
        self.only.get()
    }
}

impl<K> Default for Shared<K> {
    fn default() -> Self {
        Self { unloads: 0, calls: HashMap::new() }
    }
}

impl<K: Eq + Hash> Shared<K> {
    /// The call with these type arguments, if nothing has been unloaded since it was seen.
    fn get(&self, unloads: u64, key: &K) -> Option<Arc<Call>> {
        if self.unloads == unloads { self.calls.get(key).cloned() } else { None }
    }

    /// Keeps a call that was found when there had been so many unloads, and those of the same time.
    fn put(&mut self, unloads: u64, key: K, call: &Arc<Call>) {
        if self.unloads > unloads {
            return;
        }
        if self.unloads < unloads {
            self.calls.clear();
            self.unloads = unloads;
        }
        self.calls.insert(key, Arc::clone(call));
    }
}

/// What is the same for every call of one instantiation.
#[derive(Debug)]
pub(crate) struct Call {
    /// The text around the values.
    pub(crate) text: FunctionText,
    /// With a recording, what its calls are recorded with.
    pub(crate) defined: Option<Defined>,
    /// How the values are found; absent when that could not be worked out.
    pub(crate) plan: Option<MethodPlan>,
    /// Whether a type argument is `System.__Canon`.
    may_be_shared: bool,
}

impl Call {
    /// Of a function as far as it is known.
    fn new(
        function: &recording::Function,
        plan: Option<MethodPlan>,
        may_be_shared: bool,
        recorder: Option<&Recorder>,
    ) -> Self {
        Self {
            text: FunctionText::new(function),
            defined: recorder.and_then(|recorder| recorder.define(function)),
            plan,
            may_be_shared,
        }
    }
}

/// What a recording and lines have to know of a function with these type arguments.
fn described(maker: Maker<'_>, instance: &Instance, plan: &MethodPlan) -> recording::Function {
    let method = &instance.method;
    let known = FunctionInstance {
        class: instance.class,
        module: method.module,
        token: method.token,
        type_args: instance.type_args.clone(),
    };
    // Only a recording has it. One that cannot be identified still has its name.
    let identity = maker.recorder.and_then(|_| maker.runtime.names().identity(&known).ok().flatten());
    recording::Function {
        identity: identity.map_or_else(String::new, |identity| identity.to_string()),
        module: method.module_info.file_name().to_owned(),
        path: method.module_info.path.clone(),
        name: instance.name.clone(),
        signature: instance.signature.clone(),
        has_this: !method.is_static(),
        parameters: instance
            .parameters
            .iter()
            .map(|parameter| Parameter {
                name: parameter.name.clone(),
                type_name: parameter.type_name.to_string(),
                mode: parameter.mode.into(),
            })
            .collect(),
        returns: instance.return_type.as_ref().map(ToString::to_string),
        arguments: plan.primitive_arguments(),
        result: plan.primitive_result(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_forgotten_when_something_is_unloaded() {
        let call = |name: &str| {
            let function = recording::Function { name: name.to_owned(), ..recording::Function::default() };
            Arc::new(Call::new(&function, None, true, None))
        };
        let key = || (ClassId::from_raw(8), Vec::new());
        let name = |shared: &Shared<Key>, unloads| {
            shared.get(unloads, &key()).map(|call| call.text.name().to_owned())
        };
        let mut shared = Shared::default();
        shared.put(0, key(), &call("Keep<Plugin>.Put"));
        assert_eq!(name(&shared, 0).as_deref(), Some("Keep<Plugin>.Put"));
        assert_eq!(name(&shared, 1), None);
        shared.put(1, key(), &call("Keep<Other>.Put"));
        assert_eq!(name(&shared, 1).as_deref(), Some("Keep<Other>.Put"));
        // Found before the unload, and late.
        shared.put(0, key(), &call("Keep<Plugin>.Put"));
        assert_eq!(name(&shared, 1).as_deref(), Some("Keep<Other>.Put"));
    }
}
