//! Dominators: the object that keeps another one alive alone, and so the bytes that an object retains.
//!
//! The algorithm is SNCA of L. Georgiadis, "Linear-Time Algorithms for Dominators and Related Problems" (2005): semidominators
//! with path compression, and then the nearest common ancestor in the tree so far.

use super::graph::{Graph, number};

const NONE: u32 = u32::MAX;

/// The dominator tree of the objects that are reachable from the roots.
///
/// Its nodes are numbered in the order of a depth-first search: node 0 stands for all roots, and the immediate dominator of a
/// node has a smaller number.
#[derive(Debug)]
pub(super) struct Dominators {
    /// The object of each node; [`NONE`] for node 0.
    object_of: Vec<u32>,
    /// The immediate dominator of each node.
    dominator: Vec<u32>,
    /// The bytes that each node retains, itself included.
    retained: Vec<u64>,
}

/// The order of a depth-first search, and what it has come from.
struct Search {
    object_of: Vec<u32>,
    node_of: Vec<u32>,
    parent: Vec<u32>,
}

fn search(graph: &Graph, roots: &[u32]) -> Search {
    let mut found = Search { object_of: vec![NONE], node_of: vec![NONE; graph.len()], parent: vec![0] };
    for root in roots {
        // Objects that were entered: the node, and how many of its references were followed.
        let mut open: Vec<(u32, usize)> = Vec::new();
        let mut next = Some((*root, 0));
        loop {
            if let Some((object, parent)) = next.take()
                && found.node_of[object as usize] == NONE
            {
                let node = number(found.object_of.len());
                found.node_of[object as usize] = node;
                found.object_of.push(object);
                found.parent.push(parent);
                open.push((node, 0));
            }
            let Some((node, followed)) = open.last_mut() else { break };
            let targets = graph.targets(found.object_of[*node as usize]);
            match targets.get(*followed) {
                Some(target) => {
                    *followed += 1;
                    next = Some((*target, *node));
                }
                None => drop(open.pop()),
            }
        }
    }
    found
}

/// The nodes that refer to each node.
struct Referrers {
    ends: Vec<usize>,
    nodes: Vec<u32>,
}

impl Referrers {
    fn new(graph: &Graph, roots: &[u32], search: &Search) -> Self {
        let each = |mut visit: Box<dyn FnMut(u32, u32) + '_>| {
            roots.iter().for_each(|root| visit(0, search.node_of[*root as usize]));
            for (node, object) in search.object_of.iter().enumerate().skip(1) {
                for target in graph.targets(*object) {
                    visit(number(node), search.node_of[*target as usize]);
                }
            }
        };
        let mut begins = vec![0_usize; search.object_of.len() + 1];
        each(Box::new(|_, to| begins[to as usize + 1] += 1));
        for node in 1..begins.len() {
            begins[node] += begins[node - 1];
        }
        let mut nodes = vec![0; begins.last().copied().unwrap_or(0)];
        each(Box::new(|from, to| {
            let place = &mut begins[to as usize];
            nodes[*place] = from;
            *place += 1;
        }));
        // Each begin has moved to the end.
        Self { ends: begins, nodes }
    }

    fn of(&self, node: usize) -> &[u32] {
        let begin = node.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.nodes[begin..self.ends[node]]
    }
}

/// Shortens the path from a node to its ancestors above `limit`, and keeps the smallest label of the path.
fn compress(node: u32, limit: u32, ancestor: &mut [u32], label: &mut [u32], path: &mut Vec<u32>) {
    path.clear();
    let mut top = node;
    while ancestor[top as usize] > limit {
        path.push(top);
        top = ancestor[top as usize];
    }
    for node in path.iter().rev() {
        let above = ancestor[*node as usize] as usize;
        label[*node as usize] = label[*node as usize].min(label[above]);
        ancestor[*node as usize] = ancestor[above];
    }
}

impl Dominators {
    /// Computes the tree. `roots` has each object once.
    pub(super) fn new(graph: &Graph, roots: &[u32]) -> Self {
        let search = search(graph, roots);
        let referrers = Referrers::new(graph, roots, &search);
        let Search { object_of, parent, .. } = search;
        let count = object_of.len();
        let mut dominator = parent.clone();
        let mut semi: Vec<u32> = vec![0; count];
        {
            let mut ancestor = parent;
            let mut label: Vec<u32> = (0..number(count)).collect();
            let mut path = Vec::new();
            for node in (1..count).rev() {
                let mut smallest = number(node);
                for from in referrers.of(node) {
                    if *from as usize > node {
                        compress(*from, number(node), &mut ancestor, &mut label, &mut path);
                    }
                    smallest = smallest.min(label[*from as usize]);
                }
                semi[node] = smallest;
                label[node] = smallest;
            }
        }
        drop(referrers);
        for node in 1..count {
            let mut above = dominator[node];
            while above > semi[node] {
                above = dominator[above as usize];
            }
            dominator[node] = above;
        }
        let size = |object: &u32| graph.sizes.get(*object as usize).copied().map_or(0, bytes);
        let mut retained: Vec<u64> = object_of.iter().map(size).collect();
        for node in (1..count).rev() {
            retained[dominator[node] as usize] += retained[node];
        }
        Self { object_of, dominator, retained }
    }

