//! Which runtime this is, and its threads.
#![allow(unsafe_code)]

use core::fmt;

use corprof_sys as sys;

use super::functions::room_of;
use super::{call, fill_wide};
use crate::ids::ThreadId;
use crate::{Error, ProfilerInfo, Result};

/// Which runtime it is (`COR_PRF_RUNTIME_TYPE`).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct RuntimeType(pub u32);

impl RuntimeType {
    /// The .NET Framework's.
    pub const DESKTOP_CLR: Self = Self(1);
    /// CoreCLR.
    pub const CORE_CLR: Self = Self(2);
}

impl fmt::Debug for RuntimeType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::DESKTOP_CLR => f.write_str("DESKTOP_CLR"),
            Self::CORE_CLR => f.write_str("CORE_CLR"),
            Self(other) => write!(f, "RuntimeType({other})"),
        }
    }
}

/// Which runtime this is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeInfo {
    /// A number for this runtime within its process.
    pub instance: u16,
    /// Which runtime it is.
    pub runtime_type: RuntimeType,
    /// 9 for .NET 9; .NET Core 3.1 says 4, see [`RuntimeInfo::version_string`].
    pub major: u16,
    /// The minor version.
    pub minor: u16,
    /// The build number.
    pub build: u16,
    /// The quick-fix number.
    pub qfe: u16,
    /// The version as a text.
    pub version_string: String,
}

impl ProfilerInfo {
    /// Which runtime this is (`ICorProfilerInfo3::GetRuntimeInformation`). Asked once, then remembered.
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetRuntimeInformation")]
    pub fn runtime_info(&self) -> Result<&RuntimeInfo> {
        if let Some(known) = self.shared.runtime.get() {
            return Ok(known);
        }
        let asked = self.ask_runtime_info()?;
        Ok(self.shared.runtime.get_or_init(|| asked))
    }

    fn ask_runtime_info(&self) -> Result<RuntimeInfo> {
        let mut runtime_type = sys::COR_PRF_RUNTIME_TYPE(0);
        let (mut instance, mut major, mut minor, mut build, mut qfe) = (0, 0, 0, 0, 0);
        let version_string = fill_wide("ICorProfilerInfo3::GetRuntimeInformation", |room| {
            let mut needed = 0;
            // SAFETY: locals, and a buffer with its length.
            unsafe {
                call!(
                    self,
                    ICorProfilerInfo3::GetRuntimeInformation(
                        &raw mut instance,
                        &raw mut runtime_type,
                        &raw mut major,
                        &raw mut minor,
                        &raw mut build,
                        &raw mut qfe,
                        room_of(room),
                        &raw mut needed,
                        room.as_mut_ptr(),
                    )
                )
            }?;
            Ok(needed)
        })?;
        let runtime_type = RuntimeType(runtime_type.0);
        Ok(RuntimeInfo { instance, runtime_type, major, minor, build, qfe, version_string })
    }

    /// The managed thread that is running, `None` for one that the runtime does not know
    /// (`ICorProfilerInfo::GetCurrentThreadID`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetCurrentThreadID")]
    pub fn current_thread(&self) -> Result<Option<ThreadId>> {
        let mut thread = 0;
        // SAFETY: a local.
        let answer = unsafe { call!(self, ICorProfilerInfo::GetCurrentThreadID(&raw mut thread)) };
        match answer {
            Ok(_) => Ok(ThreadId::from_raw(thread)),
            Err(Error::Call { hresult: crate::HResult::CORPROF_E_NOT_MANAGED_THREAD, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The operating system's id of a managed thread (`ICorProfilerInfo::GetThreadInfo`).
    ///
    /// # Errors
    /// What the runtime reports.
    #[doc(alias = "GetThreadInfo")]
    pub fn os_thread_id(&self, thread: ThreadId) -> Result<u32> {
        let mut id = 0;
        // SAFETY: a local.
        unsafe { call!(self, ICorProfilerInfo::GetThreadInfo(thread.as_raw(), &raw mut id)) }?;
        Ok(id)
    }
}
