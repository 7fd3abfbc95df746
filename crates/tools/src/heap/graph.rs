//! The objects of a snapshot by number, in the order of their addresses, and their references.

use std::collections::HashMap;

use super::copied::Copied;

/// The unit of the index from addresses to objects.
const PAGE: usize = 1 << 12;

/// The number of an object, or of another thing; the largest number for those beyond.
pub(super) fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// Objects with references between them.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) sizes: Vec<u32>,
    pub(super) class_of: Vec<u32>,
    ends: Vec<usize>,
    targets: Vec<u32>,
    /// References to what is no object of the snapshot.
    pub(super) dangling: u64,
}

/// Finds objects by their addresses.
#[derive(Debug)]
pub(super) struct Index {
    pub(super) addresses: Vec<usize>,
    /// The objects that begin in each page: the first, and the one behind the last.
    pages: HashMap<usize, (usize, usize)>,
}

impl Index {
    fn new(addresses: Vec<usize>) -> Self {
        let mut pages: HashMap<usize, (usize, usize)> = HashMap::new();
        let mut first = 0;
        for of_page in addresses.chunk_by(|one, next| one / PAGE == next / PAGE) {
            let end = first + of_page.len();
            if let Some(address) = of_page.first() {
                pages.insert(address / PAGE, (first, end));
            }
            first = end;
        }
        Self { addresses, pages }
    }

    /// Returns the number of the object at an address.
    pub(super) fn object(&self, address: usize) -> Option<u32> {
        let (first, end) = *self.pages.get(&(address / PAGE))?;
        let found = self.addresses.get(first..end)?.binary_search(&address).ok()?;
        Some(number(first + found))
    }
}

impl Graph {
    /// Resolves the references of a copy, which are removed from it.
    pub(super) fn new(copied: &mut Copied) -> (Self, Index) {
        let take = core::mem::take::<Vec<usize>>;
        let (addresses, ends) = (take(&mut copied.addresses), take(&mut copied.ends));
        let references = take(&mut copied.references);
        let (sizes, class_of) = (core::mem::take(&mut copied.sizes), core::mem::take(&mut copied.class_of));
        // The runtime visits one heap after another.
        let order = (!addresses.is_sorted()).then(|| {
            let mut order: Vec<u32> = (0..number(addresses.len())).collect();
            order.sort_unstable_by_key(|object| addresses[*object as usize]);
            order
        });
        let old = |object: usize| order.as_ref().map_or(object, |order| order[object] as usize);
        let count = addresses.len();
        let index = Index::new((0..count).map(|object| addresses[old(object)]).collect());
        drop(addresses);

        let key = |pair: &(usize, usize)| index.object(pair.0);
        let mut dependents: Vec<_> =
            copied.dependents.iter().filter_map(|pair| Some((key(pair)?, pair.1))).collect();
        dependents.sort_unstable();
        let mut dependents = dependents.into_iter().peekable();

        let mut graph = Self::default();
        graph.targets.reserve_exact(references.len() + dependents.len());
        graph.ends.reserve_exact(count);
        for object in 0..count {
            let begin = old(object).checked_sub(1).map_or(0, |before| ends[before]);
            let own = references[begin..ends[old(object)]].iter().copied();
            let mut add = |address| match index.object(address) {
                Some(target) => graph.targets.push(target),
                None => graph.dangling += 1,
            };
            own.for_each(&mut add);
            while let Some((_, value)) = dependents.next_if(|(key, _)| *key as usize == object) {
                add(value);
            }
            graph.ends.push(graph.targets.len());
        }
        graph.sizes = (0..count).map(|object| sizes[old(object)]).collect();
        graph.class_of = (0..count).map(|object| class_of[old(object)]).collect();
        (graph, index)
    }

    /// Creates a graph of objects of one class, from their references.
    #[cfg(test)]
    pub(super) fn of(references: &[Vec<u32>]) -> Self {
        let mut graph = Self { sizes: vec![1; references.len()], ..Self::default() };
        graph.class_of = vec![0; references.len()];
        for targets in references {
            graph.targets.extend(targets);
            graph.ends.push(graph.targets.len());
        }
        graph
    }

    /// Returns the number of objects.
    pub(super) fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Returns the number of references.
    pub(super) fn references(&self) -> usize {
        self.targets.len()
    }

    /// Returns the objects that an object refers to.
    pub(super) fn targets(&self, object: u32) -> &[u32] {
        let object = object as usize;
        let begin = object.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.targets[begin..self.ends[object]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved_in_any_order_of_the_objects() {
        let mut copied = Copied {
            addresses: vec![0x9000, 0x1000, 0x1018],
            sizes: vec![9, 1, 2],
            class_of: vec![0, 1, 2],
            ends: vec![1, 3, 3],
            references: vec![0x1018, 0x9000, 0x5000],
            dependents: vec![(0x1018, 0x1000)],
            ..Copied::default()
        };
        let (graph, index) = Graph::new(&mut copied);
        assert_eq!(index.addresses, [0x1000, 0x1018, 0x9000]);
        assert_eq!([graph.targets(0), graph.targets(1), graph.targets(2)], [[2], [0], [1]]);
        assert_eq!((graph.sizes, graph.class_of, graph.dangling), (vec![1, 2, 9], vec![1, 2, 0], 1));
    }
}
