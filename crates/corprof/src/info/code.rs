//! Machine code: where a method's code lies, which method an address belongs to, and which IL it came from.
#![allow(unsafe_code)]

use core::fmt;
use core::ptr::{null_mut, without_provenance};

use corprof_sys as sys;

use super::{Enumerator, FunctionVersion, call, fill, room_of};
use crate::ids::{FunctionId, ReJitId};
use crate::{Error, HResult, ProfilerInfo, Result};

/// A stretch of machine code (`COR_PRF_CODE_INFO`). A method may have several: the hot part comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct CodeRegion {
    /// The address of its first byte.
    pub start: usize,
    /// Its length in bytes.
    pub size: usize,
}

/// An offset in the IL of a method, or one of the marks of code that came from none.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct IlOffset(pub u32);

impl IlOffset {
    /// Code that the compiler has added.
    pub const NO_MAPPING: Self = Self(u32::MAX);
    /// The code that builds the frame.
    pub const PROLOG: Self = Self(u32::MAX - 1);
    /// The code that leaves the frame.
    pub const EPILOG: Self = Self(u32::MAX - 2);
}

impl fmt::Debug for IlOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NO_MAPPING => f.write_str("NO_MAPPING"),
            Self::PROLOG => f.write_str("PROLOG"),
            Self::EPILOG => f.write_str("EPILOG"),
            Self(offset) => write!(f, "IlOffset({offset:#x})"),
        }
    }
}

/// Which machine code came from which IL (`COR_DEBUG_IL_TO_NATIVE_MAP`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct IlToNativeMapEntry {
    /// Where in the IL.
    pub il_offset: IlOffset,
    /// Where it begins, in bytes from the start of the machine code.
    pub native_start: u32,
    /// Where it ends, exclusive.
    pub native_end: u32,
}

// Both are filled in by the runtime.
const _: () = assert!(size_of::<CodeRegion>() == size_of::<sys::COR_PRF_CODE_INFO>());
const _: () = assert!(size_of::<IlToNativeMapEntry>() == size_of::<sys::COR_DEBUG_IL_TO_NATIVE_MAP>());

impl ProfilerInfo {
    /// The stretches of machine code of a version of a method; `None` for the first version
    /// (`ICorProfilerInfo4::GetCodeInfo3`). Of a method that is compiled in tiers there may be several:
    /// [`ProfilerInfo::native_code_start_addresses`] has all.
    ///
    /// # Errors
    /// `CORPROF_E_FUNCTION_NOT_COMPILED` before the method has been compiled.
    #[doc(alias = "GetCodeInfo")]
    #[doc(alias = "GetCodeInfo2")]
    #[doc(alias = "GetCodeInfo3")]
    pub fn code_regions(&self, function: FunctionId, rejit: Option<ReJitId>) -> Result<Vec<CodeRegion>> {
        let rejit = rejit.map_or(0, ReJitId::as_raw);
        let regions = fill("ICorProfilerInfo4::GetCodeInfo3", |room: &mut [CodeRegion]| {
            let mut count = 0;
            // SAFETY: a local, and a buffer with its length, of structures with the same layout.
            unsafe {
                call!(
                    self,
                    ICorProfilerInfo4::GetCodeInfo3(
                        function.as_raw(),
                        rejit,
                        room_of(room),
                        &raw mut count,
                        room.as_mut_ptr().cast(),
                    )
                )
            }?;
            Ok(count)
        })?;
        Ok(regions.to_vec())
    }

    /// The addresses at which compilations of a version of a method begin, the tiers included
    /// (`ICorProfilerInfo9::GetNativeCodeStartAddresses`). Empty before the method has been compiled.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetNativeCodeStartAddresses")]
    pub fn native_code_start_addresses(
        &self,
        function: FunctionId,
        rejit: Option<ReJitId>,
    ) -> Result<Vec<usize>> {
        let rejit = rejit.map_or(0, ReJitId::as_raw);
        let starts = fill("ICorProfilerInfo9::GetNativeCodeStartAddresses", |room: &mut [usize]| {
            let mut count = 0;
            // SAFETY: a local, and a buffer with its length.
            unsafe {
                call!(
                    self,
                    ICorProfilerInfo9::GetNativeCodeStartAddresses(
                        function.as_raw(),
                        rejit,
                        room_of(room),
                        &raw mut count,
                        room.as_mut_ptr(),
                    )
                )
            }?;
            Ok(count)
        })?;
        Ok(starts.to_vec())
    }

