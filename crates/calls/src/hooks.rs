//! The hooks, and their short paths: for calls of functions about which an earlier call has settled everything.
//!
//! The short paths save no registers for what is done at first calls: each returns `false`, without effect, for a call that
//! needs more, and the hook goes the long way, through `calls`.

use argvalues::{ArgumentRange, MethodPlan};
use corprof::{
    EnterFrame, FunctionHooks, FunctionId, LastError, LeaveFrame, LeaveValue, Method, TailcallFrame,
};

use crate::OmittedCalls;
use crate::call::{Arguments, Call, End, EndedCall, EnteredCall};
use crate::calls::Calls;
use crate::convention::returned_struct;
use crate::decoding::ThreadDecoding;
use crate::function::{Function, Ready};
use crate::os_thread;
use crate::shadow_stack::ShadowStack;
use crate::thread::Thread;
use crate::traced::{Kept, Traced};
use crate::tracer::CallTracer;

impl<T: CallTracer> FunctionHooks for Calls<T> {
    type Function = Function<T>;

    fn map_function(&self, function: FunctionId) -> Option<Function<T>> {
        let method = self.names().method(function);
        self.traced.program.read_kept(method.as_ref().ok().map(|method| &*method.module_info));
        match method {
            Ok(method) if is_exception_machinery(&method) || !self.tracer.select(&method) => None,
            Ok(method) => {
                let may_be_suspended = self.names().may_be_suspended(&method);
                let budget = self.budget.as_ref();
                Some(Function::new(method, self.selected, budget, may_be_suspended, &self.traced.registry))
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
        let place = frame.caller_stack_pointer().unwrap_or_else(os_thread::here);
        let is_done = match function.quota.limited() {
            Some(number) => self.omits(function, number, place),
            None => function.quota.is_open() && self.enter_at_once(function, frame, place),
        };
        if !is_done {
            // By value: a frame whose address is taken is in memory, at each call. In one place: a hook saves registers for what
            // it passes on.
            self.entered(function, *frame, place);
        }
    }

    #[inline(always)]
    fn leave(&self, function: &Function<T>, frame: &LeaveFrame<'_>) {
        let place = frame.caller_stack_pointer();
        let is_done = match place {
            Some(place) if function.is_limited() => self.is_omitted(place),
            _ => self.leave_at_once(function, frame, place),
        };
        if !is_done {
            self.leave_slowly(function, *frame);
        }
    }

    fn tailcall(&self, function: &Function<T>, frame: &TailcallFrame<'_>) {
        if function.is_limited() && frame.caller_stack_pointer().is_some_and(|place| self.is_omitted(place)) {
            return;
        }
        let _kept = LastError::keep();
        self.with_thread(|thread| {
            if let Some(open) = self.pop(thread, function, frame.caller_stack_pointer()) {
                match function.only() {
                    Some(only) if open.kept.is_none() => self.ended_of(thread, only, open, End::TailCalled),
                    _ => self.ended(thread, open, End::TailCalled),
                }
            }
        });
    }
}

/// Returns whether a method is part of the managed exception handling of .NET 9 and later. It runs on top of the frames
/// that it removes, and its own frames go away with them without an end.
fn is_exception_machinery(method: &Method) -> bool {
    method.module_info.file_name() == "System.Private.CoreLib.dll"
        && is_exception_machinery_type(&method.plain_name())
}

fn is_exception_machinery_type(name: &str) -> bool {
    const TYPES: [&str; 3] = [
        "System.Runtime.EH.",
        "System.Runtime.StackFrameIterator.",
        "System.Runtime.ExceptionServices.InternalCalls.",
    ];
    TYPES.iter().any(|machinery| name.starts_with(machinery))
}

/// The parts of a thread's state.
type State<'s, T> = (
    &'s mut ShadowStack<Kept<<T as CallTracer>::Method>, <T as CallTracer>::Attached>,
    &'s ThreadDecoding,
    &'s mut <T as CallTracer>::Thread,
);

impl<T: CallTracer> Calls<T> {
    /// Reports the beginning of a call about which everything is known. Returns `false`, without effect, for another.
    #[inline(always)]
    pub(crate) fn enter_at_once(&self, function: &Function<T>, frame: &EnterFrame<'_>, place: usize) -> bool {
        // No closures: they would be functions of their own.
        match frame.registers() {
            Some(registers) => match function.ready() {
                Some(ready) => self.enter_ready(ready, registers, place),
                None => false,
            },
            None => match function.settled() {
                Some(settled) => self.enter_settled(function.id(), settled, *frame, place),
                None => false,
            },
        }
    }

