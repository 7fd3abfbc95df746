//! A closure that the runtime calls again and again while it is called: its panic waits until the runtime has
//! returned.
#![forbid(unsafe_code)]

use core::any::Any;
use core::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::error::Result;
use corprof_types::HResult;

/// The client data that a visiting call passes to the runtime.
pub(crate) struct Visit<V, B> {
    look: V,
    broken: Option<B>,
    panic: Option<Box<dyn Any + Send>>,
}

impl<V, B> Visit<V, B> {
    pub(crate) fn new(look: V) -> Self {
        Self { look, broken: None, panic: None }
    }

    /// One call of the closure: whether to go on. Nothing is called any more after a break or a panic.
    pub(crate) fn step(&mut self, call: impl FnOnce(&mut V) -> ControlFlow<B>) -> bool {
        if self.broken.is_some() || self.panic.is_some() {
            return false;
        }
        let look = &mut self.look;
        match catch_unwind(AssertUnwindSafe(|| call(look))) {
            Ok(ControlFlow::Continue(())) => return true,
            Ok(ControlFlow::Break(value)) => self.broken = Some(value),
            Err(panic) => self.panic = Some(panic),
        }
        false
    }

    /// Returns the value for the result of the call. Resumes a panic of the closure.
    pub(crate) fn finish(self, answer: Result<HResult>) -> Result<ControlFlow<B>> {
        if let Some(panic) = self.panic {
            resume_unwind(panic);
        }
        match self.broken {
            Some(value) => Ok(ControlFlow::Break(value)),
            None => answer.map(|_| ControlFlow::Continue(())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_break_ends_it() {
        let mut visit = Visit::new(|number: u32| match number {
            2 => ControlFlow::Break("two"),
            _ => ControlFlow::Continue(()),
        });
        assert!(visit.step(|look| look(1)));
        assert!(!visit.step(|look| look(2)));
        assert!(!visit.step(|look| look(3)));
        let answer = Err(crate::error::Error::Call { call: "test", hresult: HResult::E_FAIL });
        assert_eq!(visit.finish(answer).unwrap(), ControlFlow::Break("two"));
    }

    #[test]
    fn a_panic_waits() {
        let mut visit = Visit::new(|(): ()| -> ControlFlow<()> { panic!("boom") });
        assert!(!visit.step(|look| look(())));
        let caught = catch_unwind(AssertUnwindSafe(|| visit.finish(Ok(HResult::S_OK))));
        assert_eq!(caught.unwrap_err().downcast_ref::<&str>(), Some(&"boom"));
    }
}
