//! The samples of a profile by thread: one value of each node.

use std::collections::BTreeMap;

use crate::profile::{FrameId, Profile, Thread};
use crate::tree::NodeId;

/// The value of a thread's stacks.
pub(crate) struct ThreadValues<'p> {
    profile: &'p Profile,
    /// The thread; `None` for the samples without one.
    pub(crate) thread: Option<&'p Thread>,
    /// The value of each stack itself, in the order of the nodes.
    pub(crate) own: BTreeMap<NodeId, u64>,
}

/// Returns one value of a profile by thread, in the order of the thread ids. Threads without a value are left out.
pub(crate) fn by_thread(profile: &Profile, value: usize) -> Vec<ThreadValues<'_>> {
    let mut threads = BTreeMap::new();
    for sample in profile.samples() {
        let Some(amount) = sample.values.get(value).copied().filter(|amount| *amount > 0) else { continue };
        let thread = sample.context().thread.as_ref();
        let key = thread.map(|thread| (thread.id, thread.name.as_str()));
        let values =
            threads.entry(key).or_insert_with(|| ThreadValues { profile, thread, own: BTreeMap::new() });
        let sum: &mut u64 = values.own.entry(sample.node()).or_default();
        *sum = sum.saturating_add(amount);
    }
    threads.into_values().collect()
}

impl ThreadValues<'_> {
    pub(crate) fn name(&self) -> String {
        self.thread.map_or_else(|| self.profile.program().to_owned(), ToString::to_string)
    }

    /// Returns the value of each node on the thread's stacks, with all below it. Costs as much as the thread has stacks, and not
    /// the whole profile, which may have thousands of threads.
    fn totals(&self) -> BTreeMap<NodeId, u64> {
        let tree = self.profile.tree();
        let mut totals = self.own.clone();
        for node in self.own.keys() {
            let mut node = *node;
            while let Some((parent, _)) = tree.node(node) {
                // Its ancestors are there if it is: its number is smaller, and came before.
                if totals.contains_key(&parent) {
                    break;
                }
                totals.insert(parent, 0);
                node = parent;
            }
        }
        // A node's parent has a smaller number.
        let nodes: Vec<NodeId> = totals.keys().rev().copied().collect();
        for node in nodes {
            let value = totals.get(&node).copied().unwrap_or(0);
            if let Some(sum) = tree.node(node).and_then(|(parent, _)| totals.get_mut(&parent)) {
                *sum = sum.saturating_add(value);
            }
        }
        totals
    }

    /// Returns the values with those of subtrees of less than `least` added to their callers.
    pub(crate) fn of_at_least(&self, least: u64) -> BTreeMap<NodeId, u64> {
        let totals = self.totals();
        let mut own: BTreeMap<NodeId, u64> = BTreeMap::new();
        for (node, value) in &self.own {
            let mut node = *node;
            while totals.get(&node).is_some_and(|total| *total < least) {
                let Some((parent, _)) = self.profile.tree().node(node) else { break };
                node = parent;
            }
            let sum = own.entry(node).or_default();
            *sum = sum.saturating_add(*value);
        }
        own
    }

    /// Visits each function call of a layout without time: begin, frame, and value with all below it. Callers come
    /// before their callees.
    pub(crate) fn visit_calls(&self, mut visit: impl FnMut(u64, FrameId, u64)) {
        let tree = self.profile.tree();
        // A callee begins after those before it, which begin with their caller.
        let mut free: BTreeMap<NodeId, u64> = BTreeMap::new();
        for (node, total) in self.totals() {
            let Some((parent, frame)) = tree.node(node) else { continue };
            let begin = free.get(&parent).copied().unwrap_or(0);
            free.insert(parent, begin.saturating_add(total));
            free.insert(node, begin);
            visit(begin, frame, total);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, Frame, Unit, ValueType};

    /// Returns the steps for the totals of all threads. Each thread has a stack of its own, of two frames.
    fn steps(threads: u64) -> usize {
        let mut profile = Profile::new("shop", vec![ValueType::new("samples", Unit::Count)]);
        let main = profile.frame(Frame { name: "Main", module: "" });
        for id in 0..threads {
            let thread = Some(Thread { id, name: String::new() });
            let context = profile.context(&Context { thread, labels: Vec::new() });
            let own = profile.frame(Frame { name: &id.to_string(), module: "" });
            profile.add([main, own], context, &[1]);
        }
        by_thread(&profile, 0).iter().map(|thread| thread.totals().len()).sum()
    }

    #[test]
    fn a_thread_costs_its_own_stacks() {
        // The empty stack, the one of `Main`, and its own.
        assert_eq!([100, 200, 400].map(steps), [300, 600, 1200]);
    }
}
