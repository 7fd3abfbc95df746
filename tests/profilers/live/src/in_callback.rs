//! Questions that the runtime answers in a callback on a managed thread only: they wait for the end of a collection.

use core::fmt::{self, Display};
use std::sync::Mutex;

use corprof::{ProfilerInfo, Result};

use crate::facts::Facts;
use crate::{State, locked};

/// What is asked at the end of a collection, when nothing moves.
type Question = Box<dyn FnOnce(&ProfilerInfo) -> Result<String> + Send>;

/// Questions that wait, and answers that wait.
#[derive(Default)]
pub(crate) struct InCallback {
    questions: Mutex<Vec<(String, Question)>>,
    answers: Mutex<Vec<(String, String)>>,
}

impl InCallback {
    /// Asks when the next collection ends; the answer is a fact of this name.
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

    /// Collects, and says what was asked and answered, and how many collections somebody has asked for.
    pub(crate) fn answers(state: &State, facts: &mut Facts) -> Result<u32> {
        let before = state.collections.induced();
        state.info.force_gc()?;
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
