//! The way of a call that ends: by a return without a plan, a tail call, an exception, or a suspension.

use corprof::{Error, LastError};

use crate::calls::Calls;
use crate::ended::{End, EndedCall};
use crate::function::Function;
use crate::source::{LeaveSource, Returned};
use crate::thread::Thread;
use crate::traced::{Kept, OpenCall, Traced};
use crate::tracer::CallTracer;

impl<T: CallTracer> Calls<T> {
    /// A call returns that is not reported by its function's plan.
    #[cold]
    #[inline(never)]
    pub(crate) fn end_unplanned(&self, function: &Function<T>, source: impl LeaveSource) {
        if function.is_boundary() {
            return self.at_boundary(source.stack_pointer());
        }
        let _kept = LastError::keep();
        self.with_thread(|thread| {
            let Some(open) = self.pop(thread, function, source.stack_pointer()) else { return };
            if !self.tracer.has_memory() {
                return;
            }
            if open.kept.is_none() && function.only().is_none() {
                // It was compiled again after an unload that may have taken it.
                let error = Error::other("what was known of the function is forgotten");
                self.ended(thread, open, End::Returned(Returned::Unknown(&error), None));
                return;
            }
            let (mut kept, mut attached) = (open.kept, Some(open.attached));
            let (method, mut saved) = match (kept.as_deref_mut(), function.only()) {
                (Some(Kept { method, saved, .. }), _) => (&*method, saved.as_mut()),
                (None, Some(only)) => (only, None),
                (None, None) => return,
            };
            if let Some(saved) = &mut saved {
                let program = &self.traced.program;
                program.moves.follow(saved, program.collections(), &thread.decoding.stack());
            }
            let saved = saved.as_deref();
            let mut end = |result: Returned<'_>| {
                if let Some(attached) = attached.take() {
                    self.report_end(thread, method, attached, End::Returned(result, saved));
                }
            };
            let read = function
                .check_values()
                .and_then(|()| source.located(function.locations(), method.called.plan(), &mut end));
            if let Err(error) = read {
                end(Returned::Unknown(&error));
            }
            if let Some(kept) = kept {
                thread.recycle(kept);
            }
        });
    }

    /// A call ends with a tail call.
    pub(crate) fn tail_called(&self, function: &Function<T>, sp: Option<usize>) {
        if function.is_boundary() {
            return self.at_boundary(sp);
        }
        if function.is_limited() && sp.is_some_and(|sp| self.is_omitted(sp)) {
            return;
        }
        let _kept = LastError::keep();
        self.with_thread(|thread| {
            if let Some(open) = self.pop(thread, function, sp) {
                match function.only() {
                    Some(only) if open.kept.is_none() => {
                        self.report_end(thread, only, open.attached, End::TailCalled);
                    }
                    _ => self.ended(thread, open, End::TailCalled),
                }
            }
        });
    }

    /// The runtime's code around suspended calls begins or ends at this stack pointer: calls that were made from there have ended.
    #[cold]
    #[inline(never)]
    pub(crate) fn at_boundary(&self, sp: Option<usize>) {
        let Some(sp) = sp else { return };
        let _kept = LastError::keep();
        self.with_thread(|thread| self.end_overtaken(thread, sp));
    }

    /// Reports the calls whose frames no longer exist where a call begins.
    pub(crate) fn end_overtaken(&self, thread: &mut Thread<T>, sp: usize) {
        while let Some(gone) = thread.stack.overtaken(sp) {
            self.gone(thread, gone);
        }
    }

    /// Removes the call of a method that ends. Those above it ended without a report; they are reported as left by an
    /// exception first, so that each `enter` has its `leave`.
    pub(crate) fn pop(
        &self,
        thread: &mut Thread<T>,
        function: &Function<T>,
        sp: Option<usize>,
    ) -> Option<OpenCall<T::Method, T::Attached>> {
        if thread.stack.pop_skipped(function.id(), sp) {
            return None;
        }
        if let (true, Some(sp)) = (self.is_selective() || self.suspends, sp) {
            // Exceptions are not followed with selected calls: see `exception_unwind_function_enter`. A suspension has no end.
            while let Some(gone) = thread.stack.left_below(sp) {
                self.gone(thread, gone);
            }
            if self.is_selective() {
                return thread.stack.pop_at(function.id(), sp);
            }
        }
        thread.stack.pop_if(function.id()).or_else(|| self.pop_through(thread, function))
    }

    #[cold]
    fn pop_through(
        &self,
        thread: &mut Thread<T>,
        function: &Function<T>,
    ) -> Option<OpenCall<T::Method, T::Attached>> {
        if !thread.stack.has_frame_of(function.id()) {
            return None;
        }
        loop {
            let open = thread.stack.pop()?;
            if open.function == function.id() {
                return Some(open);
            }
            self.gone(thread, open);
        }
    }

    /// Reports a call whose frame has gone without a hook: an exception has left it, or the runtime has suspended it.
    fn gone(&self, thread: &mut Thread<T>, open: OpenCall<T::Method, T::Attached>) {
        let Some(method) = self.traced.method_of(&open) else { return };
        if method.called.is_async_variant() && !thread.stack.is_thrown_through(&open) {
            return self.ended(thread, open, End::Suspended);
        }
        self.unwound(thread, open);
    }

    /// Reports a call that an exception has left.
    pub(crate) fn unwound(&self, thread: &mut Thread<T>, open: OpenCall<T::Method, T::Attached>) {
        let exception = thread.stack.exception();
        self.ended(thread, open, End::Threw(&exception));
    }

    pub(crate) fn ended(&self, thread: &mut Thread<T>, open: OpenCall<T::Method, T::Attached>, end: End<'_>) {
        // A call of a method that has been unloaded since was left long ago.
        if let Some(method) = self.traced.method_of(&open) {
            self.report_end(thread, &method, open.attached, end);
        }
    }

    /// Reports a call that has ended to the tracer. It is no longer on the shadow stack.
    #[inline(always)]
    pub(crate) fn report_end(
        &self,
        thread: &mut Thread<T>,
        method: &Traced<T::Method>,
        attached: T::Attached,
        end: End<'_>,
    ) {
        let Thread { stack, decoding, local, .. } = thread;
        let call = self.call(method, decoding, stack.frames());
        self.tracer.leave(&EndedCall { call, end }, attached, local);
    }
}
