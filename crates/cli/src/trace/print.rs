//! Prints the events of a recording as lines.

use std::collections::HashMap;
use std::io::{Read, Write};

use anyhow::Result;
use argvalues::{Failed, Mode, Position, TextWriter, Visit, Visitor};
use recording::lines::{Format, Line, Place};
use recording::{Function, FunctionNumber, OpenCall, Reader, Step, StepKind, Values, ValuesError};

use super::names::{FunctionId, Functions};
use super::opened::{Opened, next};

/// Writes each selected event in the format of calltrace.
pub(super) fn write(opened: &mut Opened, format: Format, out: &mut dyn Write) -> Result<()> {
    let Opened { reader, functions, timeline, selection, damage } = &mut *opened;
    let mut line = String::new();
    // The depth of the outermost selected call of each thread.
    let mut inside: HashMap<u32, u32> = HashMap::new();
    while let Some(step) = next(reader, damage, |block| {
        let is_inside = || inside.contains_key(&block.thread.number);
        selection.may_have(block, *timeline, functions, is_inside)
    })? {
        let Step { thread, ticks, depth, kind } = step;
        let (place, number) = (Place { thread: thread.id, depth: depth.into() }, thread.number);
        let is_over = if selection.has_methods {
            track(&mut inside, &step, reader.open_calls(), |number| {
                let id = functions.id(number, reader.functions());
                functions.is_selected(id)
            })
        } else {
            false
        };
        let time = timeline.nanoseconds(ticks);
        if !selection.has(thread, time) || selection.has_methods && !is_over && !inside.contains_key(&number)
        {
            continue;
        }
        line.clear();
        write_line(&mut line, format, place, kind, reader, functions)?;
        if !line.is_empty() {
            line.push('\n');
            out.write_all(line.as_bytes())?;
        }
    }
    for (function, omitted) in opened.omitted() {
        line.clear();
        Line::omitted(&mut line, format, opened.functions.text(function), omitted);
        line.push('\n');
        out.write_all(line.as_bytes())?;
    }
    Ok(out.flush()?)
}

/// Follows the outermost selected call of a thread. Returns whether this step ends it.
fn track(
    inside: &mut HashMap<u32, u32>,
    step: &Step,
    open: &[OpenCall],
    mut is_selected: impl FnMut(FunctionNumber) -> bool,
) -> bool {
    let (number, depth) = (step.thread.number, step.depth);
    match step.kind {
        StepKind::Resumed => {
            inside.remove(&number);
            if let Some(call) = open.iter().find(|call| is_selected(call.function)) {
                inside.insert(number, call.depth);
            }
            false
        }
        StepKind::Enter(function) | StepKind::Resume(function) => {
            // The call before may have ended where records are missing.
            end_from(inside, number, depth);
            if !inside.contains_key(&number) && is_selected(function) {
                inside.insert(number, depth);
            }
            false
        }
        StepKind::ThreadEnd(_) => inside.remove(&number).is_some(),
        StepKind::Lost(_) => {
            end_from(inside, number, depth);
            false
        }
        _ => {
            inside.get(&number).is_some_and(|outer| *outer >= depth) && inside.remove(&number) == Some(depth)
        }
    }
}

/// The thread is in no call of this depth or a greater one any more.
fn end_from(inside: &mut HashMap<u32, u32>, thread: u32, depth: u32) {
    // The other threads are not looked at: there may be as many of them as there are records.
    if inside.get(&thread).is_some_and(|outer| *outer >= depth) {
        inside.remove(&thread);
    }
}

/// Writes the line of the last step.
pub(super) fn write_line<R: Read>(
    line: &mut String,
    format: Format,
    place: Place,
    kind: StepKind,
    reader: &mut Reader<R>,
    functions: &mut Functions,
) -> Result<()> {
    match kind {
        StepKind::Enter(number) => {
            let id = functions.id(number, reader.functions());
            write_enter(line, format, place, id, reader.values()?, functions)?;
        }
        StepKind::Leave(number) => {
            let id = functions.id(number, reader.functions());
            let begun = Line::leave(line, format, place, functions.text(id));
            leave(begun, functions.function(id), reader.values()?)?;
        }
        StepKind::Tailcall(number) => {
            let id = functions.id(number, reader.functions());
            Line::tailcall(line, format, place, functions.text(id));
        }
        StepKind::Suspend(number) => {
            let id = functions.id(number, reader.functions());
            Line::suspend(line, format, place, functions.text(id));
        }
        StepKind::Resume(number) => {
            let id = functions.id(number, reader.functions());
            Line::resume(line, format, place, functions.text(id));
        }
        StepKind::Unwind(number) => {
            let id = functions.id(number, reader.functions());
            Line::unwind(line, format, place, functions.text(id), reader.exception()?);
        }
        StepKind::Lost(records) => Line::lost(line, format, place, records),
        // The end of a thread is not the end of a call.
        _ => {}
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
