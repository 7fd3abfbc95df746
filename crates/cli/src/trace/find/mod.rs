//! Calls that meet conditions, with their values, their time and their duration.
//!
//! | file | subject |
//! |---|---|
//! | `mod` | the calls |
//! | `values` | the recorded values of a call, for conditions |

mod values;

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::{Result, bail};
use clap::Args;
use corprof_condition::{Comparison, Condition, Head, Path};
use recording::lines::{Format, Place};
use recording::{Function, KeptValues};

use self::values::{Known, Recorded, When};
use super::follow::{At, Beginning, Call, End, Follower, Open, follow};
use super::opened::Opened;
use super::print::{write_end, write_enter};
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

/// What is kept of a call that has begun, and may meet the conditions.
#[derive(Default)]
struct Begun {
    /// Which comparisons of the conditions hold, as far as is known.
    known: Vec<Option<bool>>,
    /// The line of its beginning; empty as long as its end decides whether it is found.
    line: String,
    /// The values of its beginning, if there is no line.
    values: KeptValues,
}

struct Find<'f> {
    query: &'f Query,
    format: Format,
    /// Where the conditions may be met, by function.
    meant: Vec<Option<Meant>>,
    /// The values of the end of a call.
    ended: KeptValues,
    /// The names of the arguments of the selected methods.
    arguments: BTreeSet<String>,
    found: usize,
    out: &'f mut dyn Write,
    /// The line of the end of a call.
    end: String,
    /// Memory of calls that have ended.
    spare: Vec<Begun>,
}

/// Writes the calls as they end. If there is none, returns why that may be.
pub(super) fn write(opened: &mut Opened, query: &Query, out: &mut dyn Write) -> Result<Option<String>> {
    let format = if query.json { Format::Jsonl } else { Format::Text };
    query.check()?;
    let (meant, end, spare) = (Vec::new(), String::new(), Vec::new());
    let mut find = Find {
        query,
        format,
        meant,
        ended: KeptValues::default(),
        arguments: BTreeSet::new(),
        found: 0,
        out,
        end,
        spare,
    };
    follow(opened, &mut find)?;
    find.out.flush()?;
    Ok((find.found == 0).then(|| find.reason()))
}

impl Follower for Find<'_> {
    type Kept = Begun;

    const WHOLE: bool = true;

    fn is_inside(&self, open: &[Open<Begun>]) -> bool {
        !open.is_empty()
    }

    fn is_done(&self) -> bool {
        self.query.number.is_some_and(|number| self.found >= number)
    }

    fn begin(
        &mut self,
        at: &mut At<'_>,
        _: &[Open<Begun>],
        call: Call,
        beginning: Beginning,
    ) -> Result<Option<Begun>> {
        // Of a call that goes on, the beginning is elsewhere.
        if beginning != Beginning::Enter
            || !(at.selection.has(at.lane.thread, at.time) && at.functions.is_selected(call.function))
        {
            return Ok(None);
        }
        let query = self.query;
        let function = at.functions.function(call.function);
        let arguments = &mut self.arguments;
        let meant = item(&mut self.meant, call.function.index()).get_or_insert_with(|| {
            arguments.extend(function.parameters.iter().map(|parameter| parameter.name.clone()));
            query.meant(function)
        });
        if !meant.may_hold {
            return Ok(None);
        }
        let mut begun = self.spare.pop().unwrap_or_default();
        begun.line.clear();
        let arguments = if meant.reads_arguments { Some(at.reader.values()?) } else { None };
        let known = Known { function, arguments, end: None, exception: None, duration: None };
        query.check_begin(&known, meant, &mut begun.known)?;
        let decided = query.decide(&begun.known);
        if decided == Some(false) {
            self.spare.push(begun);
            return Ok(None);
        }
        if query.at_least.is_none() && decided == Some(true) {
            let place = Place { thread: at.lane.thread.id, depth: call.depth.into() };
            let values = at.reader.values()?;
            write_enter(&mut begun.line, self.format, place, call.function, values, at.functions)?;
        } else {
            at.reader.keep_values(&mut begun.values)?;
        }
        Ok(Some(begun))
    }

    fn end(&mut self, at: &mut At<'_>, Open { call, kept: mut begun }: Open<Begun>, end: End) -> Result<()> {
        if end.is_recorded() && self.query.decide(&begun.known).is_none() {
            if end == End::Leave {
                at.reader.keep_values(&mut self.ended)?;
            }
            let (reader, thread) = (&*at.reader, at.lane.thread);
            let known = Known {
                function: at.functions.function(call.function),
                arguments: Some(reader.kept_values(thread, &begun.values)?),
                end: (end == End::Leave).then(|| reader.kept_values(thread, &self.ended)).transpose()?,
                exception: (end == End::Unwind).then(|| reader.exception()).transpose()?,
                duration: Some(at.time.saturating_sub(call.begun)),
            };
            self.query.check_end(&known, &mut begun.known)?;
        }
        let took = end.is_recorded().then(|| at.time.saturating_sub(call.begun));
        if self.is_found(&begun, took) {
            if end.is_recorded() {
                self.write_lines(at, call, &mut begun, end)?;
            }
            self.put(call.begun, &begun.line, took, end)?;
        }
        self.spare.push(begun);
        Ok(())
    }
}

