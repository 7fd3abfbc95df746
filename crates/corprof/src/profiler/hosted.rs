//! Parts that a profiler adds and removes while the program runs.
//!
//! They are dispatched to as the parts of a class id are, by their bits in the table of takers. A callback that such a part takes
//! holds its slot ([`Slot`]) until it returns, so that a removal knows when no thread is in the part any more.
#![forbid(unsafe_code)]

use core::any::type_name;
use core::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, ThreadId};

use super::Profiler;
use super::parts::RunningPart;
use crate::error::{Error, Result};
use crate::event_mask::{PartId, TakerSet};
use crate::guard::Switch;
use crate::limits::{MAX_HOSTED, REMOVAL_PATIENCE};
use crate::raw::slot::{Slot, Taken};
use crate::running::Running;
use crate::runtime::ProfilerInfo;

const COUNT: usize = MAX_HOSTED as usize;

/// The names of the methods, for errors.
const ADD: &str = "PartHost::add";
const REMOVE: &str = "PartHost::remove";

/// Adds parts to a profiler while the program runs, and removes them.
///
/// A part is a [`Profiler`] with an event mask of its own, which is called as if it were the only one: see
/// [`export_profiler!`](crate::export_profiler) for the callbacks that return values. The profiler that adds parts returns the host from
/// [`Profiler::host`]. At most 15 parts are there at a time.
///
/// A callback that no part takes costs what it costs without a host; each part that takes it adds some 15 ns.
///
/// ```
/// use corprof::{EventMask, PartHost, PartKey, Profiler, ProfilerInfo, Result};
///
/// struct Exceptions;
///
/// impl Profiler for Exceptions {
///     fn initialize(info: &ProfilerInfo) -> Result<Self> {
///         info.set_event_mask(EventMask::EXCEPTIONS)?;
///         Ok(Self)
///     }
/// }
///
/// struct Agent(PartHost);
///
/// impl Profiler for Agent {
///     fn initialize(info: &ProfilerInfo) -> Result<Self> {
///         Ok(Self(PartHost::new(info, |key, event| eprintln!("{key:?}: {event:?}"))))
///     }
///     fn host(&self) -> Option<&PartHost> {
///         Some(&self.0)
///     }
/// }
///
/// impl Agent {
///     /// On a thread of the agent's own, whenever it is asked for that.
///     fn measure_exceptions(&self) -> Result<PartKey> {
///         self.0.add("exceptions", Exceptions::initialize)
///     }
/// }
/// ```
pub struct PartHost(Arc<Hosted>);

/// A part that a [`PartHost`] has added. No other part ever has the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PartKey {
    slot: u8,
    number: u64,
}

/// What a part does by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartEvent {
    /// It has panicked in this callback, and gets no others. It is there until it is removed.
    Panicked {
        /// The COM name of the callback.
        callback: &'static str,
    },
    /// It has called [`ProfilerInfo::request_detach`]: it is to be removed.
    RequestsDetach,
}

/// How a part was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Removed {
    /// Whether it had panicked.
    pub has_panicked: bool,
    /// Whether a thread is still in a callback of the part, one second after its last one began. Its memory is released after that.
    pub is_in_use: bool,
}

/// The part is being made in `initialize` of its host.
const STARTING: u8 = 0;
/// The program runs.
const RUNNING: u8 = 1;
/// The program has ended, or the profiler is detached.
const ENDED: u8 = 2;

/// The parts, as callbacks find them.
pub(crate) struct Hosted {
    info: ProfilerInfo,
    slots: [Slot<Arc<HostedPart>>; COUNT],
    state: Mutex<State>,
    is_changed: Condvar,
    phase: AtomicU8,
    notify: Box<dyn Fn(PartKey, PartEvent) + Send + Sync>,
    /// For what the host itself does in a callback.
    switch: Switch,
    own: Weak<Self>,
}

