//! The time of the calls of each path.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anyhow::Result;
use corprof_profile::FoldedStack;
use recording::lines::Indent;

use super::calls::{Begun, Calls, each};
use super::follow::Lane;
use super::names::{FunctionId, Functions};
use super::opened::Opened;
use super::paths::{Path, Paths};
use super::top::item;

/// The calls of a path.
#[derive(Clone, Copy, Default)]
struct Sum {
    calls: u64,
    /// The total time, in nanoseconds.
    time: u64,
}

/// The trees of all threads.
#[derive(Default)]
pub(super) struct Forest {
    paths: Paths,
    /// By the number of the path; the last ones may be missing.
    sums: Vec<Sum>,
    /// The root and the operating system's id of a thread, by its number.
    threads: BTreeMap<u32, (usize, u64)>,
    lanes: Vec<Calling>,
}

/// The open calls of a thread, with their start times.
#[derive(Default)]
struct Calling {
    /// The root of the tree; 0 before the first call.
    root: usize,
    open: Vec<(usize, u64)>,
}

impl Forest {
    #[cold]
    fn root(&mut self, lane: Lane) -> usize {
        let paths = &mut self.paths;
        let new = || (paths.add_root(), lane.thread.id);
        let (root, _) = *self.threads.entry(lane.thread.number).or_insert_with(new);
        item(&mut self.lanes, lane.index).root = root;
        root
    }

    fn sum(&self, path: usize) -> Sum {
        self.sums.get(path).copied().unwrap_or_default()
    }

    /// The paths of the calls that each path makes.
    fn children(&self) -> Vec<Vec<usize>> {
        let paths = self.paths.all();
        let mut children = vec![Vec::new(); paths.len()];
        for (path, Path { caller, .. }) in paths.iter().enumerate().filter(|(_, path)| path.caller != 0) {
            children[*caller].push(path);
        }
        children
    }
}

impl Calls for Forest {
    #[inline]
    fn begin(&mut self, _: &Functions, lane: Lane, begun: Begun) -> io::Result<()> {
        let Begun { function, time, is_resumed } = begun;
        let calling = item(&mut self.lanes, lane.index);
        let caller = match (calling.open.last(), calling.root) {
            (Some((path, _)), _) => *path,
            (None, 0) => self.root(lane),
            (None, root) => root,
        };
        let path = self.paths.called(caller, function);
        item(&mut self.sums, path).calls += u64::from(!is_resumed);
        self.lanes[lane.index].open.push((path, time));
        Ok(())
    }

    #[inline]
    fn end(&mut self, lane: Lane, _: FunctionId, time: u64) -> io::Result<()> {
        let Some(calling) = self.lanes.get_mut(lane.index) else { return Ok(()) };
        let Some((path, begun)) = calling.open.pop() else { return Ok(()) };
        let took = time.saturating_sub(begun);
        item(&mut self.sums, path).time += took;
        if calling.open.is_empty() {
            item(&mut self.sums, calling.root).time += took;
        }
        Ok(())
    }

    fn end_thread(&mut self, lane: Lane) -> io::Result<()> {
        *item(&mut self.lanes, lane.index) = Calling::default();
        Ok(())
    }
}

/// Reads a recording.
pub(super) fn read(opened: &mut Opened) -> Result<Forest> {
    let mut forest = Forest::default();
    each(opened, &mut forest)?;
    Ok(forest)
}

/// Milliseconds.
pub(super) fn milliseconds(nanoseconds: u64) -> String {
    format!("{}.{:03}", nanoseconds / 1_000_000, nanoseconds / 1000 % 1000)
}

#[allow(clippy::cast_precision_loss, reason = "for people to look at")]
fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 }
}

impl Forest {
    /// Writes the trees, so many levels deep, without calls below so many percent.
    pub(super) fn show(
        &self,
        functions: &Functions,
        depth: usize,
        least: f64,
        out: &mut dyn Write,
    ) -> Result<()> {
        let (paths, children) = (self.paths.all(), self.children());
        for (root, thread) in self.threads.values() {
            let whole = self.sum(*root).time;
            writeln!(out, "thread {thread}: {} ms in calls", milliseconds(whole))?;
            writeln!(out, "{:>12} {:>6} {:>10}  call", "ms", "%", "calls")?;
            let mut left = Vec::new();
            let add = |left: &mut Vec<_>, path: usize, level: usize| {
                let is_shown =
                    |child: &&usize| level < depth && percent(self.sum(**child).time, whole) >= least;
                let begin = left.len();
                left.extend(children[path].iter().filter(is_shown).map(|child| (level, *child)));
                // The last child is visited next.
                left[begin..].sort_by_key(|(_, child)| {
                    (self.sum(*child).time, core::cmp::Reverse(paths[*child].function))
                });
            };
            add(&mut left, *root, 0);
            while let Some((level, path)) = left.pop() {
                let Sum { calls, time } = self.sum(path);
                let (time, share) = (milliseconds(time), percent(time, whole));
                let (indent, name) = (Indent(level as u64), functions.name(paths[path].function));
                writeln!(out, "{time:>12} {share:>6.2} {calls:>10}  {indent}{name}")?;
                add(&mut left, path, level + 1);
            }
        }
        Ok(out.flush()?)
    }

    /// Visits each path of calls with the time in its innermost call: `thread 1;A;B`, 1200. Calls that are deeper
    /// than so many levels, or took less than so many nanoseconds, count for their caller. Returns the number of too deep calls.
    pub(super) fn visit_stacks(
        &self,
        functions: &Functions,
        depth: usize,
        least: u64,
        mut visit: impl FnMut(&str, u64) -> Result<()>,
    ) -> Result<u64> {
        let mut too_deep = 0;
        let mut stack = FoldedStack::default();
        let (paths, children) = (self.paths.all(), self.children());
        for (root, thread) in self.threads.values() {
            let mut left = vec![(0, 0, *root)];
            while let Some((level, length, path)) = left.pop() {
                stack.truncate(length);
                if level == 0 {
                    stack.push(&format!("thread {thread}"));
                } else {
                    stack.push(functions.name(paths[path].function));
                }
                let mut alone = self.sum(path).time;
                let begin = left.len();
                for child in &children[path] {
                    let time = self.sum(*child).time;
                    if level == depth {
                        too_deep += 1;
                    } else if time >= least {
                        alone = alone.saturating_sub(time);
                        left.push((level + 1, stack.len(), *child));
                    }
                }
                left[begin..].sort_by_key(|(.., child)| paths[*child].function);
                if alone > 0 {
                    visit(stack.as_str(), alone)?;
                }
            }
        }
        Ok(too_deep)
    }
}
