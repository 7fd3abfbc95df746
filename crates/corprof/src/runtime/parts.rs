//! The parts of a profiler: each has a [`ProfilerInfo`] of its own, and what has one owner has one of them.
#![forbid(unsafe_code)]

use crate::error::Result;
use crate::event_mask::{EventMask, PartId};
use crate::runtime::ProfilerInfo;

impl ProfilerInfo {
    /// Notes the names of the parts.
    pub(crate) fn name_parts(&self, names: impl Iterator<Item = &'static str>) {
        self.shared.parts.names.get_or_init(|| names.collect());
    }

    /// Returns the runtime for a part: with an event mask of its own.
    pub(crate) fn of_part(&self, part: PartId) -> Self {
        Self { shared: self.shared.clone(), part }
    }

    /// Makes this part the one that changes IL: `GetReJITParameters` takes one body for a method, and what one part
    /// inserts into code before it is compiled would replace the code of another.
    pub(super) fn own_il(&self) -> Result<()> {
        self.shared.parts.own_il(self.part.index())
    }

    /// The part has failed: it takes no callbacks, and owns nothing.
    pub(crate) fn leave(&self) {
        if let Err(error) = self.set_event_mask(EventMask::empty()) {
            tracing::debug!("the event mask of a part that has failed stays set: {error}");
        }
        self.shared.parts.leave_il(self.part.index());
    }
}
