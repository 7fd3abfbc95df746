//! The hooks, and the way of a call of a function that has a [plan](crate::function::CallPlan).
//!
//! That way saves no registers for what is done at first calls: it returns `false`, without effect, for a call that needs
//! more, and the hook goes the long way, through `enter` and `leave`.

use corprof::{EnterFrame, FunctionHooks, FunctionId, LastError, LeaveFrame, TailcallFrame};

use crate::OmittedCalls;
use crate::call::{Arguments, EnteredCall};
use crate::calls::Calls;
use crate::ended::{End, EndedCall};
use crate::function::{CallPlan, Function};
use crate::os_thread;
use crate::role::Role;
use crate::source::{EnterSource, EnterValues, Fast, LeaveSource, LeaveValues, WithInfo};
use crate::thread::Thread;
use crate::traced::Traced;
use crate::tracer::CallTracer;

impl<T: CallTracer> FunctionHooks for Calls<T> {
    type Function = Function<T>;

    fn map_function(&self, function: FunctionId) -> Option<Function<T>> {
        let method = self.names().method(function);
        self.traced.program.read_kept(method.as_ref().ok().map(|method| &*method.module_info));
        match method {
            Ok(method) => {
                let form = self.names().info().function_form(method.function);
                let role =
                    Role::of(&method.declared(), form, self.suspends, |method| self.tracer.select(method))?;
                let budget = self.budget.as_ref();
                Some(Function::new(method, self.selected, budget, role, &self.traced.registry))
            }
            Err(error) => {
                self.tracer.unnamed(function, &error);
                None
            }
        }
    }

    fn map_again(&self, function: FunctionId, _: &Function<T>) -> bool {
        let Some(budget) = &self.budget else { return true };
        let report = |method: &Traced<T::Method>| {
            let omitted = OmittedCalls { calls: 0, and_more: true };
            self.tracer.omitted(&method.called, &method.kept, omitted);
        };
        // The code may replace that of the open call, whose end it then reports.
        !budget.is_unhooked(function, || self.is_open(function), report)
    }

    #[inline(always)]
    fn enter(&self, function: &Function<T>, frame: &EnterFrame<'_>) {
        let sp = frame.caller_stack_pointer().unwrap_or_else(os_thread::here);
        // The compiler knows which of both hooks this is in.
        match frame.registers() {
            Some(registers) => self.begin(
                function,
                sp,
                registers,
                #[inline(always)]
                move || Fast { frame: *frame, registers },
            ),
            None => self.begin(
                function,
                sp,
                WithInfo(*frame),
                #[inline(always)]
                move || WithInfo(*frame),
            ),
        }
    }

    #[inline(always)]
    fn leave(&self, function: &Function<T>, frame: &LeaveFrame<'_>) {
        let sp = frame.caller_stack_pointer();
        match frame.registers() {
            Some(registers) => self.end(
                function,
                sp,
                registers,
                #[inline(always)]
                move || Fast { frame: *frame, registers },
            ),
            None => self.end(
                function,
                sp,
                WithInfo(*frame),
                #[inline(always)]
                move || WithInfo(*frame),
            ),
        }
    }

    fn tailcall(&self, function: &Function<T>, frame: &TailcallFrame<'_>) {
        self.tail_called(function, frame.caller_stack_pointer());
    }
}

impl<T: CallTracer> Calls<T> {
    /// A call begins. `source` is made where it is passed on: a frame whose address is taken is in memory, at each call.
    #[inline(always)]
    pub(crate) fn begin<S: EnterSource>(
        &self,
        function: &Function<T>,
        sp: usize,
        values: S::Values,
        source: impl FnOnce() -> S,
    ) {
        let is_done = match function.quota.limited() {
            Some(number) => self.omits(function, number, sp),
            None => function.quota.is_open() && self.begin_planned(function, values, sp),
        };
        if !is_done {
            // In one place: a hook saves registers for what it passes on.
            self.begin_slowly(function, source(), sp);
        }
    }

    /// A call returns.
    #[inline(always)]
    pub(crate) fn end<S: LeaveSource>(
        &self,
        function: &Function<T>,
        sp: Option<usize>,
        values: S::Values,
        source: impl FnOnce() -> S,
    ) {
        let is_done = match sp {
            Some(sp) if function.is_limited() => self.is_omitted(sp),
            _ => self.end_planned(function, values, sp),
        };
        if !is_done {
            self.end_slowly(function, source());
        }
    }

    /// Reports the beginning of a call of a function with a plan. Returns `false` without effect for another, and if the thread
    /// must end other calls first or its shadow stack is full.
    #[inline(always)]
    pub(crate) fn begin_planned<V: EnterValues>(&self, function: &Function<T>, values: V, sp: usize) -> bool {
        // No closures: they would be functions of their own.
        match function.plan() {
            Some(plan) if V::IS_AT_ONCE => self.begin_by(plan, values, sp),
            Some(plan) => self.begin_by_apart(plan, values, sp),
            None => false,
        }
    }

    #[inline(always)]
    fn begin_by<V: EnterValues>(&self, plan: &CallPlan<T>, values: V, sp: usize) -> bool {
        let _kept = (!(V::IS_AT_ONCE && T::KEEPS_LAST_ERROR)).then(LastError::keep);
        self.with_idle_thread(
            #[inline(always)]
            |thread| {
                if !thread.stack.is_ready(sp) {
                    return false;
                }
                if !(V::IS_AT_ONCE && T::AT_ONCE) {
                    return self.report_planned(plan, values, sp, thread);
                }
                let Thread { stack, decoding, local, .. } = &mut *thread;
                let begun = values.arguments(
                    &plan.locations,
                    #[inline(always)]
                    |arguments| {
                        let call = self.call(&plan.method, decoding, stack.frames());
                        let call = EnteredCall::new(call, Arguments::Located(arguments));
                        self.tracer.enter_at_once(&call, local)
                    },
                );
                match begun {
                    Ok(Some(attached)) => {
                        stack.push(plan.function, sp, None, attached);
                        true
                    }
                    _ => self.report_with_values(plan, values, sp, thread),
                }
            },
        )
    }

