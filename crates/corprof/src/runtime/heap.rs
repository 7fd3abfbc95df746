//! The managed heap: its ranges, its objects, what they refer to, and collections on demand.
#![forbid(unsafe_code)]

use core::ops::ControlFlow;

use corprof_types::{ModuleId, ObjectId};

use crate::error::Result;
use crate::raw::data::{GenerationRange, NonGcHeapRange};
use crate::raw::evidence::{FrozenObject, Object};
use crate::raw::info::all_of;
use crate::runtime::ProfilerInfo;

/// A place that refers to an object: a field of another object, or an element of an array.
#[derive(Clone, Copy, Debug)]
pub struct Reference<'h> {
    /// The object that is referred to.
    pub object: ObjectId<'h>,
    /// The address of the reference.
    pub address: usize,
}

impl ProfilerInfo {
    /// Which parts of the heap belong to which generation (`ICorProfilerInfo2::GetGenerationBounds`). May be called
    /// from any callback; between two collections the newest generation grows.
    ///
    /// # Errors
    /// What the runtime reports: `CORPROF_E_UNSUPPORTED_CALL_SEQUENCE` from a thread that is not in a callback.
    #[doc(alias = "GetGenerationBounds")]
    pub fn generation_bounds(&self) -> Result<Vec<GenerationRange>> {
        self.raw().generation_bounds()
    }

    /// The part of the heap that an object lies in (`ICorProfilerInfo2::GetObjectGeneration`).
    ///
    /// # Errors
    /// `CORPROF_E_NOT_GC_OBJECT` for an object that is never collected, `E_FAIL` for one that lies in no range.
    #[doc(alias = "GetObjectGeneration")]
    pub fn object_generation(&self, object: impl Object) -> Result<GenerationRange> {
        self.raw().object_generation(object.id())
    }

    /// The parts of memory with objects that are never collected, such as literal strings
    /// (`ICorProfilerInfo14::GetNonGCHeapBounds`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetNonGCHeapBounds")]
    pub fn non_gc_heap_bounds(&self) -> Result<Vec<NonGcHeapRange>> {
        self.raw().non_gc_heap_bounds()
    }

    /// The objects that are never collected (`ICorProfilerInfo14::EnumerateNonGCObjects`). They never move and live
    /// as long as the process. With [`EventMask::OBJECT_ALLOCATED`](crate::EventMask::OBJECT_ALLOCATED) each of them is
    /// reported when it is made.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "EnumerateNonGCObjects")]
    pub fn non_gc_objects(&self) -> Result<Vec<FrozenObject>> {
        all_of("ICorProfilerInfo14::EnumerateNonGCObjects", self.raw().non_gc_objects()?)
    }

    /// The objects that a precompiled module has brought along
    /// (`ICorProfilerInfo2::EnumModuleFrozenObjects`,
    /// `ICorProfilerObjectEnum::Next`). They never move and live as long as the module; the ids must
    /// not be used after it. No version of CoreCLR has such modules: the list is empty.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "EnumModuleFrozenObjects")]
    #[doc(alias = "Next")]
    pub fn module_frozen_objects(&self, module: ModuleId) -> Result<Vec<FrozenObject>> {
        all_of("ICorProfilerInfo2::EnumModuleFrozenObjects", self.raw().module_frozen_objects(module)?)
    }

    /// Whether an object is one that is never collected (`ICorProfilerInfo10::IsFrozenObject`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "IsFrozenObject")]
    pub fn is_frozen_object(&self, object: impl Object) -> Result<bool> {
        self.raw().is_frozen_object(object.id())
    }

    /// From how many bytes on an object is large (`ICorProfilerInfo10::GetLOHObjectSizeThreshold`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetLOHObjectSizeThreshold")]
    pub fn large_object_threshold(&self) -> Result<u32> {
        self.raw().large_object_threshold()
    }

    /// Collects everything now, and returns when that is done (`ICorProfilerInfo::ForceGC`). From a thread that has
    /// never run managed code, so one of the profiler's own; not from a callback.
    ///
    /// # Errors
    /// `CORPROF_E_UNSUPPORTED_CALL_SEQUENCE` from a callback or a managed thread.
    #[doc(alias = "ForceGC")]
    pub fn force_gc(&self) -> Result<()> {
        self.raw().require_no_suspension("ICorProfilerInfo::ForceGC")?;
        self.raw().force_gc()
    }

    /// Looks at every object on the heap (`ICorProfilerInfo15::EnumerateGCHeapObjects`), until `visit` breaks. The
    /// runtime is suspended meanwhile: nothing moves, and nothing may be called that waits for a managed thread.
    ///
    /// On a thread of the profiler's own, suspend it first and hold the guard
    /// ([`ProfilerInfo::suspend_runtime`]): without, .NET 9 refuses such a thread with
    /// `CORPROF_E_SUSPENSION_IN_PROGRESS`. A managed thread of the program's that has called into native code needs no
    /// guard. When a collection is going on there, the runtime waits for it, or answers with the same code.
    ///
    /// The ids end with the visit of each, since the objects may move afterwards: keeping one does not compile.
    ///
    /// # Errors
    /// What the runtime reports.
    ///
    /// # Panics
    /// When `visit` does: the enumeration is ended first.
    #[doc(alias = "EnumerateGCHeapObjects")]
    pub fn visit_heap_objects<B>(
        &self,
        visit: impl FnMut(ObjectId<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>> {
        self.raw().visit_heap_objects(visit)
    }

    /// Looks at every reference that an object holds (`ICorProfilerInfo10::EnumerateObjectReferences`), until `visit`
    /// breaks. Weak references are not among them. Nothing may be collected meanwhile: call it from callbacks of the
    /// collector, from the visit of the heap, or while the runtime is suspended.
    ///
    /// # Errors
    /// What the runtime reports.
    ///
    /// # Panics
    /// When `visit` does: the enumeration is ended first.
    #[doc(alias = "EnumerateObjectReferences")]
    pub fn visit_object_references<B>(
        &self,
        object: ObjectId<'_>,
        mut visit: impl FnMut(Reference<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>> {
        self.raw().visit_object_references(object, |object, address| visit(Reference { object, address }))
    }
}
