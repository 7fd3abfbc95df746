//! The other methods about EventPipe, and the function that it calls.
#![forbid(unsafe_code)]

use core::cell::Cell;
use core::ffi::c_void;
use std::collections::HashSet;
use std::sync::{PoisonError, RwLock};

use corprof_sys as sys;
use corprof_types::{EventPipeEventId, EventPipeProviderId, Guid};
use widestring::U16CString;

use super::sessions::{Enabled, Filter, Sessions};
use super::{Info, name};
use crate::error::{Error, Result};
use crate::event_mask::PartId;
use crate::guard::Switch;
use crate::raw::abi::{About, Pass, RawEventData, RawParameter, RawProviderConfig};
use crate::raw::buffers::{fill_wide, length_of, wide};
use crate::raw::call_site::{Event, Scope};

/// Which events of a provider a session delivers.
pub(crate) struct ProviderConfig {
    name: U16CString,
    filter: Option<U16CString>,
    keywords: u64,
    level: u32,
}

impl ProviderConfig {
    pub(crate) fn new(name: &str, keywords: u64, level: u32, filter: Option<&str>) -> Result<Self> {
        Ok(Self { name: wide(name)?, filter: filter.map(wide).transpose()?, keywords, level })
    }

    /// The events that it enables.
    fn filter(&self) -> Filter {
        Filter { provider: self.name.to_string_lossy(), keywords: self.keywords, level: self.level }
    }

    fn raw(&self) -> RawProviderConfig<'_> {
        RawProviderConfig::new(&self.name, self.filter.as_ref(), self.keywords, self.level)
    }
}

/// An event to define.
pub(crate) struct EventDefinition<'a> {
    pub(crate) name: &'a str,
    pub(crate) id: u32,
    pub(crate) keywords: u64,
    pub(crate) version: u32,
    pub(crate) level: u32,
    pub(crate) opcode: u8,
    pub(crate) needs_stack: bool,
    /// Type, type of the elements of an array, name.
    pub(crate) fields: Vec<(u32, u32, &'a str)>,
}

/// The parts of an event from which ids are made. Only the callback makes one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delivered<'cb> {
    pub(crate) provider: EventPipeProviderId,
    pub(crate) id: u32,
    pub(crate) version: u32,
    pub(crate) data: &'cb [u8],
}

impl Info {
    /// `ICorProfilerInfo12::EventPipeStartSession`.
    pub(crate) fn event_pipe_start_session(
        &self,
        configs: &[ProviderConfig],
        rundown: bool,
        part: PartId,
    ) -> Result<u64> {
        let filters = configs.iter().map(ProviderConfig::filter).collect();
        let configs: Vec<_> = configs.iter().map(ProviderConfig::raw).collect();
        length_of(name!(ICorProfilerInfo12::EventPipeStartSession), &configs)?;
        let mut session = 0;
        // Events are delivered before the call returns.
        let starting = self.providers.sessions.start(part, filters);
        self.start_session(&configs, rundown, &mut session)?;
        starting.started(session);
        Ok(session)
    }

    /// `ICorProfilerInfo12::EventPipeStopSession`, unless the session was stopped before. One that cannot be stopped here goes on, and is
    /// stopped by the detach.
    pub(crate) fn event_pipe_stop_session(&self, session: u64) -> Result<()> {
        let sessions = &self.providers.sessions;
        if !sessions.stop(session) {
            return Ok(());
        }
        let stopped = self.stop_session(session).map(drop);
        sessions.stopped(session, stopped.is_ok());
        stopped
    }

    /// Stops the sessions of a part.
    pub(crate) fn event_pipe_stop_sessions_of(&self, part: PartId) -> Result<()> {
        self.stop_sessions_if(|owner| owner == part)
    }

    /// Stops all sessions: those of a profiler that is gone would deliver their events to the next one of its library.
    pub(crate) fn event_pipe_stop_sessions(&self) -> Result<()> {
        self.stop_sessions_if(|_| true)
    }

    fn stop_sessions_if(&self, is_meant: impl Fn(PartId) -> bool) -> Result<()> {
        let open = self.providers.sessions.of(is_meant);
        open.into_iter().map(|session| self.event_pipe_stop_session(session)).fold(Ok(()), Result::and)
    }

