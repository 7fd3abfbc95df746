//! The data of a hooked method.

use std::sync::{Arc, OnceLock};

use argvalues::MethodPlan;
use corprof::{ArgumentWord, EnterFrame, FunctionId, Locations, Method, ResultWord};
use corprof_calls::{ClrRuntime, FunctionLocations};

/// A hooked method with the locations of its values, computed at the first call.
pub(crate) struct Function {
    id: FunctionId,
    words: OnceLock<Words>,
    method: Arc<Method>,
    locations: FunctionLocations,
    plan: OnceLock<Option<MethodPlan>>,
}

/// The first two arguments and the result, as far as they are words.
pub(crate) struct Words {
    pub(crate) arguments: [ArgumentWord; 2],
    pub(crate) result: ResultWord,
}

impl Words {
    /// No words.
    pub(crate) const NONE: &Self = &Self { arguments: [ArgumentWord::NONE; 2], result: ResultWord::NONE };

    fn of(locations: &Locations) -> Self {
        let arguments = [0, 1].map(|index| locations.argument_word(index).unwrap_or(ArgumentWord::NONE));
        Self { arguments, result: locations.result_word().unwrap_or(ResultWord::NONE) }
    }
}

impl Function {
    pub(crate) fn new(method: Arc<Method>) -> Self {
        Self {
            id: method.function,
            words: OnceLock::new(),
            method,
            locations: FunctionLocations::new(),
            plan: OnceLock::new(),
        }
    }

    pub(crate) fn id(&self) -> FunctionId {
        self.id
    }

    /// The words at a call with fast hooks.
    pub(crate) fn words(&self, runtime: &ClrRuntime, frame: &EnterFrame<'_>) -> &Words {
        match runtime.locations(frame) {
            Ok(found) => self.words.get_or_init(|| Words::of(&found)),
            Err(_) => Words::NONE,
        }
    }

    /// The same if there has been a call.
    #[inline(always)]
    pub(crate) fn known_words(&self) -> Option<&Words> {
        self.words.get()
    }

    /// The locations.
    #[inline]
    pub(crate) fn locations(&self) -> &FunctionLocations {
        &self.locations
    }

    /// The decoding plan. None for generic methods, whose plan depends on the call.
    #[inline]
    pub(crate) fn plan(&self, runtime: &ClrRuntime) -> Option<&MethodPlan> {
        match self.plan.get() {
            Some(plan) => plan.as_ref(),
            None => self.make_plan(runtime),
        }
    }

    #[cold]
    fn make_plan(&self, runtime: &ClrRuntime) -> Option<&MethodPlan> {
        let make = || {
            if self.method.is_generic() {
                return None;
            }
            let class = runtime.names().info().function_info(self.id()).ok()?.class;
            let instance = runtime.names().instance(&self.method, class, &[]).ok()?;
            runtime.plan(&instance).ok()
        };
        let made = make();
        self.plan.get_or_init(|| made).as_ref()
    }
}
