//! Objects on the managed heap: class, size, and the layout of strings and arrays.
#![forbid(unsafe_code)]

use corprof_types::{ClassId, HResult};

use crate::error::{Error, Result};
use crate::raw::evidence::Object;
use crate::raw::object_layout;
use crate::runtime::ProfilerInfo;
use corprof_types::{ArrayInfo, MAX_RANK, StringLayout};

impl ProfilerInfo {
    /// Returns the class of an object.
    ///
    /// `ICorProfilerInfo::GetClassFromObject`. In fast-path hooks, where the runtime refuses the call, the object's
    /// header is read instead. For arrays on .NET Core 3.1 that gives another id, which
    /// [`known_class`](Self::known_class) never returns; the other methods accept it.
    ///
    /// # Errors
    /// `CORPROF_E_NOT_MANAGED_THREAD`: called on a thread of the profiler's own outside of visits of the heap. Any
    /// other failure of the call.
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

    /// Returns the offsets of length and characters in strings.
    ///
    /// `ICorProfilerInfo3::GetStringLayout2`. All strings of a process have the same layout.
    ///
    /// # Errors
    /// Any failure of the call.
    #[doc(alias = "GetStringLayout")]
    #[doc(alias = "GetStringLayout2")]
    pub fn string_layout(&self) -> Result<StringLayout> {
        let (length_offset, buffer_offset) = self.raw().string_layout()?;
        Ok(StringLayout { length_offset, buffer_offset })
    }

    /// Returns the dimensions and the data address of an array of a rank.
    ///
    /// `ICorProfilerInfo2::GetArrayObjectInfo`. [`ProfilerInfo::array_class`] returns the rank. With fast-path hooks the
    /// array's memory is read, as for [`class_of_object`](Self::class_of_object), in callbacks too. Must be called in a callback
    /// or hook on a managed thread.
    ///
    /// # Errors
    /// `E_INVALIDARG`: a rank of 0 or above 32. `CORPROF_E_NOT_MANAGED_THREAD`: called on a thread of the profiler's
    /// own. Any other failure of the call.
    #[doc(alias = "GetArrayObjectInfo")]
    pub fn array_object_info(&self, array: impl Object, rank: u32) -> Result<ArrayInfo> {
        const CALL: &str = "ICorProfilerInfo2::GetArrayObjectInfo";
        let rank_out_of_range = Error::Call { call: CALL, hresult: HResult::E_INVALIDARG };
        let (array, rank) = (array.id(), rank as usize);
        if !(1..=MAX_RANK).contains(&rank) {
            return Err(rank_out_of_range);
        }
        let info = if self.has_fast_hooks() {
            // The runtime would refuse most of these calls, which takes as long as reading a small array.
            object_layout::array(array, rank)
        } else {
            let (lengths, bounds, data) = self.raw().array_object_info::<MAX_RANK>(array, rank)?;
            let bounds = lengths.get(..rank).zip(bounds.get(..rank));
            bounds.and_then(|(lengths, bounds)| ArrayInfo::new(data, lengths, bounds))
        };
        info.ok_or(rank_out_of_range)
    }

    /// Returns the size of an object in bytes, header included.
    ///
    /// `ICorProfilerInfo4::GetObjectSize2`. Must be called in a callback on a managed thread.
    ///
    /// # Errors
    /// `CORPROF_E_NOT_MANAGED_THREAD`: called on a thread of the profiler's own. `CORPROF_E_UNSUPPORTED_CALL_SEQUENCE`:
    /// called in a fast-path hook. Any other failure of the call.
    #[doc(alias = "GetObjectSize")]
    #[doc(alias = "GetObjectSize2")]
    pub fn object_size(&self, object: impl Object) -> Result<usize> {
        self.raw().object_size(object.id())
    }
}
