//! Import cycles: strongly connected files.

use std::collections::{BTreeMap, BTreeSet};

/// The strongly connected components of more than one node (Tarjan's algorithm).
pub(super) fn of(arrows: &BTreeSet<(usize, usize)>) -> Vec<Vec<usize>> {
    let mut search = Search { arrows: BTreeMap::new(), ..Search::default() };
    for (from, to) in arrows {
        search.arrows.entry(*from).or_default().push(*to);
    }
    let starts: Vec<usize> = search.arrows.keys().copied().collect();
    for node in starts {
        if !search.numbers.contains_key(&node) {
            search.visit(node);
        }
    }
    search.cycles.iter_mut().for_each(|cycle| cycle.sort_unstable());
    search.cycles.sort();
    search.cycles
}

#[derive(Default)]
struct Search {
    arrows: BTreeMap<usize, Vec<usize>>,
    /// The order in which the nodes were visited.
    numbers: BTreeMap<usize, usize>,
    stack: Vec<usize>,
    cycles: Vec<Vec<usize>>,
}

impl Search {
    /// The recursion is as deep as a crate has files.
    fn visit(&mut self, node: usize) -> usize {
        let number = self.numbers.len();
        self.numbers.insert(node, number);
        self.stack.push(node);
        let mut lowest = number;
        for next in self.arrows.get(&node).cloned().unwrap_or_default() {
            match self.numbers.get(&next) {
                None => lowest = lowest.min(self.visit(next)),
                Some(seen) if self.stack.contains(&next) => lowest = lowest.min(*seen),
                Some(_) => {}
            }
        }
        if lowest == number
            && let Some(at) = self.stack.iter().position(|other| *other == node)
        {
            let group = self.stack.split_off(at);
            if group.len() > 1 {
                self.cycles.push(group);
            }
        }
        lowest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_found_and_trees_are_not() {
        let arrows = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (5, 3), (5, 6), (6, 5)];
        assert_eq!(of(&arrows.into_iter().collect()), [vec![0, 1, 2], vec![5, 6]]);
        assert!(of(&[(0, 1), (0, 2), (1, 2)].into_iter().collect()).is_empty());
    }
}
