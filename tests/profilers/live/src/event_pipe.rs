//! EventPipe: events of the program delivered to the profiler, and events that the profiler defines.

use std::sync::Mutex;

use corprof::nettrace::{Field, FieldType, Value};
use corprof::{
    Error, EventPipeEvent, EventPipeEventSpec, EventPipeProviderConfig, EventPipeSession, EventValue,
    ProfilerInfo, Result,
};

use crate::facts::Facts;
use crate::{State, locked};

/// The session, and the delivered events.
#[derive(Debug, Default)]
pub(crate) struct Events {
    session: Mutex<Option<EventPipeSession>>,
    seen: Mutex<Vec<String>>,
}

impl Events {
    pub(crate) fn delivered(&self, info: &ProfilerInfo, event: &EventPipeEvent<'_>) {
        let provider = info.event_pipe_provider_name(event.provider).unwrap_or_default();
        // Events such as those that describe an EventSource do not count.
        if event.id == 0 || event.id == 0xFFFE || !provider.starts_with("Live-") {
            return;
        }
        let metadata = event.metadata().unwrap_or_default();
        let name = &metadata.name;
        let fields = match metadata.decode(event.data) {
            Ok(fields) => fields.iter().map(|(name, value)| format!("{name}={}", shown(value))).collect(),
            Err(error) => vec![error.to_string()],
        };
        locked(&self.seen).push(format!("{provider} {} {name}({})", event.id, fields.join(", ")));
    }
}

fn shown(value: &Value<'_>) -> String {
    match value {
        Value::Int(value) => value.to_string(),
        Value::Boolean(value) => value.to_string(),
        Value::Double(value) => value.to_string(),
        Value::String(value) => value.to_string(),
        Value::Array(values) => {
            format!("[{}]", values.iter().map(shown).collect::<Vec<_>>().join(", "))
        }
        other => format!("{other:?}"),
    }
}

pub(crate) fn config(name: &str) -> EventPipeProviderConfig<'_> {
    EventPipeProviderConfig { name, keywords: u64::MAX, level: 5, filter: None }
}

/// The argument: `start`, `write` or `stop`.
pub(crate) fn answer(state: &State, arguments: &[&str]) -> Result<String> {
    let info = &state.info;
    let mut facts = Facts::of("eventpipe");
    match arguments {
        ["start"] => {
            if info.version() < 12 {
                let refused = info.event_pipe_start_session(&[config("Live-Source")], false);
                facts.say("refused", refused.err().map_or_else(String::new, |error| error.to_string()));
                return Ok(facts.finish());
            }
            let session = info.event_pipe_start_session(&[config("Live-Source")], false)?;
            session.add_provider(&config("Live-Profiler"))?;
            *locked(&state.events.session) = Some(session);
        }
        ["write"] => {
            let provider = info.event_pipe_create_provider("Live-Profiler")?;
            let field = |name: &str, field_type| Field { name: name.to_owned(), field_type };
            let fields = [
                field("Number", FieldType::Int32),
                field("Text", FieldType::String),
                field("Flag", FieldType::Boolean),
                field("Numbers", FieldType::Array(Box::new(FieldType::Int64))),
            ];
            let event = info.event_pipe_define_event(
                provider,
                &EventPipeEventSpec {
                    name: "Written",
                    id: 7,
                    keywords: 1,
                    version: 1,
                    level: 4,
                    opcode: 0,
                    needs_stack: false,
                    fields: &fields,
                },
            )?;
            let values = [
                EventValue::Int32(-5),
                EventValue::String("größer".to_owned()),
                EventValue::Boolean(true),
                EventValue::Array(vec![EventValue::Int64(1), EventValue::Int64(-2)]),
            ];
            info.event_pipe_write_event(event, &values, None, None)?;
        }
        _ => {
            let session = locked(&state.events.session).take();
            session.ok_or_else(|| Error::other("no session"))?.stop()?;
            for (number, event) in locked(&state.events.seen).iter().enumerate() {
                facts.say(format_args!("event.{number}"), event);
            }
        }
    }
    Ok(facts.finish())
}
