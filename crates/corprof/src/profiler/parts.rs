//! The parts of a profiler: the profilers that a library exports under one class id. Most have one.
//!
//! Each part has an event mask of its own, and gets the callbacks of that mask ([`Takers`](crate::event_mask::Takers)). A part
//! that fails is reported by its name, and the others go on. The hooks have one owner, and so has IL.
#![forbid(unsafe_code)]

use core::any::{Any, type_name};
use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

use super::Profiler;
use super::hosted::{Hosted, PartHost};
use crate::error::{Error, Result};
use crate::event_mask::{Callback, PartId};
use crate::guard::Switch;
use crate::report;
use crate::running::Running;
use crate::runtime::ProfilerInfo;
use corprof_types::HResult;

/// A part before it runs: how to make it.
#[derive(Clone, Copy)]
pub struct Part {
    name: fn() -> &'static str,
    make: fn(ProfilerInfo, Switch, Start<'_>) -> Result<Made>,
    is_notification_only: fn() -> bool,
}

/// How a profiler starts.
#[derive(Clone, Copy)]
pub(crate) enum Start<'a> {
    /// With the program.
    WithProgram,
    /// In a program that runs, with client data.
    Attached(&'a [u8]),
}

/// A part that has been initialised, as callbacks know it.
pub(super) type RunningPart = Arc<Running<dyn Profiler>>;

/// A part that has been initialised, and its hooks.
struct Made {
    running: RunningPart,
    hooks: FindHooks,
}

/// Queries the hooks of a part. What is returned installs them.
type FindHooks = Box<dyn FnOnce() -> Option<InstallHooks>>;
type InstallHooks = Box<dyn FnOnce() -> Result<()>>;

impl Part {
    /// The part that is a `P`.
    #[must_use]
    pub const fn of<P: Profiler>() -> Self {
        Self { name: type_name::<P>, make: make::<P>, is_notification_only: P::load_as_notification_only }
    }

    /// Returns whether all parts may be loaded beside another profiler.
    pub(super) fn are_notification_only(parts: &[Self]) -> bool {
        parts.iter().all(|part| (part.is_notification_only)())
    }
}

/// One profiler, or a tuple of profilers that are loaded together: for tests.
pub trait Profilers {
    /// The parts in their order.
    const PARTS: &'static [Part];
}

impl<P: Profiler> Profilers for P {
    const PARTS: &'static [Part] = &[Part::of::<P>()];
}

macro_rules! tuples {
    ($(($($part:ident),+))+) => {$(
        impl<$($part: Profiler),+> Profilers for ($($part,)+) {
            const PARTS: &'static [Part] = &[$(Part::of::<$part>()),+];
        }
    )+};
}

tuples! { (A, B) (A, B, C) (A, B, C, D) }

fn make<P: Profiler>(info: ProfilerInfo, switch: Switch, start: Start<'_>) -> Result<Made> {
    let profiler = match start {
        Start::WithProgram => P::initialize(&info)?,
        Start::Attached(data) => P::initialize_for_attach(&info, data)?,
    };
    let running = Arc::new(Running { info, switch, name: type_name::<P>(), profiler });
    let hooked = Arc::clone(&running);
    let hooks = move || -> Option<InstallHooks> {
        let hooks = hooked.profiler.hooks();
        hooks.are_some().then(|| -> InstallHooks { Box::new(move || hooks.install(&hooked)) })
    };
    Ok(Made { running, hooks: Box::new(hooks) })
}

/// Why a part, or a profiler, has not started.
pub(crate) enum Failed {
    Error(Error),
    /// It has panicked, which has been reported.
    Panicked,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// The parts of a profiler that runs.
pub(crate) struct Parts {
    /// The runtime, for the crate's own part of the callbacks.
    pub(crate) info: ProfilerInfo,
    /// Whether the crate does its own part.
    own: Switch,
    /// The parts by their numbers; `None` for one that has not been made.
    running: Box<[Option<RunningPart>]>,
    /// The parts that one of these adds while the program runs.
    pub(super) hosted: Option<Arc<Hosted>>,
    /// The objects that the collection reports.
    pub(super) walk: Walk,
}

/// The parts that have ended the enumeration of objects in the current collection (`ObjectReferences`).
#[derive(Default)]
pub(super) struct Walk(AtomicU32);

impl Walk {
    /// A collection begins.
    pub(super) fn begin(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    pub(super) fn is_ended(&self, part: PartId) -> bool {
        self.0.load(Ordering::Relaxed) & part.bit() != 0
    }

    pub(super) fn end(&self, part: PartId) {
        self.0.fetch_or(part.bit(), Ordering::Relaxed);
    }
}

/// The hooks of the parts, by the numbers of these.
pub(crate) struct PartHooks(Vec<(PartId, FindHooks)>);

impl Parts {
    /// Makes the parts. One that fails is left out, unless it is the only one, or in a conflict with another.
    pub(super) fn make(
        parts: &[Part],
        info: ProfilerInfo,
        callback: &'static str,
        start: Start<'_>,
    ) -> Result<(Self, PartHooks), Failed> {
        if parts.len() > PartId::CRATE.index() {
            let most = PartId::CRATE.index();
            return Err(
                Error::other(format!("a profiler has at most {most} parts, not {}", parts.len())).into()
            );
        }
        let is_only = parts.len() == 1;
        info.name_parts(parts.iter().map(|part| (part.name)()));
        let (mut running, mut hooks, mut first_failure) = (Vec::new(), Vec::new(), None);
        for (index, part) in parts.iter().enumerate() {
            let id = PartId::new(index);
            let (info, name) = (info.of_part(id), (part.name)());
            let new_switch = || if is_only { Switch::new() } else { Switch::of_part(name) };
            let made = new_switch().guard(callback, || (part.make)(info.clone(), new_switch(), start));
            running.push(match made {
                Some(Ok(made)) => {
                    hooks.push((id, made.hooks));
                    Some(made.running)
                }
                failed => {
                    info.leave();
                    let failed = failed.and_then(Result::err).map_or(Failed::Panicked, Failed::Error);
                    first_failure.get_or_insert(tolerated(name, failed, is_only)?);
                    None
                }
            });
        }
        match first_failure {
            Some(failed) if hooks.is_empty() => Err(failed),
            _ => {
                let hosted = find_host(&running, callback)?;
                let (own, walk) = (Switch::new(), Walk::default());
                Ok((Self { info, own, running: running.into(), hosted, walk }, PartHooks(hooks)))
            }
        }
    }

