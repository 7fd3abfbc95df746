//! Garbage collections and pauses.

use core::fmt::{self, Write as _};
use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::time::Duration;

use corprof_profile::{Context, Format, Frame, Profile, Span, Table, Timeline, Unit, ValueType};
use recording::streams::Row;

use crate::cells::Cells as _;
use crate::limits::{EVENTS, KINDS, NEWEST};
use crate::view::{Moment, Shown, View};

/// The values of the profile.
const VALUES: [(&str, Unit); 3] =
    [("collections", Unit::Count), ("paused", Unit::Nanoseconds), ("suspending", Unit::Nanoseconds)];

/// The index of the time in pauses among them.
const PAUSED: usize = 1;

/// The parts of the heap: the generations 0 to 2, large objects, pinned objects.
const SPACES: usize = 5;

/// Sums of the pauses of one kind.
#[derive(Clone, Default)]
struct Sums {
    count: u64,
    induced: u64,
    total: Duration,
    suspending: Duration,
    longest: Duration,
    longest_suspending: Duration,
    newest: VecDeque<Duration>,
}

impl Sums {
    fn add(&mut self, paused: Duration, suspending: Duration, induced: u64) {
        self.count += 1;
        self.induced = self.induced.saturating_add(induced);
        self.total = self.total.saturating_add(paused);
        self.suspending = self.suspending.saturating_add(suspending);
        self.longest = self.longest.max(paused);
        self.longest_suspending = self.longest_suspending.max(suspending);
        self.newest.push_back(paused);
        if self.newest.len() > NEWEST {
            self.newest.pop_front();
        }
    }

    fn percentile(&self, percent: usize) -> Duration {
        let mut sorted: Vec<Duration> = self.newest.iter().copied().collect();
        sorted.sort_unstable();
        let index = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
        sorted.get(index).copied().unwrap_or_default()
    }

    /// The columns of a table, and the last one.
    fn row(&self, induced: bool, name: &str) -> [String; 9] {
        [
            self.count.to_string(),
            if induced { self.induced.to_string() } else { String::new() },
            milliseconds(self.total),
            milliseconds(self.percentile(50)),
            milliseconds(self.percentile(99)),
            milliseconds(self.longest),
            milliseconds(self.suspending),
            milliseconds(self.longest_suspending),
            name.to_owned(),
        ]
    }
}

/// A collection that is listed.
struct Collection {
    number: u64,
    generation: u64,
    kind: String,
    reason: String,
    begin: Duration,
    paused: Duration,
    suspending: Duration,
}

/// The bytes before and after a collection.
type Sizes = [Option<(u64, u64)>; SPACES];

/// Everything that was measured.
pub(super) struct Gc {
    program: String,
    /// When the session began.
    begin: Duration,
    /// By generation, and whether it ran in the background.
    collections: BTreeMap<(u64, bool), Sums>,
    /// By the reason of the suspension, in the order in which they came.
    pauses: Vec<(String, Sums)>,
    newest: VecDeque<Collection>,
    /// Of the newest collections, by their numbers.
    sizes: BTreeMap<u64, Sizes>,
    timeline: Timeline,
    profile: Profile,
    last: usize,
    /// The number of callbacks that did not fit the others.
    unpaired: u64,
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64() * 1000.0)
}

impl Gc {
    pub(super) fn new(shown: &Shown<'_>) -> Self {
        let types = VALUES.iter().map(|(name, unit)| ValueType::new(name, *unit)).collect();
        Self {
            program: shown.program.to_owned(),
            begin: shown.begin,
            collections: BTreeMap::new(),
            pauses: Vec::new(),
            newest: VecDeque::new(),
            sizes: BTreeMap::new(),
            timeline: Timeline::new(shown.program, EVENTS),
            profile: Profile::new(shown.program, types),
            last: shown.limit("LAST"),
            unpaired: 0,
        }
    }

    fn collection(&mut self, row: &Row<'_>) {
        let nanoseconds = |name| Duration::from_nanos(row.number(name));
        let (generation, kind, reason) = (row.number("generation"), row.text("kind"), row.text("reason"));
        let (paused, suspending) = (nanoseconds("paused"), nanoseconds("suspending"));
        let of = (generation, kind == "background");
        if self.collections.len() < KINDS || self.collections.contains_key(&of) {
            self.collections.entry(of).or_default().add(paused, suspending, row.number("induced"));
        }
        let name = format!("generation {generation}, {kind}, {reason}");
        let frame = self.profile.frame(Frame { name: &name, module: "" });
        let context = self.profile.context(&Context::default());
        self.profile.add([frame], context, &[1, row.number("paused"), row.number("suspending")]);
        let (number, begin) = (row.number("number"), Duration::from_nanos(row.time("begin")));
        let sizes = self.sizes.get(&number).copied().unwrap_or_default();
        let bytes = |which: fn((u64, u64)) -> u64| {
            sizes.map(|size| size.map_or_else(String::new, |size| which(size).to_string())).join(" ")
        };
        self.timeline.add(Span {
            row: "collections".into(),
            name,
            begin: begin.saturating_sub(self.begin),
            length: nanoseconds("length"),
            properties: vec![
                ("number", number.to_string()),
                ("paused ms", milliseconds(paused)),
                ("bytes before", bytes(|(before, _)| before)),
                ("bytes after", bytes(|(_, after)| after)),
            ],
        });
        let (kind, reason) = (kind.to_owned(), reason.to_owned());
        let begin = begin.saturating_sub(self.begin);
        self.newest.push_back(Collection { number, generation, kind, reason, begin, paused, suspending });
        if self.newest.len() > self.last {
            self.newest.pop_front();
        }
    }

