//! What is kept for a hooked method: its names and plans, found when they are first needed.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use argvalues::json::write_str;
use argvalues::{ClrRuntime, MethodPlan, Mode};
use corprof::{ClassId, EnterRegisters, Error, FrameInfo, FunctionId, Instance, Locations, Method, Result};

/// A hooked method. Which instantiation of a shared generic one is called, only the call knows: there is one
/// [`Call`] for each that has been seen.
pub(crate) struct Function {
    method: Arc<Method>,
    /// The one there is, where the function has only one.
    only: OnceLock<Arc<Call>>,
    shared: RwLock<Shared<Key>>,
    /// With fast hooks, where everything is at a call.
    locations: OnceLock<Locations>,
    /// With fast hooks, by what the code itself knows its type arguments by: there is no need to ask the runtime.
    by_context: RwLock<Shared<usize>>,
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
            locations: OnceLock::new(),
            by_context: RwLock::default(),
        }
    }

    pub(crate) fn id(&self) -> FunctionId {
        self.method.function
    }

    /// Where everything is at a call, worked out at the first one.
    pub(crate) fn locations(
        &self,
        runtime: &ClrRuntime,
        registers: EnterRegisters<'_>,
    ) -> Result<&Locations> {
        match self.locations.get() {
            Some(known) => Ok(known),
            None => {
                let found = runtime.locations(&self.method, registers)?;
                Ok(self.locations.get_or_init(|| found))
            }
        }
    }

    /// Where everything is at a call, if there has been one.
    pub(crate) fn known_locations(&self) -> Result<&Locations> {
        self.locations.get().ok_or_else(|| Error::other("it could not be found out where the value is"))
    }

    /// What to write for a call with this frame; without a frame as far as the function alone says.
    pub(crate) fn call(&self, runtime: &ClrRuntime, frame: Option<FrameInfo<'_>>) -> Result<Arc<Call>> {
        if let Some(only) = self.only.get() {
            return Ok(Arc::clone(only));
        }
        if !self.method.is_generic() {
            let class = match self.method.token {
                Some(_) => runtime.names().info().function_info(self.id())?.class,
                None => None,
            };
            let call = Arc::new(self.new_call(runtime, (class, Vec::new()))?);
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
        let call = self.shared_call(runtime, frame)?;
        if let Some(context) = context {
            self.by_context.write().unwrap_or_else(PoisonError::into_inner).put(unloads, context, &call);
        }
        Ok(call)
    }

    /// The same, for a function that may have more than one.
    fn shared_call(&self, runtime: &ClrRuntime, frame: Option<FrameInfo<'_>>) -> Result<Arc<Call>> {
        let info = runtime.names().info();
        let unloads = info.unload_count();
        let instance = info.function_instance(self.id(), frame)?;
        let key = (instance.class, instance.type_args);
        if let Some(call) = self.shared.read().unwrap_or_else(PoisonError::into_inner).get(unloads, &key) {
            return Ok(call);
        }
        let call = Arc::new(self.new_call(runtime, key.clone())?);
        if !call.may_be_shared && self.is_unshared(runtime) {
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

    fn new_call(&self, runtime: &ClrRuntime, (class, type_args): Key) -> Result<Call> {
        let instance = runtime.names().instance(&self.method, class, &type_args)?;
        let plan = runtime.plan(&instance)?;
        Ok(Call::new(&instance, Some(plan)))
    }

    /// What to write when even the names cannot be found.
    pub(crate) fn nameless_call(&self) -> Arc<Call> {
        let name = self.method.plain_name();
        Arc::new(Call {
            json_head: json_head(self.method.module_info.file_name(), &name),
            json_signature: String::new(),
            json_parameters: Vec::new(),
            json_outs: Vec::new(),
            json_return: String::new(),
            parameters: Vec::new(),
            name,
            plan: None,
            may_be_shared: true,
        })
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

/// What is the same for every call of one instantiation: the text around the values.
#[derive(Debug)]
pub(crate) struct Call {
    /// `,"module":"shop.dll","method":"Shop.Cart.Add"`
    pub(crate) json_head: String,
    /// `,"signature":"bool Shop.Cart.Add(string name)"`
    pub(crate) json_signature: String,
    /// For each parameter `{"name":"name","type":"string","mode":"in"`.
    pub(crate) json_parameters: Vec<String>,
    /// For each parameter `{"name":"count","type":"int","value":`.
    pub(crate) json_outs: Vec<String>,
    /// `,"return":{"type":"bool","value":`
    pub(crate) json_return: String,
    /// For people: names and modes.
    pub(crate) parameters: Vec<(String, Mode)>,
    /// `Shop.Cart.Add`
    pub(crate) name: String,
    /// How the values are found; absent when that could not be worked out.
    pub(crate) plan: Option<MethodPlan>,
    /// Whether a type argument is `System.__Canon`.
    may_be_shared: bool,
}

impl Call {
    fn new(instance: &Instance, plan: Option<MethodPlan>) -> Self {
        let mut json_parameters = Vec::with_capacity(instance.parameters.len());
        let mut json_outs = Vec::with_capacity(instance.parameters.len());
        let mut parameters = Vec::with_capacity(instance.parameters.len());
        for parameter in &instance.parameters {
            let mode = Mode::from(parameter.mode);
            let (name, type_name) = (quoted(&parameter.name), quoted(&parameter.type_name));
            json_parameters.push(format!(r#"{{"name":{name},"type":{type_name},"mode":"{}""#, mode.as_str()));
            json_outs.push(format!(r#"{{"name":{name},"type":{type_name},"value":"#));
            parameters.push((parameter.name.clone(), mode));
        }
        let json_return = instance.return_type.as_ref().map_or_else(String::new, |type_name| {
            format!(r#","return":{{"type":{},"value":"#, quoted(type_name))
        });
        Self {
            json_head: json_head(instance.method.module_info.file_name(), &instance.name),
            json_signature: format!(r#","signature":{}"#, quoted(&instance.signature)),
            json_parameters,
            json_outs,
            json_return,
            parameters,
            name: instance.name.clone(),
            plan,
            may_be_shared: instance.is_shared,
        }
    }
}

fn json_head(module: &str, method: &str) -> String {
    format!(r#","module":{},"method":{}"#, quoted(module), quoted(method))
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    // Writing to a string does not fail.
    let _ = write_str(&mut out, text);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_forgotten_when_something_is_unloaded() {
        let call = |name: &str| {
            Arc::new(Call {
                json_head: String::new(),
                json_signature: String::new(),
                json_parameters: Vec::new(),
                json_outs: Vec::new(),
                json_return: String::new(),
                parameters: Vec::new(),
                name: name.to_owned(),
                plan: None,
                may_be_shared: true,
            })
        };
        let key = || (ClassId::from_raw(8), Vec::new());
        let name = |shared: &Shared<Key>, unloads| shared.get(unloads, &key()).map(|call| call.name.clone());
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
