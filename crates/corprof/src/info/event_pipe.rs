//! EventPipe: sessions that deliver events to the profiler, and events of its own.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::ptr::null;

use corprof_sys as sys;
use widestring::U16CString;

use super::{call, fill_wide, length_of, room_of};
use crate::control::wide;
use crate::event_pipe::{EventField, EventType, EventValue, Writer};
use crate::ids::{EventPipeEventId, EventPipeProviderId};
use crate::{Error, Guid, ProfilerInfo, Result};

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
    id: sys::EVENTPIPE_SESSION,
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

/// A configuration with its texts as the runtime takes them.
struct Config {
    name: U16CString,
    filter: Option<U16CString>,
    keywords: u64,
    level: u32,
}

impl Config {
    fn new(config: &EventPipeProviderConfig<'_>) -> Result<Self> {
        Ok(Self {
            name: wide(config.name)?,
            filter: config.filter.map(wide).transpose()?,
            keywords: config.keywords,
            level: config.level,
        })
    }

    /// The structure, which points into `self`.
    fn raw(&self) -> sys::COR_PRF_EVENTPIPE_PROVIDER_CONFIG {
        sys::COR_PRF_EVENTPIPE_PROVIDER_CONFIG {
            providerName: self.name.as_ptr(),
            keywords: self.keywords,
            loggingLevel: self.level,
            filterData: self.filter.as_ref().map_or(null(), |filter| filter.as_ptr()),
        }
    }
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
        let configs = providers.iter().map(Config::new).collect::<Result<Vec<_>>>()?;
        let mut raw: Vec<_> = configs.iter().map(Config::raw).collect();
        let count = length_of("ICorProfilerInfo12::EventPipeStartSession", &raw)?;
        let mut id = 0;
        // SAFETY: a list with its length, whose texts live as long as `configs`; a local.
        unsafe {
            call!(
                self,
                ICorProfilerInfo12::EventPipeStartSession(
                    count,
                    raw.as_mut_ptr(),
                    request_rundown.into(),
                    &raw mut id,
                )
            )
        }?;
        Ok(EventPipeSession { info: self.clone(), id })
    }

    /// The name of a provider (`ICorProfilerInfo12::EventPipeGetProviderInfo`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "EventPipeGetProviderInfo")]
    pub fn event_pipe_provider_name(&self, provider: EventPipeProviderId) -> Result<String> {
        fill_wide("ICorProfilerInfo12::EventPipeGetProviderInfo", |room| {
            let mut needed = 0;
            // SAFETY: a local, and a buffer with its length.
            unsafe {
                call!(
                    self,
                    ICorProfilerInfo12::EventPipeGetProviderInfo(
                        provider.as_raw(),
                        room_of(room),
                        &raw mut needed,
                        room.as_mut_ptr(),
                    )
                )
            }?;
            Ok(needed)
        })
    }

    /// Makes a provider of the profiler's own (`ICorProfilerInfo12::EventPipeCreateProvider`). It lives until the
    /// process ends.
    ///
    /// # Errors
    /// What the runtime reports; [`Error::Other`] for a name with a zero in it.
    #[doc(alias = "EventPipeCreateProvider")]
    pub fn event_pipe_create_provider(&self, name: &str) -> Result<EventPipeProviderId> {
        const CALL: &str = "ICorProfilerInfo12::EventPipeCreateProvider";
        let name = wide(name)?;
        let mut provider = 0;
        // SAFETY: a text with a terminating zero, a local.
        unsafe {
            call!(self, ICorProfilerInfo12::EventPipeCreateProvider(name.as_ptr(), &raw mut provider))
        }?;
        EventPipeProviderId::from_raw(provider).ok_or(Error::Null { call: CALL, what: "provider" })
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
        const CALL: &str = "ICorProfilerInfo14::EventPipeCreateProvider2";
        let name = wide(name)?;
        let mut provider = 0;
        // SAFETY: a text with a terminating zero, a function of the declared type, a local.
        unsafe {
            call!(
                self,
                ICorProfilerInfo14::EventPipeCreateProvider2(
                    name.as_ptr(),
                    Some(provider_changed::<F>),
                    &raw mut provider,
                )
            )
        }?;
        EventPipeProviderId::from_raw(provider).ok_or(Error::Null { call: CALL, what: "provider" })
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
        const CALL: &str = "ICorProfilerInfo12::EventPipeDefineEvent";
        let name = wide(event.name)?;
        let names = event.fields.iter().map(|field| wide(&field.name)).collect::<Result<Vec<_>>>()?;
        let mut fields: Vec<_> = event
            .fields
            .iter()
            .zip(&names)
            .map(|(field, name)| sys::COR_PRF_EVENTPIPE_PARAM_DESC {
                type_: field.field_type.code(),
                elementType: match &field.field_type {
                    EventType::Array(element) => element.code(),
                    _ => 0,
                },
                name: name.as_ptr(),
            })
            .collect();
        let count = length_of(CALL, &fields)?;
        let mut id = 0;
        // SAFETY: texts with a terminating zero, a list with its length whose texts live as long as `names`, a local.
        unsafe {
            call!(
                self,
                ICorProfilerInfo12::EventPipeDefineEvent(
                    provider.as_raw(),
                    name.as_ptr(),
                    event.id,
                    event.keywords,
                    event.version,
                    event.level,
                    event.opcode,
                    event.needs_stack.into(),
                    count,
                    fields.as_mut_ptr(),
                    &raw mut id,
                )
            )
        }?;
        EventPipeEventId::from_raw(id).ok_or(Error::Null { call: CALL, what: "event" })
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
        const CALL: &str = "ICorProfilerInfo12::EventPipeWriteEvent";
        let values: Vec<Vec<u8>> = values.iter().map(Writer::value).collect();
        let mut data = Vec::with_capacity(values.len());
        for value in &values {
            let size = length_of(CALL, value)?;
            let address = u64::try_from(value.as_ptr().expose_provenance()).unwrap_or(0);
            data.push(sys::COR_PRF_EVENT_DATA { ptr: address, size, reserved: 0 });
        }
        let count = length_of(CALL, &data)?;
        // SAFETY: a list with its length, whose bytes live as long as `values`; GUIDs or null.
        unsafe {
            call!(
                self,
                ICorProfilerInfo12::EventPipeWriteEvent(
                    event.as_raw(),
                    count,
                    data.as_mut_ptr(),
                    guid_or_null(activity.as_ref()),
                    guid_or_null(related_activity.as_ref()),
                )
            )
        }
        .map(drop)
    }
}

