//! The managed heap: its ranges, its objects with their references, and induced collections.
#![forbid(unsafe_code)]

use corprof_types::{ModuleId, ObjectId};

use crate::error::Result;
use crate::raw::data::{GenerationRange, NonGcHeapRange};
use crate::raw::evidence::{FrozenObject, Object};
use crate::raw::info::all_of;
use crate::runtime::ProfilerInfo;
use crate::runtime::visitor::VisitorResult;

/// A reference from an object: a field, or an element of an array.
#[derive(Clone, Copy, Debug)]
pub struct Reference<'h> {
    /// The target.
    pub object: ObjectId<'h>,
    /// The address of the reference.
    pub address: usize,
}

impl ProfilerInfo {
    /// Returns the ranges of the heap with their generations.
    ///
    /// `ICorProfilerInfo2::GetGenerationBounds`. May be called in any callback and hook. The runtime determines the bytes in
    /// use when a collection begins and when it ends. Between two collections the youngest generation grows; ranges that are
    /// new are added.
    ///
    /// # Errors
    /// `CORPROF_E_UNSUPPORTED_CALL_SEQUENCE`: the thread is not in a callback. Any other failure of the call.
    #[doc(alias = "GetGenerationBounds")]
    pub fn generation_bounds(&self) -> Result<Vec<GenerationRange>> {
        self.raw().generation_bounds()
    }

    /// Returns the range of the heap that contains an object, with its generation.
    ///
    /// `ICorProfilerInfo2::GetObjectGeneration`.
    ///
    /// # Errors
    /// `CORPROF_E_NOT_GC_OBJECT`: the object is frozen. `E_FAIL`: the object is in no range. Any other failure of the call.
    #[doc(alias = "GetObjectGeneration")]
    pub fn object_generation(&self, object: impl Object) -> Result<GenerationRange> {
        self.raw().object_generation(object.id())
    }

    /// Returns the ranges of the frozen heaps, which hold objects that are never collected, such as string literals.
    ///
    /// `ICorProfilerInfo14::GetNonGCHeapBounds`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetNonGCHeapBounds")]
    pub fn non_gc_heap_bounds(&self) -> Result<Vec<NonGcHeapRange>> {
        self.raw().non_gc_heap_bounds()
    }

    /// Returns the objects of the frozen heaps.
    ///
    /// `ICorProfilerInfo14::EnumerateNonGCObjects`. They never move and live as long as the process. With
    /// [`EventMask::OBJECT_ALLOCATED`](crate::EventMask::OBJECT_ALLOCATED) the allocation of each is reported.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumerateNonGCObjects")]
    pub fn non_gc_objects(&self) -> Result<Vec<FrozenObject>> {
        all_of("ICorProfilerInfo14::EnumerateNonGCObjects", self.raw().non_gc_objects()?)
    }

    /// Returns the frozen objects of a precompiled module.
    ///
    /// `ICorProfilerInfo2::EnumModuleFrozenObjects`, `ICorProfilerObjectEnum::Next`. They never move and live as long as the
    /// module. CoreCLR has no such modules: the list is empty.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "EnumModuleFrozenObjects")]
    #[doc(alias = "Next")]
    pub fn module_frozen_objects(&self, module: ModuleId) -> Result<Vec<FrozenObject>> {
        all_of("ICorProfilerInfo2::EnumModuleFrozenObjects", self.raw().module_frozen_objects(module)?)
    }

    /// Returns `true` if an object is frozen: never moved or collected.
    ///
    /// `ICorProfilerInfo10::IsFrozenObject`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "IsFrozenObject")]
    pub fn is_frozen_object(&self, object: impl Object) -> Result<bool> {
        self.raw().is_frozen_object(object.id())
    }

    /// Returns the size in bytes from which an object is allocated on the large object heap.
    ///
    /// `ICorProfilerInfo10::GetLOHObjectSizeThreshold`.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetLOHObjectSizeThreshold")]
    pub fn large_object_threshold(&self) -> Result<u32> {
        self.raw().large_object_threshold()
    }

    /// Visits every reference of an object, except weak ones.
    ///
    /// `ICorProfilerInfo10::EnumerateObjectReferences`. No collection may run meanwhile: call it in garbage collection
    /// callbacks, in a visit of the heap
    /// ([`RuntimeSuspension::visit_heap_objects`](crate::RuntimeSuspension::visit_heap_objects)), or while the runtime is suspended. A visitor that returns `()` visits every
    /// reference; one that returns [`ControlFlow`](core::ops::ControlFlow) can break.
    ///
    /// # Errors
    /// Any failure of the call.
    ///
    /// # Panics
    /// When `visit` does: the enumeration is ended first.
    #[doc(alias = "EnumerateObjectReferences")]
    pub fn visit_object_references<R: VisitorResult>(
        &self,
        object: ObjectId<'_>,
        mut visit: impl FnMut(Reference<'_>) -> R,
    ) -> Result<R::Outcome> {
        let raw = self.raw();
        let visited = raw.visit_object_references(object, |object, address| {
            visit(Reference { object, address }).into_control_flow()
        });
        visited.map(R::outcome)
    }
}
