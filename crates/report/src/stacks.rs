//! Profiles of any stream whose rows have a stack and values that can be added.

use std::collections::HashMap;

use corprof_profile::{Context, Frame, FrameId, Profile, Thread, Unit, ValueType};
use recording::streams::{
    self, Aggregate, Column, FieldType, FrameNumber, Node, Row, StreamInfo, Tables, Value,
};

/// The longest stack that a profile gets.
const DEPTH: usize = 4096;

/// The frames of a recording that a profile has.
#[derive(Default)]
pub(crate) struct Frames(HashMap<FrameNumber, FrameId>);

impl Frames {
    /// Forgets them: the profile has begun again.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns a frame of the recording in the profile.
    pub(crate) fn frame(&mut self, profile: &mut Profile, tables: &Tables, frame: FrameNumber) -> FrameId {
        *self.0.entry(frame).or_insert_with(|| {
            let module = match tables.frame(frame) {
                Some(streams::Frame::Method { function, .. }) => {
                    tables.function(*function).map_or("", |function| &*function.module)
                }
                Some(streams::Frame::Native { module, .. }) => {
                    let path = tables.module(*module).map_or("", |module| &*module.path);
                    path.rsplit(['/', '\\']).next().unwrap_or(path)
                }
                _ => "",
            };
            profile.frame(Frame { name: &tables.frame_name(frame), module })
        })
    }

    /// Returns the frames of a stack in the profile, the outermost first.
    pub(crate) fn stack(&mut self, profile: &mut Profile, tables: &Tables, node: Node) -> Vec<FrameId> {
        let mut stack: Vec<FrameId> =
            tables.stack(node).take(DEPTH).map(|frame| self.frame(profile, tables, frame)).collect();
        stack.reverse();
        stack
    }
}

/// The profile of a stream.
pub(crate) struct StreamProfile {
    profile: Profile,
    frames: Frames,
    stack: usize,
    class: Option<usize>,
    thread: Option<usize>,
    labels: Vec<(usize, Box<str>)>,
    values: Vec<usize>,
}

impl StreamProfile {
    /// Begins the profile of a stream. `None` if its rows have no stack.
    pub(crate) fn new(program: &str, stream: &StreamInfo) -> Option<Self> {
        let of_type = |kind| stream.columns.iter().position(|column| column.field_type == kind);
        let stack = of_type(FieldType::NODE)?;
        let columns = || stream.columns.iter().enumerate();
        let is_label =
            |column: &Column| column.field_type == FieldType::TEXT && column.aggregate == Aggregate::KEY;
        let summed = || columns().filter(|(_, column)| column.aggregate == Aggregate::SUM);
        let mut types = vec![ValueType::new(&stream.name, Unit::Count)];
        types.extend(summed().map(|(_, column)| {
            let unit = match column.field_type {
                FieldType::BYTES => Unit::Bytes,
                FieldType::NANOSECONDS => Unit::Nanoseconds,
                _ => Unit::Count,
            };
            ValueType::new(&column.name, unit)
        }));
        Some(Self {
            profile: Profile::new(program, types),
            frames: Frames::default(),
            stack,
            class: of_type(FieldType::CLASS),
            thread: of_type(FieldType::THREAD),
            labels: columns()
                .filter(|(_, column)| is_label(column))
                .map(|(index, column)| (index, column.name.clone()))
                .collect(),
            values: summed().map(|(index, _)| index).collect(),
        })
    }

    /// Adds a row of the stream.
    pub(crate) fn add(&mut self, row: &Row<'_>) {
        let (tables, values) = (row.tables(), row.values());
        let node = match values.get(self.stack) {
            Some(Value::Node(node)) => *node,
            _ => Node::NONE,
        };
        let mut stack = self.frames.stack(&mut self.profile, tables, node);
        if let Some(Value::Class(class)) = self.class.and_then(|class| values.get(class)) {
            stack.push(self.frames.frame(&mut self.profile, tables, *class));
        }
        let mut context = Context::default();
        if let Some(Value::Thread(id)) = self.thread.and_then(|thread| values.get(thread)) {
            context.thread = Some(Thread { id: *id, name: String::new() });
        }
        for (index, name) in &self.labels {
            if let Some(Value::Text(text)) = values.get(*index) {
                let text = tables.text(*text).unwrap_or_default();
                context.labels.push((name.to_string(), text.to_owned()));
            }
        }
        let number = |index: &usize| {
            let number = values.get(*index).and_then(|value| value.number()).unwrap_or(0);
            u64::try_from(number).unwrap_or(0)
        };
        let mut sums = vec![1];
        sums.extend(self.values.iter().map(number));
        let context = self.profile.context(&context);
        self.profile.add(stack, context, &sums);
    }

    /// Returns the profile, and the index of the value that formats of one value write: the first that is added.
    pub(crate) fn profile(&self) -> (&Profile, usize) {
        (&self.profile, usize::from(!self.values.is_empty()))
    }

    pub(crate) fn next_interval(&mut self) {
        self.profile = self.profile.emptied();
        self.frames.clear();
    }
}
