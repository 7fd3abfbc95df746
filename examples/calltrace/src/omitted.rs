//! The calls that are left out to keep to the budget.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal as _};
use std::sync::{Mutex, MutexGuard, PoisonError};

use corprof_calls::{CalledMethod, Format};
use recording::Function;
use recording::lines::{FunctionText, Line};

use crate::sink::complain;

/// A method: its module, its name, its signature.
type Key = [String; 3];

/// The number of omitted calls of each method.
#[derive(Debug, Default)]
pub(crate) struct Omitted(Mutex<BTreeMap<Key, u64>>);

impl Omitted {
    fn calls(&self) -> MutexGuard<'_, BTreeMap<Key, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds calls of a method.
    pub(crate) fn add(&self, method: &CalledMethod, calls: u64) {
        let key = [method.module(), method.name(), method.signature()].map(str::to_owned);
        *self.calls().entry(key).or_default() += calls;
    }

    /// Reports how many there are to whoever watches. Otherwise standard error is the program's alone, and the trace has the numbers.
    pub(crate) fn complain(&self) {
        let calls = self.calls();
        if calls.is_empty() || !io::stderr().is_terminal() {
            return;
        }
        let (methods, calls) = (calls.len(), calls.values().sum::<u64>());
        complain(&format!(
            "{calls} calls of {methods} methods are omitted to keep to the budget, the trace has their numbers; with CALLTRACE_BUDGET=none \
             (--budget none) it has every call"
        ));
    }

    /// Passes a line about each method.
    pub(crate) fn each_line(&self, format: Format, mut write: impl FnMut(&mut String)) {
        let mut line = String::new();
        for ([module, name, signature], calls) in &*self.calls() {
            let [module, name, signature] = [module, name, signature].map(String::clone);
            let function = Function { module, name, signature, ..Function::default() };
            Line::omitted(&mut line, format, &FunctionText::new(&function), *calls);
            write(&mut line);
            line.clear();
        }
    }
}
