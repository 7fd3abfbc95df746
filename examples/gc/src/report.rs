//! The measurements, and the report of them.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use corprof::Result;
use corprof::values::SuspendReason;
use corprof_tools::corprof_profile::{Format, Profile, Span, Timeline};
use corprof_tools::{Collection, GcKind, GcReason, Pause, Settings, Table, program_name, render};

/// The index of the time in pauses among the values of the profile.
const PAUSED: usize = 1;

/// The number of events of the timeline.
const EVENTS: usize = 100_000;

/// The number of pauses whose median and 99th percentile are computed: the newest.
const NEWEST: usize = 10_000;

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
    fn add(&mut self, paused: Duration, suspending: Duration, is_induced: bool) {
        self.count += 1;
        self.induced += u64::from(is_induced);
        self.total += paused;
        self.suspending += suspending;
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

/// Everything that was measured.
#[derive(Clone)]
pub(crate) struct Measured {
    begin: Instant,
    /// By generation, and whether it ran in the background.
    collections: BTreeMap<(u8, bool), Sums>,
    /// By the reason of the suspension.
    pauses: Vec<(SuspendReason, Sums)>,
    newest: VecDeque<Collection>,
    timeline: Timeline,
    last: usize,
    /// The number of callbacks that did not fit the others.
    pub(crate) unpaired: u64,
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64() * 1000.0)
}

fn reason_name(reason: SuspendReason) -> String {
    match reason {
        SuspendReason::OTHER => "other".to_owned(),
        SuspendReason::FOR_GC => "collection".to_owned(),
        // The second pause of a background collection, and other work of the collector.
        SuspendReason::FOR_GC_PREP => "preparation of a collection".to_owned(),
        SuspendReason::FOR_REJIT => "ReJIT".to_owned(),
        SuspendReason::FOR_PROFILER => "profiler".to_owned(),
        SuspendReason::FOR_SHUTDOWN => "shutdown".to_owned(),
        SuspendReason::FOR_INPROC_DEBUGGER => "debugger".to_owned(),
        other => format!("{other:?}"),
    }
}

/// The name of a reason, as PerfView has it.
fn cause(collection: &Collection) -> String {
    let Some(reason) = collection.reason else { return "other".to_owned() };
    match reason {
        GcReason::ALLOC_SMALL => "AllocSmall",
        GcReason::INDUCED => "Induced",
        GcReason::LOW_MEMORY | GcReason::LOW_MEMORY_BLOCKING => "LowMemory",
        GcReason::ALLOC_LARGE => "AllocLarge",
        GcReason::OUT_OF_SPACE_SMALL => "OutOfSpaceSOH",
        GcReason::OUT_OF_SPACE_LARGE => "OutOfSpaceLOH",
        GcReason::INDUCED_NOT_FORCED => "InducedNotForced",
        GcReason::INDUCED_COMPACTING => "InducedCompacting",
        GcReason::INDUCED_AGGRESSIVE => "InducedAggressive",
        GcReason::LOW_MEMORY_HOST | GcReason::LOW_MEMORY_HOST_BLOCKING => "LowMemoryHost",
        GcReason::PROVISIONAL_FULL => "PMFullGC",
        GcReason::BACKGROUND_TUNING_SMALL => "BGCTuningSOH",
        GcReason::BACKGROUND_TUNING_LARGE => "BGCTuningLOH",
        GcReason::BACKGROUND_STEPPING => "BGCStepping",
        GcReason::EMPTY => "Empty",
        GcReason::STRESS => "Stress",
        GcReason(other) => return format!("reason-{other}"),
    }
    .to_owned()
}

fn kind_name(kind: GcKind) -> String {
    match kind {
        GcKind::BLOCKING => "blocking".to_owned(),
        GcKind::BACKGROUND => "background".to_owned(),
        GcKind::FOREGROUND => "foreground".to_owned(),
        GcKind(other) => format!("kind-{other}"),
    }
}

