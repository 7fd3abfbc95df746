//! Calls of methods that are called more often than all their calls are traced.
//!
//! An omitted call is not on the shadow stack. When it ends, its stack pointer tells that: the open calls have higher ones.

use core::cell::Cell;

use corprof::LastError;

use crate::OmittedCalls;
use crate::budget::Decision;
use crate::calls::Calls;
use crate::function::Function;
use crate::shadow_stack::Position;
use crate::source::{EnterSource, LeaveSource};
use crate::tracer::CallTracer;

impl<T: CallTracer> Calls<T> {
    /// Counts a call of a method that is not limited. Returns whether it is one of the first.
    pub(crate) fn count_first(&self, function: &Function<T>) -> bool {
        if function.quota.is_open() {
            return false;
        }
        let _kept = LastError::keep();
        let method = || function.instance_without_frame(&self.tracer, &self.traced.program.runtime);
        function.quota.count(method)
    }

    /// Omits a call of a limited method that begins, if that is settled.
    #[inline(always)]
    pub(crate) fn omits(&self, function: &Function<T>, number: usize, sp: usize) -> bool {
        function.gate.is_none()
            && self.with_idle_thread(
                #[inline(always)]
                |thread| thread.stack.is_above(sp) && thread.budget.omits(number),
            )
    }

    /// Decides about a chosen call of a limited method, and reports it if it is traced.
    pub(crate) fn decide(&self, function: &Function<T>, number: usize, source: impl EnterSource, sp: usize) {
        let Some(budget) = &self.budget else { return };
        let _kept = LastError::keep();
        if !self.tracer.has_memory() {
            return;
        }
        let mut begin = None;
        self.with_thread(|thread| {
            if self.is_prepared(thread, function, sp)
                && let Decision::Traced(now) = thread.budget.decide(budget, number)
            {
                begin = Some(now);
            }
        });
        let Some(begin) = begin else { return };
        if budget.must_report(begin) {
            self.report_omitted();
        }
        if !self.begin_planned(function, source.values(), sp) {
            self.begin_unplanned(function, source, sp);
        }
        self.spend(begin, budget.now());
    }

    /// A call ends that a hook has not done with.
    #[cold]
    #[inline(never)]
    pub(crate) fn end_slowly(&self, function: &Function<T>, source: impl LeaveSource) {
        match source.stack_pointer() {
            Some(sp) if function.is_limited() => self.end_traced(function, source, sp),
            _ => self.end_unplanned(function, source),
        }
    }

    /// A call of a limited method ends, which was traced, or others have to be ended before.
    fn end_traced(&self, function: &Function<T>, source: impl LeaveSource, sp: usize) {
        let position = self.position(sp);
        let begin = match position {
            Position::Innermost => self.budget.as_ref().map(|budget| budget.now()),
            _ => None,
        };
        if !self.end_planned(function, source.values(), Some(sp)) {
            self.end_unplanned(function, source);
        }
        if let (Some(begin), Some(budget)) = (begin, &self.budget) {
            self.spend(begin, budget.now());
        }
    }

    /// Returns whether a call that ends at this stack pointer was omitted, and no other has to be ended.
    #[inline(always)]
    pub(crate) fn is_omitted(&self, sp: usize) -> bool {
        self.position(sp) == Position::Absent
    }

    /// Returns where a call that ends at this stack pointer is among the open calls of the thread.
    #[inline(always)]
    fn position(&self, sp: usize) -> Position {
        let position = Cell::new(Position::Unknown);
        self.with_idle_thread(
            #[inline(always)]
            |thread| {
                position.set(thread.stack.position(sp));
                true
            },
        );
        position.get()
    }

    /// Takes the time of a traced call from the budget of the thread.
    fn spend(&self, begin: u64, end: u64) {
        self.with_idle_thread(|thread| {
            thread.budget.spend(begin, end);
            true
        });
    }

    /// Reports the calls that have been omitted since the last report to [`CallTracer::omitted`].
    pub(crate) fn report_omitted(&self) {
        if let Some(budget) = &self.budget {
            budget.report(|method, calls| {
                let omitted = OmittedCalls { calls, and_more: false };
                self.tracer.omitted(&method.called, &method.kept, omitted);
            });
        }
    }
}