    /// The profiler runs: from now on parts are added to a running program.
    pub(super) fn begin(&self, is_attaching: bool) {
        self.info.note_started();
        if let Some(hosted) = self.hosted.as_deref().filter(|_| !is_attaching) {
            hosted.begin();
        }
    }

    /// Installs the hooks of the one part that has hooks.
    pub(super) fn install(&self, hooks: PartHooks, callback: &'static str) -> Result<(), Failed> {
        let is_only = self.running.len() == 1;
        let mut owners: Vec<(&Running<dyn Profiler>, InstallHooks)> = Vec::new();
        for (id, find) in hooks.0 {
            let Some(running) = self.running.get(id.index()).and_then(Option::as_deref) else { continue };
            match running.switch.guard(callback, find) {
                Some(Some(install)) => owners.push((running, install)),
                Some(None) => {}
                None => self.fail(running, Failed::Panicked, is_only)?,
            }
        }
        if let [(first, _), (second, _), ..] = owners.as_slice() {
            return Err(Error::Conflict { what: "has hooks", parts: [first.name, second.name] }.into());
        }
        for (running, install) in owners {
            match running.switch.guard(callback, install) {
                Some(Ok(())) => {}
                Some(Err(error)) => self.fail(running, error.into(), is_only)?,
                None => self.fail(running, Failed::Panicked, is_only)?,
            }
        }
        Ok(())
    }

    /// Ends a part that has failed, if there are others.
    fn fail(&self, part: &Running<dyn Profiler>, failed: Failed, is_only: bool) -> Result<(), Failed> {
        part.switch.end();
        part.info.leave();
        tolerated(part.name, failed, is_only).map(drop)
    }

    /// The parts that have been made.
    fn made(&self) -> impl Iterator<Item = &Running<dyn Profiler>> {
        self.running.iter().flatten().map(|running| &**running)
    }

    /// Returns the part of this type.
    pub(crate) fn part<P: Profiler>(&self) -> Option<&P> {
        self.made().find_map(|running| {
            let any: &dyn Any = &running.profiler;
            any.downcast_ref()
        })
    }

    /// Returns whether a part has panicked.
    pub(crate) fn have_panicked(&self) -> bool {
        self.made().any(|running| running.switch.has_panicked())
    }

