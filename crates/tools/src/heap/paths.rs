//! The shortest path from a root to each object, as classes.

use std::collections::HashMap;

use super::dominators::bytes;
use super::graph::{Graph, number};

/// The number of different paths that are kept.
const PATHS: usize = 400_000;
/// The number of classes after which a run that repeats is found.
const PERIOD: usize = 8;
/// The length of a path beyond which a class occurs once: lists of objects of many classes in no order.
const DEPTH: u32 = 200;
/// The path of objects that no root reaches.
pub(super) const NOWHERE: u32 = u32::MAX;

/// Objects whose paths have the same classes.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathNode {
    /// The path without its last class; [`NOWHERE`] for a root.
    pub(super) parent: u32,
    /// The class, or beyond the classes the label of the root.
    pub(super) frame: u32,
    /// The label of the root.
    pub(super) label: u32,
    depth: u32,
    pub(super) objects: u64,
    pub(super) bytes: u64,
}

/// A root: an object, the number of its label, and whether the object is the root itself, such as the array of static fields, and no class
/// of a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Labelled {
    pub(super) object: u32,
    pub(super) label: u32,
    pub(super) is_root: bool,
}

/// The paths of all objects. Of a run of classes that repeats, such as that of a list, the first is in the path.
#[derive(Debug)]
pub(super) struct Paths {
    pub(super) nodes: Vec<PathNode>,
    children: HashMap<(u32, u32), u32>,
    /// The objects that count for the outer part of their path, because there are too many paths.
    pub(super) merged: u64,
    /// The objects that no root reaches, and their bytes.
    pub(super) unreached: (u64, u64),
    /// Whether each object is reached.
    pub(super) place: Vec<u32>,
}

impl Paths {
    /// Follows the references from roots. Of two paths of the same length that from the earlier root
    /// counts. Labels are numbers behind those of the classes.
    pub(super) fn new(graph: &Graph, roots: &[Labelled]) -> Self {
        let place = vec![NOWHERE; graph.len()];
        let mut paths =
            Self { nodes: Vec::new(), children: HashMap::new(), merged: 0, unreached: (0, 0), place };
        let mut queue: Vec<u32> = Vec::new();
        for Labelled { object, label, is_root } in roots.iter().copied() {
            if paths.place[object as usize] == NOWHERE {
                let root = paths.child(NOWHERE, label, label);
                if is_root {
                    paths.count(graph, object, root);
                } else {
                    paths.reach(graph, object, root);
                }
                queue.push(object);
            }
        }
        let mut next = 0;
        while let Some(object) = queue.get(next).copied() {
            next += 1;
            let from = paths.place[object as usize];
            for target in graph.targets(object) {
                if paths.place[*target as usize] == NOWHERE {
                    paths.reach(graph, *target, from);
                    queue.push(*target);
                }
            }
        }
        for (object, place) in paths.place.iter().enumerate() {
            if *place == NOWHERE {
                paths.unreached.0 += 1;
                paths.unreached.1 += bytes(graph.sizes[object]);
            }
        }
        paths
    }

    /// Counts an object that is referred to from a path.
    fn reach(&mut self, graph: &Graph, object: u32, from: u32) {
        let label = self.nodes[from as usize].label;
        let place = self.child(from, graph.class_of[object as usize], label);
        self.count(graph, object, place);
    }

    /// Counts an object at its place.
    fn count(&mut self, graph: &Graph, object: u32, place: u32) {
        let index = object as usize;
        self.place[index] = place;
        let node = &mut self.nodes[place as usize];
        node.objects += 1;
        node.bytes += bytes(graph.sizes[index]);
    }

    fn child(&mut self, parent: u32, frame: u32, label: u32) -> u32 {
        if let Some(known) = self.children.get(&(parent, frame)) {
            return *known;
        }
        let depth = self.nodes.get(parent as usize).map_or(0, |node| node.depth + 1);
        let same = if depth < DEPTH { self.repeated(parent, frame) } else { self.above(parent, frame) };
        let child = if let Some(same) = same {
            same
        } else if self.nodes.len() >= PATHS && parent != NOWHERE {
            self.merged += 1;
            return parent;
        } else {
            self.nodes.push(PathNode { parent, frame, label, depth, objects: 0, bytes: 0 });
            number(self.nodes.len() - 1)
        };
        self.children.insert((parent, frame), child);
        child
    }

