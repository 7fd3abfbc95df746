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

    /// Returns the value of each node with all below it, by the node's index.
    fn totals(&self) -> Vec<u64> {
        let mut totals = vec![0; self.profile.tree().len()];
        for (node, value) in &self.own {
            if let Some(total) = totals.get_mut(node.index()) {
                *total = *value;
            }
        }
        self.profile.tree().add_to_ancestors(&mut totals);
        totals
    }

    /// Returns the values with those of subtrees of less than `least` added to their callers.
    pub(crate) fn of_at_least(&self, least: u64) -> BTreeMap<NodeId, u64> {
        let totals = self.totals();
        let mut own: BTreeMap<NodeId, u64> = BTreeMap::new();
        for (node, value) in &self.own {
            let mut node = *node;
            while totals.get(node.index()).is_some_and(|total| *total < least) {
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
        let (tree, totals) = (self.profile.tree(), self.totals());
        // A callee begins after those before it, which begin with their caller.
        let mut free = vec![0; totals.len()];
        for index in 1..totals.len() {
            let Some((parent, frame)) = tree.node_at(index) else { continue };
            let total = totals.get(index).copied().unwrap_or(0);
            if total == 0 {
                continue;
            }
            let begin = free.get(parent.index()).copied().unwrap_or(0);
            for (at, end) in [(parent.index(), begin + total), (index, begin)] {
                if let Some(free) = free.get_mut(at) {
                    *free = end;
                }
            }
            visit(begin, frame, total);
        }
    }
}
