//! Calls that meet conditions, with their values, their time and their duration.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | the calls |
//! | `condition` | conditions on values |

mod condition;

use std::collections::HashMap;
use std::io::Write;

use anyhow::Result;
use argvalues::Mode;
use clap::Args;
use recording::lines::{Format, Place};
use recording::{Function, Step, StepKind, Thread, Values};

pub(super) use self::condition::Condition;
use self::condition::Matcher;
use super::names::FunctionId;
use super::opened::Opened;
use super::print::write_line;
use super::tree::milliseconds;

/// The calls to search for.
#[derive(Args, Debug)]
pub(super) struct Query {
    /// Only calls with this value: `name=apple`, `count>=10`, `item.price<1.5`, `this.Id!=7`, `return=null`, `path~.json` (has the
    /// text); `*` for any value, `item.*` for any value in an object; may be repeated, and all must hold
    #[arg(short, long = "where", value_name = "CONDITION")]
    conditions: Vec<Condition>,
    /// Only calls that take at least so long, as --from
    #[arg(long, value_name = "TIME", value_parser = super::selection::time)]
    at_least: Option<u64>,
    /// Stop after so many calls
    #[arg(short, long, value_name = "N")]
    number: Option<usize>,
    /// Write an object for each call: its time and duration in nanoseconds, and the lines of its beginning and end
    #[arg(long)]
    json: bool,
}

/// A call that has begun, and meets the conditions so far.
struct Begun {
    depth: u32,
    function: FunctionId,
    time: u64,
    /// The line of its beginning.
    line: String,
    /// Which conditions are met.
    met: Vec<bool>,
}

struct Find<'f> {
    query: &'f Query,
    threads: HashMap<u32, Vec<Begun>>,
    found: usize,
    out: &'f mut dyn Write,
}

/// Writes the calls as they end. Returns their number.
pub(super) fn write(opened: &mut Opened, query: &Query, out: &mut dyn Write) -> Result<usize> {
    let Opened { reader, timeline, functions, selection } = opened;
    let mut find = Find { query, threads: HashMap::new(), found: 0, out };
    let format = if query.json { Format::Jsonl } else { Format::Text };
    let mut end = String::new();
    while !find.is_enough()
        && let Some(step) = reader.step_where(|block| {
            let is_open = || find.threads.get(&block.thread.number).is_some_and(|open| !open.is_empty());
            selection.may_have_call(block, *timeline, functions, is_open)
        })?
    {
        let Step { thread, ticks, depth, kind } = step;
        let time = timeline.nanoseconds(ticks);
        let place = Place { thread: thread.id, depth: depth.into() };
        match kind {
            StepKind::Enter(number) => {
                find.end_above(thread, depth)?;
                let id = functions.id(number, reader.functions());
                if !(selection.has(thread, time) && functions.is_selected(id)) {
                    continue;
                }
                let mut met = vec![false; query.conditions.len()];
                query.check_arguments(functions.function(id), reader.values()?, &mut met)?;
                if !query.may_hold(functions.function(id), &met) {
                    continue;
                }
                let mut line = String::new();
                write_line(&mut line, format, place, kind, reader, functions)?;
                let begun = Begun { depth, function: id, time, line, met };
                find.threads.entry(thread.number).or_default().push(begun);
            }
            StepKind::Leave(_) | StepKind::Tailcall(_) | StepKind::Unwind(_) => {
                find.end_above(thread, depth.saturating_add(1))?;
                let open = find.threads.get_mut(&thread.number);
                let Some(mut begun) = open.and_then(|open| open.pop_if(|begun| begun.depth == depth)) else {
                    continue;
                };
                if matches!(kind, StepKind::Leave(_)) {
                    query.check_result(
                        functions.function(begun.function),
                        reader.values()?,
                        &mut begun.met,
                    )?;
                }
                end.clear();
                write_line(&mut end, format, place, kind, reader, functions)?;
                let ended = match kind {
                    StepKind::Leave(_) => "leave",
                    StepKind::Tailcall(_) => "tailcall",
                    _ => "unwind",
                };
                find.put(&begun, Some((time, &end)), ended)?;
            }
            StepKind::Lost(_) => find.end_above(thread, depth)?,
            StepKind::ThreadEnd(_) => find.end_all(thread.number)?,
            StepKind::Resumed => find.resume(thread, reader.open_calls())?,
            _ => {}
        }
    }
    let mut left: Vec<u32> = find.threads.keys().copied().collect();
    left.sort_unstable();
    for thread in left {
        find.end_all(thread)?;
    }
    find.out.flush()?;
    Ok(find.found)
}

