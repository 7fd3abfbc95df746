//! One line for an event, in the format of [`recording::lines`].

use argvalues::{
    Argument, ArgumentRange, Checked, ClrRuntime, Decoder, Limits, Position, SavedRefs, Scratch, Visitor,
};
use recording::lines::{Failed, Format, Line, Place, Tell};

use crate::function::Call;
use crate::thread::{Kept, Thread};

/// What values are decoded with.
pub(crate) struct Values<'v> {
    pub(crate) runtime: &'v ClrRuntime,
    pub(crate) memory: &'v Checked,
    pub(crate) limits: Limits,
    /// Whether collections, tasks and such are shown as their fields.
    pub(crate) raw: bool,
    /// The number of garbage collections so far.
    pub(crate) collections: u64,
}

impl<'v> Values<'v> {
    pub(crate) fn decoder(&self, scratch: &'v mut Scratch) -> Decode<'v> {
        Decoder::new(self.memory, self.runtime, self.limits, scratch).raw(self.raw)
    }
}

pub(crate) type Decode<'d> = Decoder<'d, Checked, ClrRuntime>;

/// A value of the program's, and what decodes it.
struct Decoded<'a, 'd>(&'a Argument<'a>, &'a mut Decode<'d>);

impl Tell for Decoded<'_, '_> {
    fn tell<V: Visitor + ?Sized>(self, visitor: &mut V) {
        self.0.decode(self.1, visitor);
    }
}

/// Writes the line for a call that begins; where its `ref` and `out` parameters refer to.
pub(crate) fn enter(thread: &mut Thread, format: Format, call: &Call, values: &Values<'_>) -> SavedRefs {
    let (place, stack) = (thread.place(), thread.stack());
    let (text, ranges, scratch) = thread.buffers();
    text.clear();
    let mut line = Line::enter(text, format, place, &call.text);
    let Some(plan) = &call.plan else {
        line.end(None::<Decoded<'_, '_>>);
        return SavedRefs::default();
    };
    let mut decoder = values.decoder(scratch).trust(stack);
    let mut this = None;
    for argument in plan.arguments(ranges) {
        if line.tells(argument.position()) {
            line.argument(argument.position(), argument.mode(), Decoded(&argument, &mut decoder));
        } else {
            this = Some(argument);
        }
    }
    line.end(this.as_ref().map(|this| Decoded(this, &mut decoder)));
    plan.save_refs(values.memory, ranges, values.collections)
}

/// Writes the line for a call of which the arguments are not known.
pub(crate) fn enter_failed(
    text: &mut String,
    format: Format,
    place: Place,
    call: &Call,
    error: &corprof::Error,
) {
    text.clear();
    Line::enter(text, format, place, &call.text).end_failed(&error.to_string());
}

/// Writes the line for a call that ends, with the value at `range` returned, if any.
pub(crate) fn leave(
    thread: &mut Thread,
    format: Format,
    kept: &Kept,
    range: Result<ArgumentRange, &corprof::Error>,
    values: &Values<'_>,
) {
    let (place, stack) = (thread.place(), thread.stack());
    let (text, _, scratch) = thread.buffers();
    text.clear();
    let mut line = Line::leave(text, format, place, &kept.call.text);
    let mut decoder = values.decoder(scratch).trust(stack);
    if let Some(plan) = &kept.call.plan {
        match range.map(|range| plan.result(range)) {
            Ok(Some(value)) => line.result(Decoded(&value, &mut decoder)),
            Err(error) if plan.returns() => line.result(Failed(error)),
            _ => {}
        }
        for out in plan.outs(&kept.saved, values.collections) {
            let Position::Parameter(index) = out.position() else { continue };
            line.out(index, Decoded(&out, &mut decoder));
        }
    }
    line.end_leave();
}

/// Writes the line for a call that ends with a tail call.
pub(crate) fn tailcall(text: &mut String, format: Format, place: Place, call: &Call) {
    text.clear();
    Line::tailcall(text, format, place, &call.text);
}

/// Writes the line for a call that an exception ends.
pub(crate) fn unwind(text: &mut String, format: Format, place: Place, call: &Call, exception: &str) {
    text.clear();
    Line::unwind(text, format, place, &call.text, exception);
}
