//! The file format of speedscope. The profiles in it are the stacks of each thread with their weights, for each value.

use std::io::{self, BufWriter, Write};

use serde::Serialize;

use crate::layout::by_thread;
use crate::profile::{Frame, FrameId, Profile, Unit};

/// How many bytes are written at once.
pub(crate) const BUFFER: usize = 64 << 10;

const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct File<'f, P> {
    #[serde(rename = "$schema")]
    schema: &'f str,
    exporter: &'f str,
    name: &'f str,
    active_profile_index: usize,
    shared: Shared<'f>,
    profiles: &'f [P],
}

#[derive(Serialize)]
struct Shared<'f> {
    frames: Vec<FileFrame<'f>>,
}

#[derive(Serialize)]
struct FileFrame<'f> {
    name: &'f str,
    file: &'f str,
}

/// Writes a file with these profiles, which refer to `frames` by their indexes.
pub(crate) fn write_file<'f>(
    exporter: &str,
    name: &str,
    frames: impl Iterator<Item = Frame<'f>>,
    profiles: &[impl Serialize],
    out: &mut dyn Write,
) -> io::Result<()> {
    let frames = frames.map(|frame| FileFrame { name: frame.name, file: frame.module }).collect();
    let file =
        File { schema: SCHEMA, exporter, name, active_profile_index: 0, shared: Shared { frames }, profiles };
    // Many small writes: without a call of a trait object for each.
    let mut out = BufWriter::with_capacity(BUFFER, out);
    serde_json::to_writer(&mut out, &file)?;
    out.flush()
}

/// The stacks of a thread; the weights are in their order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Sampled {
    r#type: &'static str,
    name: String,
    unit: &'static str,
    start_value: u64,
    end_value: u64,
    samples: Vec<Vec<usize>>,
    weights: Vec<u64>,
}

/// Writes all values of a profile, the first one first.
pub(crate) fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let mut profiles = Vec::new();
    for (value, kind) in profile.types().iter().enumerate() {
        for values in by_thread(profile, value) {
            let (mut samples, mut weights) = (Vec::new(), Vec::new());
            for (node, amount) in &values.own {
                let mut stack: Vec<usize> = profile.tree().stack(*node).map(FrameId::index).collect();
                stack.reverse();
                samples.push(stack);
                weights.push(*amount);
            }
            profiles.push(Sampled {
                r#type: "sampled",
                name: format!("{}: {}", values.name(), kind.name),
                unit: unit(kind.unit),
                start_value: 0,
                end_value: weights.iter().fold(0, |sum, weight| sum.saturating_add(*weight)),
                samples,
                weights,
            });
        }
    }
    write_file("corprof-profile", profile.program(), profile.frames(), &profiles, out)
}

/// The name of a unit in the format's schema.
const fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Count => "none",
        Unit::Bytes => "bytes",
        Unit::Nanoseconds => "nanoseconds",
    }
}