    /// Returns the place at the end of the first of two equal runs, the second of which ends with `frame` behind `parent`.
    fn repeated(&self, parent: u32, frame: u32) -> Option<u32> {
        let mut above = [(NOWHERE, NOWHERE); 2 * PERIOD];
        let (mut length, mut next) = (0, parent);
        for place in &mut above {
            let Some(node) = self.nodes.get(next as usize) else { break };
            *place = (next, node.frame);
            (length, next) = (length + 1, node.parent);
        }
        let class = |index: usize| index.checked_sub(1).map_or(frame, |index| above[index].1);
        let is_run = |period: &usize| {
            2 * period <= length + 1 && (0..*period).all(|index| class(index) == class(index + period))
        };
        (1..=PERIOD).find(is_run).map(|period| above[period - 1].0)
    }

    /// Returns the nearest place of a class on a path.
    fn above(&self, parent: u32, frame: u32) -> Option<u32> {
        let mut above = parent;
        while let Some(node) = self.nodes.get(above as usize) {
            if node.frame == frame {
                return Some(above);
            }
            above = node.parent;
        }
        None
    }

    /// Returns the frames of a path, the root first.
    pub(super) fn frames(&self, node: usize) -> Vec<u32> {
        let mut frames = Vec::new();
        let mut next = number(node);
        while let Some(node) = self.nodes.get(next as usize) {
            frames.push(node.frame);
            next = node.parent;
        }
        frames.reverse();
        frames
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(object: u32, label: u32) -> Labelled {
        Labelled { object, label, is_root: false }
    }

    /// The path of the last object of a chain with these classes, whose root has the label 9.
    fn chain(classes: &[u32]) -> Vec<u32> {
        let count = number(classes.len());
        let mut graph = Graph::of(
            &(1..=count).map(|next| if next < count { vec![next] } else { vec![] }).collect::<Vec<_>>(),
        );
        graph.class_of = classes.to_vec();
        let paths = Paths::new(&graph, &[root(0, 9)]);
        paths.frames(*paths.place.last().unwrap() as usize)
    }

    #[test]
    fn only_runs_that_repeat_are_folded() {
        assert_eq!(chain(&[0, 1, 2, 0]), [9, 0, 1, 2, 0]);
        assert_eq!(chain(&[0, 1, 0]), [9, 0, 1, 0]);
        assert_eq!(chain(&[0, 0, 0, 1]), [9, 0, 1]);
        assert_eq!(chain(&[0, 1, 0, 1, 0, 1, 2]), [9, 0, 1, 2]);
        assert_eq!(chain(&[3, 0, 1, 2, 0, 1, 2, 0, 1, 2]), [9, 3, 0, 1, 2]);
        // A path is bounded all the same: from its 200th class on each occurs once.
        let classes: Vec<u32> = (0..5_000_u32).map(|index| index.wrapping_mul(2_654_435_761) >> 29).collect();
        assert!(chain(&classes).len() <= DEPTH as usize + 8);
    }

    #[test]
    fn an_object_that_is_a_root_itself_is_no_class_of_a_path() {
        let mut graph = Graph::of(&[vec![1], vec![]]);
        graph.class_of = vec![0, 1];
        let paths = Paths::new(&graph, &[Labelled { object: 0, label: 2, is_root: true }]);
        assert_eq!(
            paths.place.iter().map(|place| paths.frames(*place as usize)).collect::<Vec<_>>(),
            [vec![2], vec![2, 1]]
        );
    }

    #[test]
    fn objects_are_counted_on_their_shortest_path() {
        // Classes: 0 a list, 1 its items, 2 a table. 3 and 4 are labels.
        let mut graph = Graph::of(&[vec![1], vec![2, 3], vec![0], vec![], vec![3], vec![]]);
        graph.class_of = vec![0, 0, 0, 1, 2, 2];
        let paths = Paths::new(&graph, &[root(0, 3), root(4, 4)]);
        let seen: Vec<_> = (0..paths.nodes.len())
            .filter(|node| paths.nodes[*node].objects > 0)
            .map(|node| (paths.frames(node), paths.nodes[node].objects, paths.nodes[node].bytes))
            .collect();
        assert_eq!(seen, [(vec![3, 0], 3, 24), (vec![4, 2], 1, 8), (vec![4, 2, 1], 1, 8)]);
        assert_eq!((paths.unreached, paths.merged), ((1, 8), 0));
    }
}