/// The name of a collection in a timeline and in a profile.
pub(crate) fn name_of(collection: &Collection) -> String {
    format!("generation {}, {}, {}", collection.generation, kind_name(collection.kind), cause(collection))
}

impl Measured {
    pub(crate) fn new(settings: &Settings) -> Result<Self> {
        Ok(Self {
            begin: Instant::now(),
            collections: BTreeMap::new(),
            pauses: Vec::new(),
            newest: VecDeque::new(),
            timeline: Timeline::new(&program_name(), EVENTS),
            last: settings.limit("LAST")?,
            unpaired: 0,
        })
    }

    /// Adds a collection.
    pub(crate) fn collection(&mut self, collection: Collection) {
        let of = (collection.generation, collection.kind == GcKind::BACKGROUND);
        let sums = self.collections.entry(of).or_default();
        sums.add(collection.paused, collection.suspending, collection.is_induced());
        let sizes = |sizes: &[u64; 5]| sizes.map(|size| size.to_string()).join(" ");
        self.timeline.add(Span {
            row: "collections".into(),
            name: name_of(&collection),
            begin: collection.begin,
            length: collection.end.saturating_sub(collection.begin),
            properties: vec![
                ("number", collection.number.to_string()),
                ("paused ms", milliseconds(collection.paused)),
                ("bytes before", sizes(&collection.sizes.0)),
                ("bytes after", sizes(&collection.sizes.1)),
            ],
        });
        self.newest.push_back(collection);
        if self.newest.len() > self.last {
            self.newest.pop_front();
        }
    }

    /// Adds a pause.
    pub(crate) fn pause(&mut self, pause: Pause) {
        let index = self.pauses.iter().position(|(reason, _)| *reason == pause.reason).unwrap_or_else(|| {
            self.pauses.push((pause.reason, Sums::default()));
            self.pauses.len() - 1
        });
        if let Some((_, sums)) = self.pauses.get_mut(index) {
            sums.add(pause.total, pause.suspending, false);
        }
        self.timeline.add(Span {
            row: "pauses".into(),
            name: format!("paused: {}", reason_name(pause.reason)),
            begin: pause.begin,
            length: pause.total,
            properties: vec![("suspending ms", milliseconds(pause.suspending))],
        });
    }

    /// Returns the report.
    pub(crate) fn report(&self, profile: &Profile, format: Option<Format>) -> Vec<u8> {
        if format == Some(Format::Chrome) {
            let mut bytes = Vec::new();
            // A `Vec` takes everything.
            let _ = self.timeline.write_chrome(&mut bytes);
            return bytes;
        }
        render(profile, format, PAUSED, |text| self.text(text))
    }

    fn text(&self, out: &mut String) -> std::fmt::Result {
        let count: u64 = self.collections.values().map(|sums| sums.count).sum();
        let total: Duration = self.collections.values().map(|sums| sums.total).sum();
        let (seconds, program) = (self.begin.elapsed().as_secs_f64(), program_name());
        let share = if seconds > 0.0 { total.as_secs_f64() * 100.0 / seconds } else { 0.0 };
        let paused = milliseconds(total);
        writeln!(out, "{program}: {count} collections in {seconds:.1} s; paused {paused} ms, {share:.2} %")?;
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
            table.row(sums.row(false, &reason_name(*reason)));
        }
        if !table.is_empty() {
            write!(out, "\n{table}")?;
        }
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
            let (before, after) = &collection.sizes;
            let each: Vec<String> =
                before.iter().zip(after).map(|(before, after)| format!("{before} → {after}")).collect();
            table.row([
                collection.number.to_string(),
                format!("{:.3}", collection.begin.as_secs_f64()),
                collection.generation.to_string(),
                kind_name(collection.kind),
                cause(collection),
                milliseconds(collection.paused),
                milliseconds(collection.suspending),
                before.iter().sum::<u64>().to_string(),
                after.iter().sum::<u64>().to_string(),
                each.join(", "),
            ]);
        }
        if !table.is_empty() {
            write!(out, "\n{table}")?;
        }
        Ok(())
    }
}
