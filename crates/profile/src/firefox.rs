//! The processed profile format of the Firefox Profiler, in version 55.
//!
//! A table is an object with a list for each column. A profile has no times: the samples of a thread follow each other, and
//! where they are has no meaning.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Number, Value, json};

use crate::layout::{ThreadValues, by_thread};
use crate::profile::{FrameId, Profile, Unit};
use crate::tree::NodeId;

/// The version of the format. Newer versions of the Firefox Profiler upgrade it.
const VERSION: u32 = 55;

#[derive(Serialize)]
struct File<'f> {
    meta: Value,
    libs: [(); 0],
    pages: [(); 0],
    #[serde(rename = "profilerOverhead")]
    profiler_overhead: [(); 0],
    counters: [(); 0],
    threads: Vec<Thread<'f>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Thread<'f> {
    name: String,
    process_name: &'f str,
    process_type: &'static str,
    process_startup_time: u32,
    process_shutdown_time: Option<u32>,
    register_time: u32,
    unregister_time: Option<u32>,
    is_main_thread: bool,
    show_markers_in_timeline: bool,
    pid: &'static str,
    tid: u64,
    paused_ranges: [(); 0],
    markers: Value,
    native_symbols: Value,
    resource_table: Value,
    frame_table: Value,
    func_table: Value,
    stack_table: Value,
    string_array: Vec<&'f str>,
    samples: Value,
}

/// Returns the strings of a thread, and the index of each.
#[derive(Default)]
struct Strings<'p> {
    all: Vec<&'p str>,
    indexes: BTreeMap<&'p str, usize>,
}

impl<'p> Strings<'p> {
    fn index(&mut self, text: &'p str) -> usize {
        *self.indexes.entry(text).or_insert_with(|| {
            self.all.push(text);
            self.all.len() - 1
        })
    }
}

/// Returns nanoseconds in milliseconds, with all digits.
fn milliseconds(value: u64) -> io::Result<Number> {
    Ok(serde_json::from_str(&format!("{}.{:06}", value / 1_000_000, value % 1_000_000))?)
}

/// Writes a value of a profile.
pub(crate) fn write(profile: &Profile, value: usize, out: &mut dyn Write) -> io::Result<()> {
    let unit = profile.types().get(value).map_or(Unit::Count, |kind| kind.unit);
    let threads = by_thread(profile, value);
    let threads = threads.iter().map(|values| thread(profile, values, unit)).collect::<io::Result<_>>()?;
    let begin = profile.interval().map_or(0, |interval| interval.unix_nanoseconds());
    let empty: [(); 0] = [];
    let meta = json!({
        "preprocessedProfileVersion": VERSION,
        // This is the version of another format, and ignored.
        "version": 24,
        "product": profile.program(),
        "startTime": milliseconds(begin)?,
        "interval": 1,
        "processType": 0,
        "debug": false,
        "symbolicated": true,
        "usesOnlyOneStackType": true,
        "sourceCodeIsNotOnSearchfox": true,
        "categories": [{ "name": "Other", "color": "grey", "subcategories": ["Other"] }],
        "sampleUnits": { "time": "ms", "eventDelay": "ms", "threadCPUDelta": "µs" },
        "extensions": { "length": 0, "baseURL": empty, "id": empty, "name": empty },
        "markerSchema": empty,
        "pausedRanges": empty,
    });
    let file = File { meta, libs: [], pages: [], profiler_overhead: [], counters: [], threads };
    serde_json::to_writer(&mut *out, &file)?;
    out.flush()
}

fn thread<'p>(profile: &'p Profile, values: &ThreadValues<'p>, unit: Unit) -> io::Result<Thread<'p>> {
    let tree = profile.tree();
    // A node's parent has a smaller number, and so comes first.
    let mut nodes = BTreeSet::new();
    for node in values.own.keys() {
        let mut node = *node;
        while node != NodeId::ROOT && nodes.insert(node) {
            node = tree.node(node).map_or(NodeId::ROOT, |(parent, _)| parent);
        }
    }
    let mut strings = Strings::default();
    let mut frames: Vec<FrameId> = Vec::new();
    let mut frame_of: BTreeMap<FrameId, usize> = BTreeMap::new();
    let (mut prefixes, mut stack_frames, mut stack_of) = (Vec::new(), Vec::new(), BTreeMap::new());
    for node in nodes {
        let Some((parent, frame)) = tree.node(node) else { continue };
        let frame = *frame_of.entry(frame).or_insert_with(|| {
            frames.push(frame);
            frames.len() - 1
        });
        stack_of.insert(node, prefixes.len());
        prefixes.push(stack_of.get(&parent).copied());
        stack_frames.push(frame);
    }
    let names: Vec<usize> = frames.iter().map(|frame| strings.index(profile.frame_of(*frame).name)).collect();
    let files = frames.iter().map(|frame| match profile.frame_of(*frame).module {
        "" => None,
        module => Some(strings.index(module)),
    });
    let files: Vec<Option<usize>> = files.collect();

    let (mut stacks, mut weights, mut deltas) = (Vec::new(), Vec::new(), Vec::new());
    for (node, amount) in &values.own {
        let weight = match unit {
            Unit::Nanoseconds => milliseconds(*amount)?,
            Unit::Count | Unit::Bytes => (*amount).into(),
        };
        deltas.push(if stacks.is_empty() { 0 } else { 1 });
        stacks.push(stack_of.get(node).copied());
        weights.push(weight);
    }
    let count = frames.len();
    let column = |value: Value| vec![value; count];
    let empty: [(); 0] = [];
    Ok(Thread {
        name: values.name(),
        process_name: profile.program(),
        process_type: "default",
        process_startup_time: 0,
        process_shutdown_time: None,
        register_time: 0,
        unregister_time: None,
        is_main_thread: false,
        show_markers_in_timeline: false,
        pid: "1",
        tid: values.thread.map_or(0, |thread| thread.id),
        paused_ranges: [],
        markers: json!({
            "length": 0, "category": empty, "data": empty, "endTime": empty, "name": empty, "phase": empty,
            "startTime": empty,
        }),
        native_symbols: json!({
            "length": 0, "address": empty, "functionSize": empty, "libIndex": empty, "name": empty,
        }),
        resource_table: json!({ "length": 0, "lib": empty, "name": empty, "host": empty, "type": empty }),
        frame_table: json!({
            "length": count,
            "address": column(json!(-1)),
            "inlineDepth": column(json!(0)),
            "category": column(json!(0)),
            "subcategory": column(json!(0)),
            "func": (0..count).collect::<Vec<_>>(),
            "nativeSymbol": column(Value::Null),
            "innerWindowID": column(json!(0)),
            "line": column(Value::Null),
            "column": column(Value::Null),
        }),
        func_table: json!({
            "length": count,
            "name": names,
            "isJS": column(json!(false)),
            "relevantForJS": column(json!(false)),
            "resource": column(json!(-1)),
            "fileName": files,
            "lineNumber": column(Value::Null),
            "columnNumber": column(Value::Null),
        }),
        stack_table: json!({ "length": prefixes.len(), "prefix": prefixes, "frame": stack_frames }),
        string_array: strings.all,
        samples: json!({
            "length": stacks.len(),
            "stack": stacks,
            "timeDeltas": deltas,
            "weight": weights,
            "weightType": match unit {
                Unit::Nanoseconds => "tracing-ms",
                Unit::Bytes => "bytes",
                Unit::Count => "samples",
            },
        }),
    })
}
