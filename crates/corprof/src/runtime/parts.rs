//! The parts of a profiler: each has a [`ProfilerInfo`] of its own, and what has one owner has one of them.
#![forbid(unsafe_code)]

use core::sync::atomic::Ordering;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::event_mask::{EventMask, PartId};
use crate::runtime::ProfilerInfo;
use crate::runtime::hosted_part::HostedPart;

impl ProfilerInfo {
    /// Notes the names of the parts.
    pub(crate) fn name_parts(&self, names: impl Iterator<Item = &'static str>) {
        names.enumerate().for_each(|(index, name)| self.shared.parts.set(index, name));
    }

    /// Returns the runtime for a part: with an event mask of its own.
    pub(crate) fn of_part(&self, part: PartId) -> Self {
        Self { shared: self.shared.clone(), part, hosted: None }
    }

    /// Returns the runtime for a part that is added. `leave` requests its removal.
    pub(crate) fn of_hosted_part(
        &self,
        part: PartId,
        name: &'static str,
        leave: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        self.shared.parts.set(part.index(), name);
        let hosted = HostedPart::new(leave);
        Self { shared: self.shared.clone(), part, hosted: Some(Arc::new(hosted)) }
    }

    /// Makes this part the one that changes IL: `GetReJITParameters` takes one body for a method, and what one part
    /// inserts into code before it is compiled would replace the code of another.
    pub(super) fn own_il(&self) -> Result<()> {
        self.check_stays("ProfilerInfo::request_rejit")?;
        self.shared.parts.own_il(self.part.index())
    }

    /// Fails for a part that has been removed.
    pub(super) fn check_stays(&self, call: &'static str) -> Result<()> {
        match &self.hosted {
            Some(hosted) if hosted.has_left() => Err(Error::Ended { call }),
            _ => Ok(()),
        }
    }

    /// Returns whether a profiler has added this part while it runs.
    pub(super) fn is_hosted(&self) -> bool {
        self.hosted.is_some()
    }

    /// Requests the removal of a part that was added; `false` for another one.
    pub(super) fn request_removal(&self) -> Result<bool> {
        self.check_stays("ProfilerInfo::request_detach")?;
        self.hosted.iter().for_each(|hosted| hosted.request_removal());
        Ok(self.is_hosted())
    }

    /// The part has failed: it takes no callbacks, and owns nothing.
    pub(crate) fn leave(&self) {
        if let Err(error) = self.set_event_mask(EventMask::empty()) {
            tracing::debug!("the event mask of a part that has failed stays set: {error}");
        }
        self.shared.parts.leave_il(self.part.index());
    }

    /// The part, which was added, is being removed: its sessions are stopped, it takes no callbacks, and owns nothing. On a thread
    /// of the profiler's own, which may wait.
    pub(crate) fn leave_for_good(&self) {
        // Each request from now on fails; one before it is undone here.
        self.hosted.iter().for_each(|hosted| hosted.note_left());
        if let Err(error) = self.raw().event_pipe_stop_sessions_of(self.part) {
            tracing::warn!("an EventPipe session of a part that was removed goes on: {error}");
        }
        self.end_mask();
        self.shared.parts.leave_il(self.part.index());
    }

    /// The runtime has started, or has attached the profiler: some flags cannot be set any more.
    pub(crate) fn note_started(&self) {
        self.shared.has_started.store(true, Ordering::Release);
    }

    /// Returns whether the profiler was attached to a running program.
    pub(crate) fn was_attached(&self) -> bool {
        self.shared.was_attached.load(Ordering::Acquire)
    }
}
