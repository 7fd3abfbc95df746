//! Calls that meet conditions, with their values, their time and their duration.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | the calls |
//! | `values` | the recorded values of a call, for conditions |

mod values;

use std::io::Write;

use anyhow::{Result, bail};
use clap::Args;
use corprof_condition::{Comparison, Condition, Head, Path};
use recording::lines::{Format, Place};
use recording::{Function, KeptValues, Step, StepKind, Thread};

use self::values::{Known, Recorded, When};
use super::names::FunctionId;
use super::opened::{Opened, next};
use super::per_thread::PerThread;
use super::print::{write_enter, write_line};
use super::top::item;
use super::tree::milliseconds;

/// The calls to search for.
#[derive(Args, Debug)]
pub(super) struct Query {
    /// Only calls for which this holds: `order.Total > 100 && return == null`, `name == "apple"`, `duration >= 200ms`, `path ~ "^/api/"`,
    /// `exception is TimeoutException`; `items.Price` is that of any item, `order.*` any value in an object, `*` any value; may be
    /// repeated, and all must hold
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
    /// Which comparisons of the conditions hold, as far as is known.
    known: Vec<Option<bool>>,
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
    /// The values of the end of a call.
    ended: KeptValues,
    found: usize,
    out: &'f mut dyn Write,
    /// Memory of calls that have ended.
    spare: Vec<Begun>,
}

/// Writes the calls as they end. Returns their number.
pub(super) fn write(opened: &mut Opened, query: &Query, out: &mut dyn Write) -> Result<usize> {
    let Opened { reader, timeline, functions, selection, damage } = opened;
    query.check()?;
    let (threads, meant, spare) = (PerThread::default(), Vec::new(), Vec::new());
    let mut find = Find { query, threads, meant, ended: KeptValues::default(), found: 0, out, spare };
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
                let arguments = if meant.reads_arguments { Some(reader.values()?) } else { None };
                let call = Known { function, arguments, end: None, exception: None, duration: None };
                query.check_begin(&call, meant, &mut begun.known)?;
                let decided = query.decide(&begun.known);
                if decided == Some(false) {
                    find.spare.push(begun);
                    continue;
                }
                (begun.depth, begun.function, begun.time) = (depth, id, time);
                begun.line.clear();
                if query.at_least.is_none() && decided == Some(true) {
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
                if query.decide(&begun.known).is_none() {
                    let is_returned = matches!(kind, StepKind::Leave(_));
                    if is_returned {
                        reader.keep_values(&mut find.ended)?;
                    }
                    let end = is_returned.then(|| reader.kept_values(thread, &find.ended)).transpose()?;
                    let call = Known {
                        function: functions.function(begun.function),
                        arguments: Some(reader.kept_values(thread, &begun.values)?),
                        end,
                        exception: matches!(kind, StepKind::Unwind(_))
                            .then(|| reader.exception())
                            .transpose()?,
                        duration: Some(time.saturating_sub(begun.time)),
                    };
                    query.check_end(&call, &mut begun.known)?;
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
        is_long && self.query.decide(&begun.known) == Some(true) && !self.is_enough()
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
    /// Whether all may be met.
    may_hold: bool,
    /// Whether one is about a value of the beginning of a call.
    reads_arguments: bool,
    /// When the values of each comparison are there.
    when: Vec<When>,
}

impl Query {
    /// Refuses conditions on what no recording of calls has.
    fn check(&self) -> Result<()> {
        let mut heads = self.comparisons().flat_map(Comparison::paths).map(Path::head);
        if heads.any(|head| *head == Head::ThreadName) {
            bail!("a recording of calls has no names of threads; --thread selects one by its number");
        }
        Ok(())
    }

    fn comparisons(&self) -> impl Iterator<Item = &Comparison> {
        self.conditions.iter().flat_map(Condition::comparisons)
    }

    /// Whether all conditions hold with what is known.
    fn decide(&self, known: &[Option<bool>]) -> Option<bool> {
        let mut first = 0;
        let mut all = Some(true);
        for condition in &self.conditions {
            let own = known.get(first..).unwrap_or_default();
            match condition.decide_numbered(|number| own.get(number).copied().flatten()) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => all = None,
            }
            first += condition.comparisons().len();
        }
        all
    }

    /// Determines where the conditions may be met in a function.
    fn meant(&self, function: &Function) -> Meant {
        let when: Vec<When> = self.comparisons().map(|comparison| When::of(comparison, function)).collect();
        let never: Vec<_> =
            when.iter().map(|when| (!when.at_begin && !when.at_end).then_some(false)).collect();
        Meant {
            may_hold: self.decide(&never) != Some(false),
            reads_arguments: when.iter().any(|when| when.at_begin),
            when,
        }
    }

    /// Notes which comparisons hold at the beginning of a call, and which cannot.
    fn check_begin(&self, call: &Known<'_>, meant: &Meant, known: &mut Vec<Option<bool>>) -> Result<()> {
        known.clear();
        for (comparison, when) in self.comparisons().zip(&meant.when) {
            let holds = when.at_begin && Recorded::holds(call, comparison)?;
            known.push((holds || !when.at_end).then_some(holds));
        }
        Ok(())
    }

    /// Notes which of the others hold at its end.
    fn check_end(&self, call: &Known<'_>, known: &mut [Option<bool>]) -> Result<()> {
        for (comparison, known) in self.comparisons().zip(known).filter(|(_, known)| known.is_none()) {
            *known = Some(Recorded::holds(call, comparison)?);
        }
        Ok(())
    }
}
