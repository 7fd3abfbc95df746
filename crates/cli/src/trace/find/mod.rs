//! Calls that meet conditions, with their values, their time and their duration.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | the calls |
//! | `condition` | conditions on values |

mod condition;

use std::io::Write;

use anyhow::Result;
use argvalues::Mode;
use clap::Args;
use recording::lines::{Format, Place};
use recording::{Function, KeptValues, Parameter, Step, StepKind, Thread, Values};

pub(super) use self::condition::Condition;
use self::condition::Matcher;
use super::names::FunctionId;
use super::opened::{Opened, next};
use super::per_thread::PerThread;
use super::print::{write_enter, write_line};
use super::top::item;
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

/// A call that has begun, and may meet the conditions.
#[derive(Default)]
struct Begun {
    depth: u32,
    function: FunctionId,
    time: u64,
    /// Which conditions are met.
    met: Vec<bool>,
    /// The line of its beginning; empty as long as its end decides whether it is found.
    line: String,
    /// The values of its beginning, if there is no line.
    values: KeptValues,
}

struct Find<'f> {
    query: &'f Query,
    /// The calls that are open.
    threads: PerThread<Vec<Begun>>,
    /// Where the conditions may be met, by function.
    meant: Vec<Option<Meant>>,
    found: usize,
    out: &'f mut dyn Write,
    /// Memory of calls that have ended.
    spare: Vec<Begun>,
}

/// Writes the calls as they end. Returns their number.
pub(super) fn write(opened: &mut Opened, query: &Query, out: &mut dyn Write) -> Result<usize> {
    let Opened { reader, timeline, functions, selection, damage } = opened;
    let (threads, meant, spare) = (PerThread::default(), Vec::new(), Vec::new());
    let mut find = Find { query, threads, meant, found: 0, out, spare };
    let format = if query.json { Format::Jsonl } else { Format::Text };
    let mut end = String::new();
    while !find.is_enough()
        && let Some(step) = next(reader, damage, |block| {
            let is_open = || find.threads.peek(block.thread.number).is_some_and(|open| !open.is_empty());
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
                let function = functions.function(id);
                let meant = item(&mut find.meant, id.index());
                let meant = meant.get_or_insert_with(|| query.meant(function));
                if !meant.may_hold {
                    continue;
                }
                let mut begun = find.spare.pop().unwrap_or_default();
                begun.met.clear();
                begun.met.resize(query.conditions.len(), false);
                query.check_arguments(function, meant, reader.values()?, &mut begun.met)?;
                if !begun.met.iter().zip(&meant.at_end).all(|(met, may_be)| *met || *may_be) {
                    find.spare.push(begun);
                    continue;
                }
                (begun.depth, begun.function, begun.time) = (depth, id, time);
                begun.line.clear();
                if query.at_least.is_none() && begun.met.iter().all(|met| *met) {
                    write_enter(&mut begun.line, format, place, id, reader.values()?, functions)?;
                } else {
                    reader.keep_values(&mut begun.values)?;
                }
                find.threads.get(thread.number).push(begun);
            }
            // The beginning of the call is elsewhere.
            StepKind::Resume(_) => find.end_above(thread, depth)?,
            StepKind::Leave(_) | StepKind::Tailcall(_) | StepKind::Unwind(_) | StepKind::Suspend(_) => {
                find.end_above(thread, depth.saturating_add(1))?;
                let open = find.threads.get(thread.number);
                let Some(mut begun) = open.pop_if(|begun| begun.depth == depth) else { continue };
                if matches!(kind, StepKind::Leave(_)) && begun.met.contains(&false) {
                    query.check_result(
                        functions.function(begun.function),
                        reader.values()?,
                        &mut begun.met,
                    )?;
                }
                if find.is_found(&begun, Some(time)) {
                    if begun.line.is_empty() {
                        let values = reader.kept_values(thread, &begun.values)?;
                        write_enter(&mut begun.line, format, place, begun.function, values, functions)?;
                    }
                    end.clear();
                    write_line(&mut end, format, place, kind, reader, functions)?;
                    let ended = match kind {
                        StepKind::Leave(_) => "leave",
                        StepKind::Tailcall(_) => "tailcall",
                        StepKind::Suspend(_) => "suspend",
                        _ => "unwind",
                    };
                    find.put(&begun, Some((time, &end)), ended)?;
                }
                find.spare.push(begun);
            }
            StepKind::Lost(_) => find.end_above(thread, depth)?,
            StepKind::ThreadEnd(_) => {
                let open = find.threads.take(thread.number).unwrap_or_default();
                find.end_open(open)?;
            }
            StepKind::Resumed => find.resume(thread, reader.open_calls())?,
            _ => {}
        }
    }
    for (_, open) in find.threads.take_all() {
        find.end_open(open)?;
    }
    find.out.flush()?;
    Ok(find.found)
}

