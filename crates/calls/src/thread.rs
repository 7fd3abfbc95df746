//! The state of a thread: its shadow stack, buffers for decoding, and the tracer's own state.

use crate::budget::ThreadBudget;
use crate::decoding::ThreadDecoding;
use crate::shadow_stack::ShadowStack;
use crate::traced::Kept;
use crate::tracer::CallTracer;

/// The state of the running thread.
pub(crate) struct Thread<T: CallTracer> {
    pub(crate) stack: ShadowStack<Kept<T::Method>, T::Attached>,
    pub(crate) decoding: ThreadDecoding,
    pub(crate) budget: ThreadBudget,
    /// The tracer's state.
    pub(crate) local: T::Thread,
}

impl<T: CallTracer> Thread<T> {
    pub(crate) fn new() -> Self {
        let decoding = ThreadDecoding::new();
        let stack = ShadowStack::new(decoding.bounds());
        Self { stack, decoding, budget: ThreadBudget::default(), local: T::Thread::default() }
    }
}
