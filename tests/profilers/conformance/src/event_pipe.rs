//! `eventpipe`: a provider that the profiler defines, its events by the thousand, and its sessions.

use std::sync::{Mutex, MutexGuard};

use corprof::nettrace::{Field, FieldType, Value};
use corprof::{
    Error, EventMask, EventPipeEvent, EventPipeEventId, EventPipeEventSpec, EventPipeProviderChanged,
    EventPipeProviderConfig, EventPipeProviderId, EventPipeProviderState, EventPipeSession, EventValue, Guid,
    ProfilerInfo, Result,
};

use crate::row::Row;
use crate::{locked, say};

/// The provider.
const PROVIDER: &str = "Corprof-Conformance";
/// The session's keywords: those that no provider defines, which the runtime's own tools request too.
const KEYWORDS: u64 = 0xF000_0000_0000;
/// The length of the array.
const LENGTH: i32 = 100;

/// The calls of the provider's callback, which is a function without an object.
static CHANGES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Records a call.
struct Changes;

impl EventPipeProviderChanged for Changes {
    fn changed(state: EventPipeProviderState) {
        let EventPipeProviderState { enabled, level, match_any_keywords, match_all_keywords } = state;
        let change =
            format!("{enabled}, level {level}, any {match_any_keywords:X}, all {match_all_keywords:X}");
        locked(&CHANGES).push(change);
    }
}

/// The provider, its four events, and the delivered ones.
pub(crate) struct Events {
    info: ProfilerInfo,
    provider: EventPipeProviderId,
    all_types: EventPipeEventId,
    array: EventPipeEventId,
    empty: EventPipeEventId,
    simple: EventPipeEventId,
    session: Mutex<Option<EventPipeSession>>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    others: Vec<String>,
    empty: u32,
    /// The number of delivered events whose number follows the previous one.
    simple: i64,
    out_of_order: u32,
}

impl Events {
    pub(crate) fn new(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::EVENT_PIPE)?;
        let provider = info.event_pipe_create_provider_with::<Changes>(PROVIDER)?;
        let define = |id, name, level, fields: &[Field]| {
            let event = EventPipeEventSpec {
                name,
                id,
                keywords: 0,
                version: 1,
                level,
                opcode: 0,
                needs_stack: true,
                fields,
            };
            info.event_pipe_define_event(provider, &event)
        };
        let field = |name: &str, field_type| Field { name: name.to_owned(), field_type };
        let all: Vec<_> = values().into_iter().map(|(name, field_type, _)| field(name, field_type)).collect();
        let numbers = [field("Numbers", FieldType::Array(Box::new(FieldType::Int32)))];
        Ok(Self {
            info: info.clone(),
            provider,
            all_types: define(1, "AllTypes", 0, &all)?,
            array: define(3, "Array", 0, &numbers)?,
            empty: define(2032, "Empty", 4, &[])?,
            simple: define(2, "Simple", 5, &[field("Number", FieldType::Int32)])?,
            session: Mutex::default(),
            seen: Mutex::default(),
        })
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        locked(&self.seen)
    }

    fn write(&self) -> Result<()> {
        let write =
            |event, values: &[EventValue]| self.info.event_pipe_write_event(event, values, None, None);
        let all: Vec<_> = values().into_iter().map(|(_, _, value)| value).collect();
        write(self.all_types, &all)?;
        let numbers = (0..LENGTH).map(|number| EventValue::Int32(LENGTH - number)).collect();
        write(self.array, &[EventValue::Array(numbers)])?;
        (0..10).try_for_each(|_| write(self.empty, &[]))?;
        (0..10_000).try_for_each(|number| write(self.simple, &[EventValue::Int32(number)]))
    }
}

/// A field of every type that an event of a profiler may have.
fn values() -> Vec<(&'static str, FieldType, EventValue)> {
    let guid = Guid::parse("176FBED1-A55C-4796-98CA-A9DA0EF883E7");
    vec![
        ("Boolean", FieldType::Boolean, EventValue::Boolean(true)),
        ("Char", FieldType::Char, EventValue::Char(u16::from(b'A'))),
        ("SByte", FieldType::SByte, EventValue::SByte(-124)),
        ("Byte", FieldType::Byte, EventValue::Byte(125)),
        ("Int16", FieldType::Int16, EventValue::Int16(-35)),
        ("UInt16", FieldType::UInt16, EventValue::UInt16(65_535)),
        ("Int32", FieldType::Int32, EventValue::Int32(-560)),
        ("UInt32", FieldType::UInt32, EventValue::UInt32(u32::MAX)),
        ("Int64", FieldType::Int64, EventValue::Int64(1 << 31)),
        ("UInt64", FieldType::UInt64, EventValue::UInt64(u64::MAX)),
        ("Single", FieldType::Single, EventValue::Single(3.5)),
        ("Double", FieldType::Double, EventValue::Double(3.023)),
        ("Guid", FieldType::Guid, EventValue::Guid(guid)),
        ("String", FieldType::String, EventValue::String("größer".to_owned())),
        ("DateTime", FieldType::DateTime, EventValue::DateTime(132_243_707_160_000_000)),
    ]
}

impl Row for Events {
    fn told(&self, command: &str) -> Result<()> {
        let mut session = locked(&self.session);
        match command {
            "start" => {
                let config =
                    EventPipeProviderConfig { name: PROVIDER, keywords: KEYWORDS, level: 5, filter: None };
                *session = Some(self.info.event_pipe_start_session(&[config], false)?);
                Ok(())
            }
            "write" => self.write(),
            "stop" => session.take().ok_or_else(|| Error::other("there is no session"))?.stop(),
            _ => Err(Error::other(format!("there is no {command:?} in this row"))),
        }
    }

    fn event_pipe_event_delivered(&self, event: &EventPipeEvent<'_>) {
        if event.provider != self.provider {
            return;
        }
        let metadata = match event.metadata() {
            Ok(metadata) => metadata,
            Err(error) => return self.seen().others.push(error.to_string()),
        };
        let name = &metadata.name;
        let fields = metadata.decode(event.data).unwrap_or_default();
        let mut seen = self.seen();
        match (name.as_str(), fields.as_slice()) {
            ("Empty", []) => seen.empty += 1,
            ("Simple", [("Number", Value::Int(number))]) => {
                seen.out_of_order += u32::from(*number != seen.simple);
                seen.simple += 1;
            }
            _ => {
                for (field, value) in &fields {
                    seen.others.push(format!("{} {name}.{field} = {}", event.id, shown(value)));
                }
            }
        }
    }

    fn say(&self) {
        for change in &*locked(&CHANGES) {
            say("enabled", change);
        }
        let seen = self.seen();
        for event in &seen.others {
            say("event", event);
        }
        say("events.empty", seen.empty);
        say("events.simple", seen.simple);
        say("events.out_of_order", seen.out_of_order);
    }
}

fn shown(value: &Value<'_>) -> String {
    match value {
        Value::Boolean(value) => value.to_string(),
        Value::Char(value) => String::from_utf16_lossy(&[*value]),
        Value::Int(value) | Value::FileTime(value) => value.to_string(),
        Value::UInt(value) => value.to_string(),
        Value::Single(value) => value.to_string(),
        Value::Double(value) => value.to_string(),
        Value::Guid(value) => Guid::from_bytes(*value).to_string(),
        Value::String(value) => value.to_string(),
        Value::Array(values) => values.iter().map(shown).collect::<Vec<_>>().join(" "),
        other => format!("{other:?}"),
    }
}
