//! The event mask.
#![allow(unsafe_code)]

use super::call;
use crate::{EventMask, ProfilerInfo, Result};

impl ProfilerInfo {
    /// Says which events the runtime shall send (`ICorProfilerInfo5::SetEventMask2`, or
    /// `ICorProfilerInfo::SetEventMask` on a runtime without it, where the mask has no high half).
    ///
    /// # Errors
    /// `E_FAIL` for a change of [`EventMask::IMMUTABLE`] flags after `initialize`;
    /// [`Error::RuntimeTooOld`](crate::Error::RuntimeTooOld) for high flags on a runtime without version 5.
    #[doc(alias = "SetEventMask")]
    #[doc(alias = "SetEventMask2")]
    pub fn set_event_mask(&self, mask: EventMask) -> Result<()> {
        if mask.high() == 0 && self.version() < 5 {
            // SAFETY: no pointers are passed.
            return unsafe { call!(self, ICorProfilerInfo::SetEventMask(mask.low())) }.map(drop);
        }
        // SAFETY: no pointers are passed.
        unsafe { call!(self, ICorProfilerInfo5::SetEventMask2(mask.low(), mask.high())) }.map(drop)
    }

    /// Which events the runtime sends (`ICorProfilerInfo5::GetEventMask2`, or
    /// `ICorProfilerInfo::GetEventMask` on a runtime without it).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetEventMask")]
    #[doc(alias = "GetEventMask2")]
    pub fn event_mask(&self) -> Result<EventMask> {
        let (mut low, mut high) = (0, 0);
        if self.version() < 5 {
            // SAFETY: a local.
            unsafe { call!(self, ICorProfilerInfo::GetEventMask(&raw mut low)) }?;
        } else {
            // SAFETY: locals.
            unsafe { call!(self, ICorProfilerInfo5::GetEventMask2(&raw mut low, &raw mut high)) }?;
        }
        Ok(EventMask::from_halves(low, high))
    }
}
