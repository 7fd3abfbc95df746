//! Sums by stack and labels, of which a profile is made when it is wanted.

use std::collections::HashMap;

use corprof_profile::{Context, FrameId, Profile, ValueType};
use recording::streams::{Node, Row, Tables, Text, Value};

use crate::limits::GROUPS;
use crate::stacks::Frames;

/// The longest stack that a profile gets.
const DEPTH: usize = 4096;

/// The values of a group, and what they were when the interval began.
#[derive(Clone, Copy, Debug)]
struct Sums<const V: usize> {
    all: [u64; V],
    before: [u64; V],
}

/// What a group is known by: a stack, what is above it, labels by the index of their names.
type Key = (Node, Option<Value>, Box<[(usize, Text)]>);

/// A group.
#[derive(Clone, Debug)]
struct Group<const V: usize> {
    key: Key,
    /// The innermost frame.
    top: Option<FrameId>,
    labels: Box<[(usize, Box<str>)]>,
    sums: Sums<V>,
}

/// Sums of `V` values by stack and labels, in the order in which the groups came.
pub(crate) struct Groups<const V: usize> {
    labels: &'static [&'static str],
    /// Has the frames.
    empty: Profile,
    frames: Frames,
    nodes: HashMap<Node, (Node, FrameId)>,
    numbers: HashMap<Key, usize>,
    groups: Vec<Group<V>>,
}

impl<const V: usize> Groups<V> {
    /// Begins without a group. `labels` are the names of labels, in the order in which a sample has them.
    pub(crate) fn new(program: &str, types: Vec<ValueType>, labels: &'static [&'static str]) -> Self {
        Self {
            labels,
            empty: Profile::new(program, types),
            frames: Frames::default(),
            nodes: HashMap::new(),
            numbers: HashMap::new(),
            groups: Vec::new(),
        }
    }

    /// Adds values to the group of a row, and returns its number. `stack` and `labels` are names of columns; those that the row has not are
    /// left out, as are labels without text. `top` is a column whose text or class is the innermost frame.
    pub(crate) fn add(
        &mut self,
        row: &Row<'_>,
        stack: &str,
        top: Option<&str>,
        labels: &[&str],
        values: [u64; V],
    ) -> usize {
        let value = |name: &str| row.values().get(row.stream().column(name)?).copied();
        let stack = match value(stack) {
            Some(Value::Node(node)) => node,
            _ => Node::NONE,
        };
        let of_label = |name: &&str| match value(name) {
            Some(Value::Text(text)) if text != Text::NONE => {
                Some((self.labels.iter().position(|label| label == name)?, text))
            }
            _ => None,
        };
        let key = (stack, top.and_then(value), labels.iter().filter_map(of_label).collect());
        let number = self.number(row.tables(), key);
        self.change(number, values, false, u64::saturating_add);
        number
    }

    /// Moves values from one group to another. `is_earlier`: they are not of the interval that has begun last.
    pub(crate) fn shift(&mut self, from: usize, to: usize, values: [u64; V], is_earlier: bool) {
        self.change(from, values, is_earlier, u64::saturating_sub);
        self.change(to, values, is_earlier, u64::saturating_add);
    }

    fn change(&mut self, number: usize, values: [u64; V], is_earlier: bool, change: fn(u64, u64) -> u64) {
        let Some(Group { sums, .. }) = self.groups.get_mut(number) else { return };
        for (index, value) in values.into_iter().enumerate() {
            sums.all[index] = change(sums.all[index], value);
            if is_earlier {
                sums.before[index] = change(sums.before[index], value);
            }
        }
    }

    /// Returns the group with the stack of another, and one label more or instead.
    pub(crate) fn relabelled(&mut self, tables: &Tables, number: usize, label: &str, text: Text) -> usize {
        let index = self.labels.iter().position(|known| *known == label);
        let (Some(group), Some(index)) = (self.groups.get(number), index) else { return number };
        let (stack, top, labels) = group.key.clone();
        let mut labels: Vec<_> = labels.into_iter().filter(|(known, _)| *known != index).collect();
        labels.push((index, text));
        labels.sort_unstable_by_key(|(index, _)| *index);
        self.number(tables, (stack, top, labels.into()))
    }

    /// Returns the number of a group, which may be new. What is beyond the limit is in the last one.
    fn number(&mut self, tables: &Tables, key: Key) -> usize {
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let number = self.groups.len();
        if number > GROUPS {
            return GROUPS;
        }
        let shown = if number == GROUPS { Key::default() } else { key.clone() };
        self.learn(tables, shown.0);
        let top = match shown.1 {
            Some(Value::Class(frame)) => Some(self.frames.frame(&mut self.empty, tables, frame)),
            Some(Value::Text(text)) => {
                let name = tables.text(text).unwrap_or_default();
                Some(self.empty.frame(corprof_profile::Frame { name, module: "" }))
            }
            _ => None,
        };
        let text = |text| tables.text(text).unwrap_or_default().into();
        let labels = shown.2.iter().map(|(index, label)| (*index, text(*label))).collect();
        self.groups.push(Group { key: shown, top, labels, sums: Sums { all: [0; V], before: [0; V] } });
        self.numbers.insert(key, number);
        number
    }

    /// Takes the frames of a stack, as far as they are not known.
    fn learn(&mut self, tables: &Tables, stack: Node) {
        let mut node = stack;
        while let (false, Some((caller, frame))) = (self.nodes.contains_key(&node), tables.node(node)) {
            let frame = self.frames.frame(&mut self.empty, tables, frame);
            self.nodes.insert(node, (caller, frame));
            node = caller;
        }
    }

    /// Begins a new interval.
    pub(crate) fn next_interval(&mut self) {
        for Group { sums, .. } in &mut self.groups {
            sums.before = sums.all;
        }
    }

    /// Returns the profile of everything, or of the interval that has begun last.
    pub(crate) fn profile(&self, is_interval: bool) -> Profile {
        let mut profile = self.empty.without_samples();
        for Group { key, top, labels, sums } in &self.groups {
            let mut all = sums.all;
            if is_interval {
                all.iter_mut().zip(sums.before).for_each(|(all, before)| *all = all.saturating_sub(before));
            }
            if all == [0; V] {
                continue;
            }
            let mut node = key.0;
            let frames = core::iter::from_fn(|| {
                let (caller, frame) = self.nodes.get(&node)?;
                node = *caller;
                Some(*frame)
            });
            let mut frames: Vec<FrameId> = top.iter().copied().chain(frames.take(DEPTH)).collect();
            frames.reverse();
            let label = |(index, text): &(usize, Box<str>)| {
                let name = self.labels.get(*index).copied().unwrap_or_default();
                (name.to_owned(), text.to_string())
            };
            let context = Context { thread: None, labels: labels.iter().map(label).collect() };
            let context = profile.context(&context);
            profile.add(frames, context, &all);
        }
        profile
    }
}
