//! Calls by their callers, each path once.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::io::{self, Write};

use anyhow::Result;
use corprof_profile::FoldedStack;
use recording::lines::Indent;

use super::calls::{Begun, Calls, each};
use super::follow::Lane;
use super::names::{FunctionId, Functions};
use super::opened::Opened;
use super::top::item;

/// A function on a path of callers.
#[derive(Default)]
struct Node {
    calls: u64,
    /// The total time of its calls, in nanoseconds.
    time: u64,
    function: FunctionId,
    /// The child that was called last, the first one of the list of children, and the next child of its caller: 0 if there is none.
    called: usize,
    children: usize,
    next: usize,
}

/// The trees of all threads.
pub(super) struct Forest {
    /// The first one is not used.
    nodes: Vec<Node>,
    /// A node by its caller and its function.
    by_caller: HashMap<(usize, usize), usize, BuildHasherDefault<Mixed>>,
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

/// Mixes two indexes, which nobody chooses to collide.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_usize(usize::from(*byte)));
    }

    fn write_usize(&mut self, number: usize) {
        self.0 = (self.0.rotate_left(23) ^ number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

impl Default for Forest {
    fn default() -> Self {
        Self {
            nodes: vec![Node::default()],
            by_caller: HashMap::default(),
            threads: BTreeMap::new(),
            lanes: Vec::new(),
        }
    }
}

impl Forest {
    /// The node of a function that is called by another node.
    #[cold]
    fn look_up(&mut self, caller: usize, function: FunctionId) -> usize {
        match self.by_caller.entry((caller, function.index())) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let node = *new.insert(self.nodes.len());
                let next = core::mem::replace(&mut self.nodes[caller].children, node);
                self.nodes.push(Node { function, next, ..Node::default() });
                node
            }
        }
    }

    #[cold]
    fn root(&mut self, lane: Lane) -> usize {
        let nodes = &mut self.nodes;
        let (root, _) = *self.threads.entry(lane.thread.number).or_insert_with(|| {
            nodes.push(Node::default());
            (nodes.len() - 1, lane.thread.id)
        });
        item(&mut self.lanes, lane.index).root = root;
        root
    }

    /// The functions that a node calls, and their nodes.
    fn children(&self, node: &Node) -> impl Iterator<Item = (FunctionId, usize)> {
        let mut next = node.children;
        core::iter::from_fn(move || {
            let child = next;
            next = self.nodes[child].next;
            (child != 0).then(|| (self.nodes[child].function, child))
        })
    }
}

impl Calls for Forest {
    #[inline]
    fn begin(&mut self, _: &Functions, lane: Lane, begun: Begun) -> io::Result<()> {
        let Begun { function, time, is_resumed } = begun;
        let calling = item(&mut self.lanes, lane.index);
        let caller = match (calling.open.last(), calling.root) {
            (Some((node, _)), _) => *node,
            (None, 0) => self.root(lane),
            (None, root) => root,
        };
        let called = self.nodes[caller].called;
        let node = if called != 0 && self.nodes[called].function == function {
            called
        } else {
            let node = self.look_up(caller, function);
            self.nodes[caller].called = node;
            node
        };
        self.nodes[node].calls += u64::from(!is_resumed);
        self.lanes[lane.index].open.push((node, time));
        Ok(())
    }

    #[inline]
    fn end(&mut self, lane: Lane, _: FunctionId, time: u64) -> io::Result<()> {
        let Some(calling) = self.lanes.get_mut(lane.index) else { return Ok(()) };
        let Some((node, begun)) = calling.open.pop() else { return Ok(()) };
        let took = time.saturating_sub(begun);
        self.nodes[node].time += took;
        if calling.open.is_empty() {
            self.nodes[calling.root].time += took;
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
        for (root, thread) in self.threads.values() {
            let root = &self.nodes[*root];
            writeln!(out, "thread {thread}: {} ms in calls", milliseconds(root.time))?;
            writeln!(out, "{:>12} {:>6} {:>10}  call", "ms", "%", "calls")?;
            let mut left = Vec::new();
            let add = |left: &mut Vec<_>, node: &Node, level: usize| {
                let is_shown = |child: usize| percent(self.nodes[child].time, root.time) >= least;
                let begin = left.len();
                let children = self.children(node).filter(|(_, child)| level < depth && is_shown(*child));
                left.extend(children.map(|(function, child)| (level, function, child)));
                // The last child is visited next.
                left[begin..].sort_by_key(|(_, function, child)| {
                    (self.nodes[*child].time, core::cmp::Reverse(*function))
                });
            };
            add(&mut left, root, 0);
            while let Some((level, function, index)) = left.pop() {
                let node = &self.nodes[index];
                let (time, share, calls) =
                    (milliseconds(node.time), percent(node.time, root.time), node.calls);
                let (indent, name) = (Indent(level as u64), functions.name(function));
                writeln!(out, "{time:>12} {share:>6.2} {calls:>10}  {indent}{name}")?;
                add(&mut left, node, level + 1);
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
        for (root, thread) in self.threads.values() {
            let mut left = vec![(0, 0, None, *root)];
            while let Some((level, length, function, index)) = left.pop() {
                stack.truncate(length);
                match function {
                    None => stack.push(&format!("thread {thread}")),
                    Some(function) => stack.push(functions.name(function)),
                }
                let node = &self.nodes[index];
                let mut alone = node.time;
                let begin = left.len();
                for (function, child) in self.children(node) {
                    let time = self.nodes[child].time;
                    if level == depth {
                        too_deep += 1;
                    } else if time >= least {
                        alone = alone.saturating_sub(time);
                        left.push((level + 1, stack.len(), Some(function), child));
                    }
                }
                left[begin..].sort_by_key(|(_, _, function, _)| *function);
                if alone > 0 {
                    visit(stack.as_str(), alone)?;
                }
            }
        }
        Ok(too_deep)
    }
}
