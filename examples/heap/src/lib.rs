//! Takes snapshots of the heap of a .NET program. The README describes the report.

mod report;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use corprof::values::{GcReason, GcRoots, Generations, SuspendReason};
use corprof::{
    ClassId, EventMask, GcHandleId, HResult, Names, ObjectId, Profiler, ProfilerInfo, Reserve, Result,
};
use corprof_tools::{HeapCapture, Reporter, Settings, Tool};

use crate::report::Report;

#[cfg(feature = "export")]
corprof::export_profiler!("{5D0B8C1A-93F4-4E57-A1C9-6F2E7B40D318}", [Heap]);

/// Lets callbacks finish their work when there is no memory.
#[cfg_attr(feature = "export", global_allocator)]
static MEMORY: Reserve = Reserve::new();

/// The profiler.
pub struct Heap {
    capture: Arc<HeapCapture>,
    reporter: Reporter,
}

impl Tool for Heap {
    const PREFIX: &'static str = "HEAP_";
    const SETTINGS: &'static [&'static str] = &["TOP", "CLASS"];

    fn start(info: &ProfilerInfo, settings: &Settings) -> Result<Self> {
        let capture = Arc::new(HeapCapture::new(&Names::new(info))?);
        let mut report = Report::new(Arc::clone(&capture), settings)?;
        let reporter = Reporter::start("heap", info, settings, move |moment| report.write(moment))?;
        Ok(Self { capture, reporter })
    }

    fn reporter(&self) -> &Reporter {
        &self.reporter
    }
}

impl Profiler for Heap {
    corprof_tools::tool_callbacks!();

    fn class_load_finished(&self, class: ClassId, status: Result<(), HResult>) {
        if status.is_ok() {
            self.capture.class_load_finished(class);
        }
    }

    fn runtime_suspend_started(&self, _: SuspendReason) {
        self.capture.runtime_suspend_started();
    }

    fn runtime_suspend_finished(&self) {
        self.capture.runtime_suspend_finished();
    }

    fn runtime_resume_finished(&self) {
        self.capture.runtime_resume_finished();
    }

    fn garbage_collection_started(&self, generations: Generations<'_>, reason: GcReason) {
        self.capture.garbage_collection_started(generations, reason);
    }

    fn root_references(&self, roots: GcRoots<'_>) {
        self.capture.root_references(roots);
    }

    fn conditional_weak_table_element_references(
        &self,
        keys: &[Option<ObjectId<'_>>],
        values: &[Option<ObjectId<'_>>],
        _: &[Option<GcHandleId>],
    ) {
        self.capture.conditional_weak_table_element_references(keys, values);
    }

    fn object_references(
        &self,
        object: ObjectId<'_>,
        class: ClassId,
        references: &[Option<ObjectId<'_>>],
    ) -> bool {
        // Out of memory, the snapshot is incomplete, and says so: no collection is reported as finished.
        !MEMORY.is_low() && self.capture.object_references(object, class, references)
    }

    fn garbage_collection_finished(&self) {
        if MEMORY.is_low() {
            self.capture.give_up();
        }
        self.capture.garbage_collection_finished();
    }
}

/// The mask has only flags that a profiler may set after it was attached.
const _: () = assert!(EventMask::ALLOWABLE_AFTER_ATTACH.contains(HeapCapture::SNAPSHOT));
