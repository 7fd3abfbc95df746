//! Calls by their callers, each path once.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use recording::Thread;
use recording::lines::Indent;
use stack_profile::FoldedStack;

use super::calls::{Calls, each};
use super::names::{FunctionId, Functions};
use super::opened::Opened;

/// A function on a path of callers.
#[derive(Default)]
struct Node {
    calls: u64,
    /// The total time of its calls, in nanoseconds.
    time: u64,
    children: BTreeMap<FunctionId, usize>,
}

/// The trees of all threads.
#[derive(Default)]
pub(super) struct Forest {
    nodes: Vec<Node>,
    /// By the number of the thread: its root, and the open calls with their start times.
    threads: BTreeMap<u32, Tree>,
}

struct Tree {
    thread: Thread,
    root: usize,
    open: Vec<(usize, u64)>,
}

impl Forest {
    fn node(&mut self) -> usize {
        self.nodes.push(Node::default());
        self.nodes.len() - 1
    }

    fn tree(&mut self, thread: Thread) -> &mut Tree {
        self.threads.entry(thread.number).or_insert_with(|| {
            self.nodes.push(Node::default());
            Tree { thread, root: self.nodes.len() - 1, open: Vec::new() }
        })
    }
}

impl Calls for Forest {
    fn begin(&mut self, thread: Thread, function: FunctionId, time: u64) {
        let tree = self.tree(thread);
        let parent = tree.open.last().map_or(tree.root, |(node, _)| *node);
        let node = match self.nodes[parent].children.get(&function) {
            Some(known) => *known,
            None => {
                let node = self.node();
                self.nodes[parent].children.insert(function, node);
                node
            }
        };
        self.tree(thread).open.push((node, time));
    }

    fn end(&mut self, thread: Thread, _: FunctionId, time: u64) {
        let tree = self.tree(thread);
        let Some((node, begun)) = tree.open.pop() else { return };
        let (is_outermost, root) = (tree.open.is_empty(), tree.root);
        let took = time.saturating_sub(begun);
        self.nodes[node].calls += 1;
        self.nodes[node].time += took;
        if is_outermost {
            self.nodes[root].time += took;
        }
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
        for tree in self.threads.values() {
            let root = &self.nodes[tree.root];
            writeln!(out, "thread {}: {} ms in calls", tree.thread.id, milliseconds(root.time))?;
            writeln!(out, "{:>12} {:>6} {:>10}  call", "ms", "%", "calls")?;
            let mut left = Vec::new();
            let add = |left: &mut Vec<_>, node: &Node, level: usize| {
                let is_shown = |child: usize| percent(self.nodes[child].time, root.time) >= least;
                let begin = left.len();
                let children = node.children.iter().filter(|(_, child)| level < depth && is_shown(**child));
                left.extend(children.map(|(function, child)| (level, *function, *child)));
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
        for tree in self.threads.values() {
            let mut left = vec![(0, 0, None, tree.root)];
            while let Some((level, length, function, index)) = left.pop() {
                stack.truncate(length);
                match function {
                    None => stack.push(&format!("thread {}", tree.thread.id)),
                    Some(function) => stack.push(functions.name(function)),
                }
                let node = &self.nodes[index];
                let mut alone = node.time;
                for (function, child) in &node.children {
                    let time = self.nodes[*child].time;
                    if level == depth {
                        too_deep += 1;
                    } else if time >= least {
                        alone = alone.saturating_sub(time);
                        left.push((level + 1, stack.len(), Some(*function), *child));
                    }
                }
                if alone > 0 {
                    visit(stack.as_str(), alone)?;
                }
            }
        }
        Ok(too_deep)
    }
}
