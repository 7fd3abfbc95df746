//! EventPipe: events of the program delivered to the profiler, and events that the profiler defines.

use std::sync::Mutex;

use corprof::{
    Error, EventField, EventPipeEvent, EventPipeEventSpec, EventPipeProviderConfig, EventPipeSession,
    EventType, EventValue, ProfilerInfo, Result,
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
        let name = event.metadata().map(|metadata| metadata.name).unwrap_or_default();
        let fields = match event.fields() {
            Ok(fields) => fields.iter().map(|(name, value)| format!("{name}={}", shown(value))).collect(),
            Err(error) => vec![error.to_string()],
        };
        locked(&self.seen).push(format!("{provider} {} {name}({})", event.id, fields.join(", ")));
    }
}

fn shown(value: &EventValue) -> String {
    match value {
        EventValue::Int32(value) => value.to_string(),
        EventValue::Int64(value) => value.to_string(),
        EventValue::Boolean(value) => value.to_string(),
        EventValue::Double(value) => value.to_string(),
        EventValue::String(value) => value.clone(),
        EventValue::Array(values) => {
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
            let field = |name: &str, field_type| EventField { name: name.to_owned(), field_type };
            let fields = [
                field("Number", EventType::Int32),
                field("Text", EventType::String),
                field("Flag", EventType::Boolean),
                field("Numbers", EventType::Array(Box::new(EventType::Int64))),
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
