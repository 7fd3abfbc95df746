//! The names of functions.

use std::sync::Arc;

use clrnames::{Formatter, Instantiation, MethodDefinition};
use corprof_types::{ClassId, FunctionId, ModuleId};
use sigparse::MethodDef;

use super::caches::Caches;
use super::lookup::Names;
use super::method::{Declaration, Instance, Method, SourceMethod};
use crate::error::Result;

impl Instance {
    fn instantiation(&self) -> Instantiation<'_, Names> {
        instantiation(&self.method, &self.class_args, &self.type_args)
    }
}

fn instantiation<'m>(
    method: &'m Method,
    class_args: &'m [Option<ClassId>],
    type_args: &'m [Option<ClassId>],
) -> Instantiation<'m, Names> {
    Instantiation { module: method.module, definition: &method.definition, class_args, type_args }
}

impl Names {
    /// Returns a function's module and definition.
    ///
    /// # Errors
    /// Any error of the runtime or the metadata.
    pub fn method(&self, function: FunctionId) -> Result<Arc<Method>> {
        self.cached(&self.caches().methods, function, || self.find_method(function).map(Arc::new))
    }

    /// Returns the definition of a method by its token, whether a function of it exists or not. Reads the metadata at each call.
    ///
    /// # Errors
    /// Any error of the runtime or the metadata.
    pub fn method_definition(&self, module: ModuleId, method: MethodDef) -> Result<MethodDefinition> {
        Formatter::new(self).read_method(module, method)
    }

    /// Returns the name of a function without a call: `Shop.Cart<string>.Add<int>`, with `System.__Canon` for type arguments
    /// that only the frame of a call has.
    ///
    /// For lookups in hooks: a name that the thread has looked up before costs some tens of nanoseconds and no allocation,
    /// on any number of threads at once. Each thread has its own copy of the text.
    ///
    /// # Errors
    /// Any error of the runtime or the metadata.
    pub fn function(&self, function: FunctionId) -> Result<Arc<str>> {
        let Caches { functions, threads, .. } = self.caches();
        let generation = threads.generation();
        if let Some(name) = threads.get(generation, function) {
            return Ok(name);
        }
        if let Some(name) = functions.get(&function) {
            return Ok(threads.insert(generation, function, &name));
        }
        let lookup = functions.begin(function);
        let name = {
            let _lookup = self.lookup();
            self.find_function_name(function)?
        };
        // A name that is not in the shared map is evicted by nothing.
        let is_stored = lookup.store(Arc::clone(&name));
        Ok(if is_stored { threads.insert(generation, function, &name) } else { name })
    }

    fn find_function_name(&self, function: FunctionId) -> Result<Arc<str>> {
        let method = self.method(function)?;
        let (class, type_args) = match method.token {
            Some(_) if method.is_generic() => {
                let shared = self.info().function_instance(function, None)?;
                (shared.class, shared.type_args)
            }
            _ => (None, Vec::new()),
        };
        let class_args = self.class_args(&method, class)?;
        let method = instantiation(&method, &class_args, &type_args);
        Formatter::new(self).method_name(&method).map(Arc::from)
    }

    fn find_method(&self, function: FunctionId) -> Result<Method> {
        let info = self.info().function_info(function)?;
        let (module, definition) = match info.token {
            Some(token) => (info.module, Formatter::new(self).read_method(info.module, token)?),
            None => {
                let dynamic = self.info().dynamic_function_info(function)?;
                (dynamic.module, MethodDefinition::dynamic(dynamic.name, dynamic.signature)?)
            }
        };
        Ok(Method { function, module, module_info: self.module(module)?, definition })
    }

    /// Returns a function with the type arguments of a call, formatted.
    ///
    /// The arguments are those of [`ProfilerInfo::function_instance`](crate::ProfilerInfo::function_instance).
    ///
    /// # Errors
    /// Any error of the runtime or the metadata.
    pub fn instance(
        &self,
        method: &Arc<Method>,
        class: Option<ClassId>,
        type_args: &[Option<ClassId>],
    ) -> Result<Arc<Instance>> {
        let (instances, key) = (&self.caches().instances, (class, type_args.into()));
        let known = instances.get_with(&method.function, |instances| instances.get(&key).cloned());
        if let Some(known) = known.flatten() {
            return Ok(known);
        }
        let begun = instances.begin(method.function);
        let _lookup = self.lookup();
        let found = Arc::new(self.find_instance(method, class, type_args)?);
        begun.update(|instances| drop(instances.insert(key, Arc::clone(&found))));
        Ok(found)
    }

    fn find_instance(
        &self,
        method: &Arc<Method>,
        class: Option<ClassId>,
        type_args: &[Option<ClassId>],
    ) -> Result<Instance> {
        let class_args = self.class_args(method, class)?;
        let formatted = Formatter::new(self).method(&instantiation(method, &class_args, type_args))?;
        Ok(Instance {
            method: Arc::clone(method),
            class,
            class_args,
            type_args: type_args.to_vec(),
            formatted,
        })
    }

    /// Returns the type arguments of the class that declares a method.
    fn class_args(&self, method: &Method, class: Option<ClassId>) -> Result<Vec<Option<ClassId>>> {
        match class {
            Some(class) if method.class_arity > 0 => Ok(self.info().class_info(class)?.type_args),
            _ => Ok(vec![None; method.class_arity]),
        }
    }

    /// Formats a function with type arguments as the source declares it.
    ///
    /// # Errors
    /// Any error of the runtime or the metadata.
    pub fn declaration(&self, instance: &Instance) -> Result<Declaration> {
        let _lookup = self.lookup();
        Formatter::new(self).declaration(&instance.instantiation(), &instance.formatted)
    }

    /// Returns the source method that a compiler-generated method was lowered from; `None` for other methods.
    ///
    /// This is the method that contains a lambda or local function, or the iterator or `async` method of a state machine,
    /// which may be a lambda or local function in turn.
    ///
    /// # Errors
    /// Any error of the runtime or the metadata.
    pub fn source_method(&self, instance: &Instance) -> Result<Option<SourceMethod>> {
        let _lookup = self.lookup();
        Formatter::new(self).source_method(&instance.instantiation())
    }

    /// Formats a function with type arguments as ILAsm writes it, without the names of assemblies:
    /// ``instance bool Shop.Cart`1<string>::Add<int32>(string, int32&)``.
    ///
    /// # Errors
    /// Any error of the runtime or the metadata.
    pub fn il_name(&self, instance: &Instance) -> Result<String> {
        let _lookup = self.lookup();
        Formatter::new(self).il_name(&instance.instantiation())
    }
}
