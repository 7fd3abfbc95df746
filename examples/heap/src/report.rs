//! The report: classes, roots, paths, strings, and what has changed since the snapshot before.

use std::collections::BTreeMap;
use std::fmt::{Result, Write as _};
use std::sync::Arc;
use std::time::Duration;

use corprof_tools::corprof_profile::{Format, Sample};
use corprof_tools::{ClassTotals, HeapCapture, HeapSnapshot, Moment, Settings, Table, Totals, render};

/// The number of frames of a path in the report: those next to the objects, and the root.
const FRAMES: usize = 12;
/// The number of paths to the objects of a class.
const PATHS: usize = 3;

/// The settings and sources of every report.
pub(crate) struct Report {
    capture: Arc<HeapCapture>,
    format: Option<Format>,
    top: usize,
    class: Option<String>,
    is_attached: bool,
    last: Option<Taken>,
    /// The classes of the snapshot before, and its time.
    before: Option<(BTreeMap<String, Totals>, Duration)>,
    count: usize,
}

/// A snapshot, or why there is none.
struct Taken {
    at: Duration,
    snapshot: corprof::Result<HeapSnapshot>,
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}

fn totals(totals: Totals, name: &str) -> [String; 3] {
    [totals.objects.to_string(), totals.bytes.to_string(), name.to_owned()]
}

/// Writes a table under a title, unless it has no rows.
fn section<const N: usize>(out: &mut String, title: &str, table: &Table<N>) -> Result {
    if table.is_empty() { Ok(()) } else { write!(out, "\n{title}\n{table}") }
}

fn value(sample: &Sample<'_>, index: usize) -> u64 {
    sample.values.get(index).copied().unwrap_or(0)
}

impl Report {
    pub(crate) fn new(capture: Arc<HeapCapture>, settings: &Settings) -> corprof::Result<Self> {
        Ok(Self {
            capture,
            format: settings.format(),
            top: settings.limit("TOP")?,
            class: settings.text("CLASS").map(str::to_owned),
            is_attached: settings.is_attached(),
            last: None,
            before: None,
            count: 0,
        })
    }

    /// Takes a snapshot, and returns the report on it.
    pub(crate) fn write(&mut self, moment: Moment) -> Vec<u8> {
        self.take(moment);
        match &self.last {
            Some(Taken { snapshot: Ok(snapshot), at }) => {
                render(&snapshot.paths, self.format, 1, |text| self.text(snapshot, *at, text))
            }
            Some(Taken { snapshot: Err(error), at }) => {
                format!("no snapshot at {:.1} s: {error}\n", at.as_secs_f64()).into_bytes()
            }
            None => b"no snapshot was taken\n".to_vec(),
        }
    }

    fn take(&mut self, moment: Moment) {
        let snapshot = self.capture.take();
        // At the end of the program the runtime may refuse.
        if moment.is_last && snapshot.is_err() && matches!(&self.last, Some(Taken { snapshot: Ok(_), .. })) {
            return;
        }
        self.count += 1;
        let last = self.last.replace(Taken { at: moment.elapsed, snapshot });
        if let Some(Taken { snapshot: Ok(snapshot), at }) = last {
            let classes = snapshot.classes.into_iter().map(|class| (class.name, class.all));
            self.before = Some((classes.collect(), at));
        }
    }

    fn text(&self, snapshot: &HeapSnapshot, at: Duration, out: &mut String) -> Result {
        let Totals { objects, bytes } = snapshot.all;
        let (program, number, seconds) = (snapshot.paths.program(), self.count, at.as_secs_f64());
        let references = snapshot.references;
        writeln!(
            out,
            "{program}: snapshot {number} at {seconds:.1} s: {objects} objects, {bytes} bytes, {references} references"
        )?;
        writeln!(
            out,
            "paused {}: {} until suspended, {} to copy; analysed in {}",
            milliseconds(snapshot.paused),
            milliseconds(snapshot.suspending),
            milliseconds(snapshot.walked),
            milliseconds(snapshot.analysed),
        )?;
        for (count, what) in [
            (snapshot.unreached.objects, "objects are reached by no known root"),
            (snapshot.dangling, "references are to objects outside of the heap that was walked"),
            (snapshot.unsized_objects, "objects have no known size"),
            (snapshot.merged, "objects are counted without the inner part of their path"),
        ] {
            if count > 0 {
                writeln!(out, "{count} {what}")?;
            }
        }
        // A tool that was started with the program has seen every class.
        if let Some(why) = snapshot.unlisted.as_ref().filter(|_| self.is_attached) {
            writeln!(
                out,
                "static fields of classes that were loaded before the attach have no names: {why}"
            )?;
        }

        let mut table = Table::new(["objects", "bytes", "part of the heap"]);
        for space in snapshot.spaces.iter().filter(|space| space.all.objects > 0) {
            table.row(totals(space.all, space.name));
        }
        write!(out, "\n{table}")?;
        let mut table = Table::new(["roots", "objects", "bytes", "nearest root"]);
        for kind in snapshot.roots.iter().filter(|kind| kind.roots > 0) {
            let [objects, bytes, name] = totals(kind.reached, kind.kind);
            table.row([kind.roots.to_string(), objects, bytes, name]);
        }
        write!(out, "\n{table}")?;

        let mut table = Table::new(["objects", "bytes", "retained bytes", "class"]);
        for class in snapshot.classes.iter().take(self.top) {
            let [objects, bytes, name] = totals(class.all, &class.name);
            table.row([objects, bytes, class.retained.to_string(), name]);
        }
        write!(out, "\n{table}")?;
        if snapshot.classes.len() > self.top {
            writeln!(out, "{} more classes", snapshot.classes.len() - self.top)?;
        }
        self.growth(snapshot, out)?;
        self.kinds(snapshot, out)?;
        self.paths(snapshot, out)
    }

