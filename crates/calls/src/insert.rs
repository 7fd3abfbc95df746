//! The callbacks about modules and compilations, with inserted hooks: from selected methods to methods with inserted code.
//!
//! Contract of the unsafe code here: the inserted code calls functions of this library, which is never unloaded, as
//! [`inserted::insert`] describes; a function is looked for in the callback about the method's compilation, in which its type
//! is loaded and no hook runs.
#![allow(unsafe_code)]

use std::sync::Arc;

use corprof::clrnames::metadata::Metadata as _;
use corprof::token::{MethodDef, TypeDef};
use corprof::{
    DeclaredMethod, Error, FunctionControl, FunctionForm, FunctionId, InsertedCalls, InsertedHooks,
    ModuleFlags, ModuleId, ModuleMethod, Result,
};
use corprof_rewrite::{Outcome, RewriteError};

use crate::calls::Calls;
use crate::function::Function;
use crate::inserted::{self, InsertedFunction, Installed, Methods, Selected};
use crate::role::{Role, is_exception_machinery};
use crate::tracer::CallTracer;

/// Why calls of a method are missed that has inserted code.
const INLINED: &str = "where it was inlined into code of the core library, that code stays as it is, since the runtime may crash if it is compiled again";

impl<T: CallTracer> Calls<T> {
    /// From now on methods can be hooked, for a profiler that has this as a field.
    pub fn installed_inserted<P: InsertedHooks<Method = InsertedFunction<T>>>(
        &self,
        hooks: InsertedCalls<P>,
    ) {
        let Some(methods) = &self.inserted else { return };
        let hook = Box::new(move |method| hooks.hook(method));
        let report = Box::new(move |reports| hooks.report(reports));
        // Called once.
        let _ = methods.installed.set(Installed { hook, report });
    }

    /// Selects methods of a module that has been loaded, and has them compiled with inserted code.
    pub(crate) fn insert_into_module(&self, module: ModuleId) {
        let Some(methods) = &self.inserted else { return };
        if let Err(error) = self.try_insert_into(methods, module) {
            self.tracer.refused("the methods of a module", &error);
        }
    }

    fn try_insert_into(&self, methods: &Methods<T>, module: ModuleId) -> Result<()> {
        let Some(installed) = methods.installed.get() else { return Ok(()) };
        let names = self.names();
        let module_info = names.module(module)?;
        // The methods of a dynamic module are emitted after its load.
        if module_info.flags.contains(ModuleFlags::DYNAMIC) || !self.tracer.select_module(&module_info) {
            return Ok(());
        }
        let metadata = names.metadata(module)?;
        let (mut found, mut needs_functions) = (Vec::new(), false);
        for class in metadata.type_defs()? {
            for token in metadata.methods(class)? {
                let Ok(definition) = names.method_definition(module, token) else { continue };
                let declared = DeclaredMethod { module, module_info: &module_info, definition: &definition };
                if is_exception_machinery(&declared) || !self.tracer.select(&declared) {
                    continue;
                }
                let name = format!("{}!{}", module_info.file_name(), definition.plain_name());
                if module_info.flags.contains(ModuleFlags::COLLECTIBLE) {
                    self.tracer.refused(&name, &RewriteError::Collectible(module));
                    continue;
                }
                let of = ModuleMethod { module, method: token };
                if !names.info().may_request_rejit(of).unwrap_or(false) {
                    self.tracer
                        .refused(&name, &"the runtime crashes if it is compiled again: a helper of the JIT");
                    continue;
                }
                needs_functions |= definition.is_generic();
                let hooked = (installed.hook)(InsertedFunction::new(name));
                found.push((of, Selected { definition, hooked }));
            }
        }
        if found.is_empty() {
            return Ok(());
        }
        let requested: Vec<ModuleMethod> = found.iter().map(|(method, _)| *method).collect();
        methods.selected().extend(found.into_iter().map(|(method, selected)| (method, Arc::new(selected))));
        match methods.requests.insert(requested.clone(), needs_functions) {
            Ok(alone) => {
                let inlined = alone.into_iter().filter_map(|method| methods.get(method));
                inlined.for_each(|selected| self.tracer.missed(&selected.hooked.method.name, &INLINED));
            }
            Err(error) => {
                for method in requested {
                    let selected = methods.selected().remove(&method);
                    if let Some(selected) = selected {
                        self.tracer.refused(&selected.hooked.method.name, &error);
                    }
                }
            }
        }
        Ok(())
    }

