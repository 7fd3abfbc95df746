//! EventPipe: sessions, providers, events.

use corprof::nettrace::{Field, FieldType};
use corprof::{
    EventPipeEventSpec, EventPipeProviderChanged, EventPipeProviderConfig, EventPipeProviderState, EventValue,
};

use super::Calls;
use crate::at::{At, Done, shown, value};

/// The providers: the runtime's, one of the program, one of the profiler, any other one.
const PROVIDERS: &[&str] =
    &["Microsoft-Windows-DotNETRuntime", "Adversary-Program", "Adversary-0", "System.Runtime", "none", "\0"];

fn config(it: &At<'_>) -> Option<EventPipeProviderConfig<'static>> {
    Some(EventPipeProviderConfig {
        name: it.drawn(it.random.one_of(PROVIDERS))?,
        keywords: if it.is() { 1 } else { it.random.next() & 0xFFFF },
        level: it.u32() % 7,
        filter: it.random.one_of(&[None, None, Some("Key=Value"), Some(""), Some("\0")])?,
    })
}

/// Any type, to a depth.
fn event_type(it: &At<'_>, depth: usize) -> FieldType {
    match it.random.below(20) {
        0 if depth > 0 => FieldType::Object(fields(it, depth - 1)),
        1 | 2 if depth > 0 => FieldType::Array(Box::new(event_type(it, depth - 1))),
        3 => FieldType::Unknown(it.u32()),
        4..8 => FieldType::String,
        8 => FieldType::Guid,
        9 => FieldType::Decimal,
        10 => FieldType::Boolean,
        11 => FieldType::Double,
        12 => FieldType::Char,
        13 => FieldType::DateTime,
        14 => FieldType::Byte,
        _ => FieldType::Int32,
    }
}

fn fields(it: &At<'_>, depth: usize) -> Vec<Field> {
    it.some(|it| Some(Field { name: it.text().to_owned(), field_type: event_type(it, depth) }))
}

fn event_value(it: &At<'_>, depth: usize) -> EventValue {
    match it.random.below(10) {
        0 if depth > 0 => EventValue::Array(vec![event_value(it, depth - 1), event_value(it, depth - 1)]),
        2 => EventValue::String(it.text().to_owned()),
        3 => EventValue::Guid(it.guid()),
        4 => EventValue::Double(f64::MAX),
        5 => EventValue::Boolean(true),
        6 => EventValue::Int64(i64::MIN),
        _ => EventValue::Int32(-1),
    }
}

fn new_provider(it: &At<'_>) -> String {
    format!("Adversary-{}", it.u32())
}

fn keep_provider(it: &At<'_>, provider: corprof::Result<corprof::EventPipeProviderId>) -> Done {
    if let Ok(provider) = provider {
        it.keep(&it.shared.known.providers, provider);
    }
    shown(provider)
}

/// The callback of a provider.
struct Changed;

impl EventPipeProviderChanged for Changed {
    fn changed(state: EventPipeProviderState) {
        value(state);
    }
}

pub(super) const CALLS: Calls = &[
    ("ProfilerInfo::event_pipe_start_session", |it| {
        let configs = it.some(config);
        let session = it.info().event_pipe_start_session(&configs, it.random.once_in(8));
        shown(session.map(|session| it.keep(&it.shared.known.sessions, session)))
    }),
    ("EventPipeSession::add_provider", |it| {
        let session = it.shared.known.sessions.take(&it.random)?;
        let added = config(it).map(|config| session.add_provider(&config));
        it.keep(&it.shared.known.sessions, session);
        shown(added?)
    }),
    ("EventPipeSession::stop", |it| shown(it.shared.known.sessions.take(&it.random)?.stop())),
    ("ProfilerInfo::event_pipe_provider_name", |it| {
        shown(it.info().event_pipe_provider_name(it.provider()?))
    }),
    ("ProfilerInfo::event_pipe_create_provider", |it| {
        keep_provider(it, it.info().event_pipe_create_provider(&new_provider(it)))
    }),
    ("ProfilerInfo::event_pipe_create_provider_with", |it| {
        keep_provider(it, it.info().event_pipe_create_provider_with::<Changed>(&new_provider(it)))
    }),
    ("ProfilerInfo::event_pipe_define_event", |it| {
        let fields = fields(it, 2);
        let event = EventPipeEventSpec {
            name: it.text(),
            id: it.u32(),
            keywords: it.random.next(),
            version: it.u32(),
            level: it.u32(),
            opcode: it.u32().to_le_bytes()[0],
            needs_stack: it.is(),
            fields: &fields,
        };
        let event = it.info().event_pipe_define_event(it.provider()?, &event);
        if let Ok(event) = event {
            it.keep(&it.shared.known.events, event);
        }
        shown(event)
    }),
    ("ProfilerInfo::event_pipe_write_event", |it| {
        let values = it.some(|it| Some(event_value(it, 2)));
        let [activity, related] = [(); 2].map(|()| it.maybe(|it| Some(it.guid())));
        shown(it.info().event_pipe_write_event(it.event()?, &values, activity, related))
    }),
    ("ProfilerInfo::allocated_class", |it| {
        let mut event = *it.given.event?;
        event.id = it.maybe(|_| Some(10)).unwrap_or(event.id);
        shown(it.info().allocated_class(&event))
    }),
    ("EventPipeEvent::metadata", |it| {
        value((it.given.event?.stack, it.given.event?.data));
        shown(it.given.event?.metadata())
    }),
];
