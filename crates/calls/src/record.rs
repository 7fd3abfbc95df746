//! A call in a recording.
//!
//! A call of primitives only does not allocate, lock, look up or format anything: where they are is known, and their
//! bytes are all that is recorded.

use argvalues::{Position, Visitor};
use corprof::LastError;
use recording::{Defined, ThreadRecorder};

use crate::call::{Arguments, EnteredCall};
use crate::ended::{End, EndedCall};
use crate::tracer::CallTracer;

impl<T: CallTracer> EnteredCall<'_, T> {
    /// Records the beginning of the call; `function` is the definition of its [method](crate::CalledMethod::recorded).
    ///
    /// A call of primitives only takes some 15 ns with fast hooks. Keeps the thread's last error.
    #[inline(always)]
    pub fn record(&self, recorder: &mut ThreadRecorder, function: &Defined) {
        if !self.record_at_once(recorder, function) {
            // A clone: its address is passed on, and the call itself stays in registers.
            self.clone().record_located(recorder, function);
        }
    }

    /// Records the beginning of a call of primitives only, if nothing else has to be done first, as
    /// [`ThreadRecorder::enter_at_once`]. Returns `false`, and records nothing, otherwise. For
    /// [`CallTracer::enter_at_once`].
    #[inline(always)]
    pub fn record_at_once(&self, recorder: &mut ThreadRecorder, function: &Defined) -> bool {
        let (Arguments::Located(arguments), Some(types)) = (self.arguments, function.arguments()) else {
            return false;
        };
        recorder.enter_at_once(function, |index| arguments.word_of(index, types.len()))
    }

    #[inline(never)]
    fn record_located(&self, recorder: &mut ThreadRecorder, function: &Defined) {
        let _kept = LastError::keep();
        let arguments = match self.arguments {
            Arguments::Located(arguments) => arguments,
            Arguments::Resumed => return recorder.resume(function.number()),
            Arguments::Unknown(error) => return recorder.enter_failed(function, &error.to_string()),
        };
        let Some(plan) = self.method().plan() else { return recorder.enter_values(function, |_| {}) };
        if function.arguments().is_some_and(|types| types.len() == arguments.ranges().len())
            && recorder.enter(function, |index| arguments.word(index))
        {
            return;
        }
        self.note_read();
        recorder.enter_values(function, |sink| {
            let Ok(mut scratch) = self.thread.scratch.try_borrow_mut() else { return };
            let mut decoder = self.decoder(&mut scratch);
            plan.decode(arguments.ranges(), &mut decoder, &mut sink.writer());
        });
    }
}

impl<T: CallTracer> EndedCall<'_, T> {
    /// Records the end of the call, as [`EnteredCall::record`].
    #[inline(always)]
    pub fn record(&self, recorder: &mut ThreadRecorder, function: &Defined) {
        if !self.record_at_once(recorder, function) {
            self.clone().record_end(recorder, function);
        }
    }

    /// Records the end of a call, as [`EnteredCall::record_at_once`]. For [`CallTracer::leave_at_once`].
    #[inline(always)]
    pub fn record_at_once(&self, recorder: &mut ThreadRecorder, function: &Defined) -> bool {
        let End::Returned(result, None) = self.end else { return false };
        let Some(word) = result.word() else { return false };
        function.has_plain_end() && recorder.leave_at_once(function, word)
    }

    #[inline(never)]
    fn record_end(&self, recorder: &mut ThreadRecorder, function: &Defined) {
        let _kept = LastError::keep();
        match &self.end {
            End::Threw(exception) => return recorder.unwind(function.number(), exception),
            End::TailCalled => return recorder.tailcall(function.number()),
            End::Suspended => return recorder.suspend(function.number()),
            End::Returned(_, Some(_)) => return self.record_values(recorder, function),
            End::Returned(_, None) => {}
        }
        let is_plain = function.has_plain_end() && recorder.leave(function, || self.word());
        if !is_plain {
            self.record_values(recorder, function);
        }
    }

    /// Records the result, and the targets of `ref` and `out` parameters.
    fn record_values(&self, recorder: &mut ThreadRecorder, function: &Defined) {
        recorder.leave_values(function, |sink| {
            let (Some(plan), Some(range)) = (self.method().plan(), self.result_range()) else { return };
            let Ok(mut scratch) = self.thread.scratch.try_borrow_mut() else { return };
            let mut decoder = self.decoder(&mut scratch);
            match range.map(|range| plan.result(range)) {
                Ok(Some(value)) => value.decode(&mut decoder, &mut sink.writer()),
                Err(error) if plan.returns() => sink.writer().error(error),
                _ => {}
            }
            for out in self.out_arguments() {
                let Position::Parameter(index) = out.position() else { continue };
                out.decode(&mut decoder, &mut sink.out(index));
            }
        });
    }
}