    /// Inserts the code into a method that is compiled again.
    pub(crate) fn insert_into(&self, module: ModuleId, method: MethodDef, control: &FunctionControl<'_>) {
        let Some(methods) = &self.inserted else { return };
        let of = ModuleMethod { module, method };
        let Some(selected) = methods.get(of) else { return };
        let hooked = &selected.hooked;
        // SAFETY: the contract of this file.
        let outcome = unsafe {
            methods.rewriter.at_rejit(module, method, control, |method| {
                let shape = inserted::insert(method, &selected.definition, hooked, methods.is_attached)?;
                // The same at each request.
                let _ = hooked.method.shape.set(shape);
                Ok(true)
            })
        };
        let found = match outcome {
            Ok(Outcome::Submitted) if selected.definition.is_generic() => Ok(()),
            Ok(Outcome::Submitted) => self.find_function(of, &selected),
            Ok(_) => {
                Err(Error::other("it has no code of its own: the runtime or native code implements it")
                    .into())
            }
            Err(error) => Err(error),
        };
        if let Err(error) = found {
            methods.selected().remove(&of);
            self.tracer.refused(&hooked.method.name, &error);
        }
    }

    fn find_function(&self, of: ModuleMethod, selected: &Selected<T>) -> corprof_rewrite::Result<()> {
        let info = self.names().info();
        // The type of global functions is the first one.
        let class = selected.definition.declaring_type.or_else(|| TypeDef::from_rid(1));
        let class = class.ok_or_else(|| Error::other("it has no type"))?;
        // SAFETY: the contract of this file; no objects are used, and the module is not collectible.
        let function = unsafe {
            let class = info.class_from_token_loading(of.module, class, &[])?;
            info.function_from_token_loading(of.module, of.method, Some(class), &[])?
        };
        self.set_function(function, selected)?;
        Ok(())
    }

    /// A function is compiled with inserted code.
    pub(crate) fn inserted_is_compiled(&self, function: FunctionId) {
        let Some(methods) = &self.inserted else { return };
        let Ok(info) = self.names().info().function_info(function) else { return };
        let Some(method) = info.token else { return };
        let Some(selected) = methods.get(ModuleMethod { module: info.module, method }) else { return };
        if let Err(error) = self.set_function(function, &selected) {
            self.tracer.refused(&selected.hooked.method.name, &error);
        }
    }

    fn set_function(&self, function: FunctionId, selected: &Selected<T>) -> Result<()> {
        let data = selected.hooked.method;
        if data.function.get().is_some() {
            return Ok(());
        }
        let method = self.names().method(function)?;
        self.traced.program.read_kept(Some(&method.module_info));
        let role = Role::Traced(FunctionForm::Declared);
        let function =
            Function::new(method, self.selected, self.budget.as_ref(), role, &self.traced.registry);
        // Another thread may compile another instantiation.
        let _ = data.function.set(function);
        Ok(())
    }

    /// Gives all methods their own code again, and reports no calls any more. With [inserted](crate::HookKind::Inserted) hooks; other hooks stay.
    ///
    /// Calls that are running finish with the inserted code, which does nothing any more. May be called on any thread but in a hook; on one
    /// of the program's it waits 5 seconds at most.
    ///
    /// # Errors
    /// The runtime's, of the request.
    pub fn revert(&self) -> Result<()> {
        let Some(methods) = &self.inserted else { return Ok(()) };
        if let Some(installed) = methods.installed.get() {
            (installed.report)(false);
        }
        let all: Vec<ModuleMethod> = methods.selected().drain().map(|(method, _)| method).collect();
        if all.is_empty() {
            return Ok(());
        }
        methods.requests.revert(all).map_err(Error::other)
    }
}
