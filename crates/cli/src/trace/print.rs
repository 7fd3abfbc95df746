//! Prints the events of a recording as lines.

use std::io::Write;

use anyhow::Result;
use argvalues::{Failed, Mode, Position, TextWriter, Visit, Visitor};
use recording::lines::{Format, Line, Place};
use recording::{Function, Step, StepKind, Values, ValuesError};

use super::follow::{At, Beginning, Call, End, Follower, Open, follow};
use super::names::{FunctionId, Functions};
use super::opened::Opened;
use super::selection::Selection;

/// Writes the selected events.
struct Print<'o> {
    format: Format,
    line: String,
    out: &'o mut dyn Write,
}

impl Follower for Print<'_> {
    type Kept = ();

    const WHOLE: bool = false;

    fn is_inside(&self, open: &[Open<()>]) -> bool {
        !open.is_empty()
    }

    /// Follows the outermost selected call.
    fn begin(&mut self, at: &mut At<'_>, open: &[Open<()>], call: Call, _: Beginning) -> Result<Option<()>> {
        let is_outermost = open.is_empty() && at.selection.has_methods;
        Ok((is_outermost && at.functions.is_selected(call.function)).then_some(()))
    }

    fn step(&mut self, at: &mut At<'_>, step: &Step, open: &[Open<()>]) -> Result<()> {
        let Selection { has_methods, .. } = at.selection;
        if !at.selection.has(step.thread, at.time) || *has_methods && open.is_empty() {
            return Ok(());
        }
        self.line.clear();
        let place = Place { thread: step.thread.id, depth: step.depth.into() };
        write_line(&mut self.line, self.format, place, step.kind, at)?;
        self.put()
    }

    fn end(&mut self, _: &mut At<'_>, _: Open<()>, _: End) -> Result<()> {
        Ok(())
    }
}

impl Print<'_> {
    /// Writes the line, if there is one.
    fn put(&mut self) -> Result<()> {
        if !self.line.is_empty() {
            self.line.push('\n');
            self.out.write_all(self.line.as_bytes())?;
        }
        Ok(())
    }
}

/// Writes each selected event in the format of calltrace.
pub(super) fn write(opened: &mut Opened, format: Format, out: &mut dyn Write) -> Result<()> {
    let mut print = Print { format, line: String::new(), out };
    follow(opened, &mut print)?;
    for (function, omitted) in opened.omitted() {
        print.line.clear();
        Line::omitted(&mut print.line, format, opened.functions.text(function), omitted);
        print.put()?;
    }
    Ok(print.out.flush()?)
}

/// Writes the line of the last step.
fn write_line(
    line: &mut String,
    format: Format,
    place: Place,
    kind: StepKind,
    at: &mut At<'_>,
) -> Result<()> {
    match kind {
        StepKind::Enter(number) => {
            let id = at.function(number);
            write_enter(line, format, place, id, at.reader.values()?, at.functions)?;
        }
        StepKind::Resume(number) => {
            let id = at.function(number);
            Line::resume(line, format, place, at.functions.text(id));
        }
        StepKind::Lost(records) => Line::lost(line, format, place, records),
        kind => {
            if let Some((end, number)) = End::of(kind) {
                let id = at.function(number);
                write_end(line, format, place, id, end, at)?;
            }
        }
    }
    Ok(())
}

/// Writes the line of the last step, with which a call ends.
pub(super) fn write_end(
    line: &mut String,
    format: Format,
    place: Place,
    id: FunctionId,
    end: End,
    at: &mut At<'_>,
) -> Result<()> {
    let text = at.functions.text(id);
    match end {
        End::Leave => {
            let begun = Line::leave(line, format, place, text);
            leave(begun, at.functions.function(id), at.reader.values()?)?;
        }
        End::Tailcall => Line::tailcall(line, format, place, text),
        End::Suspend => Line::suspend(line, format, place, text),
        End::Unwind => Line::unwind(line, format, place, text, at.reader.exception()?),
        End::Lost | End::Open => {}
    }
    Ok(())
}

/// Writes the line of a call that begins with these values.
pub(super) fn write_enter(
    line: &mut String,
    format: Format,
    place: Place,
    id: FunctionId,
    values: Values<'_>,
    functions: &Functions,
) -> Result<()> {
    enter(Line::enter(line, format, place, functions.text(id)), functions.function(id), values)
}

/// The next value of a record, and the variable for an error of reading it.
struct Next<'v, 'r>(&'v mut Values<'r>, &'v mut Option<ValuesError>);

impl Visit for Next<'_, '_> {
    fn visit<V: Visitor + ?Sized>(self, visitor: &mut V) {
        match self.0.visit_next(visitor) {
            Ok(true) => {}
            Ok(false) => visitor.error(&"the value is missing in the recording"),
            Err(error) => *self.1 = Some(error),
        }
    }
}

/// Skips the next value.
fn skip(values: &mut Values<'_>) -> Result<(), ValuesError> {
    values.visit_next(&mut TextWriter::new(&mut String::new())).map(drop)
}

fn enter(mut line: Line<'_>, function: &Function, mut values: Values<'_>) -> Result<()> {
    if let Some(failure) = values.failure() {
        line.end_failed(failure);
        return Ok(());
    }
    let mut error = None;
    let from_this = values.clone();
    // Without even the parameters of the call, there are no values.
    let has_this = function.has_this && !values.is_at_end();
    if has_this {
        if line.writes(Position::This) {
            line.argument(Position::This, Mode::Value, Next(&mut values, &mut error));
        } else {
            skip(&mut values)?;
        }
    }
    for (index, parameter) in function.parameters.iter().enumerate() {
        line.argument(Position::Parameter(index), parameter.mode, Next(&mut values, &mut error));
        if parameter.mode == Mode::Out {
            skip(&mut values)?;
        }
    }
    let mut from_this = from_this;
    line.end(has_this.then_some(Next(&mut from_this, &mut error)));
    error.map_or(Ok(()), |error| Err(error.into()))
}

fn leave(mut line: Line<'_>, function: &Function, mut values: Values<'_>) -> Result<()> {
    let mut error = None;
    if let Some(failure) = values.failure() {
        if function.returns.is_some() {
            line.result(Failed(failure));
        }
    } else if function.returns.is_some() {
        line.result(Next(&mut values, &mut error));
    }
    while error.is_none()
        && let Some(parameter) = values.parameter()?
    {
        line.out(parameter, Next(&mut values, &mut error));
    }
    line.end_leave();
    error.map_or(Ok(()), |error| Err(error.into()))
}