    /// `ICorProfilerInfo12::EventPipeAddProviderToSession`.
    pub(crate) fn event_pipe_add_provider(&self, session: u64, config: &ProviderConfig) -> Result<()> {
        self.providers.sessions.add(session, config.filter());
        self.add_provider(session, config.raw()).map(drop)
    }

    /// Returns the parts that get this delivery of an event; `None` for all that take the callback.
    pub(crate) fn event_pipe_receivers(&self, event: Delivered<'_>, metadata: &[u8]) -> Option<u32> {
        let sessions = &self.providers.sessions;
        match sessions.only_part() {
            Ok(part) => return Some(part.bit()),
            // Of a session that has been stopped.
            Err(false) => return None,
            Err(true) => {}
        }
        let described = nettrace::Metadata::of_delivered_event(metadata).ok()?;
        let provider = self.event_pipe_provider_name(event.provider).ok()?;
        let (keywords, level) = (described.keywords, described.level);
        let content = (event.provider.as_raw(), event.id, event.version, event.data);
        Some(sessions.receivers(Enabled { provider: &provider, keywords, level }, &content))
    }

    /// `ICorProfilerInfo12::EventPipeGetProviderInfo`.
    pub(crate) fn event_pipe_provider_name(&self, provider: EventPipeProviderId) -> Result<String> {
        const CALL: &str = name!(ICorProfilerInfo12::EventPipeGetProviderInfo);
        let provider = self.providers.check(CALL, provider)?;
        fill_wide(CALL, |room| {
            let mut needed = 0;
            self.get_provider_info(provider, room, &mut needed)?;
            Ok(needed)
        })
    }

    /// Whether the running callback is about the runtime's own provider.
    pub(super) fn is_of_runtime(&self, provider: EventPipeProviderId) -> Result<bool> {
        let is_own = self.providers.own.read().unwrap_or_else(PoisonError::into_inner).contains(&provider);
        Ok(!is_own && self.event_pipe_provider_name(provider)? == nettrace::runtime_events::PROVIDER)
    }

    /// `ICorProfilerInfo12::EventPipeCreateProvider`.
    pub(crate) fn event_pipe_create_provider(&self, name: &str) -> Result<EventPipeProviderId> {
        let (name, mut provider) = (wide(name)?, None);
        self.create_provider(&name, &mut provider)?;
        self.own_provider(name!(ICorProfilerInfo12::EventPipeCreateProvider), provider)
    }

    /// `ICorProfilerInfo14::EventPipeCreateProvider2`, with a function that the runtime calls.
    pub(crate) fn event_pipe_create_provider_with<C: ProviderChanged>(
        &self,
        name: &str,
    ) -> Result<EventPipeProviderId> {
        let (name, mut provider) = (wide(name)?, None);
        self.create_provider_with(&name, OnChange(provider_changed::<C>), &mut provider)?;
        self.own_provider(name!(ICorProfilerInfo14::EventPipeCreateProvider2), provider)
    }

    fn own_provider(
        &self,
        call: &'static str,
        provider: Option<EventPipeProviderId>,
    ) -> Result<EventPipeProviderId> {
        let provider = provider.ok_or(Error::Null { call, what: "provider" })?;
        self.providers.own.write().unwrap_or_else(PoisonError::into_inner).insert(provider);
        Ok(provider)
    }

    /// `ICorProfilerInfo12::EventPipeDefineEvent`.
    pub(crate) fn event_pipe_define_event(
        &self,
        provider: EventPipeProviderId,
        event: &EventDefinition<'_>,
    ) -> Result<Option<EventPipeEventId>> {
        const CALL: &str = name!(ICorProfilerInfo12::EventPipeDefineEvent);
        let provider = self.providers.check(CALL, provider)?;
        let name = wide(event.name)?;
        let names = event.fields.iter().map(|(.., name)| wide(name)).collect::<Result<Vec<_>>>()?;
        let fields = event.fields.iter().zip(&names);
        let fields: Vec<_> =
            fields.map(|((ty, element, _), name)| RawParameter::new(*ty, *element, name)).collect();
        length_of(CALL, &fields)?;
        let mut id = None;
        self.define_event(
            provider,
            &name,
            event.id,
            event.keywords,
            event.version,
            event.level,
            event.opcode,
            event.needs_stack,
            &fields,
            &mut id,
        )?;
        Ok(id)
    }