    /// Returns the bytes that the objects of each class retain together: those that would be freed without them.
    pub(super) fn retained_by_class(&self, graph: &Graph, classes: usize) -> Vec<u64> {
        let count = self.object_of.len();
        // The children of each node, as lists.
        let (mut first, mut sibling) = (vec![NONE; count], vec![NONE; count]);
        for node in (1..count).rev() {
            let above = self.dominator[node] as usize;
            sibling[node] = first[above];
            first[above] = number(node);
        }
        let mut retained = vec![0; classes];
        // The number of objects of each class above the node.
        let mut above = vec![0_u32; classes];
        let class_of = |node: u32| graph.class_of[self.object_of[node as usize] as usize] as usize;
        let mut open: Vec<u32> = Vec::new();
        let mut next = first[0];
        loop {
            while next != NONE {
                let class = class_of(next);
                if above[class] == 0 {
                    retained[class] += self.retained[next as usize];
                }
                above[class] += 1;
                open.push(next);
                next = first[next as usize];
            }
            let Some(node) = open.pop() else { break };
            above[class_of(node)] -= 1;
            next = sibling[node as usize];
        }
        retained
    }
}

/// The bytes of a size.
pub(super) fn bytes(size: u32) -> u64 {
    u64::from(size) * super::strings::UNIT as u64
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "of what the tests themselves have set up")]

    use super::*;

    /// The objects that can be reached without one.
    fn reached(references: &[Vec<u32>], roots: &[u32], without: u32) -> Vec<bool> {
        let mut seen = vec![false; references.len()];
        let mut open = roots.to_vec();
        while let Some(object) = open.pop() {
            if object != without && !core::mem::replace(&mut seen[object as usize], true) {
                open.extend(&references[object as usize]);
            }
        }
        seen
    }

    #[test]
    fn what_an_object_retains_cannot_be_reached_without_it() {
        let mut random = 88_172_645_463_325_252_u64;
        let mut below = |limit: u64| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random % limit
        };
        for round in 0..3_000 {
            let count = 1 + below(12);
            let density = 1 + round % 3;
            let mut references = vec![Vec::new(); usize::try_from(count).unwrap()];
            for _ in 0..count * density {
                let from = usize::try_from(below(count)).unwrap();
                references[from].push(u32::try_from(below(count)).unwrap());
            }
            let mut roots: Vec<u32> = (0..=below(3)).map(|_| u32::try_from(below(count)).unwrap()).collect();
            roots.sort_unstable();
            roots.dedup();
            let mut graph = Graph::of(&references);
            graph.class_of = (0..number(references.len())).map(|object| object % 3).collect();
            let dominators = Dominators::new(&graph, &roots);
            let all = reached(&references, &roots, NONE);
            let lost = |seen: &[bool]| all.iter().zip(seen).filter(|(all, seen)| **all && !**seen).count();
            assert_eq!(dominators.object_of.len(), 1 + all.iter().filter(|seen| **seen).count());
            for (node, object) in dominators.object_of.iter().enumerate().skip(1) {
                let expected = lost(&reached(&references, &roots, *object));
                assert_eq!(
                    dominators.retained[node],
                    8 * expected as u64,
                    "{references:?} {roots:?} {object}"
                );
            }
        }
    }

    #[test]
    fn a_class_retains_what_each_of_its_outermost_objects_retains() {
        // 0 (class 0) → 1 (class 1) → 2 (class 0) → 3 (class 2); 4 (class 2) is a root.
        let mut graph = Graph::of(&[vec![1], vec![2], vec![3], vec![], vec![]]);
        graph.class_of = vec![0, 1, 0, 2, 2];
        let dominators = Dominators::new(&graph, &[0, 4]);
        assert_eq!(dominators.retained_by_class(&graph, 3), [32, 24, 16]);
    }

    #[test]
    fn a_long_list_is_no_deep_recursion() {
        let list: Vec<Vec<u32>> = (1..=200_000).map(|next| vec![next % 200_000]).collect();
        let graph = Graph::of(&list);
        let dominators = Dominators::new(&graph, &[0]);
        assert_eq!(dominators.retained[1], 1_600_000);
        assert_eq!(dominators.retained_by_class(&graph, 1), [1_600_000]);
    }
}