#[derive(Default)]
struct State {
    /// The thread that adds or removes a part.
    changing: Option<ThreadId>,
    /// The keys of the parts that are there.
    keys: [Option<PartKey>; COUNT],
    number: u64,
}

/// A part, and what it has been told.
struct HostedPart {
    running: RunningPart,
    key: PartKey,
    is_attached: AtomicBool,
    has_ended: AtomicBool,
    is_reported: AtomicBool,
}

/// Nobody else adds or removes parts as long as this lives.
struct Changing<'h>(&'h Hosted);

impl Drop for Changing<'_> {
    fn drop(&mut self) {
        self.0.state().changing = None;
        self.0.is_changed.notify_one();
    }
}

impl PartHost {
    /// Creates a host without parts. `info` is what the profiler itself has got.
    ///
    /// `notify` is called when a part panics or requests to be removed, also in callbacks of the program's threads: it must not call the
    /// runtime or wait, and wakes the thread that removes parts.
    #[must_use]
    pub fn new(info: &ProfilerInfo, notify: impl Fn(PartKey, PartEvent) + Send + Sync + 'static) -> Self {
        Self(Arc::new_cyclic(|own| Hosted {
            info: info.clone(),
            slots: core::array::from_fn(|_| Slot::new()),
            state: Mutex::default(),
            is_changed: Condvar::new(),
            phase: AtomicU8::new(STARTING),
            notify: Box::new(notify),
            switch: Switch::of_part(type_name::<Self>()),
            own: Weak::clone(own),
        }))
    }

    /// Adds a part, which `make` makes as [`Profiler::initialize`] or [`Profiler::initialize_for_attach`] would: it sets the event mask
    /// of the `ProfilerInfo` that it gets. `name` is for messages.
    ///
    /// May be called in `initialize` and `initialize_for_attach` of the profiler, and on threads of its own: one at a time adds or
    /// removes parts, and others wait. Callbacks reach the part when this returns, or shortly before. In a program that runs, and after an
    /// attach, [`Profiler::profiler_attach_complete`] is called; then loads before are not reported, as with an attach.
    ///
    /// # Errors
    /// Those of `make`. [`Error::Flags`]: the part wants flags that cannot be set any more.
    /// [`Error::Conflict`]: another part changes IL. [`Error::Misplaced`]: called elsewhere. [`Error::Ended`]: the
    /// program ends, or the profiler is detached. [`Error::Other`]: there are 15 parts, `make` has panicked or called this host, or the part has hooks, which
    /// only a profiler of the class id can have.
    pub fn add<P: Profiler>(
        &self,
        name: &'static str,
        make: impl FnOnce(&ProfilerInfo) -> Result<P>,
    ) -> Result<PartKey> {
        let hosted = &*self.0;
        hosted.info.raw().require_unlocked_thread(ADD)?;
        let _changing = hosted.change(ADD)?;
        let (index, key) = hosted.reserve()?;
        let part = PartId::new(PartId::FIRST_HOSTED.index() + index);
        let (own, id) = (Weak::clone(&hosted.own), key);
        let leave = move || own.upgrade().iter().for_each(|host| host.tell(id, PartEvent::RequestsDetach));
        let info = hosted.info.of_hosted_part(part, name, leave);
        let switch = Switch::of_hosted(name);
        let made = switch.guard(ADD, || {
            let profiler = make(&info)?;
            match profiler.hooks().are_some() {
                true => {
                    Err(Error::other(format!("{name} has hooks, which a part that is added cannot have")))
                }
                false => Ok(profiler),
            }
        });
        let added = match made {
            Some(Ok(profiler)) => {
                let running = Arc::new(Running { info: info.clone(), switch, name, profiler });
                hosted.put(index, key, running)
            }
            Some(Err(error)) => Err(error),
            None => Err(Error::other(format!("{name} has panicked"))),
        };
        if added.is_err() {
            info.leave_for_good();
            hosted.free(index);
        }
        added.map(|()| key)
    }

