//! The shortest path from a root to each object, as classes.

use std::collections::HashMap;

use super::dominators::bytes;
use super::graph::{Graph, number};

/// The number of different paths that are kept.
const PATHS: usize = 400_000;
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
    pub(super) objects: u64,
    pub(super) bytes: u64,
}

/// The paths of all objects. A class occurs once in a path: what is between two objects of a class, such as those of a list, is
/// left out.
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
    /// Follows the references from roots: objects with labels. Of two paths of the same length that from the earlier root
    /// counts. Labels are numbers behind those of the classes.
    pub(super) fn new(graph: &Graph, roots: &[(u32, u32)]) -> Self {
        let place = vec![NOWHERE; graph.len()];
        let mut paths =
            Self { nodes: Vec::new(), children: HashMap::new(), merged: 0, unreached: (0, 0), place };
        let mut queue: Vec<u32> = Vec::new();
        for (object, label) in roots {
            if paths.place[*object as usize] == NOWHERE {
                let root = paths.child(NOWHERE, *label, *label);
                paths.reach(graph, *object, root);
                queue.push(*object);
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
        let index = object as usize;
        let label = self.nodes[from as usize].label;
        let place = self.child(from, graph.class_of[index], label);
        self.place[index] = place;
        let node = &mut self.nodes[place as usize];
        node.objects += 1;
        node.bytes += bytes(graph.sizes[index]);
    }

    fn child(&mut self, parent: u32, frame: u32, label: u32) -> u32 {
        if let Some(known) = self.children.get(&(parent, frame)) {
            return *known;
        }
        let mut above = parent;
        while let Some(node) = self.nodes.get(above as usize) {
            if node.frame == frame {
                break;
            }
            above = node.parent;
        }
        let child = if above != NOWHERE {
            above
        } else if self.nodes.len() >= PATHS && parent != NOWHERE {
            self.merged += 1;
            return parent;
        } else {
            self.nodes.push(PathNode { parent, frame, label, objects: 0, bytes: 0 });
            number(self.nodes.len() - 1)
        };
        self.children.insert((parent, frame), child);
        child
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

    #[test]
    fn objects_are_counted_on_their_shortest_path() {
        // Classes: 0 a list, 1 its items, 2 a table. 3 and 4 are labels.
        let mut graph = Graph::of(&[vec![1], vec![2, 3], vec![0], vec![], vec![3], vec![]]);
        graph.class_of = vec![0, 0, 0, 1, 2, 2];
        let paths = Paths::new(&graph, &[(0, 3), (4, 4)]);
        let seen: Vec<_> = (0..paths.nodes.len())
            .filter(|node| paths.nodes[*node].objects > 0)
            .map(|node| (paths.frames(node), paths.nodes[node].objects, paths.nodes[node].bytes))
            .collect();
        assert_eq!(seen, [(vec![3, 0], 3, 24), (vec![4, 2], 1, 8), (vec![4, 2, 1], 1, 8)]);
        assert_eq!((paths.unreached, paths.merged), ((1, 8), 0));
    }
}