    /// Reports the end of such a call.
    #[inline(always)]
    pub(crate) fn leave_at_once(
        &self,
        function: &Function<T>,
        frame: &LeaveFrame<'_>,
        place: Option<usize>,
    ) -> bool {
        match frame.registers() {
            Some(registers) => match function.ready() {
                Some(ready) => self.leave_ready(ready, registers, place),
                None => false,
            },
            None => match function.settled() {
                Some(settled) => self.leave_settled(function.id(), settled, *frame, place),
                None => false,
            },
        }
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

    /// Reports the beginning of a call of a fully known function. Returns `false` without effect if the thread must
    /// end other calls first or its shadow stack is full.
    #[inline(always)]
    pub(crate) fn enter_ready(
        &self,
        ready: &Ready<T>,
        registers: corprof::EnterRegisters<'_>,
        place: usize,
    ) -> bool {
        let _kept = (!T::KEEPS_LAST_ERROR).then(LastError::keep);
        self.with_idle_thread(
            #[inline(always)]
            |Thread { stack, decoding, local, .. }| {
                if !stack.is_ready(place) {
                    return false;
                }
                let method = &*ready.method;
                let call = Call { method, traced: &self.traced, thread: decoding, callers: stack.frames() };
                let call = EnteredCall::new(call, Arguments::Ready(registers, ready.places()));
                let attached = match T::AT_ONCE {
                    true => match self.tracer.enter_at_once(&call, local) {
                        Some(attached) => attached,
                        None => {
                            self.enter_with_values(ready, registers, place, (stack, decoding, local));
                            return true;
                        }
                    },
                    false => self.tracer.enter(&call, local),
                };
                stack.push(ready.function, place, None, attached);
                true
            },
        )
    }

    /// Reports the end of a ready call. Returns `false` without effect if it is not the thread's innermost, or has kept
    /// data.
    #[inline(always)]
    pub(crate) fn leave_ready(
        &self,
        ready: &Ready<T>,
        registers: corprof::LeaveRegisters<'_>,
        place: Option<usize>,
    ) -> bool {
        let _kept = (!T::KEEPS_LAST_ERROR).then(LastError::keep);
        self.with_idle_thread(
            #[inline(always)]
            |Thread { stack, decoding, local, .. }| {
                let method = &*ready.method;
                let end = End::Ready(registers, ready.result, &ready.locations);
                if T::AT_ONCE {
                    let Some((_, callers)) = stack.frames().split_last() else { return false };
                    let call = Call { method, traced: &self.traced, thread: decoding, callers };
                    if !stack.is_plain(ready.function, place) {
                        return false;
                    }
                    if !self.tracer.leave_at_once(&EndedCall { call, end }, local) {
                        return self.leave_with_values(ready, registers, (stack, decoding, local));
                    }
                    return stack.pop_plain(ready.function, place).is_some();
                }
                let Some(attached) = stack.pop_plain(ready.function, place) else { return false };
                let call = Call { method, traced: &self.traced, thread: decoding, callers: stack.frames() };
                self.tracer.leave(&EndedCall { call, end }, attached, local);
                true
            },
        )
    }

    /// Reports the beginning of a ready call that is more than [`CallTracer::enter_at_once`] does.
    #[cold]
    #[inline(never)]
    fn enter_with_values(
        &self,
        ready: &Ready<T>,
        registers: corprof::EnterRegisters<'_>,
        place: usize,
        (stack, decoding, local): State<'_, T>,
    ) {
        let _kept = LastError::keep();
        if !self.tracer.has_memory() {
            return;
        }
        let callers = stack.frames();
        let call = Call { method: &*ready.method, traced: &self.traced, thread: decoding, callers };
        let call = EnteredCall::new(call, Arguments::Ready(registers, ready.places()));
        let attached = self.tracer.enter(&call, local);
        stack.push(ready.function, place, None, attached);
    }

    /// Reports the end of a ready call that is more than [`CallTracer::leave_at_once`] does. Returns `false` without effect if
    /// the call has kept data.
    #[cold]
    #[inline(never)]
    fn leave_with_values(
        &self,
        ready: &Ready<T>,
        registers: corprof::LeaveRegisters<'_>,
        (stack, decoding, local): State<'_, T>,
    ) -> bool {
        let _kept = LastError::keep();
        // Its place was compared.
        let Some(attached) = stack.pop_plain(ready.function, None) else { return false };
        if self.tracer.has_memory() {
            let callers = stack.frames();
            let call = Call { method: &*ready.method, traced: &self.traced, thread: decoding, callers };
            let end = End::Ready(registers, ready.result, &ready.locations);
            self.tracer.leave(&EndedCall { call, end }, attached, local);
        }
        true
    }

    /// Reports the beginning of a call in a slow-path hook, as [`enter_ready`](Self::enter_ready).
    #[inline(never)]
    pub(crate) fn enter_settled(
        &self,
        function: FunctionId,
        method: &Traced<T::Method>,
        frame: EnterFrame<'_>,
        place: usize,
    ) -> bool {
        let _kept = LastError::keep();
        self.with_idle_thread(
            #[inline(always)]
            |Thread { stack, decoding, local, .. }| {
                if !stack.is_ready(place) {
                    return false;
                }
                if !self.tracer.has_memory() {
                    return true;
                }
                let attached = frame.arguments(
                    #[inline(always)]
                    |arguments| {
                        let callers = stack.frames();
                        let call = Call { method, traced: &self.traced, thread: decoding, callers };
                        let call = EnteredCall::new(call, Arguments::Ranges(arguments));
                        self.tracer.enter(&call, local)
                    },
                );
                attached.map(|attached| stack.push(function, place, None, attached)).is_ok()
            },
        )
    }

    /// Reports the end of a settled call in a slow-path hook, as [`leave_ready`](Self::leave_ready).
    #[inline(never)]
    pub(crate) fn leave_settled(
        &self,
        function: FunctionId,
        method: &Traced<T::Method>,
        frame: LeaveFrame<'_>,
        place: Option<usize>,
    ) -> bool {
        let _kept = LastError::keep();
        self.with_idle_thread(
            #[inline(always)]
            |Thread { stack, decoding, local, .. }| {
                if !stack.is_plain(function, place) {
                    return false;
                }
                if !self.tracer.has_memory() {
                    return stack.pop_plain(function, place).is_some();
                }
                let read = frame.return_value(
                    #[inline(always)]
                    |value| {
                        let Some(attached) = stack.pop_plain(function, place) else { return false };
                        let callers = stack.frames();
                        let call = Call { method, traced: &self.traced, thread: decoding, callers };
                        with_result(
                            method.called.plan(),
                            &value,
                            #[inline(always)]
                            |range, word| {
                                let end = End::Returned { result: Ok(range), word, saved: None };
                                self.tracer.leave(&EndedCall { call, end }, attached, local);
                            },
                        );
                        true
                    },
                );
                read.unwrap_or(false)
            },
        )
    }
}

/// Calls `read` with the range of a result, and its bytes where they fit a word. A struct that the runtime leaves in
/// registers is assembled first, and is read like the program's memory.
#[inline(always)]
pub(crate) fn with_result<R>(
    plan: Option<&MethodPlan>,
    value: &LeaveValue<'_>,
    read: impl FnOnce(ArgumentRange, Option<u64>) -> R,
) -> R {
    let assembled = value.registers().and_then(|it| returned_struct(plan?, it));
    let mut range = value.range();
    if let Some(bytes) = &assembled {
        range.address = bytes.as_ptr().expose_provenance();
    }
    read(range, value.word())
}

#[cfg(test)]
mod tests {
    use super::is_exception_machinery_type;

    #[test]
    fn exception_machinery_is_recognised_by_its_types() {
        assert!(is_exception_machinery_type("System.Runtime.EH.ExInfo.Init"));
        assert!(!is_exception_machinery_type("System.Runtime.EHint.Init"));
    }
}