    /// A function of its own where the runtime is called anyway: a hook with that in it is longer at each call.
    #[inline(never)]
    fn begin_by_apart(&self, plan: &CallPlan<T>, values: impl EnterValues, sp: usize) -> bool {
        self.begin_by(plan, values, sp)
    }

    /// Reports the end of a call of a function with a plan. Returns `false` without effect for another, and if the call is not the
    /// thread's innermost, or has kept data.
    #[inline(always)]
    pub(crate) fn end_planned<V: LeaveValues>(
        &self,
        function: &Function<T>,
        values: V,
        sp: Option<usize>,
    ) -> bool {
        match function.plan() {
            Some(plan) if V::IS_AT_ONCE => self.end_by(plan, values, sp),
            Some(plan) => self.end_by_apart(plan, values, sp),
            None => false,
        }
    }

    #[inline(always)]
    fn end_by<V: LeaveValues>(&self, plan: &CallPlan<T>, values: V, sp: Option<usize>) -> bool {
        let _kept = (!(V::IS_AT_ONCE && T::KEEPS_LAST_ERROR)).then(LastError::keep);
        self.with_idle_thread(
            #[inline(always)]
            |thread| {
                if !thread.stack.is_plain(plan.function, sp) {
                    return false;
                }
                if !(V::IS_AT_ONCE && T::AT_ONCE) {
                    return self.report_planned_end(plan, values, thread);
                }
                let Thread { stack, decoding, local, .. } = &mut *thread;
                let Some((_, callers)) = stack.frames().split_last() else { return false };
                let ended = values.returned(
                    &plan.locations,
                    plan.method.called.plan(),
                    #[inline(always)]
                    |result| {
                        let call = self.call(&plan.method, decoding, callers);
                        self.tracer
                            .leave_at_once(&EndedCall { call, end: End::Returned(result, None) }, local)
                    },
                );
                match ended {
                    Ok(true) => stack.pop_plain(plan.function, sp).is_some(),
                    _ => self.report_end_with_values(plan, values, thread),
                }
            },
        )
    }

    /// As [`begin_by_apart`](Self::begin_by_apart).
    #[inline(never)]
    fn end_by_apart(&self, plan: &CallPlan<T>, values: impl LeaveValues, sp: Option<usize>) -> bool {
        self.end_by(plan, values, sp)
    }

    /// Calls [`CallTracer::enter`] for a call of a function with a plan. Returns `false` if the runtime does not locate its
    /// arguments.
    #[inline(always)]
    fn report_planned(
        &self,
        plan: &CallPlan<T>,
        values: impl EnterValues,
        sp: usize,
        thread: &mut Thread<T>,
    ) -> bool {
        if !self.tracer.has_memory() {
            return true;
        }
        let begun = values.arguments(
            &plan.locations,
            #[inline(always)]
            |arguments| {
                let (id, arguments) = ((plan.function, sp), Arguments::Located(arguments));
                self.report(thread, id, &plan.method, arguments, |_| None);
            },
        );
        matches!(begun, Ok(()))
    }

    /// Calls [`CallTracer::leave`] for such a call, whose stack pointer was compared. Returns `false` if the runtime does not locate its
    /// result.
    #[inline(always)]
    fn report_planned_end(
        &self,
        plan: &CallPlan<T>,
        values: impl LeaveValues,
        thread: &mut Thread<T>,
    ) -> bool {
        if !self.tracer.has_memory() {
            return thread.stack.pop_plain(plan.function, None).is_some();
        }
        let ended = values.returned(
            &plan.locations,
            plan.method.called.plan(),
            #[inline(always)]
            |result| {
                let Some(attached) = thread.stack.pop_plain(plan.function, None) else { return false };
                self.report_end(thread, &plan.method, attached, End::Returned(result, None));
                true
            },
        );
        matches!(ended, Ok(true))
    }

    /// What is more than [`CallTracer::enter_at_once`] does, out of line.
    #[cold]
    #[inline(never)]
    fn report_with_values(
        &self,
        plan: &CallPlan<T>,
        values: impl EnterValues,
        sp: usize,
        thread: &mut Thread<T>,
    ) -> bool {
        let _kept = LastError::keep();
        self.report_planned(plan, values, sp, thread)
    }

    /// What is more than [`CallTracer::leave_at_once`] does, out of line.
    #[cold]
    #[inline(never)]
    fn report_end_with_values(
        &self,
        plan: &CallPlan<T>,
        values: impl LeaveValues,
        thread: &mut Thread<T>,
    ) -> bool {
        let _kept = LastError::keep();
        self.report_planned_end(plan, values, thread)
    }

    /// Calls `work` with the running thread's state. Returns `false`, without the call, if that is not made yet, or in use.
    #[inline(always)]
    pub(crate) fn with_idle_thread(&self, work: impl FnOnce(&mut Thread<T>) -> bool) -> bool {
        let done = self.threads.with_made(
            #[inline(always)]
            // A method of `Result` is a call here, for which the compiler stores what the hook has in registers.
            |thread| match thread.try_borrow_mut() {
                Ok(mut thread) => work(&mut thread),
                Err(_) => false,
            },
        );
        done.unwrap_or(false)
    }
}
