//! The names that functions and classes have in profiles and recordings.

use std::sync::{Arc, OnceLock};

use corprof::{AnyId, Error, FunctionId, FunctionInstance, Method, MethodKind, Names, Result};

use crate::contracts::Contracts;
use crate::unnamed::{UNKNOWN_METHOD, class_name};

/// Names of functions and classes.
#[derive(Clone, Debug)]
pub(crate) struct Naming {
    pub(crate) names: Names,
    /// Read when a class has no name.
    contracts: Arc<OnceLock<Option<Contracts>>>,
}

/// The name of a function and the file of its module.
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) module: String,
    pub(crate) path: String,
}

impl Naming {
    pub(crate) fn new(names: &Names) -> Self {
        Self { names: names.clone(), contracts: Arc::default() }
    }

    /// Returns the name of a function as its source declares it. A state machine has the name of its `async` method or iterator.
    pub(crate) fn source_name(&self, function: FunctionId) -> Result<String> {
        let method = self.names.method(function)?;
        let shared = self.shared(&method)?;
        let instance = self.names.instance(&method, shared.class, &shared.type_args)?;
        let declaration = self.names.declaration(&instance)?;
        Ok(match (declaration.kind, declaration.source) {
            (MethodKind::StateMachine, Some(source)) => source.full_name,
            _ => declaration.name,
        })
    }

    /// Returns a method with the type arguments that its code is shared by.
    fn shared(&self, method: &Method) -> Result<FunctionInstance> {
        match method.token {
            Some(_) if method.is_generic() => self.names.info().function_instance(method.function, None),
            token => {
                Ok(FunctionInstance { class: None, module: method.module, token, type_args: Vec::new() })
            }
        }
    }

    /// Returns the identity of a function across processes; `None` for one that was made at run time.
    pub(crate) fn identity(&self, function: FunctionId) -> Option<String> {
        let method = self.names.method(function).ok()?;
        let mut shared = self.shared(&method).ok()?;
        // The class matters for its type arguments only.
        shared.class = shared.class.filter(|_| method.class_arity > 0);
        Some(self.names.identity(&shared).ok()??.to_string())
    }

    fn contracts(&self) -> Option<&Contracts> {
        // What cannot be read is not used.
        self.contracts.get_or_init(|| Contracts::of_runtime(self.names.info()).ok().flatten()).as_ref()
    }

    /// Returns the names of a function or a class.
    pub(crate) fn named(&self, id: AnyId) -> Named {
        let (mut module, mut path) = (String::new(), String::new());
        let name = match id {
            AnyId::Function(function) => {
                if let Ok(method) = self.names.method(function) {
                    module = method.module_info.file_name().to_owned();
                    path.clone_from(&method.module_info.path);
                }
                self.source_name(function).or_else(|_| Ok(self.names.function(function)?.to_string()))
            }
            AnyId::Class(class) => Ok(class_name(&self.names, || self.contracts(), class)),
            _ => Ok("[other]".to_owned()),
        };
        Named { name: name.unwrap_or_else(|_: Error| UNKNOWN_METHOD.to_owned()), module, path }
    }
}
