//! Objects on the managed heap: their class, and where strings and arrays keep what they hold.
#![allow(unsafe_code)]

use core::ptr::null_mut;

use super::functions::room_of;
use super::{call, in_memory};
use crate::ids::{ClassId, ObjectId};
use crate::{Error, HResult, ProfilerInfo, Result};

/// Where a string keeps its length and its characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StringLayout {
    /// The distance in bytes from the object id to the length, a 32-bit count of UTF-16 units.
    pub length_offset: u32,
    /// The distance in bytes from the object id to the first UTF-16 unit.
    pub buffer_offset: u32,
}

/// The most dimensions that an array can have.
pub(super) const MAX_RANK: usize = 32;

/// One dimension of an array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArrayRank {
    /// The number of elements.
    pub length: u32,
    /// The index of the first.
    pub lower_bound: i32,
}

/// What an array holds and where.
#[derive(Clone, Copy, Debug)]
pub struct ArrayInfo {
    /// The dimensions, outermost first; the first `rank` of them count.
    pub(super) dimensions: [ArrayRank; MAX_RANK],
    pub(super) rank: usize,
    /// The address of the first element; the others follow in row order. Valid as long as the object id.
    pub data: usize,
}

impl ArrayInfo {
    /// The dimensions, outermost first.
    #[must_use]
    pub fn dimensions(&self) -> &[ArrayRank] {
        self.dimensions.get(..self.rank).unwrap_or(&self.dimensions)
    }
}

impl ProfilerInfo {
    /// The class of an object (`ICorProfilerInfo::GetClassFromObject`).
    ///
    /// In fast hooks the object itself is read, since the runtime refuses to answer there. For arrays on .NET Core 3.1
    /// that gives another id, by which no class that was seen to be loaded is known; this library's questions about
    /// classes take it.
    ///
    /// # Errors
    /// `CORPROF_E_NOT_MANAGED_THREAD` on a thread of the profiler's own, but for visits of the heap.
    #[doc(alias = "GetClassFromObject")]
    pub fn class_of_object(&self, object: ObjectId<'_>) -> Result<ClassId> {
        let mut class = 0;
        // SAFETY: the object is alive during the callback that its id borrows from; a local.
        let answer =
            unsafe { call!(self, ICorProfilerInfo::GetClassFromObject(object.as_raw(), &raw mut class)) };
        match answer {
            Err(error) if self.is_refused_in_fast_hook(&error) => in_memory::class_of(object),
            other => other.map(|_| ClassId::from_raw(class))?,
        }
        .ok_or(Error::Null { call: "ICorProfilerInfo::GetClassFromObject", what: "class" })
    }

    /// Where strings keep their length and characters (`ICorProfilerInfo3::GetStringLayout2`). The same for
    /// all strings of a process.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetStringLayout")]
    #[doc(alias = "GetStringLayout2")]
    pub fn string_layout(&self) -> Result<StringLayout> {
        let (mut length_offset, mut buffer_offset) = (0, 0);
        // SAFETY: locals.
        unsafe {
            call!(self, asked ICorProfilerInfo3::GetStringLayout2(&raw mut length_offset, &raw mut buffer_offset))
        }?;
        Ok(StringLayout { length_offset, buffer_offset })
    }

    /// What an array of the given rank holds and where (`ICorProfilerInfo2::GetArrayObjectInfo`).
    /// [`ProfilerInfo::array_class`] knows the rank. In fast hooks the array itself is read, as for
    /// [`class_of_object`](Self::class_of_object).
    ///
    /// Only from a callback, on a managed thread: a thread of the profiler's own is refused with
    /// `CORPROF_E_NOT_MANAGED_THREAD`.
    ///
    /// # Errors
    /// `E_INVALIDARG` for a rank of 0 or above 32; what else the
    /// runtime reports.
    #[doc(alias = "GetArrayObjectInfo")]
    pub fn array_object_info(&self, array: ObjectId<'_>, rank: u32) -> Result<ArrayInfo> {
        const CALL: &str = "ICorProfilerInfo2::GetArrayObjectInfo";
        let (mut lengths, mut lower_bounds) = ([0u32; MAX_RANK], [0i32; MAX_RANK]);
        let rank = rank as usize;
        let (Some(room), 1..) = (lengths.get_mut(..rank), rank) else {
            return Err(Error::Call { call: CALL, hresult: HResult::E_INVALIDARG });
        };
        let mut data = null_mut();
        // SAFETY: the object is alive during the callback that its id borrows from; buffers with their
        // length, a local.
        let answer = unsafe {
            call!(
                self,
                ICorProfilerInfo2::GetArrayObjectInfo(
                    array.as_raw(),
                    room_of(room),
                    room.as_mut_ptr(),
                    lower_bounds.as_mut_ptr(),
                    &raw mut data,
                )
            )
        };
        match answer {
            Err(error) if self.is_refused_in_fast_hook(&error) => {
                return in_memory::array(array, rank)
                    .ok_or(Error::Call { call: CALL, hresult: HResult::E_INVALIDARG });
            }
            other => other?,
        };
        let mut dimensions = [ArrayRank::default(); MAX_RANK];
        for (dimension, (length, lower_bound)) in
            dimensions.iter_mut().zip(lengths.into_iter().zip(lower_bounds))
        {
            *dimension = ArrayRank { length, lower_bound };
        }
        Ok(ArrayInfo { dimensions, rank, data: data.addr() })
    }

    /// An object's size in bytes, header included (`ICorProfilerInfo4::GetObjectSize2`).
    ///
    /// Only from a callback, on a managed thread: a thread of the profiler's own is refused with
    /// `CORPROF_E_NOT_MANAGED_THREAD`.
    ///
    /// # Errors
    /// What the runtime reports: `CORPROF_E_UNSUPPORTED_CALL_SEQUENCE` in fast hooks.
    #[doc(alias = "GetObjectSize")]
    #[doc(alias = "GetObjectSize2")]
    pub fn object_size(&self, object: ObjectId<'_>) -> Result<usize> {
        let mut size = 0;
        // SAFETY: the object is alive during the callback that its id borrows from; a local.
        unsafe { call!(self, ICorProfilerInfo4::GetObjectSize2(object.as_raw(), &raw mut size)) }?;
        Ok(size)
    }

    /// Whether the runtime has refused to say something of an object since it does not know that a hook is running.
    fn is_refused_in_fast_hook(&self, error: &Error) -> bool {
        let refused = HResult::CORPROF_E_UNSUPPORTED_CALL_SEQUENCE;
        self.has_fast_hooks() && matches!(error, Error::Call { hresult, .. } if *hresult == refused)
    }
}