    /// The stretches of one compilation, given by the address at which it begins
    /// (`ICorProfilerInfo9::GetCodeInfo4`).
    ///
    /// # Errors
    /// `E_INVALIDARG` for an address at which no compilation begins.
    #[doc(alias = "GetCodeInfo4")]
    pub fn code_regions_at(&self, start: usize) -> Result<Vec<CodeRegion>> {
        let regions = fill("ICorProfilerInfo9::GetCodeInfo4", |room: &mut [CodeRegion]| {
            let mut count = 0;
            // SAFETY: a local, and a buffer with its length, of structures with the same layout; the address is looked
            // up and not read.
            unsafe {
                call!(
                    self,
                    ICorProfilerInfo9::GetCodeInfo4(
                        start,
                        room_of(room),
                        &raw mut count,
                        room.as_mut_ptr().cast(),
                    )
                )
            }?;
            Ok(count)
        })?;
        Ok(regions.to_vec())
    }

    /// The method, and the version of it, whose code lies at an address (`ICorProfilerInfo8::GetFunctionFromIP3`);
    /// methods that were made at run time included. `None` when there is none, as for native code. May be called
    /// from anywhere.
    ///
    /// # Errors
    /// What else the runtime reports.
    #[doc(alias = "GetFunctionFromIP2")]
    #[doc(alias = "GetFunctionFromIP3")]
    pub fn function_version_from_ip(&self, address: usize) -> Result<Option<FunctionVersion>> {
        let (mut function, mut rejit) = (0, 0);
        // SAFETY: locals; the address is looked up and not read.
        let answer = unsafe {
            call!(
                self,
                ICorProfilerInfo8::GetFunctionFromIP3(
                    without_provenance(address),
                    &raw mut function,
                    &raw mut rejit,
                )
            )
        };
        match answer {
            Ok(_) => Ok(FunctionId::from_raw(function)
                .map(|function| FunctionVersion { function, rejit: ReJitId::from_raw(rejit) })),
            Err(Error::Call { hresult: HResult::E_FAIL, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Which machine code of a version of a method came from which IL (`ICorProfilerInfo4::GetILToNativeMapping2`).
    ///
    /// # Errors
    /// `CORPROF_E_DEBUGGING_DISABLED` where the runtime has no debugging support; what else it reports.
    #[doc(alias = "GetILToNativeMapping")]
    #[doc(alias = "GetILToNativeMapping2")]
    pub fn il_to_native_map(
        &self,
        function: FunctionId,
        rejit: Option<ReJitId>,
    ) -> Result<Vec<IlToNativeMapEntry>> {
        let rejit = rejit.map_or(0, ReJitId::as_raw);
        let map = fill("ICorProfilerInfo4::GetILToNativeMapping2", |room: &mut [IlToNativeMapEntry]| {
            let mut count = 0;
            // SAFETY: a local, and a buffer with its length, of structures with the same layout.
            unsafe {
                call!(
                    self,
                    ICorProfilerInfo4::GetILToNativeMapping2(
                        function.as_raw(),
                        rejit,
                        room_of(room),
                        &raw mut count,
                        room.as_mut_ptr().cast(),
                    )
                )
            }?;
            Ok(count)
        })?;
        Ok(map.to_vec())
    }

    /// Which machine code of one compilation, given by the address at which it begins, came from which IL
    /// (`ICorProfilerInfo9::GetILToNativeMapping3`).
    ///
    /// # Errors
    /// As for [`ProfilerInfo::il_to_native_map`].
    #[doc(alias = "GetILToNativeMapping3")]
    pub fn il_to_native_map_at(&self, start: usize) -> Result<Vec<IlToNativeMapEntry>> {
        let map = fill("ICorProfilerInfo9::GetILToNativeMapping3", |room: &mut [IlToNativeMapEntry]| {
            let mut count = 0;
            // SAFETY: a local, and a buffer with its length, of structures with the same layout; the address is looked
            // up and not read.
            unsafe {
                call!(
                    self,
                    ICorProfilerInfo9::GetILToNativeMapping3(
                        start,
                        room_of(room),
                        &raw mut count,
                        room.as_mut_ptr().cast(),
                    )
                )
            }?;
            Ok(count)
        })?;
        Ok(map.to_vec())
    }

    /// The methods that have been compiled, each with its version (`ICorProfilerInfo4::EnumJITedFunctions2`). What an
    /// attached profiler has missed. Precompiled code is not among them.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "EnumJITedFunctions")]
    #[doc(alias = "EnumJITedFunctions2")]
    pub fn jitted_functions(&self) -> Result<Enumerator<FunctionVersion>> {
        let mut out = null_mut();
        // SAFETY: a local.
        unsafe { call!(self, ICorProfilerInfo4::EnumJITedFunctions2(&raw mut out)) }?;
        // SAFETY: the runtime has given the enumerator, with a reference.
        unsafe { Enumerator::<FunctionVersion>::from_raw("ICorProfilerInfo4::EnumJITedFunctions2", out) }
    }
}
