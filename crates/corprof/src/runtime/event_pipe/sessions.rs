//! EventPipe: sessions that deliver events to the profiler, and events of its own.
#![forbid(unsafe_code)]

use corprof_types::{EventPipeEventId, EventPipeProviderId, Guid};

use crate::error::{Error, Result};
use crate::raw::info::{EventDefinition, ProviderChanged, ProviderConfig};
use crate::runtime::ProfilerInfo;
use crate::runtime::event_pipe::{EventField, EventType, EventValue, Writer};

/// Which events of a provider a session is about (`COR_PRF_EVENTPIPE_PROVIDER_CONFIG`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventPipeProviderConfig<'a> {
    /// The provider's name: `Microsoft-Windows-DotNETRuntime`, or that of an `EventSource`.
    pub name: &'a str,
    /// Events with one of these keywords, and those with none.
    pub keywords: u64,
    /// Events of this level and the more important ones: 1 critical, 2 error, 3 warning, 4 informational, 5 verbose.
    pub level: u32,
    /// What the provider is told beyond that: `Key=Value;…`.
    pub filter: Option<&'a str>,
}

/// A session: from its start on events are delivered to
/// [`Profiler::event_pipe_event_delivered`](crate::Profiler::event_pipe_event_delivered). Stopped on drop, unless the
/// runtime has shut down.
#[derive(Debug)]
pub struct EventPipeSession {
    info: ProfilerInfo,
    /// Empty once it was stopped.
    id: Option<u64>,
}

/// An event that the profiler is going to write.
#[derive(Clone, Copy, Debug)]
pub struct EventPipeEventSpec<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its number, unique for its provider.
    pub id: u32,
    /// The keywords by which sessions choose it.
    pub keywords: u64,
    /// The version of its layout.
    pub version: u32,
    /// How important it is: 1 critical to 5 verbose.
    pub level: u32,
    /// What it marks in an activity: 1 its start, 2 its end, 0 none.
    pub opcode: u8,
    /// Whether the stack is written along with it.
    pub needs_stack: bool,
    /// Its fields. Structures are not possible here, arrays of what is not an array are.
    pub fields: &'a [EventField],
}

/// What a session changes for a provider of the profiler's.
#[derive(Clone, Copy, Debug)]
pub struct EventPipeProviderState {
    /// Whether any session wants its events.
    pub enabled: bool,
    /// The level that is wanted at most.
    pub level: u8,
    /// Events with one of these keywords are wanted…
    pub match_any_keywords: u64,
    /// …if they have all of these.
    pub match_all_keywords: u64,
}

fn config(config: &EventPipeProviderConfig<'_>) -> Result<ProviderConfig> {
    ProviderConfig::new(config.name, config.keywords, config.level, config.filter)
}

