//! The state of a thread: its shadow stack, buffers for decoding, and the tracer's own state.

use crate::budget::ThreadBudget;
use crate::decoding::ThreadDecoding;
use crate::limits::MAX_SPARE;
use crate::shadow_stack::ShadowStack;
use crate::traced::Kept;
use crate::tracer::CallTracer;

/// The state of the running thread.
pub(crate) struct Thread<T: CallTracer> {
    pub(crate) stack: ShadowStack<Kept<T::Method>, T::Attached>,
    pub(crate) decoding: ThreadDecoding,
    pub(crate) budget: ThreadBudget,
    /// Memory of the data of open calls, to be used again.
    pub(crate) spare: Spare<T::Method>,
    /// The tracer's state.
    pub(crate) local: T::Thread,
}

impl<T: CallTracer> Thread<T> {
    pub(crate) fn new() -> Self {
        let decoding = ThreadDecoding::new();
        let stack = ShadowStack::new(decoding.bounds());
        Self {
            stack,
            decoding,
            budget: ThreadBudget::default(),
            spare: Vec::new(),
            local: T::Thread::default(),
        }
    }

    /// Takes the box of a call that has ended.
    pub(crate) fn recycle(&mut self, mut kept: Box<Kept<T::Method>>) {
        if self.spare.len() < MAX_SPARE {
            kept.end();
            self.spare.push(kept);
        }
    }
}

/// Boxes to be used again.
#[allow(clippy::vec_box, reason = "an open call has a box")]
type Spare<M> = Vec<Box<Kept<M>>>;

/// Boxes the data of an open call.
pub(crate) fn boxed<M>(spare: &mut Spare<M>, kept: Kept<M>) -> Box<Kept<M>> {
    match spare.pop() {
        Some(mut spare) => {
            *spare = kept;
            spare
        }
        None => Box::new(kept),
    }
}
