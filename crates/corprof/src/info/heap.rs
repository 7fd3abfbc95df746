//! The managed heap: its ranges, its objects, what they refer to, and collections on demand.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::fmt;
use core::ops::ControlFlow;
use core::ptr::null_mut;

use corprof_sys as sys;

use super::visit::Visit;
use super::{Enumerator, call, fill, room_of};
use crate::ids::{ModuleId, ObjectId};
use crate::{ProfilerInfo, Result};

/// A generation of the collector (`COR_PRF_GC_GENERATION`).
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct GcGeneration(pub u32);

impl GcGeneration {
    /// Objects that have survived no collection yet.
    pub const GEN_0: Self = Self(0);
    /// Objects that have survived one.
    pub const GEN_1: Self = Self(1);
    /// Objects that have survived two or more.
    pub const GEN_2: Self = Self(2);
    /// Objects of 85,000 bytes or more.
    pub const LARGE_OBJECT_HEAP: Self = Self(3);
    /// Objects that were allocated as pinned.
    pub const PINNED_OBJECT_HEAP: Self = Self(4);
}

impl fmt::Debug for GcGeneration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::LARGE_OBJECT_HEAP => f.write_str("LARGE_OBJECT_HEAP"),
            Self::PINNED_OBJECT_HEAP => f.write_str("PINNED_OBJECT_HEAP"),
            Self(number) => write!(f, "GEN_{number}"),
        }
    }
}

/// A stretch of the heap that belongs to one generation (`COR_PRF_GC_GENERATION_RANGE`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct GenerationRange {
    /// The generation.
    pub generation: GcGeneration,
    /// The address at which it begins.
    pub start: usize,
    /// How many bytes of it are in use.
    pub length: usize,
    /// How many bytes it may grow to.
    pub reserved: usize,
}

impl GenerationRange {
    /// Whether an address lies in the part that is in use.
    #[must_use]
    pub fn contains(&self, address: usize) -> bool {
        address.checked_sub(self.start).is_some_and(|distance| distance < self.length)
    }
}

/// A stretch of memory with objects that are never collected (`COR_PRF_NONGC_HEAP_RANGE`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct NonGcHeapRange {
    /// The address at which it begins.
    pub start: usize,
    /// How many bytes of it are in use.
    pub length: usize,
    /// How many bytes it may grow to.
    pub reserved: usize,
}