    fn pause(&mut self, row: &Row<'_>) {
        let nanoseconds = |name| Duration::from_nanos(row.number(name));
        let (reason, length, suspending) =
            (row.text("reason"), nanoseconds("length"), nanoseconds("suspending"));
        let index = self.pauses.iter().position(|(known, _)| known == reason).unwrap_or_else(|| {
            // A runtime has a dozen reasons.
            if self.pauses.len() < KINDS {
                self.pauses.push((reason.to_owned(), Sums::default()));
            }
            self.pauses.len() - 1
        });
        if let Some((_, sums)) = self.pauses.get_mut(index) {
            sums.add(length, suspending, 0);
        }
        self.timeline.add(Span {
            row: "pauses".into(),
            name: format!("paused: {reason}"),
            begin: Duration::from_nanos(row.time("begin")).saturating_sub(self.begin),
            length,
            properties: vec![("suspending ms", milliseconds(suspending))],
        });
    }

    /// The size of a part of the heap, which comes before the collection.
    fn size(&mut self, row: &Row<'_>) {
        let sizes = self.sizes.entry(row.number("collection")).or_default();
        let space = usize::try_from(row.number("space")).unwrap_or(SPACES);
        if let Some(size) = sizes.get_mut(space) {
            *size = Some((row.number("before"), row.number("after")));
        }
        while self.sizes.len() > self.last + KINDS {
            self.sizes.pop_first();
        }
    }
}

impl View for Gc {
    fn row(&mut self, row: &Row<'_>) {
        match &*row.stream().name {
            "collections" => self.collection(row),
            "pauses" => self.pause(row),
            "sizes" => self.size(row),
            "unpaired" => self.unpaired = row.number("callbacks"),
            _ => {}
        }
    }

    fn profile(&self) -> Option<(Cow<'_, Profile>, usize)> {
        Some((Cow::Borrowed(&self.profile), PAUSED))
    }

    fn next_interval(&mut self) {
        self.profile = self.profile.emptied();
    }

    fn write(&self, format: Format, out: &mut dyn io::Write) -> io::Result<bool> {
        if format == Format::Chrome {
            self.timeline.write_chrome(out)?;
        }
        Ok(format == Format::Chrome)
    }

    fn text(&self, moment: Moment<'_>, out: &mut String) -> fmt::Result {
        let count: u64 = self.collections.values().map(|sums| sums.count).sum();
        let totals = self.collections.values().map(|sums| sums.total);
        let total = totals.fold(Duration::ZERO, Duration::saturating_add);
        let (seconds, program) = (moment.elapsed.as_secs_f64(), &self.program);
        let share = if seconds > 0.0 { total.as_secs_f64() * 100.0 / seconds } else { 0.0 };
        let paused = milliseconds(total);
        writeln!(out, "{program}: {count} collections in {seconds:.1} s; paused {paused} ms, {share:.2} %")?;
        moment.missed.write(out)?;
        if self.unpaired > 0 {
            writeln!(out, "{} callbacks and events did not fit the others", self.unpaired)?;
        }
        let heading =
            ["count", "induced", "paused ms", "median", "99 %", "longest", "suspending ms", "longest"];
        let head = |last| -> [&str; 9] {
            let mut cells = [last; 9];
            cells[..8].copy_from_slice(&heading);
            cells
        };
        let mut table = Table::new(head("collected generation"));
        for ((generation, is_background), sums) in &self.collections {
            let background = if *is_background { ", background" } else { "" };
            table.row(sums.row(true, &format!("{generation}{background}")));
        }
        if !table.is_empty() {
            write!(out, "\n{table}")?;
        }
        let mut table = Table::new(head("reason of the pause"));
        for (reason, sums) in &self.pauses {
            table.row(sums.row(false, reason));
        }
        if !table.is_empty() {
            write!(out, "\n{table}")?;
        }
        self.listed(out)
    }
}

impl Gc {
    /// The newest collections.
    fn listed(&self, out: &mut String) -> fmt::Result {
        let mut table = Table::new([
            "number",
            "at s",
            "generation",
            "kind",
            "reason",
            "paused ms",
            "suspending ms",
            "bytes before",
            "bytes after",
            "by generation, large and pinned objects: before → after",
        ]);
        for collection in &self.newest {
            let sizes = self.sizes.get(&collection.number).copied().unwrap_or_default();
            let known: Vec<(u64, u64)> = sizes.into_iter().flatten().collect();
            let sum = |which: fn(&(u64, u64)) -> u64| {
                known.iter().map(which).fold(0, u64::saturating_add).to_string()
            };
            let each: Vec<String> =
                known.iter().map(|(before, after)| format!("{before} → {after}")).collect();
            table.row([
                collection.number.to_string(),
                format!("{:.3}", collection.begin.as_secs_f64()),
                collection.generation.to_string(),
                collection.kind.clone(),
                collection.reason.clone(),
                milliseconds(collection.paused),
                milliseconds(collection.suspending),
                sum(|(before, _)| *before),
                sum(|(_, after)| *after),
                each.join(", "),
            ]);
        }
        if table.is_empty() { Ok(()) } else { write!(out, "\n{table}") }
    }
}
