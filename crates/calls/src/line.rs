//! A call as a line: the format of [`recording::lines`].

use core::fmt;

use argvalues::{Decoder, Failed, MethodPlan, Mode, Position, PrimitiveValue, Visit, Visitor};
use recording::lines::{Format, Line, Place};

use crate::call::{Arguments, Call, EnteredCall};
use crate::ended::{End, EndedCall, Outcome};
use crate::program::ProgramMemory;
use crate::runtime::ClrRuntime;
use crate::tracer::CallTracer;

type Decode<'d> = Decoder<'d, ProgramMemory, ClrRuntime>;

/// A value, and the decoder of all values of the line.
struct Decoded<'a, 'd>(&'a argvalues::Argument<'a>, &'a mut Decode<'d>);

impl Visit for Decoded<'_, '_> {
    fn visit<V: Visitor + ?Sized>(self, visitor: &mut V) {
        self.0.decode(self.1, visitor);
    }
}

impl<T: CallTracer> Call<'_, T> {
    /// The thread and the depth, as lines have them.
    #[must_use]
    pub fn place(&self) -> Place {
        Place { thread: self.thread_id(), depth: self.depth() as u64 }
    }
}

impl<T: CallTracer> EnteredCall<'_, T> {
    /// Appends the line of a call that begins, without the line's end, as `docs/calltrace-format.md` in the repository
    /// describes it.
    pub fn write_line(&self, out: &mut String, format: Format) {
        if self.is_resumed() {
            return Line::resume(out, format, self.place(), self.method().text());
        }
        let mut line = Line::enter(out, format, self.place(), self.method().text());
        if let Some(error) = self.failure() {
            return line.end_failed(&error.to_string());
        }
        self.note_read();
        let Some(plan) = self.method().plan() else { return line.end(None::<PrimitiveValue>) };
        let mut written = 0;
        while let Some(number) = self.number(plan, written) {
            // There is no `this` in front: it would come first, and is not a number.
            line.argument(Position::Parameter(written), Mode::Value, number);
            written += 1;
        }
        if written == plan.argument_count() {
            return line.end(None::<PrimitiveValue>);
        }
        self.write_decoded(line, plan, written);
    }

    /// Writes the arguments from one on that is not a number, and ends the line.
    #[inline(never)]
    fn write_decoded(&self, mut line: Line<'_>, plan: &MethodPlan, written: usize) {
        let (Some(ranges), Ok(mut scratch)) = (self.ranges(), self.thread.scratch.try_borrow_mut()) else {
            return line.end(None::<PrimitiveValue>);
        };
        let mut decoder = self.decoder(&mut scratch);
        let mut this = None;
        for (index, argument) in plan.arguments(&ranges).enumerate().skip(written) {
            let position = argument.position();
            match self.number(plan, index) {
                Some(number) => line.argument(position, Mode::Value, number),
                None if line.writes(position) => {
                    line.argument(position, argument.mode(), Decoded(&argument, &mut decoder));
                }
                None => this = Some(argument),
            }
        }
        line.end(this.as_ref().map(|this| Decoded(this, &mut decoder)));
    }

    /// An argument that is a number: its bits, without a look at the program's memory. `None` for anything else.
    #[inline]
    fn number(&self, plan: &MethodPlan, index: usize) -> Option<PrimitiveValue> {
        let Arguments::Located(arguments) = self.arguments else { return None };
        let primitive = plan.primitive_argument(index)?;
        Some(PrimitiveValue { primitive, bits: arguments.word_of(index, plan.argument_count())? })
    }
}

impl<T: CallTracer> EndedCall<'_, T> {
    /// Appends the line of a call that has ended, as [`EnteredCall::write_line`].
    pub fn write_line(&self, out: &mut String, format: Format) {
        let (place, text) = (self.place(), self.method().text());
        match self.outcome() {
            Outcome::Returned => self.write_results(Line::leave(out, format, place, text)),
            Outcome::Threw(exception) => Line::unwind(out, format, place, text, exception),
            Outcome::TailCalled => Line::tailcall(out, format, place, text),
            Outcome::Suspended => Line::suspend(out, format, place, text),
        }
    }

    fn write_results(&self, mut line: Line<'_>) {
        match (&self.end, self.method().plan()) {
            (End::Returned(_, None), Some(plan)) if !plan.returns() => {}
            (End::Returned(result, None), Some(plan))
                if let (Some(primitive), Some(bits)) = (plan.primitive_result(), result.word()) =>
            {
                line.result(PrimitiveValue { primitive, bits });
            }
            (_, Some(plan)) => self.write_decoded(&mut line, plan),
            (_, None) => {}
        }
        line.end_leave();
    }

    /// Writes a result that is not a number, and the targets of `ref` and `out` parameters.
    #[inline(never)]
    fn write_decoded(&self, line: &mut Line<'_>, plan: &MethodPlan) {
        let (Some(range), Ok(mut scratch)) = (self.result_range(), self.thread.scratch.try_borrow_mut())
        else {
            return;
        };
        let mut decoder = self.decoder(&mut scratch);
        match range.map(|range| plan.result(range)) {
            Ok(Some(value)) => line.result(Decoded(&value, &mut decoder)),
            Err(error) if plan.returns() => line.result(Failed(error)),
            _ => {}
        }
        for out in self.out_arguments() {
            let Position::Parameter(index) = out.position() else { continue };
            line.out(index, Decoded(&out, &mut decoder));
        }
    }
}

impl<T: CallTracer> fmt::Display for EnteredCall<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = String::new();
        self.write_line(&mut line, Format::Text);
        f.write_str(&line)
    }
}

impl<T: CallTracer> fmt::Display for EndedCall<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = String::new();
        self.write_line(&mut line, Format::Text);
        f.write_str(&line)
    }
}
