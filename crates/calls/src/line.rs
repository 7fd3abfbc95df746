//! A call as a line: the format of [`recording::lines`].

use core::fmt;

use argvalues::{Decoder, Failed, Position, Visit, Visitor};
use recording::lines::{Format, Line, Place};

use crate::call::{Call, EndedCall, EnteredCall, Outcome};
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
        let mut line = Line::enter(out, format, self.place(), self.method().text());
        if let Some(error) = self.failure() {
            return line.end_failed(&error.to_string());
        }
        self.note_read();
        let (Some(plan), Some(ranges), Ok(mut scratch)) =
            (self.method().plan(), self.ranges(), self.thread.scratch.try_borrow_mut())
        else {
            return line.end(None::<Decoded<'_, '_>>);
        };
        let mut decoder = self.decoder(&mut scratch);
        let mut this = None;
        for argument in plan.arguments(&ranges) {
            if line.writes(argument.position()) {
                line.argument(argument.position(), argument.mode(), Decoded(&argument, &mut decoder));
            } else {
                this = Some(argument);
            }
        }
        line.end(this.as_ref().map(|this| Decoded(this, &mut decoder)));
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
        }
    }

    fn write_results(&self, mut line: Line<'_>) {
        if let (Some(plan), Some(range), Ok(mut scratch)) =
            (self.method().plan(), self.result_range(), self.thread.scratch.try_borrow_mut())
        {
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
        line.end_leave();
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
