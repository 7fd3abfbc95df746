//! The calls that are left out to keep to the budget.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal as _};
use std::sync::{Mutex, MutexGuard, PoisonError};

use corprof_calls::{CalledMethod, Format, OmittedCalls};
use recording::Function;
use recording::lines::{FunctionText, Line};

use crate::sink::complain;

/// A method: its module, its name, its signature.
type Key = [String; 3];

/// The omitted calls of each method.
#[derive(Debug, Default)]
pub(crate) struct Omitted(Mutex<BTreeMap<Key, OmittedCalls>>);

impl Omitted {
    fn calls(&self) -> MutexGuard<'_, BTreeMap<Key, OmittedCalls>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds calls of a method.
    pub(crate) fn add(&self, method: &CalledMethod, omitted: OmittedCalls) {
        let key = [method.module(), method.name(), method.signature()].map(str::to_owned);
        *self.calls().entry(key).or_default() += omitted;
    }

    /// Reports how many there are to whoever watches. Otherwise standard error is the program's alone, and the trace has the numbers.
    pub(crate) fn complain(&self) {
        let all = self.calls();
        if all.is_empty() || !io::stderr().is_terminal() {
            return;
        }
        let mut sum = OmittedCalls::default();
        all.values().for_each(|omitted| sum += *omitted);
        let methods = all.len();
        complain(&format!(
            "{sum} calls of {methods} methods are omitted to keep to the budget, the trace has their numbers; with CALLTRACE_BUDGET=none \
             (--budget none) it has every call"
        ));
    }

    /// Passes a line about each method.
    pub(crate) fn each_line(&self, format: Format, mut write: impl FnMut(&mut String)) {
        let mut line = String::new();
        for ([module, name, signature], omitted) in &*self.calls() {
            let [module, name, signature] = [module, name, signature].map(String::clone);
            let function = Function { module, name, signature, ..Function::default() };
            Line::omitted(&mut line, format, &FunctionText::new(&function), *omitted);
            write(&mut line);
            line.clear();
        }
    }
}