impl Find<'_> {
    fn is_enough(&self) -> bool {
        self.query.number.is_some_and(|number| self.found >= number)
    }

    /// Whether a call is found that has ended, at this time if its end is recorded.
    fn is_found(&self, begun: &Begun, end: Option<u64>) -> bool {
        let took = end.map(|time| time.saturating_sub(begun.time));
        let is_long = self.query.at_least.is_none_or(|least| took.is_some_and(|took| took >= least));
        is_long && begun.met.iter().all(|met| *met) && !self.is_enough()
    }

    /// Ends calls whose end is missing: those with at least this depth.
    fn end_above(&mut self, thread: Thread, depth: u32) -> Result<()> {
        while let Some(begun) = self.threads.get(thread.number).pop_if(|begun| begun.depth >= depth) {
            self.end_without(begun, "lost")?;
        }
        Ok(())
    }

    /// Ends the calls that are open at the end.
    fn end_open(&mut self, open: Vec<Begun>) -> Result<()> {
        open.into_iter().rev().try_for_each(|begun| self.end_without(begun, "open"))
    }

    /// Ends a call whose end is not recorded. It has its line if it is found.
    fn end_without(&mut self, begun: Begun, ended: &str) -> Result<()> {
        if self.is_found(&begun, None) {
            self.put(&begun, None, ended)?;
        }
        self.spare.push(begun);
        Ok(())
    }

    /// Ends the calls that are not open any more.
    fn resume(&mut self, thread: Thread, open: &[recording::OpenCall]) -> Result<()> {
        for begun in core::mem::take(self.threads.get(thread.number)) {
            if open.iter().any(|call| call.depth == begun.depth) {
                self.threads.get(thread.number).push(begun);
            } else {
                self.end_without(begun, "lost")?;
            }
        }
        Ok(())
    }

    /// Writes a call that is found.
    fn put(&mut self, begun: &Begun, end: Option<(u64, &str)>, ended: &str) -> Result<()> {
        let took = end.map(|(time, _)| time.saturating_sub(begun.time));
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

/// Where the conditions may be met in a function.
struct Meant {
    /// Whether each may be met at the beginning of a call, or at its end.
    may_hold: bool,
    /// How many values of the beginning conditions are about: all behind are left out.
    arguments: usize,
    /// Which conditions may be met at the end.
    at_end: Vec<bool>,
}

impl Query {
    /// Determines where the conditions may be met in a function.
    fn meant(&self, function: &Function) -> Meant {
        let this = function.has_this.then_some(("this", false)).into_iter();
        let parameters = function.parameters.iter();
        // An `out` parameter has no value yet.
        let arguments =
            this.chain(parameters.map(|parameter| (parameter.name.as_str(), parameter.mode == Mode::Out)));
        let is_passed_back = |parameter: &&Parameter| matches!(parameter.mode, Mode::Ref | Mode::Out);
        let mut meant = Meant { may_hold: true, arguments: 0, at_end: Vec::new() };
        for condition in &self.conditions {
            let is_about = |(index, (name, is_out)): (usize, (&str, bool))| {
                (!is_out && condition.is_about(name)).then_some(index + 1)
            };
            let last = arguments.clone().enumerate().filter_map(is_about).last();
            let at_end = condition.is_about("return")
                || function.parameters.iter().filter(is_passed_back).any(|one| condition.is_about(&one.name));
            meant.may_hold &= last.is_some() || at_end;
            meant.arguments = meant.arguments.max(last.unwrap_or(0));
            meant.at_end.push(at_end);
        }
        meant
    }

    /// Notes the conditions that arguments meet.
    fn check_arguments(
        &self,
        function: &Function,
        meant: &Meant,
        mut values: Values<'_>,
        met: &mut [bool],
    ) -> Result<()> {
        let this = function.has_this.then_some("this").into_iter();
        let parameters = function
            .parameters
            .iter()
            .map(|parameter| if parameter.mode == Mode::Out { "" } else { parameter.name.as_str() });
        for name in this.chain(parameters).take(meant.arguments) {
            if values.is_at_end() {
                break;
            }
            self.check(name, &mut values, met)?;
        }
        Ok(())
    }

    /// Notes the conditions that the result and the targets of parameters meet.
    fn check_result(&self, function: &Function, mut values: Values<'_>, met: &mut [bool]) -> Result<()> {
        if values.failure().is_some() {
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

    /// Passes a value, and notes the conditions that it meets.
    fn check(&self, name: &str, values: &mut Values<'_>, met: &mut [bool]) -> Result<()> {
        let mut about = self
            .conditions
            .iter()
            .zip(met)
            .filter(|(condition, met)| !**met && !name.is_empty() && condition.is_about(name));
        let Some(mut condition) = about.next() else {
            values.visit_next(&mut Matcher::new(name, None))?;
            return Ok(());
        };
        // All but the last one look at a copy.
        for next in about {
            let mut matcher = Matcher::new(name, Some(condition.0));
            values.clone().visit_next(&mut matcher)?;
            *condition.1 = matcher.is_met();
            condition = next;
        }
        let mut matcher = Matcher::new(name, Some(condition.0));
        values.visit_next(&mut matcher)?;
        *condition.1 = matcher.is_met();
        Ok(())
    }
}
