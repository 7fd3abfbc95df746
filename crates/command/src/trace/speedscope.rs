//! The file format of speedscope: the beginnings and ends of the calls of each thread.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use printable::Printable;
use recording::Thread;
use serde::Serialize;
use stack_profile::{Frame, write_speedscope};

use super::calls::{Calls, each};
use super::names::FunctionId;
use super::opened::Opened;

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
    let frames = functions.all().map(|id| Frame { name: functions.name(id), module: functions.module(id) });
    let (name, profiles) = (Printable(name).to_string(), profiles.0.into_values().collect::<Vec<_>>());
    Ok(write_speedscope("corprof trace", &name, frames, &profiles, out)?)
}
