//! Queries that the runtime accepts in a callback on a managed thread only: they wait for the end of a collection.

use core::fmt::{self, Display};
use std::sync::Mutex;

use corprof::{ProfilerInfo, Result};

use crate::facts::Facts;
use crate::{State, locked};

/// A query at the end of a collection, when no object moves.
type Question = Box<dyn FnOnce(&ProfilerInfo) -> Result<String> + Send>;

/// Pending queries, and their results.
#[derive(Default)]
pub(crate) struct InCallback {
    questions: Mutex<Vec<(String, Question)>>,
    answers: Mutex<Vec<(String, String)>>,
}

impl InCallback {
    /// Makes the query at the end of the next collection; the result is a fact of this name.
    pub(crate) fn ask(
        &self,
        name: impl Display,
        question: impl FnOnce(&ProfilerInfo) -> Result<String> + Send + 'static,
    ) {
        locked(&self.questions).push((name.to_string(), Box::new(question)));
    }

    /// A collection ends.
    pub(crate) fn collection_finished(&self, info: &ProfilerInfo) {
        let questions = std::mem::take(&mut *locked(&self.questions));
        for (name, question) in questions {
            let answer = question(info).unwrap_or_else(|error| error.to_string());
            locked(&self.answers).push((name, answer));
        }
    }

    /// Collects, and prints the results and the number of induced collections.
    pub(crate) fn answers(state: &State, facts: &mut Facts) -> Result<u32> {
        let before = state.collections.induced();
        state.info.own_thread()?.force_gc()?;
        for (name, answer) in locked(&state.in_callback.answers).drain(..) {
            facts.say(name, answer);
        }
        Ok(state.collections.induced() - before)
    }
}

impl fmt::Debug for InCallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InCallback")
    }
}