    /// Removes a part: no callback reaches it from now on, its EventPipe sessions are stopped, and its flags are removed from the
    /// event mask, except those of others and those that the runtime does not take back. When no thread is in a callback of the part, or after one second, its
    /// [`Profiler::profiler_detach_succeeded`] is called on this thread, and it is dropped. `None` if it was removed before.
    ///
    /// # Errors
    /// [`Error::Misplaced`]: not called on a thread of the profiler's own. [`Error::Other`]: called by the `make` of a part.
    pub fn remove(&self, key: PartKey) -> Result<Option<Removed>> {
        let hosted = &*self.0;
        hosted.info.raw().require_own_thread(REMOVE)?;
        let _changing = hosted.change(REMOVE)?;
        Ok(hosted.take(key))
    }

    /// Returns the parts that are there, in the order in which they were added.
    #[must_use]
    pub fn parts(&self) -> Vec<PartKey> {
        let mut keys: Vec<PartKey> = self.0.state().keys.iter().flatten().copied().collect();
        keys.sort_unstable_by_key(|key| key.number);
        keys
    }

    pub(super) fn hosted(&self) -> Arc<Hosted> {
        Arc::clone(&self.0)
    }
}

impl core::fmt::Debug for PartHost {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("PartHost").field(&self.parts()).finish()
    }
}

impl Hosted {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nobody else adds or removes a part.
    fn change(&self, call: &str) -> Result<Changing<'_>> {
        let this = thread::current().id();
        let mut state = self.state();
        while let Some(thread) = state.changing {
            if thread == this {
                return Err(Error::other(format!("{call} is not called while it makes or ends a part")));
            }
            state = self.is_changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.changing = Some(this);
        drop(state);
        Ok(Changing(self))
    }

    /// Finds a slot for a part. The memory of parts that no thread is in any more is released.
    fn reserve(&self) -> Result<(usize, PartKey)> {
        self.check_runs()?;
        let left: Vec<_> = self.slots.iter().filter_map(Slot::reclaim).collect();
        self.switch.guard(ADD, || drop(left));
        let mut state = self.state();
        state.number += 1;
        let number = state.number;
        for (index, (place, slot)) in state.keys.iter_mut().zip(&self.slots).enumerate() {
            if place.is_none() && slot.is_free() {
                #[allow(clippy::cast_possible_truncation, reason = "there are few")]
                let key = PartKey { slot: index as u8, number };
                *place = Some(key);
                return Ok((index, key));
            }
        }
        Err(Error::other(format!("a profiler has at most {COUNT} parts that were added; remove one first")))
    }

    fn free(&self, index: usize) {
        self.state().keys.get_mut(index).into_iter().for_each(|key| *key = None);
    }

    fn check_runs(&self) -> Result<()> {
        if self.phase.load(Ordering::SeqCst) == ENDED { Err(Error::Ended { call: ADD }) } else { Ok(()) }
    }

    /// Puts a part where callbacks find it.
    fn put(&self, index: usize, key: PartKey, running: RunningPart) -> Result<()> {
        // What is started with the program is not attached.
        let is_attached = !running.info.was_attached() && self.phase.load(Ordering::SeqCst) == STARTING;
        let part = HostedPart {
            running,
            key,
            is_attached: AtomicBool::new(is_attached),
            has_ended: AtomicBool::new(false),
            is_reported: AtomicBool::new(false),
        };
        let Some(slot) = self.slots.get(index) else { return Err(Error::Ended { call: ADD }) };
        let part = Arc::new(part);
        if slot.put(Box::new(Arc::clone(&part))).is_err() {
            return Err(Error::other("the place of a part is taken"));
        }
        match self.phase.load(Ordering::SeqCst) {
            STARTING => {}
            RUNNING => self.attach(&part),
            // Unless the end has found it.
            _ => {
                part.end("Shutdown", &mut |profiler| profiler.shutdown());
                slot.take(REMOVAL_PATIENCE);
                drop(part);
                return Err(Error::Ended { call: ADD });
            }
        }
        Ok(())
    }