    /// Returns whether nothing is delivered any more.
    pub(super) fn have_ended(&self) -> bool {
        self.own.has_ended()
    }

    /// Calls the parts that take a callback. The code of failure if one panics.
    #[inline]
    pub(super) fn each(&self, callback: Callback, mut call: impl FnMut(PartId, &dyn Profiler)) -> HResult {
        let takers = self.info.takers(callback);
        let mut code = HResult::S_OK;
        for (index, running) in self.running.iter().enumerate() {
            let (Some(running), part) = (running, PartId::new(index)) else { continue };
            if takers.has(part)
                && running.switch.is_on()
                && running.deliver(callback.name(), |profiler| call(part, profiler)).is_none()
            {
                code = HResult::E_FAIL;
            }
        }
        match &self.hosted {
            Some(hosted) if !hosted.each(takers, callback.name(), &mut call) => HResult::E_FAIL,
            _ => code,
        }
    }

    /// Calls all parts, those too that have been switched off: a part may have threads to join and a file to close.
    pub(super) fn each_even_if_off(
        &self,
        callback: &'static str,
        mut call: impl FnMut(&dyn Profiler),
    ) -> HResult {
        let mut code = HResult::S_OK;
        for running in self.made() {
            let called = running.switch.guard_even_if_off(callback, || call(&running.profiler));
            if called.is_none() && !running.switch.has_ended() {
                code = HResult::E_FAIL;
            }
        }
        self.hosted.iter().for_each(|hosted| hosted.end(callback, &mut call));
        code
    }

    /// Calls all parts that are on.
    pub(super) fn each_without_flags(
        &self,
        callback: &'static str,
        mut call: impl FnMut(&dyn Profiler),
    ) -> HResult {
        let mut code = HResult::S_OK;
        for running in self.made().filter(|running| running.switch.is_on()) {
            if running.deliver(callback, &mut call).is_none() {
                code = HResult::E_FAIL;
            }
        }
        self.hosted.iter().for_each(|hosted| hosted.begin());
        code
    }

    /// Updates the crate's own records of loads, unloads and collections, whatever the parts do. Not when the runtime has ended,
    /// which nobody asks any more.
    pub(super) fn note(&self, callback: &'static str, work: impl FnOnce()) {
        self.own.guard_even_if_off(callback, work);
    }

    /// Reports the error that a part has returned from a callback.
    #[cold]
    pub(super) fn report(&self, part: PartId, callback: Callback, error: &Error) {
        let name =
            self.running.get(part.index()).and_then(Option::as_deref).map_or("", |running| running.name);
        tracing::warn!("{name} has failed in {}: {error}", callback.name());
    }

    /// From now on nothing is delivered to a part.
    pub(super) fn end(&self) {
        self.made().for_each(|running| running.switch.end());
        self.hosted.iter().for_each(|hosted| hosted.switch_off());
    }

    /// From now on the parts are not called by the runtime, and the runtime not through any [`ProfilerInfo`].
    pub(super) fn stop(&self) {
        self.end();
        self.own.end();
        self.info.end();
    }
}

/// Returns the parts that are added by the one part that does so.
fn find_host(running: &[Option<RunningPart>], callback: &'static str) -> Result<Option<Arc<Hosted>>, Failed> {
    let mut hosts = Vec::new();
    for part in running.iter().flatten() {
        let found = part.switch.guard(callback, || part.profiler.host().map(PartHost::hosted));
        hosts.extend(found.flatten().map(|hosted| (hosted, part.name)));
    }
    if let [(_, first), (_, second), ..] = hosts.as_slice() {
        return Err(Error::Conflict { what: "adds parts", parts: [first, second] }.into());
    }
    Ok(hosts.pop().map(|(hosted, _)| hosted))
}

/// Reports that a part does not run, if that is not the failure of the profiler: it is if there are no others, or if two have
/// been put together that do not fit.
fn tolerated(name: &str, failed: Failed, is_only: bool) -> Result<Failed, Failed> {
    if is_only || matches!(failed, Failed::Error(Error::Conflict { .. })) {
        return Err(failed);
    }
    match &failed {
        Failed::Error(error) => report::failure(&format!("{name} does not run: {error}")),
        Failed::Panicked => report::failure(&format!("{name} does not run: it has panicked")),
    }
    Ok(failed)
}