impl ProfilerInfo {
    /// Starts a session (`ICorProfilerInfo12::EventPipeStartSession`). Needs
    /// [`EventMask::EVENT_PIPE`](crate::EventMask::EVENT_PIPE). With `request_rundown` the events are delivered too that
    /// describe what is loaded when the session ends.
    ///
    /// # Errors
    /// What the runtime reports; [`Error::Other`] for a text with a zero in it.
    #[doc(alias = "EventPipeStartSession")]
    pub fn event_pipe_start_session(
        &self,
        providers: &[EventPipeProviderConfig<'_>],
        request_rundown: bool,
    ) -> Result<EventPipeSession> {
        let configs = providers.iter().map(config).collect::<Result<Vec<_>>>()?;
        let id = self.raw().event_pipe_start_session(&configs, request_rundown)?;
        Ok(EventPipeSession { info: self.clone(), id: Some(id) })
    }

    /// The name of a provider (`ICorProfilerInfo12::EventPipeGetProviderInfo`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "EventPipeGetProviderInfo")]
    pub fn event_pipe_provider_name(&self, provider: EventPipeProviderId) -> Result<String> {
        self.raw().event_pipe_provider_name(provider)
    }

    /// Makes a provider of the profiler's own (`ICorProfilerInfo12::EventPipeCreateProvider`). It lives until the
    /// process ends.
    ///
    /// # Errors
    /// What the runtime reports; [`Error::Other`] for a name with a zero in it.
    #[doc(alias = "EventPipeCreateProvider")]
    pub fn event_pipe_create_provider(&self, name: &str) -> Result<EventPipeProviderId> {
        self.raw().event_pipe_create_provider(name)
    }

    /// The same, with a function that is called when a session begins or ends to want its events
    /// (`ICorProfilerInfo14::EventPipeCreateProvider2`). The runtime passes nothing to tell providers apart by: hence a
    /// function and no closure.
    ///
    /// # Errors
    /// As for [`ProfilerInfo::event_pipe_create_provider`].
    #[doc(alias = "EventPipeCreateProvider2")]
    pub fn event_pipe_create_provider_with<F: EventPipeProviderChanged>(
        &self,
        name: &str,
    ) -> Result<EventPipeProviderId> {
        self.raw().event_pipe_create_provider_with::<Changed<F>>(name)
    }

    /// Defines an event of a provider of the profiler's own (`ICorProfilerInfo12::EventPipeDefineEvent`).
    ///
    /// # Errors
    /// `E_INVALIDARG` for a field of a type that is not possible; what else the runtime reports.
    #[doc(alias = "EventPipeDefineEvent")]
    pub fn event_pipe_define_event(
        &self,
        provider: EventPipeProviderId,
        event: &EventPipeEventSpec<'_>,
    ) -> Result<EventPipeEventId> {
        let fields = event.fields.iter().map(|field| {
            let element = match &field.field_type {
                EventType::Array(element) => element.code(),
                _ => 0,
            };
            (field.field_type.code(), element, &*field.name)
        });
        let definition = EventDefinition {
            name: event.name,
            id: event.id,
            keywords: event.keywords,
            version: event.version,
            level: event.level,
            opcode: event.opcode,
            needs_stack: event.needs_stack,
            fields: fields.collect(),
        };
        let call = "ICorProfilerInfo12::EventPipeDefineEvent";
        let event = self.raw().event_pipe_define_event(provider, &definition)?;
        event.ok_or(Error::Null { call, what: "event" })
    }

    /// Writes an event (`ICorProfilerInfo12::EventPipeWriteEvent`): its values in the order of its fields, and of their
    /// types, which is not checked. Costs little when no session wants it.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "EventPipeWriteEvent")]
    pub fn event_pipe_write_event(
        &self,
        event: EventPipeEventId,
        values: &[EventValue],
        activity: Option<Guid>,
        related_activity: Option<Guid>,
    ) -> Result<()> {
        let values: Vec<Vec<u8>> = values.iter().map(Writer::value).collect();
        self.raw().event_pipe_write_event(event, &values, activity.as_ref(), related_activity.as_ref())
    }
}

impl EventPipeSession {
    /// Adds a provider (`ICorProfilerInfo12::EventPipeAddProviderToSession`).
    ///
    /// # Errors
    /// `E_INVALIDARG` for a provider that is in the session; what else the runtime reports.
    #[doc(alias = "EventPipeAddProviderToSession")]
    pub fn add_provider(&self, provider: &EventPipeProviderConfig<'_>) -> Result<()> {
        let Some(id) = self.id else { return Ok(()) };
        self.info.raw().event_pipe_add_provider(id, &config(provider)?)
    }

    /// Ends the session (`ICorProfilerInfo12::EventPipeStopSession`), as dropping it does, and says whether that
    /// worked.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "EventPipeStopSession")]
    pub fn stop(mut self) -> Result<()> {
        self.stop_once()
    }

    fn stop_once(&mut self) -> Result<()> {
        self.id.take().map_or(Ok(()), |id| self.info.raw().event_pipe_stop_session(id))
    }
}

impl Drop for EventPipeSession {
    fn drop(&mut self) {
        match self.stop_once() {
            Ok(()) | Err(Error::Ended { .. }) => {}
            Err(error) => tracing::warn!("an EventPipe session was not stopped: {error}"),
        }
    }
}

/// Is told when sessions begin or end to want the events of a provider; see
/// [`ProfilerInfo::event_pipe_create_provider_with`].
pub trait EventPipeProviderChanged: 'static {
    /// What is wanted now. Called from any thread.
    fn changed(state: EventPipeProviderState);
}

/// Passes the runtime's calls on.
struct Changed<F>(core::marker::PhantomData<F>);

impl<F: EventPipeProviderChanged> ProviderChanged for Changed<F> {
    fn changed(enabled: bool, level: u8, match_any_keywords: u64, match_all_keywords: u64) {
        F::changed(EventPipeProviderState { enabled, level, match_any_keywords, match_all_keywords });
    }
}
