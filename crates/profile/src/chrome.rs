//! Chrome's trace events: one for each stack prefix of a thread, laid out one after another.
//!
//! A profile has no times: the length of an event is its value, and its position has no meaning.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Number;

use crate::layout::by_thread;
use crate::profile::{Profile, Unit};

/// An event, with the field names of the format.
#[derive(Serialize)]
struct Event<'e> {
    /// `X`: begin and duration; `M`: metadata.
    ph: &'static str,
    name: &'e str,
    #[serde(skip_serializing_if = "str::is_empty")]
    cat: &'e str,
    pid: u32,
    tid: u64,
    /// Microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<serde_json::Value>,
}

/// Returns a value in microseconds, with all digits. One event or byte is a microsecond.
fn microseconds(value: u64, unit: Unit) -> io::Result<Number> {
    match unit {
        Unit::Nanoseconds => Ok(serde_json::from_str(&format!("{}.{:03}", value / 1000, value % 1000))?),
        Unit::Count | Unit::Bytes => Ok(value.into()),
    }
}

/// Writes a value of a profile.
pub(crate) fn write(profile: &Profile, value: usize, out: &mut dyn Write) -> io::Result<()> {
    let unit = profile.types().get(value).map_or(Unit::Count, |kind| kind.unit);
    out.write_all(br#"{"displayTimeUnit":"ns","traceEvents":["#)?;
    let named = |ph, name, tid, text: &str| Event {
        ph,
        name,
        cat: "",
        pid: 1,
        tid,
        ts: None,
        dur: None,
        args: Some(serde_json::json!({ "name": text })),
    };
    serde_json::to_writer(&mut *out, &named("M", "process_name", 0, profile.program()))?;
    for values in by_thread(profile, value) {
        let tid = values.thread.map_or(0, |thread| thread.id);
        out.write_all(b",\n")?;
        serde_json::to_writer(&mut *out, &named("M", "thread_name", tid, &values.name()))?;
        let mut result: io::Result<()> = Ok(());
        values.visit_calls(|begin, frame, amount| {
            let frame = profile.frame_of(frame);
            let mut write = || -> io::Result<()> {
                let (ts, dur) = (Some(microseconds(begin, unit)?), Some(microseconds(amount, unit)?));
                let event =
                    Event { ph: "X", name: frame.name, cat: frame.module, pid: 1, tid, ts, dur, args: None };
                out.write_all(b",\n")?;
                Ok(serde_json::to_writer(&mut *out, &event)?)
            };
            if result.is_ok() {
                result = write();
            }
        });
        result?;
    }
    out.write_all(b"]}\n")?;
    out.flush()
}
