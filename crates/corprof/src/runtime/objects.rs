//! Objects on the managed heap: their class, and where strings and arrays keep what they hold.
#![forbid(unsafe_code)]

use corprof_types::{ClassId, HResult};

use crate::error::{Error, Result};
use crate::raw::evidence::Object;
use crate::raw::object_layout;
use crate::runtime::ProfilerInfo;
use corprof_types::{ArrayInfo, MAX_RANK, StringLayout};

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
    pub fn class_of_object(&self, object: impl Object) -> Result<ClassId> {
        const CALL: &str = "ICorProfilerInfo::GetClassFromObject";
        let object = object.id();
        self.reported(|| match self.raw().class_of_object(object) {
            Err(error) if self.raw().is_refused_in_fast_hook(&error) => Ok(object_layout::class_of(object)),
            class => class,
        })?
        .ok_or(Error::Null { call: CALL, what: "class" })
    }

    /// Where strings keep their length and characters (`ICorProfilerInfo3::GetStringLayout2`). The same for
    /// all strings of a process.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetStringLayout")]
    #[doc(alias = "GetStringLayout2")]
    pub fn string_layout(&self) -> Result<StringLayout> {
        let (length_offset, buffer_offset) = self.raw().string_layout()?;
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
    pub fn array_object_info(&self, array: impl Object, rank: u32) -> Result<ArrayInfo> {
        const CALL: &str = "ICorProfilerInfo2::GetArrayObjectInfo";
        let rank_out_of_range = Error::Call { call: CALL, hresult: HResult::E_INVALIDARG };
        let (array, rank) = (array.id(), rank as usize);
        if !(1..=MAX_RANK).contains(&rank) {
            return Err(rank_out_of_range);
        }
        match self.raw().array_object_info::<MAX_RANK>(array, rank) {
            Err(error) if self.raw().is_refused_in_fast_hook(&error) => object_layout::array(array, rank),
            parts => {
                let (lengths, bounds, data) = parts?;
                let bounds = lengths.get(..rank).zip(bounds.get(..rank));
                bounds.and_then(|(lengths, bounds)| ArrayInfo::new(data, lengths, bounds))
            }
        }
        .ok_or(rank_out_of_range)
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
    pub fn object_size(&self, object: impl Object) -> Result<usize> {
        self.raw().object_size(object.id())
    }
}
