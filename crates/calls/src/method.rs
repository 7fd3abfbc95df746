//! A traced method with the type arguments of its calls.

use core::fmt;
use std::sync::{Arc, OnceLock};

use argvalues::MethodPlan;
use corprof::{FunctionId, FunctionInstance, Instance, Method, Names, Result};
use recording::lines::FunctionText;
use recording::{Function, Parameter};

use crate::runtime::{ClrRuntime, awaited_name, mode_of};

/// A method that is called, with the type arguments of the call.
///
/// Its names are C#'s: `Shop.Cart<string>.Add<int>`.
pub struct CalledMethod {
    method: Arc<Method>,
    /// Absent if the type arguments or the names could not be read.
    instance: Option<Arc<Instance>>,
    /// Absent if the instance is.
    plan: Option<MethodPlan>,
    /// Whether the function is an async variant, which the runtime may suspend and resume.
    is_variant: bool,
    names: Names,
    /// Without the identity.
    description: OnceLock<Box<Function>>,
    text: OnceLock<Box<FunctionText>>,
}

impl CalledMethod {
    /// The method with exactly these type arguments.
    pub(crate) fn new(runtime: &ClrRuntime, instance: Arc<Instance>) -> Result<Self> {
        let plan = runtime.plan(&instance)?;
        let is_variant = runtime.is_variant(&instance.method);
        Ok(Self {
            method: Arc::clone(&instance.method),
            instance: Some(instance),
            plan: Some(plan),
            is_variant,
            names: runtime.names().clone(),
            description: OnceLock::new(),
            text: OnceLock::new(),
        })
    }

    /// Creates a method from its metadata alone, for a call whose type arguments the runtime does not report.
    pub(crate) fn unknown(runtime: &ClrRuntime, method: Arc<Method>) -> Self {
        Self {
            is_variant: runtime.is_variant(&method),
            method,
            instance: None,
            plan: None,
            names: runtime.names().clone(),
            description: OnceLock::new(),
            text: OnceLock::new(),
        }
    }

    /// The function that the runtime calls.
    #[must_use]
    pub fn function(&self) -> FunctionId {
        self.method.function
    }

    /// The name with namespace, type and type arguments: `Shop.Cart<string>.Add<int>`.
    #[must_use]
    pub fn name(&self) -> &str {
        self.instance.as_ref().map_or_else(|| &*self.description().name, |instance| &instance.name)
    }

    /// The return type, the name and the parameters: `bool Shop.Cart<string>.Add<int>(string name, ref int count)`.
    /// Empty if the type arguments could not be read.
    #[must_use]
    pub fn signature(&self) -> &str {
        self.instance.as_ref().map_or("", |instance| &instance.signature)
    }

    /// The file name of the module: `shop.dll`.
    #[must_use]
    pub fn module(&self) -> &str {
        self.method.module_info.file_name()
    }

    /// The parameters, `this` excluded.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.description().parameters
    }

    /// The C# name of the type that is returned; `None` for `void`.
    ///
    /// Of an [async variant](corprof::FunctionForm::Variant) that of the task's result: `int` for `Task<int>`, and `None` for
    /// `Task`.
    #[must_use]
    pub fn return_type(&self) -> Option<&str> {
        self.description().returns.as_deref()
    }

    /// Returns whether the runtime may suspend and resume calls: an [async variant](corprof::FunctionForm::Variant).
    #[must_use]
    pub const fn is_async_variant(&self) -> bool {
        self.is_variant
    }

    /// Returns whether calls return a value that can be read.
    pub(crate) fn returns(&self) -> bool {
        self.plan.as_ref().is_some_and(MethodPlan::returns)
    }

    /// Returns whether the method has a `this`.
    #[must_use]
    pub fn has_this(&self) -> bool {
        !self.method.is_static()
    }

    /// Token, attributes, signature and module of the method.
    #[must_use]
    pub fn definition(&self) -> &Arc<Method> {
        &self.method
    }

    /// The method with its exact type arguments; `None` if those could not be read.
    #[must_use]
    pub fn instance(&self) -> Option<&Arc<Instance>> {
        self.instance.as_ref()
    }

    /// Returns how the values of its calls are located and decoded; `None` if the type arguments could not be read.
    #[must_use]
    pub fn plan(&self) -> Option<&MethodPlan> {
        self.plan.as_ref()
    }

    /// The definition of the method for [`Recorder::define`](recording::Recorder::define).
    #[must_use]
    pub fn recorded(&self) -> Function {
        // Not kept: few methods of a recording are described again.
        let description =
            self.description.get().map_or_else(|| self.describe(), |kept| Function::clone(kept));
        Function { identity: self.identity().unwrap_or_default(), ..description }
    }

    /// Returns the identity of the method across processes, in the text form of
    /// [`MethodIdentity`](corprof::clrnames::MethodIdentity). `None` for a method made at run time, and if the type
    /// arguments could not be read.
    #[must_use]
    pub fn identity(&self) -> Option<String> {
        let instance = self.instance.as_ref()?;
        let known = FunctionInstance {
            // The class matters for its type arguments only.
            class: instance.class.filter(|_| self.method.class_arity > 0),
            module: self.method.module,
            token: self.method.token,
            type_args: instance.type_args.clone(),
        };
        self.names.identity(&known).ok().flatten().map(|identity| identity.to_string())
    }

    fn description(&self) -> &Function {
        self.description.get_or_init(|| Box::new(self.describe()))
    }

    /// The texts around the values of a line.
    pub(crate) fn text(&self) -> &FunctionText {
        self.text.get_or_init(|| Box::new(FunctionText::new(self.description())))
    }

    /// Returns whether a type argument is `System.__Canon`, or unknown.
    pub(crate) fn may_be_shared(&self) -> bool {
        self.instance.as_ref().is_none_or(|instance| instance.is_shared)
    }

    fn describe(&self) -> Function {
        let (Some(instance), Some(plan)) = (&self.instance, &self.plan) else {
            return Function {
                module: self.module().to_owned(),
                name: self.method.plain_name(),
                ..Function::default()
            };
        };
        Function {
            identity: String::new(),
            module: self.module().to_owned(),
            path: self.method.module_info.path.clone(),
            name: instance.name.clone(),
            signature: instance.signature.clone(),
            has_this: self.has_this(),
            parameters: instance
                .parameters
                .iter()
                .map(|parameter| Parameter {
                    name: parameter.name.clone(),
                    type_name: parameter.type_name.to_string(),
                    mode: mode_of(parameter.mode),
                })
                .collect(),
            returns: awaited_name(instance.return_type.as_ref(), self.is_variant)
                .map(|name| name.to_string()),
            arguments: plan.primitive_arguments(),
            result: plan.primitive_result(),
        }
    }
}

impl fmt::Debug for CalledMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CalledMethod({}!{})", self.module(), self.name())
    }
}