// Both are filled in by the runtime.
const _: () = assert!(size_of::<GenerationRange>() == size_of::<sys::COR_PRF_GC_GENERATION_RANGE>());
const _: () = assert!(size_of::<NonGcHeapRange>() == size_of::<sys::COR_PRF_NONGC_HEAP_RANGE>());

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
        let ranges = fill("ICorProfilerInfo2::GetGenerationBounds", |room: &mut [GenerationRange]| {
            let mut count = 0;
            // SAFETY: a local, and a buffer with its length, of structures with the same layout.
            unsafe {
                call!(
                    self,
                    ICorProfilerInfo2::GetGenerationBounds(
                        room_of(room),
                        &raw mut count,
                        room.as_mut_ptr().cast(),
                    )
                )
            }?;
            Ok(count)
        })?;
        Ok(ranges.to_vec())
    }

    /// The part of the heap that an object lies in (`ICorProfilerInfo2::GetObjectGeneration`).
    ///
    /// # Errors
    /// `CORPROF_E_NOT_GC_OBJECT` for an object that is never collected, `E_FAIL` for one that lies in no range.
    #[doc(alias = "GetObjectGeneration")]
    pub fn object_generation(&self, object: ObjectId<'_>) -> Result<GenerationRange> {
        let mut range = GenerationRange::default();
        // SAFETY: the object is alive during the callback that its id borrows from; a local of the same layout.
        unsafe {
            call!(self, ICorProfilerInfo2::GetObjectGeneration(object.as_raw(), (&raw mut range).cast()))
        }?;
        Ok(range)
    }

    /// The parts of memory with objects that are never collected, such as literal strings
    /// (`ICorProfilerInfo14::GetNonGCHeapBounds`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetNonGCHeapBounds")]
    pub fn non_gc_heap_bounds(&self) -> Result<Vec<NonGcHeapRange>> {
        let ranges = fill("ICorProfilerInfo14::GetNonGCHeapBounds", |room: &mut [NonGcHeapRange]| {
            let mut count = 0;
            // SAFETY: a local, and a buffer with its length, of structures with the same layout.
            unsafe {
                call!(
                    self,
                    ICorProfilerInfo14::GetNonGCHeapBounds(
                        room_of(room),
                        &raw mut count,
                        room.as_mut_ptr().cast(),
                    )
                )
            }?;
            Ok(count)
        })?;
        Ok(ranges.to_vec())
    }

    /// The objects that are never collected (`ICorProfilerInfo14::EnumerateNonGCObjects`). They never move and live
    /// as long as the process. With [`EventMask::OBJECT_ALLOCATED`](crate::EventMask::OBJECT_ALLOCATED) each of them is
    /// reported when it is made.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "EnumerateNonGCObjects")]
    pub fn non_gc_objects(&self) -> Result<Enumerator<ObjectId<'static>>> {
        const CALL: &str = "ICorProfilerInfo14::EnumerateNonGCObjects";
        let mut out = null_mut();
        // SAFETY: a local.
        unsafe { call!(self, ICorProfilerInfo14::EnumerateNonGCObjects(&raw mut out)) }?;
        // SAFETY: the runtime has given the enumerator, with a reference.
        unsafe { Enumerator::<ObjectId<'static>>::from_raw(CALL, out) }
    }

    /// The objects that a precompiled module has brought along
    /// (`ICorProfilerInfo2::EnumModuleFrozenObjects`). They never move and live as long as the module; the ids must
    /// not be used after it. No version of CoreCLR has such modules: the list is empty.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "EnumModuleFrozenObjects")]
    pub fn module_frozen_objects(&self, module: ModuleId) -> Result<Enumerator<ObjectId<'static>>> {
        const CALL: &str = "ICorProfilerInfo2::EnumModuleFrozenObjects";
        let mut out = null_mut();
        // SAFETY: a local.
        unsafe { call!(self, ICorProfilerInfo2::EnumModuleFrozenObjects(module.as_raw(), &raw mut out)) }?;
        // SAFETY: the runtime has given the enumerator, with a reference.
        unsafe { Enumerator::<ObjectId<'static>>::from_raw(CALL, out) }
    }

    /// Whether an object is one that is never collected (`ICorProfilerInfo10::IsFrozenObject`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "IsFrozenObject")]
    pub fn is_frozen_object(&self, object: ObjectId<'_>) -> Result<bool> {
        let mut frozen = 0;
        // SAFETY: the object is alive during the callback that its id borrows from; a local.
        unsafe { call!(self, ICorProfilerInfo10::IsFrozenObject(object.as_raw(), &raw mut frozen)) }?;
        Ok(frozen != 0)
    }

    /// From how many bytes on an object is large (`ICorProfilerInfo10::GetLOHObjectSizeThreshold`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetLOHObjectSizeThreshold")]
    pub fn large_object_threshold(&self) -> Result<u32> {
        let mut threshold = 0;
        // SAFETY: a local.
        unsafe { call!(self, ICorProfilerInfo10::GetLOHObjectSizeThreshold(&raw mut threshold)) }?;
        Ok(threshold)
    }

    /// Collects everything now, and returns when that is done (`ICorProfilerInfo::ForceGC`). From a thread that has
    /// never run managed code, so one of the profiler's own; not from a callback.
    ///
    /// # Errors
    /// `CORPROF_E_UNSUPPORTED_CALL_SEQUENCE` from a callback or a managed thread.
    #[doc(alias = "ForceGC")]
    pub fn force_gc(&self) -> Result<()> {
        // SAFETY: no pointers are passed.
        unsafe { call!(self, ICorProfilerInfo::ForceGC()) }.map(drop)
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
        let mut visit = Visit::new(visit);
        // SAFETY: the function expects the visit, which lives until the call returns.
        let answer = unsafe {
            let (function, state) = heap_callback(&mut visit);
            call!(self, ICorProfilerInfo15::EnumerateGCHeapObjects(Some(function), state))
        };
        visit.finish(answer)
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
        visit: impl FnMut(Reference<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>> {
        let mut visit = Visit::new(visit);
        // SAFETY: the object is alive, says the caller by its id; the function expects the visit, which lives until the
        // call returns.
        let answer = unsafe {
            let (function, state) = reference_callback(&mut visit);
            call!(self, ICorProfilerInfo10::EnumerateObjectReferences(object.as_raw(), Some(function), state))
        };
        visit.finish(answer)
    }
}

/// Called for each object of the heap.
type HeapCallback = unsafe extern "system" fn(sys::ObjectID, *mut c_void) -> sys::BOOL;

/// The function for a visit of the heap, and what it expects.
fn heap_callback<V, B>(visit: &mut Visit<V, B>) -> (HeapCallback, *mut c_void)
where
    V: FnMut(ObjectId<'_>) -> ControlFlow<B>,
{
    unsafe extern "system" fn callback<V, B>(object: sys::ObjectID, state: *mut c_void) -> sys::BOOL
    where
        V: FnMut(ObjectId<'_>) -> ControlFlow<B>,
    {
        // SAFETY: the state is the visit, and nobody else uses it during the call.
        let visit = unsafe { &mut *state.cast::<Visit<V, B>>() };
        visit.step(|look| ObjectId::in_callback(object).map_or(ControlFlow::Continue(()), look)).into()
    }
    (callback::<V, B>, core::ptr::from_mut(visit).cast())
}

/// Called for each reference of an object.
type ReferenceCallback =
    unsafe extern "system" fn(sys::ObjectID, *mut sys::ObjectID, *mut c_void) -> sys::BOOL;

/// The function for a visit of an object's references, and what it expects.
fn reference_callback<V, B>(visit: &mut Visit<V, B>) -> (ReferenceCallback, *mut c_void)
where
    V: FnMut(Reference<'_>) -> ControlFlow<B>,
{
    unsafe extern "system" fn callback<V, B>(
        _: sys::ObjectID,
        reference: *mut sys::ObjectID,
        state: *mut c_void,
    ) -> sys::BOOL
    where
        V: FnMut(Reference<'_>) -> ControlFlow<B>,
    {
        // SAFETY: the state is the visit, and nobody else uses it during the call.
        let visit = unsafe { &mut *state.cast::<Visit<V, B>>() };
        // SAFETY: the runtime lends the place of the reference, or null.
        let object = unsafe { reference.as_ref() }.and_then(|object| ObjectId::in_callback(*object));
        let reference = object.map(|object| Reference { object, address: reference.addr() });
        visit.step(|look| reference.map_or(ControlFlow::Continue(()), look)).into()
    }
    (callback::<V, B>, core::ptr::from_mut(visit).cast())
}
