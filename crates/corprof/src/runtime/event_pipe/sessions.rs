//! EventPipe: sessions that deliver events to the profiler, and events of its own.
#![forbid(unsafe_code)]

use corprof_types::{ClassId, EventPipeEventId, EventPipeProviderId, Guid};

use crate::error::{Error, Result};
use crate::raw::info::{EventDefinition, ProviderChanged, ProviderConfig};
use crate::runtime::ProfilerInfo;
use crate::runtime::event_pipe::{EventPipeEvent, EventValue};

/// The events of a provider that a session enables (`COR_PRF_EVENTPIPE_PROVIDER_CONFIG`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventPipeProviderConfig<'a> {
    /// The provider's name: `Microsoft-Windows-DotNETRuntime`, or that of an `EventSource`.
    pub name: &'a str,
    /// Events with one of these keywords, and those with none.
    pub keywords: u64,
    /// Events of this level and the more important ones: 1 critical, 2 error, 3 warning, 4 informational, 5 verbose.
    pub level: u32,
    /// The filter data for the provider: `Key=Value;…`.
    pub filter: Option<&'a str>,
}

/// A running session, stopped on drop unless the runtime has shut down.
///
/// Dropped in a callback or hook where it [cannot be stopped](Self::stop), it continues until the profiler is detached or the process ends.
///
/// Its events are delivered to [`Profiler::event_pipe_event_delivered`](crate::Profiler::event_pipe_event_delivered).
#[derive(Debug)]
pub struct EventPipeSession {
    info: ProfilerInfo,
    /// Empty once it was stopped.
    id: Option<u64>,
}

/// The definition of an event of the profiler.
#[derive(Clone, Copy, Debug)]
pub struct EventPipeEventSpec<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its number, unique for its provider.
    pub id: u32,
    /// The keywords, by which sessions enable the event.
    pub keywords: u64,
    /// The version of its layout.
    pub version: u32,
    /// The level: 1 critical to 5 verbose.
    pub level: u32,
    /// The opcode: 1 starts an activity, 2 ends it, 0 neither.
    pub opcode: u8,
    /// Whether the event has a stack.
    pub needs_stack: bool,
    /// The fields. Structures and arrays of arrays are not supported.
    pub fields: &'a [nettrace::Field],
}

/// The events that sessions enable for a provider of the profiler.
#[derive(Clone, Copy, Debug)]
pub struct EventPipeProviderState {
    /// Whether a session enables the provider.
    pub enabled: bool,
    /// The highest level that a session enables.
    pub level: u8,
    /// Events with one of these keywords are enabled,
    pub match_any_keywords: u64,
    /// if they have all of these.
    pub match_all_keywords: u64,
}

fn config(config: &EventPipeProviderConfig<'_>) -> Result<ProviderConfig> {
    ProviderConfig::new(config.name, config.keywords, config.level, config.filter)
}