fn guid_or_null(guid: Option<&Guid>) -> *const sys::GUID {
    guid.map_or(null(), |guid| &raw const guid.0)
}

impl EventPipeSession {
    /// Adds a provider (`ICorProfilerInfo12::EventPipeAddProviderToSession`).
    ///
    /// # Errors
    /// `E_INVALIDARG` for a provider that is in the session; what else the runtime reports.
    #[doc(alias = "EventPipeAddProviderToSession")]
    pub fn add_provider(&self, provider: &EventPipeProviderConfig<'_>) -> Result<()> {
        let config = Config::new(provider)?;
        // SAFETY: a structure whose texts live as long as `config`.
        unsafe { call!(&self.info, ICorProfilerInfo12::EventPipeAddProviderToSession(self.id, config.raw())) }
            .map(drop)
    }

    /// Ends the session (`ICorProfilerInfo12::EventPipeStopSession`), as dropping it does, and says whether that
    /// worked.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "EventPipeStopSession")]
    pub fn stop(self) -> Result<()> {
        let session = core::mem::ManuallyDrop::new(self);
        // SAFETY: the session is not dropped again, and its façade is read once.
        let info = unsafe { core::ptr::read(&raw const session.info) };
        stop(&info, session.id)
    }
}

impl Drop for EventPipeSession {
    fn drop(&mut self) {
        match stop(&self.info, self.id) {
            Ok(()) | Err(Error::Ended { .. }) => {}
            Err(error) => tracing::warn!("an EventPipe session was not stopped: {error}"),
        }
    }
}

fn stop(info: &ProfilerInfo, id: sys::EVENTPIPE_SESSION) -> Result<()> {
    // SAFETY: no pointers are passed.
    unsafe { call!(info, ICorProfilerInfo12::EventPipeStopSession(id)) }.map(drop)
}

/// Is told when sessions begin or end to want the events of a provider; see
/// [`ProfilerInfo::event_pipe_create_provider_with`].
pub trait EventPipeProviderChanged: 'static {
    /// What is wanted now. Called from any thread.
    fn changed(state: EventPipeProviderState);
}

unsafe extern "system" fn provider_changed<F: EventPipeProviderChanged>(
    _source: *const sys::UINT8,
    enabled: sys::UINT32,
    level: sys::UINT8,
    match_any_keywords: sys::UINT64,
    match_all_keywords: sys::UINT64,
    _filter: *mut sys::COR_PRF_FILTER_DATA,
    _data: *mut c_void,
) {
    static REPORTED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
    let state =
        EventPipeProviderState { enabled: enabled != 0, level, match_any_keywords, match_all_keywords };
    crate::com::guard::guarded("EventPipeProviderCallback", &REPORTED, || F::changed(state));
}