    /// `ICorProfilerInfo12::EventPipeWriteEvent`: a list of values, each as its bytes.
    pub(crate) fn event_pipe_write_event(
        &self,
        event: EventPipeEventId,
        values: &[Vec<u8>],
        activity: Option<&Guid>,
        related_activity: Option<&Guid>,
    ) -> Result<()> {
        const CALL: &str = name!(ICorProfilerInfo12::EventPipeWriteEvent);
        let data = values.iter().map(|value| Ok(RawEventData::new(value, length_of(CALL, value)?)));
        let data = data.collect::<Result<Vec<_>>>()?;
        length_of(CALL, &data)?;
        self.write_event(event, &data, activity, related_activity).map(drop)
    }
}

/// A provider that is alive.
#[derive(Clone, Copy)]
pub(super) struct AliveProvider(EventPipeProviderId);

impl About for AliveProvider {}

impl Pass<usize> for AliveProvider {
    fn pass(&mut self) -> usize {
        self.0.as_raw()
    }
}

/// Which providers are alive: those that the profiler has created, which live until the process ends, and during a callback
/// the one that it is about. The runtime frees others with their `EventSource`, and does not report that.
#[derive(Debug, Default)]
pub(super) struct Providers {
    own: RwLock<HashSet<EventPipeProviderId>>,
    sessions: Sessions,
}

impl Providers {
    fn check(&self, call: &'static str, provider: EventPipeProviderId) -> Result<AliveProvider> {
        let is_own = || self.own.read().unwrap_or_else(PoisonError::into_inner).contains(&provider);
        if CURRENT_PROVIDER.get() == Some(provider) || is_own() {
            return Ok(AliveProvider(provider));
        }
        let why = "a provider that the profiler has not created is known to exist in its callbacks only";
        Err(Error::Unsafe { call, why })
    }
}

thread_local! {
    /// The provider that the running callback is about.
    static CURRENT_PROVIDER: Cell<Option<EventPipeProviderId>> = const { Cell::new(None) };
}

/// Runs a callback that is about a provider.
pub(crate) fn in_callback_about<T>(provider: EventPipeProviderId, callback: impl FnOnce() -> T) -> T {
    /// A panic ends the callback too.
    struct End(Option<EventPipeProviderId>);
    impl Drop for End {
        fn drop(&mut self) {
            CURRENT_PROVIDER.set(self.0);
        }
    }
    let _end = End(CURRENT_PROVIDER.replace(Some(provider)));
    callback()
}

/// The function that the runtime calls for a provider: whether it is enabled, its level, and two sets of keywords.
pub(crate) trait ProviderChanged: 'static {
    fn changed(enabled: bool, level: u8, any_keywords: u64, all_keywords: u64);
}

extern "system" fn provider_changed<C: ProviderChanged>(
    _source: *const sys::UINT8,
    enabled: sys::UINT32,
    level: sys::UINT8,
    any_keywords: sys::UINT64,
    all_keywords: sys::UINT64,
    _filter: *mut sys::COR_PRF_FILTER_DATA,
    _data: *mut c_void,
) {
    static SWITCH: Switch = Switch::new();
    // It may come from inside of a hook, where an event is written, and with locks of EventPipe held.
    let _scope = Scope::callback(Event::Objects);
    SWITCH.guard("EventPipeProviderCallback", || C::changed(enabled != 0, level, any_keywords, all_keywords));
}

/// A function that the runtime calls for a provider, at any time until the process ends.
pub(super) struct OnChange(ChangeFunction);

type ChangeFunction = extern "system" fn(
    *const sys::UINT8,
    sys::UINT32,
    sys::UINT8,
    sys::UINT64,
    sys::UINT64,
    *mut sys::COR_PRF_FILTER_DATA,
    *mut c_void,
);

impl About for OnChange {}

impl Pass<sys::EventPipeProviderCallback> for OnChange {
    fn pass(&mut self) -> sys::EventPipeProviderCallback {
        Some(self.0)
    }
}
