//! Functions: what their definition says, and what a call makes of it.

use core::fmt;
use core::ops::Deref;
use std::sync::Arc;

use clrnames::{Call, MethodDefinition, MethodRef, Speller};

use super::{Declaration, Names, SourceMethod};
use crate::{ClassId, FunctionId, ModuleId, ModuleInfo, Result};

/// What is the same for every call of a function: where it comes from, and what its definition says.
pub struct Method {
    /// The function.
    pub function: FunctionId,
    /// The module that defines it.
    pub module: ModuleId,
    /// The module's file.
    pub module_info: Arc<ModuleInfo>,
    /// Token, name, attributes, signature. A method made at run time has no token.
    pub definition: MethodDefinition,
}

impl Deref for Method {
    type Target = MethodDefinition;

    fn deref(&self) -> &MethodDefinition {
        &self.definition
    }
}

impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Method({})", self.plain_name())
    }
}

/// A function with the type arguments of a call, as C# calls it.
#[derive(Debug)]
pub struct Instance {
    /// What is the same for every call.
    pub method: Arc<Method>,
    /// The declaring class, an exact instantiation where the runtime knows it.
    pub class: Option<ClassId>,
    /// The type arguments of the declaring class.
    pub class_args: Vec<Option<ClassId>>,
    /// The type arguments of the method.
    pub type_args: Vec<Option<ClassId>>,
    /// Name, signature, parameters.
    pub call: Call,
}

impl Deref for Instance {
    type Target = Call;

    fn deref(&self) -> &Call {
        &self.call
    }
}

impl Instance {
    fn method_ref(&self) -> MethodRef<'_, Names> {
        method_ref(&self.method, &self.class_args, &self.type_args)
    }
}

fn method_ref<'m>(
    method: &'m Method,
    class_args: &'m [Option<ClassId>],
    type_args: &'m [Option<ClassId>],
) -> MethodRef<'m, Names> {
    MethodRef { module: method.module, definition: &method.definition, class_args, type_args }
}

impl Names {
    /// What is the same for every call of a function.
    ///
    /// # Errors
    /// What the runtime or the metadata reports.
    pub fn method(&self, function: FunctionId) -> Result<Arc<Method>> {
        self.cached(
            |maps| &mut maps.methods,
            function,
            || {
                self.info().function_owners_seen(function);
                self.find_method(function).map(Arc::new)
            },
        )
    }

    /// What C# calls a function, as far as the function alone says: `Shop.Cart<string>.Add<int>`, with
    /// `System.__Canon` for type arguments that only the frame of a call knows.
    ///
    /// For those who ask often: a name that is known costs some tens of nanoseconds and no allocation, on any number
    /// of threads at once. Each thread that asks has a copy of the text.
    ///
    /// # Errors
    /// What the runtime or the metadata reports.
    pub fn function(&self, function: FunctionId) -> Result<Arc<str>> {
        if let Some(known) = self.inner.caches.by_function.get(function) {
            return Ok(known);
        }
        let _lookup = self.lookup();
        let before = self.info().loaded().unloads();
        let name = self.find_function_name(function)?;
        let is_wanted = || self.info().loaded().unloads() == before;
        self.inner.caches.by_function.insert(function, &name, is_wanted);
        Ok(name)
    }

    fn find_function_name(&self, function: FunctionId) -> Result<Arc<str>> {
        let method = self.method(function)?;
        let (class, type_args) = match method.token {
            Some(_) if method.is_generic() => {
                let alone = self.info().function_instance(function, None)?;
                (alone.class, alone.type_args)
            }
            _ => (None, Vec::new()),
        };
        let class_args = self.class_args(&method, class)?;
        Speller::new(self).method_name(&method_ref(&method, &class_args, &type_args)).map(Arc::from)
    }

    fn find_method(&self, function: FunctionId) -> Result<Method> {
        let info = self.info().function_info(function)?;
        let (module, definition) = match info.token {
            Some(token) => (info.module, Speller::new(self).read_method(info.module, token)?),
            None => {
                let dynamic = self.info().dynamic_function_info(function)?;
                (dynamic.module, MethodDefinition::dynamic(dynamic.name, dynamic.signature)?)
            }
        };
        Ok(Method { function, module, module_info: self.module(module)?, definition })
    }

    /// A function with the type arguments of a call; see
    /// [`ProfilerInfo::function_instance`](crate::ProfilerInfo::function_instance) for where to get them.
    ///
    /// # Errors
    /// What the runtime or the metadata reports.
    pub fn instance(
        &self,
        method: &Arc<Method>,
        class: Option<ClassId>,
        type_args: &[Option<ClassId>],
    ) -> Result<Arc<Instance>> {
        self.cached(
            |maps| maps.instances.entry(method.function).or_default(),
            (class, type_args.into()),
            || {
                for class in type_args.iter().chain([&class]).copied().flatten() {
                    self.info().class_owners_seen(class);
                }
                self.find_instance(method, class, type_args).map(Arc::new)
            },
        )
    }

    fn find_instance(
        &self,
        method: &Arc<Method>,
        class: Option<ClassId>,
        type_args: &[Option<ClassId>],
    ) -> Result<Instance> {
        let class_args = self.class_args(method, class)?;
        let call = Speller::new(self).call(&method_ref(method, &class_args, type_args))?;
        Ok(Instance { method: Arc::clone(method), class, class_args, type_args: type_args.to_vec(), call })
    }

    /// The type arguments of the class that declares a method.
    fn class_args(&self, method: &Method, class: Option<ClassId>) -> Result<Vec<Option<ClassId>>> {
        match class {
            Some(class) if method.class_arity > 0 => Ok(self.info().class_info(class)?.type_args),
            _ => Ok(vec![None; method.class_arity]),
        }
    }

    /// A method with the type arguments of a call, as the source declares it.
    ///
    /// # Errors
    /// What the runtime or the metadata reports.
    pub fn declaration(&self, instance: &Instance) -> Result<Declaration> {
        let _lookup = self.lookup();
        Speller::new(self).declaration(&instance.method_ref(), &instance.call)
    }

    /// The method of the source that a method of the compiler's belongs to: that in which a lambda or local
    /// function stands, the iterator or `async` method for the methods of its state machine, of which the
    /// source may be a lambda or local function in turn. `None` for methods that somebody wrote.
    ///
    /// # Errors
    /// What the runtime or the metadata reports.
    pub fn source_method(&self, instance: &Instance) -> Result<Option<SourceMethod>> {
        let _lookup = self.lookup();
        Speller::new(self).source_method(&instance.method_ref())
    }

    /// What ILAsm calls a function with the type arguments of a call, without the names of assemblies:
    /// ``instance bool Shop.Cart`1<string>::Add<int32>(string, int32&)``.
    ///
    /// # Errors
    /// What the runtime or the metadata reports.
    pub fn il_name(&self, instance: &Instance) -> Result<String> {
        let _lookup = self.lookup();
        Speller::new(self).il_name(&instance.method_ref())
    }
}
