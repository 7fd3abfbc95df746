//! The functions of a recording, with the recorded names or those from the assembly files.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use clrnames::{MethodIdentity, ParameterMode, Symbolizer};
use printable::Printable;
use recording::lines::FunctionText;
use recording::{Function, Parameter};

use crate::symbolize::symbolizer;

/// A function, by its number among those that have been called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FunctionId(usize);

/// The functions that have been called so far.
pub(crate) struct Functions {
    symbols: Option<Symbolizer>,
    /// By the address of the definition, which the reader keeps for its lifetime.
    known: HashMap<usize, FunctionId>,
    functions: Vec<Known>,
    failures: Vec<String>,
}

/// A function that has been called.
struct Known {
    function: Function,
    text: FunctionText,
    /// The name of its module, printable.
    module: String,
}

impl FunctionId {
    /// Stands for calls about which nothing is recorded.
    pub(crate) const LOST: Self = Self(0);
}

impl Functions {
    /// Uses the names of these assemblies, or the recorded ones if there are none.
    pub(crate) fn new(assemblies: &[PathBuf]) -> Result<Self> {
        let symbols = if assemblies.is_empty() { None } else { Some(symbolizer(assemblies)?) };
        let mut functions =
            Self { symbols, known: HashMap::new(), functions: Vec::new(), failures: Vec::new() };
        functions.add(Function { name: "(lost)".to_owned(), ..Function::default() });
        Ok(functions)
    }

    fn add(&mut self, function: Function) -> FunctionId {
        let id = FunctionId(self.functions.len());
        let text = FunctionText::new(&function);
        let module = Printable(&function.module).to_string();
        self.functions.push(Known { function, text, module });
        id
    }

    /// The function with this definition.
    pub(crate) fn id(&mut self, function: &Arc<Function>) -> FunctionId {
        let key = Arc::as_ptr(function).addr();
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let named = match self.named(function) {
            Ok(named) => named,
            Err(error) => {
                self.failures.push(format!("{error:#}"));
                None
            }
        };
        let id = self.add(named.unwrap_or_else(|| Function::clone(function)));
        self.known.insert(key, id);
        id
    }

    /// The function as the assembly files name it; `None` without assemblies, or if it was made at run time.
    fn named(&self, function: &Function) -> Result<Option<Function>> {
        let Some(symbols) = &self.symbols else { return Ok(None) };
        if function.identity.is_empty() {
            return Ok(None);
        }
        let identity: MethodIdentity = function.identity.parse()?;
        let symbol = symbols.method(&identity)?;
        let call = symbol.format()?;
        let parameters = call.parameters.iter().map(|parameter| Parameter {
            name: parameter.name.to_string(),
            type_name: parameter.type_name.to_string(),
            mode: match parameter.mode {
                ParameterMode::Value => argvalues::Mode::Value,
                ParameterMode::In => argvalues::Mode::In,
                ParameterMode::Ref => argvalues::Mode::Ref,
                ParameterMode::Out => argvalues::Mode::Out,
            },
        });
        let module = symbol.file().file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(Some(Function {
            name: call.name,
            signature: call.signature,
            parameters: parameters.collect(),
            returns: call.return_type.map(|name| name.to_string()),
            module: module.unwrap_or_default(),
            ..function.clone()
        }))
    }

    pub(crate) fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0].function
    }

    pub(crate) fn text(&self, id: FunctionId) -> &FunctionText {
        &self.functions[id.0].text
    }

    /// A function's name, printable.
    pub(crate) fn name(&self, id: FunctionId) -> &str {
        self.text(id).name()
    }

    /// The name of a function's module, printable.
    pub(crate) fn module(&self, id: FunctionId) -> &str {
        &self.functions[id.0].module
    }

    /// All of them, in the order of their first calls.
    pub(crate) fn all(&self) -> impl Iterator<Item = FunctionId> {
        (0..self.functions.len()).map(FunctionId)
    }

    /// The number of functions without a name in the assemblies, and the error of the first.
    pub(crate) fn failures(&self) -> Option<(usize, &str)> {
        self.failures.first().map(|first| (self.failures.len(), first.as_str()))
    }
}

impl FunctionId {
    #[cfg(test)]
    pub(crate) fn of_test(index: usize) -> Self {
        Self(index)
    }

    /// Its index in [`Functions::all`].
    pub(crate) fn index(self) -> usize {
        self.0
    }
}
