//! The file format of speedscope: the beginnings and ends of the calls of each thread.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use printable::Printable;
use recording::Thread;
use serde::Serialize;

use super::Opened;
use super::calls::{Calls, each};
use super::names::FunctionId;

const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct File<'f> {
    #[serde(rename = "$schema")]
    schema: &'f str,
    exporter: &'f str,
    name: &'f str,
    active_profile_index: usize,
    shared: Shared<'f>,
    profiles: Vec<Profile>,
}

#[derive(Serialize)]
struct Shared<'f> {
    frames: Vec<Frame<'f>>,
}

#[derive(Serialize)]
struct Frame<'f> {
    name: &'f str,
    file: &'f str,
}

/// The calls of a thread.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Profile {
    r#type: &'static str,
    name: String,
    unit: &'static str,
    start_value: u64,
    end_value: u64,
    events: Vec<Event>,
}

/// A call begins (`O`) or ends (`C`).
#[derive(Serialize)]
struct Event {
    r#type: char,
    at: u64,
    frame: usize,
}

#[derive(Default)]
struct Profiles(BTreeMap<u32, Profile>);

impl Profiles {
    fn put(&mut self, thread: Thread, r#type: char, at: u64, function: FunctionId) {
        let profile = self.0.entry(thread.number).or_insert_with(|| Profile {
            r#type: "evented",
            name: format!("thread {}", thread.id),
            unit: "nanoseconds",
            start_value: at,
            end_value: at,
            events: Vec::new(),
        });
        profile.end_value = at;
        profile.events.push(Event { r#type, at, frame: function.index() });
    }
}

impl Calls for Profiles {
    fn begin(&mut self, thread: Thread, function: FunctionId, time: u64) {
        self.put(thread, 'O', time, function);
    }

    fn end(&mut self, thread: Thread, function: FunctionId, time: u64) {
        self.put(thread, 'C', time, function);
    }
}

/// Writes a recording for speedscope.
pub(super) fn write(opened: &mut Opened, name: &str, out: &mut dyn Write) -> Result<()> {
    let mut profiles = Profiles::default();
    each(opened, &mut profiles)?;
    let functions = &opened.functions;
    let frames = functions.all().map(|id| Frame { name: functions.name(id), file: functions.module(id) });
    let name = &Printable(name).to_string();
    let file = File {
        schema: SCHEMA,
        exporter: "cargo xtask trace",
        name,
        active_profile_index: 0,
        shared: Shared { frames: frames.collect() },
        profiles: profiles.0.into_values().collect(),
    };
    serde_json::to_writer(&mut *out, &file)?;
    Ok(out.flush()?)
}