impl Find<'_> {
    fn is_enough(&self) -> bool {
        self.query.number.is_some_and(|number| self.found >= number)
    }

    /// Ends calls whose end is missing: those with at least this depth.
    fn end_above(&mut self, thread: Thread, depth: u32) -> Result<()> {
        while let Some(open) = self.threads.get_mut(&thread.number)
            && let Some(begun) = open.pop_if(|begun| begun.depth >= depth)
        {
            self.put(&begun, None, "lost")?;
        }
        Ok(())
    }

    /// Ends the calls that are open at the end.
    fn end_all(&mut self, thread: u32) -> Result<()> {
        for begun in self.threads.remove(&thread).into_iter().flatten().rev() {
            self.put(&begun, None, "open")?;
        }
        Ok(())
    }

    /// Ends the calls that are not open any more.
    fn resume(&mut self, thread: Thread, open: &[recording::OpenCall]) -> Result<()> {
        let Some(begun) = self.threads.remove(&thread.number) else { return Ok(()) };
        for begun in begun {
            if open.iter().any(|call| call.depth == begun.depth) {
                self.threads.entry(thread.number).or_default().push(begun);
            } else {
                self.put(&begun, None, "lost")?;
            }
        }
        Ok(())
    }

    /// Writes a call that has ended, if all conditions are met.
    fn put(&mut self, begun: &Begun, end: Option<(u64, &str)>, ended: &str) -> Result<()> {
        let took = end.map(|(time, _)| time.saturating_sub(begun.time));
        let is_long = self.query.at_least.is_none_or(|least| took.is_some_and(|took| took >= least));
        if !is_long || !begun.met.iter().all(|met| *met) || self.is_enough() {
            return Ok(());
        }
        self.found += 1;
        let (time, line) = (begun.time, &begun.line);
        if self.query.json {
            write!(self.out, r#"{{"time":{time},"end":"{ended}""#)?;
            if let Some(took) = took {
                write!(self.out, r#","duration":{took}"#)?;
            }
            write!(self.out, r#","enter":{line}"#)?;
            if let Some((_, end)) = end {
                write!(self.out, r#","leave":{end}"#)?;
            }
            writeln!(self.out, "}}")?;
        } else {
            writeln!(self.out, "{:>14} ms  {line}", milliseconds(time))?;
            match (took, end) {
                (Some(took), Some((_, end))) => writeln!(self.out, "{:>14} ms  {end}", milliseconds(took))?,
                _ if ended == "open" => writeln!(self.out, "{:>17}  does not end", "")?,
                _ => writeln!(self.out, "{:>17}  its end is missing", "")?,
            }
        }
        Ok(())
    }
}

impl Query {
    /// Notes the conditions that arguments meet.
    fn check_arguments(&self, function: &Function, mut values: Values<'_>, met: &mut [bool]) -> Result<()> {
        if self.conditions.is_empty() {
            return Ok(());
        }
        if function.has_this && !values.is_at_end() {
            self.check("this", &mut values, met)?;
        }
        for parameter in &function.parameters {
            if values.is_at_end() {
                break;
            }
            // An `out` parameter has no value yet.
            let name = if parameter.mode == Mode::Out { "" } else { &parameter.name };
            self.check(name, &mut values, met)?;
        }
        Ok(())
    }

    /// Notes the conditions that the result and the targets of parameters meet.
    fn check_result(&self, function: &Function, mut values: Values<'_>, met: &mut [bool]) -> Result<()> {
        if self.conditions.is_empty() || values.failure().is_some() {
            return Ok(());
        }
        if function.returns.is_some() {
            self.check("return", &mut values, met)?;
        }
        while let Some(index) = values.parameter()? {
            let name = function.parameters.get(index).map_or("", |parameter| &parameter.name);
            self.check(name, &mut values, met)?;
        }
        Ok(())
    }

    fn check(&self, name: &str, values: &mut Values<'_>, met: &mut [bool]) -> Result<()> {
        let value = values.clone();
        for (condition, met) in self.conditions.iter().zip(met) {
            if condition.is_about(name) && !*met && !name.is_empty() {
                let mut matcher = Matcher::new(name, Some(condition));
                value.clone().visit_next(&mut matcher)?;
                *met = matcher.is_met();
            }
        }
        values.visit_next(&mut Matcher::new(name, None))?;
        Ok(())
    }

    /// Whether the conditions that are not met may be met at the end of the call.
    fn may_hold(&self, function: &Function, met: &[bool]) -> bool {
        let is_out = |name: &str| {
            let is_passed_back = |mode| matches!(mode, Mode::Ref | Mode::Out);
            function
                .parameters
                .iter()
                .any(|parameter| parameter.name == name && is_passed_back(parameter.mode))
        };
        let may_come =
            |condition: &Condition| condition.is_about("return") || condition.name().is_some_and(is_out);
        self.conditions.iter().zip(met).all(|(condition, met)| *met || may_come(condition))
    }
}
