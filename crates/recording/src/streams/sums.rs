//! Sums by key columns and by stack.

use std::collections::{BTreeMap, HashMap};

use super::{Row, Tables};
use crate::limits::MAX_GROUPS;
use crate::sessions::{Aggregate, Node, StreamInfo, Value};

/// The sum of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sum {
    /// The number of rows.
    pub rows: u64,
    /// The sum of the column; the last value if its aggregate is [`Aggregate::LAST`].
    pub total: i128,
}

impl Sum {
    fn add(&mut self, number: i128, is_last: bool) {
        self.rows = self.rows.saturating_add(1);
        self.total = if is_last { number } else { self.total.saturating_add(number) };
    }
}

/// Sums of a column, in groups by the values of other columns.
#[derive(Clone, Debug)]
pub struct Sums {
    keys: Box<[usize]>,
    column: usize,
    is_last: bool,
    groups: HashMap<Box<[Value]>, Sum>,
    key: Vec<Value>,
    rest: Sum,
}

impl Sums {
    /// Begins sums of a stream. `None` if it has no column of one of these names.
    #[must_use]
    pub fn new(stream: &StreamInfo, keys: &[&str], column: &str) -> Option<Self> {
        let column = stream.column(column)?;
        Some(Self {
            keys: keys.iter().map(|key| stream.column(key)).collect::<Option<_>>()?,
            column,
            is_last: stream.columns.get(column)?.aggregate == Aggregate::LAST,
            groups: HashMap::new(),
            key: Vec::new(),
            rest: Sum::default(),
        })
    }

    /// Adds a row of the stream. A value that is no number counts as 0.
    pub fn add(&mut self, row: &Row<'_>) {
        let values = row.values();
        let number = values.get(self.column).and_then(|value| value.number()).unwrap_or(0);
        self.key.clear();
        self.key.extend(self.keys.iter().filter_map(|key| values.get(*key)));
        let has_room = self.groups.len() < MAX_GROUPS;
        match self.groups.get_mut(&*self.key) {
            Some(sum) => sum.add(number, self.is_last),
            None if has_room => {
                let mut sum = Sum::default();
                sum.add(number, self.is_last);
                self.groups.insert(self.key.as_slice().into(), sum);
            }
            None => self.rest.add(number, self.is_last),
        }
    }

    /// Returns the sum of the rows whose groups are not kept: those that came when there were 2²⁰ others.
    #[must_use]
    pub const fn rest(&self) -> Sum {
        self.rest
    }

    /// Returns the groups, the largest sum first.
    #[must_use]
    pub fn into_sorted(self) -> Vec<(Box<[Value]>, Sum)> {
        let mut groups: Vec<_> = self.groups.into_iter().collect();
        groups.sort_by_cached_key(|(key, sum)| {
            let words: Vec<u64> = key.iter().map(|value| value.word()).collect();
            (core::cmp::Reverse(sum.total), words)
        });
        groups
    }
}

/// The sum of a stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StackSum {
    /// The sum of the rows that have this stack.
    pub own: i128,
    /// The same, with the rows of the stacks that are called from here.
    pub total: i128,
}

/// Sums of a column over a tree of stacks: a call tree, whatever the column is.
#[derive(Clone, Debug)]
pub struct StackSums {
    stack: usize,
    column: usize,
    own: BTreeMap<Node, i128>,
}

impl StackSums {
    /// Begins sums of a stream. `None` if it has no column of one of these names.
    #[must_use]
    pub fn new(stream: &StreamInfo, stack: &str, column: &str) -> Option<Self> {
        Some(Self { stack: stream.column(stack)?, column: stream.column(column)?, own: BTreeMap::new() })
    }

    /// Adds a row of the stream. One without a stack counts for [`Node::NONE`], as one of a stack beyond the 2²⁰ that are kept.
    pub fn add(&mut self, row: &Row<'_>) {
        let values = row.values();
        let mut node = match values.get(self.stack) {
            Some(Value::Node(node)) => *node,
            _ => Node::NONE,
        };
        if self.own.len() >= MAX_GROUPS && !self.own.contains_key(&node) {
            node = Node::NONE;
        }
        let number = values.get(self.column).and_then(|value| value.number()).unwrap_or(0);
        let own = self.own.entry(node).or_default();
        *own = own.saturating_add(number);
    }

    /// Returns the sum of each stack with rows, and of those that they are called from. [`Node::NONE`] has the sum of all.
    #[must_use]
    pub fn totals(&self, tables: &Tables) -> BTreeMap<Node, StackSum> {
        let mut sums: BTreeMap<Node, StackSum> =
            self.own.iter().map(|(node, own)| (*node, StackSum { own: *own, total: *own })).collect();
        sums.entry(Node::NONE).or_default();
        // A caller has a lower number: its own sum is complete when it is reached.
        let mut next = sums.last_key_value().map(|(node, sum)| (*node, sum.total));
        while let Some((node, total)) = next.filter(|(node, _)| *node != Node::NONE) {
            let caller = tables.node(node).map_or(Node::NONE, |(caller, _)| caller);
            let sum = sums.entry(caller).or_default();
            sum.total = sum.total.saturating_add(total);
            next = sums.range(..node).next_back().map(|(node, sum)| (*node, sum.total));
        }
        sums
    }
}
