//! pprof: protocol buffers, compressed by gzip.

mod message;

use std::collections::HashMap;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use prost::Message as _;

use self::message::{Function, Label, Line, Location, Sample, ValueType};
use crate::interval::nanoseconds;
use crate::profile::{FrameId, Profile};

/// The strings of a profile; the first is empty.
struct Strings<'p> {
    numbers: HashMap<&'p str, i64>,
    all: Vec<String>,
}

impl<'p> Strings<'p> {
    fn new() -> Self {
        Self { numbers: HashMap::from([("", 0)]), all: vec![String::new()] }
    }

    fn number(&mut self, text: &'p str) -> i64 {
        let next = i64::try_from(self.all.len()).unwrap_or(i64::MAX);
        *self.numbers.entry(text).or_insert_with(|| {
            self.all.push(text.to_owned());
            next
        })
    }
}

/// The id of a frame's function and location; 0 is none.
const fn id(frame: FrameId) -> u64 {
    frame.index() as u64 + 1
}

/// Writes all values of a profile.
pub(crate) fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let mut strings = Strings::new();
    let sample_type: Vec<_> = profile
        .types()
        .iter()
        .map(|kind| ValueType { r#type: strings.number(&kind.name), unit: strings.number(kind.unit.name()) })
        .collect();
    let mut function = Vec::new();
    for (number, frame) in (1..).zip(profile.frames()) {
        let name = strings.number(frame.name);
        function.push(Function {
            id: number,
            name,
            system_name: name,
            filename: strings.number(frame.module),
        });
    }
    let location = function
        .iter()
        .map(|function| Location { id: function.id, line: vec![Line { function_id: function.id }] })
        .collect();
    let mut sample = Vec::new();
    for entry in profile.samples() {
        let context = entry.context();
        let mut label = Vec::new();
        if let Some(thread) = &context.thread {
            let num = i64::try_from(thread.id).unwrap_or(i64::MAX);
            label.push(Label { key: strings.number("thread_id"), str: 0, num });
            if !thread.name.is_empty() {
                let str = strings.number(&thread.name);
                label.push(Label { key: strings.number("thread"), str, num: 0 });
            }
        }
        for (key, value) in &context.labels {
            label.push(Label { key: strings.number(key), str: strings.number(value), num: 0 });
        }
        let value = entry.values.iter().map(|value| i64::try_from(*value).unwrap_or(i64::MAX)).collect();
        sample.push(Sample { location_id: entry.stack().map(id).collect(), value, label });
    }
    let signed = |nanoseconds: u64| i64::try_from(nanoseconds).unwrap_or(i64::MAX);
    let message = message::Profile {
        time_nanos: profile.interval().map_or(0, |interval| signed(interval.unix_nanoseconds())),
        duration_nanos: profile.interval().map_or(0, |interval| signed(nanoseconds(interval.length))),
        default_sample_type: sample_type.first().map_or(0, |first| first.r#type),
        comment: vec![strings.number(profile.program())],
        sample_type,
        sample,
        location,
        function,
        string_table: strings.all,
    };
    let mut gzip = GzEncoder::new(out, Compression::default());
    gzip.write_all(&message.encode_to_vec())?;
    gzip.finish()?.flush()
}
