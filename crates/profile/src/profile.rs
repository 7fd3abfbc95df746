//! Profiles: samples with stacks, values, threads and labels.

use core::fmt;
use std::collections::HashMap;

use corprof_in_process::printable::Printable;

use crate::interner::Interner;
use crate::interval::Interval;
use crate::limits::{Limits, NAME};
use crate::tree::{NodeId, Tree};

/// The unit of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// Events.
    Count,
    /// Bytes.
    Bytes,
    /// Nanoseconds.
    Nanoseconds,
}

impl Unit {
    /// Returns the name of the unit in pprof.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Bytes => "bytes",
            Self::Nanoseconds => "nanoseconds",
        }
    }
}

/// A value that every sample has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ValueType {
    /// The name, such as `cpu`.
    pub name: String,
    /// The unit.
    pub unit: Unit,
}

impl ValueType {
    /// Returns a value type.
    #[must_use]
    pub fn new(name: &str, unit: Unit) -> Self {
        Self { name: clean(name), unit }
    }
}

/// A frame of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Frame<'f> {
    /// The function.
    pub name: &'f str,
    /// The file of its module; empty if unknown.
    pub module: &'f str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct OwnedFrame {
    name: String,
    module: String,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Thread {
    /// The operating system's id.
    pub id: u64,
    /// The name; empty if it has none.
    pub name: String,
}

impl fmt::Display for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.as_str() {
            "" => write!(f, "thread {}", self.id),
            name => write!(f, "{name} ({})", self.id),
        }
    }
}

/// The thread and the labels of a sample.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Context {
    /// The thread, if samples are kept apart by thread.
    pub thread: Option<Thread>,
    /// Other properties, such as a state.
    pub labels: Vec<(String, String)>,
}

/// The number of a frame in its profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameId(u32);

impl FrameId {
    /// The frame `[other]`, for frames beyond the limit.
    pub const OTHER: Self = Self(0);

    /// Returns the frame's position in [`Profile::frames`].
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of a thread with labels in its profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContextId(u32);

impl ContextId {
    /// No thread and no labels; also for those beyond the limit.
    pub const NONE: Self = Self(0);
}

/// The number of times that something exceeded a [limit](Limits).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Frames that became `[other]`.
    pub frames: u64,
    /// Contexts that became [`ContextId::NONE`].
    pub contexts: u64,
    /// Samples that count for an outer frame of their stack.
    pub samples: u64,
}

/// A stack with its values.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'p> {
    profile: &'p Profile,
    node: NodeId,
    context: ContextId,
    /// The sums, in the order of the value types.
    pub values: &'p [u64],
}

impl<'p> Sample<'p> {
    /// Returns the frames, innermost first.
    pub fn stack(self) -> impl Iterator<Item = FrameId> + 'p {
        self.profile.tree.stack(self.node)
    }

    /// Returns the thread and the labels.
    #[must_use]
    pub fn context(self) -> &'p Context {
        self.profile.context_of(self.context)
    }

    pub(crate) fn node(self) -> NodeId {
        self.node
    }
}

/// Aggregated samples.
///
/// The memory is bounded by [`Limits`]: samples beyond are merged with others, so that sums stay exact.
#[derive(Clone, Debug)]
pub struct Profile {
    program: String,
    types: Vec<ValueType>,
    limits: Limits,
    frames: Interner<OwnedFrame>,
    contexts: Interner<Context>,
    tree: Tree,
    entries: Vec<(NodeId, ContextId)>,
    entry_of: HashMap<(NodeId, ContextId), usize>,
    /// The values of all entries, one after another.
    values: Vec<u64>,
    merged: Merged,
    interval: Option<Interval>,
}

/// Returns a name without unprintable characters, truncated.
fn clean(name: &str) -> String {
    match name.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}…", Printable(name.get(..end).unwrap_or_default())),
        None => Printable(name).to_string(),
    }
}

/// Adds the values of a sample to sums, each at most to the largest number. Missing values are 0.
pub fn add_values(sums: &mut [u64], values: &[u64]) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum = sum.saturating_add(*value));
}

impl Profile {
    /// Creates an empty profile of a program.
    #[must_use]
    pub fn new(program: &str, types: Vec<ValueType>) -> Self {
        Self::with_limits(program, types, Limits::default())
    }

    /// Creates an empty profile with its own limits.
    #[must_use]
    pub fn with_limits(program: &str, types: Vec<ValueType>, limits: Limits) -> Self {
        let other = OwnedFrame { name: "[other]".to_owned(), module: String::new() };
        let values = vec![0; types.len()];
        // The first entry takes what exceeds all limits.
        let whole = (NodeId::ROOT, ContextId::NONE);
        Self {
            program: clean(program),
            types,
            limits,
            frames: Interner::new(other),
            contexts: Interner::new(Context::default()),
            tree: Tree::default(),
            entries: vec![whole],
            entry_of: HashMap::from([(whole, 0)]),
            values,
            merged: Merged::default(),
            interval: None,
        }
    }

    /// Returns the name of the program.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Returns the values that each sample has.
    #[must_use]
    pub fn types(&self) -> &[ValueType] {
        &self.types
    }

    /// Returns the number of things that were merged because of the limits.
    #[must_use]
    pub const fn merged(&self) -> Merged {
        self.merged
    }

