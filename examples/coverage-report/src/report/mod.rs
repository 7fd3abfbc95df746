//! Reports: the counts by method and by source file, and their formats.

mod cobertura;
mod html;
mod lcov;
mod text;

use std::collections::{BTreeMap, BTreeSet};

pub use cobertura::cobertura;
use corprof_in_process::printable::Printable;
pub use html::html;
pub use lcov::lcov;
pub use text::text;

use crate::data::Module;

/// The maximum number of lines of a statement; a malformed PDB may have any number.
const MAX_LINES: u32 = 10_000;

/// A line of a source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The number of executions.
    pub hits: u64,
    /// The number of times that each branch target was taken.
    pub branches: Vec<u64>,
}

/// A source method.
#[derive(Clone, Debug)]
pub struct Method {
    /// The assembly.
    pub module: String,
    /// Its type.
    pub class: String,
    /// Its name.
    pub name: String,
    /// The source file.
    pub file: String,
    /// Its lines, those of its lambdas and of its state machine included.
    pub lines: BTreeMap<u32, Line>,
}

/// The total, and the number that was executed.
#[derive(Clone, Copy, Debug, Default)]
struct Rate {
    run: usize,
    all: usize,
}

impl Rate {
    fn of<'l>(lines: impl IntoIterator<Item = &'l Line>) -> (Self, Self) {
        let (mut whole, mut branches) = (Self::default(), Self::default());
        for line in lines {
            whole.all += 1;
            whole.run += usize::from(line.hits > 0);
            branches.all += line.branches.len();
            branches.run += line.branches.iter().filter(|taken| **taken > 0).count();
        }
        (whole, branches)
    }

    /// The rate in percent; a dash where there is nothing.
    fn percent(self) -> String {
        if self.all == 0 { "–".to_owned() } else { format!("{:.1} %", self.rate() * 100.0) }
    }

    #[allow(clippy::cast_precision_loss, reason = "a rate with four digits")]
    fn rate(self) -> f64 {
        if self.all == 0 { 1.0 } else { self.run as f64 / self.all as f64 }
    }
}

/// Adds up the counts of all processes, by source method.
#[must_use]
pub fn methods(modules: &[(Module, Vec<u64>)]) -> Vec<Method> {
    /// The points of a method in a file by their lines, and the branches by line and offset.
    type Counts = (BTreeMap<(u32, u32, u32, u32), u64>, BTreeMap<(u32, u32, u32), Vec<u64>>);
    let mut counts: BTreeMap<(String, String, String, String), Counts> = BTreeMap::new();
    for (module, counters) in modules {
        let counter = |number: u64| {
            let number = usize::try_from(number).ok();
            number.and_then(|number| counters.get(number)).copied().unwrap_or(0)
        };
        let assembly = module.file_name();
        for method in &module.methods {
            let key = |file: u32| {
                let file = module.files.get(file as usize).cloned().unwrap_or_default();
                (assembly.to_owned(), file, method.class.clone(), method.name.clone())
            };
            for it in &method.points {
                let (points, _) = counts.entry(key(it.file)).or_default();
                let end = it.end.clamp(it.start, it.start.saturating_add(MAX_LINES));
                let hits = points.entry((it.start, end, method.token, it.offset)).or_default();
                *hits = hits.saturating_add(counter(it.counter.into()));
            }
            for it in &method.branches {
                let (_, branches) = counts.entry(key(it.file)).or_default();
                let ways = branches.entry((it.line, method.token, it.offset)).or_default();
                // No branch has more ways than its module has counters.
                ways.resize((it.targets as usize).saturating_add(1).min(counters.len()), 0);
                for (way, number) in ways.iter_mut().zip(u64::from(it.counter)..) {
                    *way = way.saturating_add(counter(number));
                }
            }
        }
    }
    let method = |((module, file, class, name), (points, branches)): (_, Counts)| {
        let mut lines: BTreeMap<u32, Line> = BTreeMap::new();
        // The count of a line is that of the statements that begin on it.
        for ((start, _, _, _), hits) in &points {
            let line = lines.entry(*start).or_default();
            line.hits = line.hits.max(*hits);
        }
        // Otherwise that of the shortest statement around it.
        let begun: BTreeSet<u32> = lines.keys().copied().collect();
        let mut around: Vec<_> = points.iter().collect();
        around.sort_by_key(|((start, end, _, _), _)| end - start);
        for ((start, end, _, _), hits) in around {
            for line in (*start..=*end).filter(|line| !begun.contains(line)) {
                lines.entry(line).or_insert(Line { hits: *hits, branches: Vec::new() });
            }
        }
        for ((line, _, _), ways) in branches {
            lines.entry(line).or_default().branches.extend(ways);
        }
        Method { module, class, name, file, lines }
    };
    counts.into_iter().map(method).collect()
}

/// The lines of each source file.
#[must_use]
pub fn files(methods: &[Method]) -> BTreeMap<&str, BTreeMap<u32, Line>> {
    let mut files: BTreeMap<&str, BTreeMap<u32, Line>> = BTreeMap::new();
    for method in methods {
        let lines = files.entry(&method.file).or_default();
        for (number, line) in &method.lines {
            let own = lines.entry(*number).or_default();
            own.hits = own.hits.max(line.hits);
            own.branches.extend(&line.branches);
        }
    }
    files
}

/// Text of the program with unprintable characters escaped.
fn shown(text: &str) -> String {
    Printable(text).to_string()
}
