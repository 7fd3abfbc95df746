//! The way of a call that begins and has no plan: what is not known of it is found out, and kept for later calls.

use std::sync::Arc;

use corprof::{FunctionId, LastError, Result};

use crate::call::{Arguments, EnteredCall};
use crate::calls::Calls;
use crate::function::Function;
use crate::runtime::SelfTest;
use crate::source::EnterSource;
use crate::thread::{Thread, boxed};
use crate::traced::{Kept, Traced};
use crate::tracer::CallTracer;

/// The function of a call, and the stack pointer of its caller.
pub(crate) type CallId = (FunctionId, usize);

impl<T: CallTracer> Calls<T> {
    /// A call begins that a hook has not done with.
    #[cold]
    #[inline(never)]
    pub(crate) fn begin_slowly(&self, function: &Function<T>, source: impl EnterSource, sp: usize) {
        if function.is_boundary() {
            return self.at_boundary(Some(sp));
        }
        if !self.is_chosen(function) {
            return;
        }
        if let Some(number) = function.quota.limited() {
            return self.decide(function, number, source, sp);
        }
        let is_first = self.count_first(function);
        if !(is_first && self.begin_planned(function, source.values(), sp)) {
            self.begin_unplanned(function, source, sp);
        }
    }

    /// Prepares a thread for a call at a stack pointer: calls that have been left end, a call near the end of the stack is skipped. Returns
    /// whether it is not.
    pub(crate) fn is_prepared(&self, thread: &mut Thread<T>, function: &Function<T>, sp: usize) -> bool {
        if thread.stack.skip(function.id(), sp) {
            self.tracer.skipped();
            return false;
        }
        self.end_overtaken(thread, sp);
        true
    }

    /// A call that is traced begins.
    #[cold]
    #[inline(never)]
    pub(crate) fn begin_unplanned(&self, function: &Function<T>, source: impl EnterSource, sp: usize) {
        let _kept = LastError::keep();
        if !self.tracer.has_memory() {
            return;
        }
        self.with_thread(|thread| {
            if !self.is_prepared(thread, function, sp) {
                return;
            }
            let runtime = &self.traced.program.runtime;
            let begun = self.report_located(thread, function, source, sp);
            if let Some(hold) = runtime.self_test().and_then(SelfTest::news) {
                self.tracer.self_tested(hold);
            }
            if let Err(error) = begun {
                let method = function.instance_without_frame(&self.tracer, runtime);
                self.report_keeping(thread, function, sp, &method, Arguments::Unknown(&error));
            }
        });
    }

    /// Locates the arguments of a call, finds its instantiation, reports it, and makes a plan for later calls.
    fn report_located(
        &self,
        thread: &mut Thread<T>,
        function: &Function<T>,
        source: impl EnterSource,
        sp: usize,
    ) -> Result<()> {
        let runtime = &self.traced.program.runtime;
        if function.is_resumed(runtime, source)? {
            // Not by the frame, whose generic context is undefined.
            let method = function.instance_without_frame(&self.tracer, runtime);
            self.report_keeping(thread, function, sp, &method, Arguments::Resumed);
            return Ok(());
        }
        source.located(function.locations(), runtime, |call| {
            let method = function.instance_of(&self.tracer, runtime, call)?;
            let arguments = call.arguments(&method);
            self.report_keeping(thread, function, sp, &method, Arguments::Located(arguments));
            if function.plan().is_none() {
                function.make_plan(source, &method);
            }
            Ok(())
        })?
    }

    /// Reports a call that begins, and keeps what its end needs.
    fn report_keeping(
        &self,
        thread: &mut Thread<T>,
        function: &Function<T>,
        sp: usize,
        method: &Arc<Traced<T::Method>>,
        arguments: Arguments<'_>,
    ) {
        self.report(thread, (function.id(), sp), method, arguments, |call| {
            let saved = call.save_refs();
            let is_only = function.only().is_some_and(|only| Arc::ptr_eq(only, method));
            (!is_only || saved.is_some()).then(|| {
                let tracked = saved.is_some().then(|| self.traced.program.moves.track());
                Kept { method: Arc::clone(method), saved, _tracked: tracked }
            })
        });
    }

    /// Reports a call that begins to the tracer, and puts it on the shadow stack. `keep` returns what is kept for its end.
    #[inline(always)]
    pub(crate) fn report(
        &self,
        thread: &mut Thread<T>,
        (function, sp): CallId,
        method: &Traced<T::Method>,
        arguments: Arguments<'_>,
        keep: impl FnOnce(&EnteredCall<'_, T>) -> Option<Kept<T::Method>>,
    ) {
        let Thread { stack, decoding, spare, local, .. } = thread;
        let call = EnteredCall::new(self.call(method, decoding, stack.frames()), arguments);
        let attached = self.tracer.enter(&call, local);
        let kept = keep(&call).map(|kept| boxed(spare, kept));
        stack.push(function, sp, kept, attached);
    }
}
