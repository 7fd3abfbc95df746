//! Calls by what called them, each path once: as a tree, and as a flame graph.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::{Context as _, Result};
use recording::Thread;

use super::Opened;
use super::calls::{Calls, each};
use super::names::{FunctionId, Functions};

/// A function on a path of callers.
#[derive(Default)]
struct Node {
    calls: u64,
    /// Nanoseconds from the beginning to the end of its calls.
    time: u64,
    children: BTreeMap<FunctionId, usize>,
}

/// The trees of all threads.
#[derive(Default)]
pub(super) struct Forest {
    nodes: Vec<Node>,
    /// By the number of the thread: its root, and the open calls with the times that they began at.
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
    /// Writes the trees, so many levels deep and without what takes less than so many percent.
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
            self.show_below(functions, (root, root.time), (0, depth), least, out)?;
        }
        Ok(out.flush()?)
    }

    fn show_below(
        &self,
        functions: &Functions,
        (node, whole): (&Node, u64),
        (level, depth): (usize, usize),
        least: f64,
        out: &mut dyn Write,
    ) -> Result<()> {
        let mut children: Vec<_> =
            node.children.iter().map(|(function, child)| (*function, &self.nodes[*child])).collect();
        children.sort_by_key(|(function, child)| (core::cmp::Reverse(child.time), *function));
        for (function, child) in children {
            let share = percent(child.time, whole);
            if share < least || level >= depth {
                continue;
            }
            let (time, calls, indent) = (milliseconds(child.time), child.calls, level * 2);
            let name = &functions.function(function).name;
            writeln!(out, "{time:>12} {share:>6.2} {calls:>10}  {:indent$}{name}", "")?;
            self.show_below(functions, (child, whole), (level + 1, depth), least, out)?;
        }
        Ok(())
    }

    /// The stacks with the time that was spent in the innermost call of each: `thread 1;A;B 1200`.
    fn folded(&self, functions: &Functions) -> Vec<String> {
        let mut lines = Vec::new();
        for tree in self.threads.values() {
            let mut left = vec![(tree.root, format!("thread {}", tree.thread.id))];
            while let Some((index, stack)) = left.pop() {
                let node = &self.nodes[index];
                let in_children: u64 = node.children.values().map(|child| self.nodes[*child].time).sum();
                let alone = node.time.saturating_sub(in_children);
                if alone > 0 {
                    lines.push(format!("{stack} {alone}"));
                }
                left.extend(node.children.iter().map(|(function, child)| {
                    // What separates names here is not part of one.
                    let name = functions.function(*function).name.replace(';', ":");
                    (*child, format!("{stack};{name}"))
                }));
            }
        }
        lines.sort_unstable();
        lines
    }

    /// Draws the stacks, or writes them as text.
    pub(super) fn flame(&self, functions: &Functions, folded: bool, out: &mut dyn Write) -> Result<()> {
        let lines = self.folded(functions);
        if folded {
            for line in lines {
                writeln!(out, "{line}")?;
            }
        } else {
            let mut options = inferno::flamegraph::Options::default();
            options.title = "Time in calls".to_owned();
            options.count_name = "ns".to_owned();
            inferno::flamegraph::from_lines(&mut options, lines.iter().map(String::as_str), &mut *out)
                .context("there is nothing to draw: the recording has no calls")?;
        }
        Ok(out.flush()?)
    }
}