    /// Tells a part that it is attached, once.
    fn attach(&self, part: &HostedPart) {
        const CALLBACK: &str = "ProfilerAttachComplete";
        if !part.is_attached.swap(true, Ordering::SeqCst) {
            let told = part.running.deliver(CALLBACK, Profiler::profiler_attach_complete);
            if told.is_none() {
                self.failed(part, CALLBACK);
            }
        }
    }

    /// The program runs, or the profiler has been attached.
    pub(super) fn begin(&self) {
        let _ = self.phase.compare_exchange(STARTING, RUNNING, Ordering::SeqCst, Ordering::SeqCst);
        self.all(|part| self.attach(part));
    }

    fn all(&self, mut work: impl FnMut(&HostedPart)) {
        self.slots.iter().filter_map(Slot::read).for_each(|part| work(&part));
    }

    /// Calls the parts that take a callback. Returns `false` if one panics.
    #[inline]
    pub(super) fn each(
        &self,
        takers: TakerSet,
        callback: &'static str,
        call: &mut impl FnMut(PartId, &dyn Profiler),
    ) -> bool {
        let mut have_returned = true;
        for index in takers.hosted() {
            let Some(part) = self.slots.get(index).and_then(Slot::read) else { continue };
            let id = PartId::new(PartId::FIRST_HOSTED.index() + index);
            if part.running.switch.is_on()
                && part.running.deliver(callback, |profiler| call(id, profiler)).is_none()
            {
                have_returned = false;
                self.failed(&part, callback);
            }
        }
        have_returned
    }

    /// Tells all parts that the program ends or the profiler is detached. None is added any more.
    pub(super) fn end(&self, callback: &'static str, call: &mut impl FnMut(&dyn Profiler)) {
        self.phase.store(ENDED, Ordering::SeqCst);
        self.all(|part| part.end(callback, call));
    }

    /// From now on nothing is delivered to a part.
    pub(super) fn switch_off(&self) {
        self.phase.store(ENDED, Ordering::SeqCst);
        self.all(|part| part.running.switch.end());
    }

    /// Reports that a part has panicked, once.
    #[cold]
    fn failed(&self, part: &HostedPart, callback: &'static str) {
        if part.running.switch.has_panicked() && !part.is_reported.swap(true, Ordering::SeqCst) {
            self.tell(part.key, PartEvent::Panicked { callback });
        }
    }

    fn tell(&self, key: PartKey, event: PartEvent) {
        self.switch.guard("PartHost::new", || (self.notify)(key, event));
    }

    fn take(&self, key: PartKey) -> Option<Removed> {
        let index = usize::from(key.slot);
        if self.state().keys.get(index).copied().flatten() != Some(key) {
            return None;
        }
        let slot = self.slots.get(index)?;
        let part = Arc::clone(&*slot.read()?);
        part.running.info.leave_for_good();
        let taken = slot.take(REMOVAL_PATIENCE);
        part.end("ProfilerDetachSucceeded", &mut |profiler| profiler.profiler_detach_succeeded());
        part.running.switch.end();
        let has_panicked = part.running.switch.has_panicked();
        let is_in_use = matches!(taken, Taken::InUse);
        // What it drops may panic.
        let last = if let Taken::Value(last) = taken { Some(last) } else { None };
        self.switch.guard(REMOVE, move || drop((last, part)));
        self.free(index);
        Some(Removed { has_panicked, is_in_use })
    }
}

impl HostedPart {
    /// Tells a part that the program ends or that it is removed, once. Also one that has panicked: it may have threads to join and a
    /// file to close.
    fn end(&self, callback: &'static str, call: &mut impl FnMut(&dyn Profiler)) {
        if !self.has_ended.swap(true, Ordering::SeqCst) {
            self.running.switch.guard_even_if_off(callback, || call(&self.running.profiler));
        }
    }
}
