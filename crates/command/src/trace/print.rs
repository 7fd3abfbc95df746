//! Prints the events of a recording as lines.

use std::io::Write;

use anyhow::Result;
use argvalues::{Failed, Mode, Position, TextWriter, Visit, Visitor};
use recording::lines::{Format, Line, Place};
use recording::{EventKind, Function, Values, ValuesError};

use super::opened::Opened;

/// Writes each event in the format of calltrace.
pub(super) fn write(opened: &mut Opened, format: Format, out: &mut dyn Write) -> Result<()> {
    let Opened { reader, functions, .. } = opened;
    let mut line = String::new();
    while let Some(event) = reader.next()? {
        line.clear();
        let place = Place { thread: event.thread.id, depth: event.depth.into() };
        match event.kind {
            EventKind::Enter(function, values) => {
                let id = functions.id(function);
                enter(
                    Line::enter(&mut line, format, place, functions.text(id)),
                    functions.function(id),
                    values,
                )?;
            }
            EventKind::Leave(function, values) => {
                let id = functions.id(function);
                leave(Line::leave(&mut line, format, place, functions.text(id)), function, values)?;
            }
            EventKind::Tailcall(function) => {
                let id = functions.id(function);
                Line::tailcall(&mut line, format, place, functions.text(id));
            }
            EventKind::Unwind(function, exception) => {
                let id = functions.id(function);
                Line::unwind(&mut line, format, place, functions.text(id), exception);
            }
            EventKind::Lost(records) => Line::lost(&mut line, format, place, records),
            // The end of a thread is not the end of a call.
            _ => continue,
        }
        line.push('\n');
        out.write_all(line.as_bytes())?;
    }
    Ok(out.flush()?)
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