    /// Returns the id of a frame. Unprintable characters are escaped.
    pub fn frame(&mut self, frame: Frame<'_>) -> FrameId {
        let frame = OwnedFrame { name: clean(frame.name), module: clean(frame.module) };
        let number = self.frames.number(frame, self.limits.frames);
        self.merged.frames += u64::from(number.is_none());
        number.map_or(FrameId::OTHER, FrameId)
    }

    /// Returns the id of a thread with labels. Unprintable characters are escaped.
    pub fn context(&mut self, context: &Context) -> ContextId {
        let thread = context.thread.as_ref();
        let context = Context {
            thread: thread.map(|thread| Thread { id: thread.id, name: clean(&thread.name) }),
            labels: context.labels.iter().map(|(key, value)| (clean(key), clean(value))).collect(),
        };
        let number = self.contexts.number(context, self.limits.contexts);
        self.merged.contexts += u64::from(number.is_none());
        number.map_or(ContextId::NONE, ContextId)
    }

    /// Adds the values of a sample, whose frames are passed outermost first. Missing values are 0. Ids of another profile
    /// name other frames, or [`FrameId::OTHER`].
    pub fn add(&mut self, stack: impl IntoIterator<Item = FrameId>, context: ContextId, values: &[u64]) {
        let mut node = NodeId::ROOT;
        let mut is_merged = false;
        for (depth, frame) in stack.into_iter().enumerate() {
            let frame = if self.frames.get(frame.0).is_some() { frame } else { FrameId::OTHER };
            let limit = if depth < self.limits.depth { self.limits.nodes } else { 0 };
            match self.tree.child(node, frame, limit) {
                Some(child) if depth < self.limits.depth => node = child,
                _ => {
                    is_merged = true;
                    break;
                }
            }
        }
        let context = if self.contexts.get(context.0).is_some() { context } else { ContextId::NONE };
        let (entry, is_exact) = self.entry(node, context);
        self.merged.samples += u64::from(is_merged || !is_exact);
        let count = self.types.len();
        let sums = self.values.get_mut(entry * count..).unwrap_or_default();
        add_values(sums.get_mut(..count).unwrap_or_default(), values);
    }

    /// Returns the entry of a stack, or of the nearest outer one if there may be no more entries.
    fn entry(&mut self, mut node: NodeId, context: ContextId) -> (usize, bool) {
        if let Some(entry) = self.entry_of.get(&(node, context)) {
            return (*entry, true);
        }
        if self.entries.len() < self.limits.entries {
            let entry = self.entries.len();
            self.entries.push((node, context));
            self.entry_of.insert((node, context), entry);
            self.values.resize(self.entries.len() * self.types.len(), 0);
            return (entry, true);
        }
        while let Some((parent, _)) = self.tree.node(node) {
            node = parent;
            if let Some(entry) = self.entry_of.get(&(node, context)) {
                return (*entry, false);
            }
        }
        (0, false)
    }

    /// Returns the stacks with a value other than 0, in the order in which they came.
    pub fn samples(&self) -> impl Iterator<Item = Sample<'_>> {
        let count = self.types.len();
        self.entries.iter().enumerate().filter_map(move |(entry, (node, context))| {
            let values = self.values.get(entry * count..(entry + 1) * count)?;
            let sample = Sample { profile: self, node: *node, context: *context, values };
            values.iter().any(|value| *value > 0).then_some(sample)
        })
    }

    /// Returns the sum of a value over all samples.
    #[must_use]
    pub fn total(&self, value: usize) -> u64 {
        self.samples().filter_map(|sample| sample.values.get(value)).fold(0, |sum, v| sum.saturating_add(*v))
    }

    /// Returns the frames, in the order of their ids.
    pub fn frames(&self) -> impl ExactSizeIterator<Item = Frame<'_>> {
        self.frames.all().map(|frame| Frame { name: &frame.name, module: &frame.module })
    }

    /// Returns the frame of an id.
    #[must_use]
    pub fn frame_of(&self, id: FrameId) -> Frame<'_> {
        self.frames.get(id.0).map_or(Frame { name: "[other]", module: "" }, |frame| Frame {
            name: &frame.name,
            module: &frame.module,
        })
    }

    /// Returns whether the frames or the threads with labels use half of their limit.
    #[must_use]
    pub fn is_crowded(&self) -> bool {
        let is_crowded = |count: usize, limit: usize| count > limit / 2;
        is_crowded(self.frames.all().len(), self.limits.frames)
            || is_crowded(self.contexts.all().len(), self.limits.contexts)
    }

    /// Returns an empty profile with the same value types and limits.
    #[must_use]
    pub fn emptied(&self) -> Self {
        Self::with_limits(&self.program, self.types.clone(), self.limits)
    }

    /// Returns this profile without its samples. Frames and contexts have the same ids.
    #[must_use]
    pub fn without_samples(&self) -> Self {
        let (frames, contexts) = (self.frames.clone(), self.contexts.clone());
        Self { frames, contexts, ..self.emptied() }
    }

    /// Returns the time that the samples are of, if it was set.
    #[must_use]
    pub const fn interval(&self) -> Option<Interval> {
        self.interval
    }

    /// Sets the time that the samples are of.
    pub fn set_interval(&mut self, interval: Interval) {
        self.interval = Some(interval);
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    fn context_of(&self, id: ContextId) -> &Context {
        static NONE: Context = Context { thread: None, labels: Vec::new() };
        self.contexts.get(id.0).unwrap_or(&NONE)
    }
}