impl ProfilerInfo {
    /// Starts a session.
    ///
    /// Needs [`EVENT_PIPE`](crate::EventMask::EVENT_PIPE). `ICorProfilerInfo12::EventPipeStartSession`. Its events are delivered to
    /// the profiler that starts it, and not to others of its class id. With
    /// `request_rundown`, the runtime's rundown events, which describe loaded methods and modules, are delivered when
    /// the session ends.
    ///
    /// Call it on a thread of the profiler's own, or in the callbacks about the profiler's own start and end: the call runs the
    /// `EventSource`s of the program, and other callbacks come in the midst of the runtime's work, such as a compilation.
    ///
    /// # Errors
    /// [`Error::Other`]: a text contains a zero. [`Error::Misplaced`](crate::Error::Misplaced): called elsewhere, or on a
    /// thread that has suspended the runtime. Any other failure of the call.
    #[doc(alias = "EventPipeStartSession")]
    pub fn event_pipe_start_session(
        &self,
        providers: &[EventPipeProviderConfig<'_>],
        request_rundown: bool,
    ) -> Result<EventPipeSession> {
        let configs = providers.iter().map(config).collect::<Result<Vec<_>>>()?;
        let id = self.raw().event_pipe_start_session(&configs, request_rundown, self.part)?;
        let session = EventPipeSession { info: self.clone(), id: Some(id) };
        // One that is started while the part is removed ends here.
        self.check_stays("ICorProfilerInfo12::EventPipeStartSession")?;
        Ok(session)
    }

    /// Returns the bits of the parts that get this delivery of an event; `None` for all.
    pub(crate) fn receivers(&self, event: &EventPipeEvent<'_>) -> Option<u32> {
        self.raw().event_pipe_receivers(event.delivered, event.metadata)
    }

    /// Returns the name of a provider.
    ///
    /// `ICorProfilerInfo12::EventPipeGetProviderInfo`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EventPipeGetProviderInfo")]
    pub fn event_pipe_provider_name(&self, provider: EventPipeProviderId) -> Result<String> {
        self.raw().event_pipe_provider_name(provider)
    }

    /// Returns the class of the object that was allocated, for `GCAllocationTick` and `AllocationSampled` of the runtime's own provider;
    /// `None` for another event, and for a class without an id.
    ///
    /// # Errors
    /// Any failure of [`event_pipe_provider_name`](Self::event_pipe_provider_name). [`Error::Other`]: the payload cannot be decoded.
    pub fn allocated_class(&self, event: &EventPipeEvent<'_>) -> Result<Option<ClassId>> {
        self.reported(|| self.raw().allocated_class(event.delivered))
    }

    /// Creates a provider of the profiler, which lives until the process ends.
    ///
    /// `ICorProfilerInfo12::EventPipeCreateProvider`.
    ///
    /// # Errors
    /// [`Error::Other`]: the name contains a zero. [`Error::Misplaced`](crate::Error::Misplaced): called in a hook, in
    /// a callback with an object, of a collection or of a suspension, or on a thread that has suspended the runtime.
    /// Any other failure of the call.
    #[doc(alias = "EventPipeCreateProvider")]
    pub fn event_pipe_create_provider(&self, name: &str) -> Result<EventPipeProviderId> {
        self.raw().event_pipe_create_provider(name)
    }

    /// Creates a provider whose function `F` is called when sessions enable or disable its events.
    ///
    /// `ICorProfilerInfo14::EventPipeCreateProvider2`. `F` is a type and not a closure, since the runtime passes no
    /// user data.
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

    /// Defines an event of a provider of the profiler.
    ///
    /// `ICorProfilerInfo12::EventPipeDefineEvent`.
    ///
    /// # Errors
    /// `E_INVALIDARG`: a field has a type that events cannot have. [`Error::Misplaced`](crate::Error::Misplaced):
    /// called in a hook, in a callback with an object, of a collection or of a suspension, or on a thread that has
    /// suspended the runtime. Any other failure of the call.
    #[doc(alias = "EventPipeDefineEvent")]
    pub fn event_pipe_define_event(
        &self,
        provider: EventPipeProviderId,
        event: &EventPipeEventSpec<'_>,
    ) -> Result<EventPipeEventId> {
        let fields = event.fields.iter().map(|field| {
            let element = match &field.field_type {
                nettrace::FieldType::Array(element) => element.code(),
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

    /// Writes an event.
    ///
    /// `ICorProfilerInfo12::EventPipeWriteEvent`. The values have the order and types of the event's fields, which is
    /// not checked. Costs little while no session enables the event.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EventPipeWriteEvent")]
    pub fn event_pipe_write_event(
        &self,
        event: EventPipeEventId,
        values: &[EventValue],
        activity: Option<Guid>,
        related_activity: Option<Guid>,
    ) -> Result<()> {
        let values: Vec<Vec<u8>> = values.iter().map(EventValue::payload).collect();
        self.raw().event_pipe_write_event(event, &values, activity.as_ref(), related_activity.as_ref())
    }
}

impl EventPipeSession {
    /// Adds a provider to the session.
    ///
    /// `ICorProfilerInfo12::EventPipeAddProviderToSession`.
    ///
    /// # Errors
    /// `E_INVALIDARG`: the session has the provider already. [`Error::Misplaced`](crate::Error::Misplaced): called where
    /// [sessions are not started](ProfilerInfo::event_pipe_start_session). Any other failure of the call.
    #[doc(alias = "EventPipeAddProviderToSession")]
    pub fn add_provider(&self, provider: &EventPipeProviderConfig<'_>) -> Result<()> {
        let Some(id) = self.id else { return Ok(()) };
        self.info.raw().event_pipe_add_provider(id, &config(provider)?)
    }

    /// Stops the session, as dropping it does.
    ///
    /// `ICorProfilerInfo12::EventPipeStopSession`.
    ///
    /// # Errors
    /// [`Error::Misplaced`](crate::Error::Misplaced): called where
    /// [sessions are not started](ProfilerInfo::event_pipe_start_session); the session then continues, as after a drop there.
    /// Any other failure of the call.
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

/// A function that is called when sessions enable or disable a provider; see
/// [`ProfilerInfo::event_pipe_create_provider_with`].
pub trait EventPipeProviderChanged: 'static {
    /// Receives the events that sessions enable now. Called on any thread.
    fn changed(state: EventPipeProviderState);
}

/// Passes the runtime's calls on.
struct Changed<F>(core::marker::PhantomData<F>);

impl<F: EventPipeProviderChanged> ProviderChanged for Changed<F> {
    fn changed(enabled: bool, level: u8, match_any_keywords: u64, match_all_keywords: u64) {
        F::changed(EventPipeProviderState { enabled, level, match_any_keywords, match_all_keywords });
    }
}