    /// The growth since the previous snapshot.
    fn growth(&self, snapshot: &HeapSnapshot, out: &mut String) -> Result {
        let Some((before, at)) = &self.before else { return Ok(()) };
        let mut changes: BTreeMap<&str, (i128, i128)> = BTreeMap::new();
        let mut change = |name, totals: Totals, sign: i128| {
            let (objects, bytes) = changes.entry(name).or_default();
            *objects += sign * i128::from(totals.objects);
            *bytes += sign * i128::from(totals.bytes);
        };
        before.iter().for_each(|(name, totals)| change(name, *totals, -1));
        snapshot.classes.iter().for_each(|class| change(&class.name, class.all, 1));
        let mut changes: Vec<_> = changes.into_iter().filter(|(_, change)| *change != (0, 0)).collect();
        changes.sort_by_key(|(_, (_, bytes))| core::cmp::Reverse(bytes.unsigned_abs()));
        let mut table = Table::new(["objects", "bytes", "class"]);
        for (name, (objects, bytes)) in changes.iter().take(self.top) {
            table.row([format!("{objects:+}"), format!("{bytes:+}"), (*name).to_owned()]);
        }
        section(out, &format!("since the snapshot at {:.1} s", at.as_secs_f64()), &table)
    }

    /// Duplicated strings, boxed values and large objects.
    fn kinds(&self, snapshot: &HeapSnapshot, out: &mut String) -> Result {
        let (all, superfluous) = (snapshot.strings, snapshot.superfluous);
        let mut table = Table::new(["objects", "bytes", "text"]);
        for string in snapshot.duplicates.iter().take(self.top) {
            table.row(totals(string.all, &string.text));
        }
        let (count, more, bytes) = (all.objects, superfluous.objects, superfluous.bytes);
        let title = format!("of {count} strings {more} have the text of another one, {bytes} bytes");
        section(out, &title, &table)?;
        let list = |of: fn(&ClassTotals) -> Totals| {
            let mut classes: Vec<_> = snapshot.classes.iter().map(|class| (of(class), &class.name)).collect();
            classes.retain(|(totals, _)| totals.objects > 0);
            classes.sort_by_key(|(totals, name)| (core::cmp::Reverse(totals.bytes), *name));
            let mut table = Table::new(["objects", "bytes", "class"]);
            for (of_class, name) in classes.iter().take(self.top) {
                table.row(totals(*of_class, name));
            }
            table
        };
        let boxes = list(|class| if class.is_box { class.all } else { Totals::default() });
        section(out, "boxed values", &boxes)?;
        section(out, "large objects", &list(|class| class.large))
    }

    /// The retention paths of each class.
    fn paths(&self, snapshot: &HeapSnapshot, out: &mut String) -> Result {
        let paths = &snapshot.paths;
        let mut of_class: BTreeMap<&str, Vec<Sample<'_>>> = BTreeMap::new();
        for sample in paths.samples() {
            if let Some(class) = sample.stack().next() {
                of_class.entry(paths.frame_of(class).name).or_default().push(sample);
            }
        }
        let selected = |class: &&ClassTotals| match &self.class {
            Some(text) => class.name.contains(text),
            None => true,
        };
        let (top, limit) = match self.class {
            Some(_) => (usize::MAX, usize::MAX),
            None => (self.top, PATHS),
        };
        for class in snapshot.classes.iter().filter(selected).take(top) {
            let Some(samples) = of_class.get_mut(class.name.as_str()) else { continue };
            samples.sort_by_key(|sample| core::cmp::Reverse(value(sample, 1)));
            writeln!(out, "\n{} × {}", class.all.objects, class.name)?;
            for sample in samples.iter().take(limit) {
                writeln!(out, "  {} objects, {} bytes", value(sample, 0), value(sample, 1))?;
                let frames: Vec<_> = sample.stack().skip(1).collect();
                let (root, inner) =
                    frames.split_last().map_or((None, &[][..]), |(root, inner)| (Some(root), inner));
                for frame in inner.iter().take(FRAMES) {
                    writeln!(out, "    in {}", paths.frame_of(*frame).name)?;
                }
                if inner.len() > FRAMES {
                    writeln!(out, "    … {} more", inner.len() - FRAMES)?;
                }
                root.map_or(Ok(()), |root| writeln!(out, "    in {}", paths.frame_of(*root).name))?;
            }
            if samples.len() > limit {
                writeln!(out, "  {} more paths", samples.len() - limit)?;
            }
        }
        Ok(())
    }
}
