//! The functions of a recording, with the recorded names or those from the assembly files.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use clrnames::{MethodIdentity, ParameterMode, Symbolizer};
use corprof_in_process::printable::Printable;
use recording::lines::FunctionText;
use recording::{Function, FunctionNumber, Parameter};

use method_filter::Unmatched;

use super::selection::Methods;
use crate::symbolize::symbolizer;

/// A function, by its number among those that have been called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FunctionId(usize);

/// The functions that have been called so far.
pub(crate) struct Functions {
    symbols: Option<Symbolizer>,
    /// By the number of the definition; [`FunctionId::LOST`] for one that has not been called.
    known: Vec<FunctionId>,
    functions: Vec<Known>,
    methods: Methods,
    failures: Vec<String>,
}

/// A function that has been called.
struct Known {
    function: Function,
    text: FunctionText,
    /// The name of its module, printable.
    module: String,
    is_selected: bool,
}

impl FunctionId {
    /// Stands for calls about which nothing is recorded.
    pub(crate) const LOST: Self = Self(0);
}

impl Functions {
    /// Uses the names of these assemblies, or the recorded ones if there are none.
    pub(crate) fn new(assemblies: &[PathBuf], methods: Methods) -> Result<Self> {
        let symbols = if assemblies.is_empty() { None } else { Some(symbolizer(assemblies)?) };
        let (known, functions, failures) = (Vec::new(), Vec::new(), Vec::new());
        let mut functions = Self { symbols, known, functions, methods, failures };
        functions.add(Function { name: "(lost)".to_owned(), ..Function::default() }, false);
        Ok(functions)
    }

    fn add(&mut self, function: Function, is_selected: bool) -> FunctionId {
        let id = FunctionId(self.functions.len());
        let text = FunctionText::new(&function);
        let module = Printable(&function.module).to_string();
        self.functions.push(Known { function, text, module, is_selected });
        id
    }

    /// The function with this definition.
    #[inline]
    pub(crate) fn id(&mut self, number: FunctionNumber, all: &[Arc<Function>]) -> FunctionId {
        match self.known.get(number.index()) {
            Some(known) if *known != FunctionId::LOST => *known,
            _ => self.look_up(number, all),
        }
    }

    #[cold]
    fn look_up(&mut self, number: FunctionNumber, all: &[Arc<Function>]) -> FunctionId {
        let Some(function) = all.get(number.index()) else { return FunctionId::LOST };
        let named = match self.named(function) {
            Ok(named) => named,
            Err(error) => {
                self.failures.push(format!("{error:#}"));
                None
            }
        };
        let named = named.unwrap_or_else(|| Function::clone(function));
        let is_selected = self.methods.select(&named.module, &named.name);
        let id = self.add(named, is_selected);
        if self.known.len() <= number.index() {
            self.known.resize(number.index() + 1, FunctionId::LOST);
        }
        if let Some(known) = self.known.get_mut(number.index()) {
            *known = id;
        }
        id
    }

    /// The patterns that have selected none of the functions that the recording defines. All of `all` are looked at.
    pub(crate) fn unmatched(&mut self, all: &[Arc<Function>]) -> Vec<Unmatched> {
        if self.methods.unmatched().is_empty() {
            return Vec::new();
        }
        // A command looks up what it needs only.
        all.iter().for_each(|function| _ = self.methods.select(&function.module, &function.name));
        self.methods.unmatched()
    }

    /// Whether the function is one of the selected methods.
    pub(crate) fn is_selected(&self, id: FunctionId) -> bool {
        self.functions[id.0].is_selected
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
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0
    }
}