impl Find<'_> {
    /// Why no call was found.
    fn reason(&self) -> String {
        let paths = self.query.comparisons().flat_map(Comparison::paths);
        let unknown = paths.filter_map(|path| match path.head() {
            Head::Argument(name) if !self.arguments.contains(name) => Some(format!("`{name}`")),
            _ => None,
        });
        let unknown: BTreeSet<String> = unknown.collect();
        if unknown.is_empty() {
            return "no call meets the conditions".to_owned();
        }
        let unknown = unknown.into_iter().collect::<Vec<_>>().join(", ");
        let known = self.arguments.iter().filter(|name| !name.is_empty()).take(20);
        let known = known.map(String::as_str).collect::<Vec<_>>().join(", ");
        format!(
            "no call meets the conditions: no selected method has an argument {unknown}; there are: {known}. A text is in quotes: \
             name == \"apple\""
        )
    }

    /// Whether a call is found that has ended, after this time if its end is recorded.
    fn is_found(&self, begun: &Begun, took: Option<u64>) -> bool {
        let is_long = self.query.at_least.is_none_or(|least| took.is_some_and(|took| took >= least));
        is_long && self.query.decide(&begun.known) == Some(true) && !self.is_done()
    }

    /// Writes the line of the end of a call, and that of its beginning unless it has been written.
    fn write_lines(&mut self, at: &mut At<'_>, call: Call, begun: &mut Begun, end: End) -> Result<()> {
        let place = Place { thread: at.lane.thread.id, depth: call.depth.into() };
        if begun.line.is_empty() {
            let values = at.reader.kept_values(at.lane.thread, &begun.values)?;
            write_enter(&mut begun.line, self.format, place, call.function, values, at.functions)?;
        }
        self.end.clear();
        write_end(&mut self.end, self.format, place, call.function, end, at)
    }

    /// Writes a call that is found.
    fn put(&mut self, begun: u64, line: &str, took: Option<u64>, end: End) -> Result<()> {
        self.found += 1;
        let end_line = &self.end;
        if self.query.json {
            write!(self.out, r#"{{"time":{begun},"end":"{}""#, end.word())?;
            if let Some(took) = took {
                write!(self.out, r#","duration":{took}"#)?;
            }
            write!(self.out, r#","enter":{line}"#)?;
            if took.is_some() {
                write!(self.out, r#","leave":{end_line}"#)?;
            }
            writeln!(self.out, "}}")?;
        } else {
            writeln!(self.out, "{:>14} ms  {line}", milliseconds(begun))?;
            match took {
                Some(took) => writeln!(self.out, "{:>14} ms  {end_line}", milliseconds(took))?,
                None if end == End::Open => writeln!(self.out, "{:>17}  does not end", "")?,
                None => writeln!(self.out, "{:>17}  its end is missing", "")?,
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
